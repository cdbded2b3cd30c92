/** Small faults, one at a time, for a file of the source: what tests should notice. */

import { parse } from "@babel/parser";

export interface Mutant {
  /** What stands at `start` to `end` of the file is replaced by `text`. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly line: number;
  /** The line as it is, without the white space around it. */
  readonly source: string;
  /** `=== → !==` */
  readonly what: string;
}

type Replacement = readonly [text: string, what: string];

/** A part of the source. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/** A node of the syntax as ESTree has it, with the fields that are looked at here, where its type has them. */
interface Node extends Part {
  readonly type: string;
  readonly operator: string;
  readonly left: Node;
  readonly argument: Node | null;
  readonly test: Node | null;
  readonly elements: readonly unknown[];
  readonly value: unknown;
}

const OPERATORS: ReadonlyMap<string, string> = new Map([
  ["===", "!=="],
  ["!==", "==="],
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
  ["+", "-"],
  ["-", "+"],
  ["*", "/"],
  ["/", "*"],
  ["&&", "||"],
  ["||", "&&"],
  ["??", "&&"],
]);

/** All mutants of a file, in its order. Types have none, nor have the words of errors. */
export function mutantsOf(path: string, source: string): readonly Mutant[] {
  const { program, comments } = parse(source, {
    sourceType: "module",
    sourceFilename: path,
    plugins: ["typescript", "estree"],
  });
  const mutants: Mutant[] = [];
  // The same with blanks in place of comments, in which an operator could stand.
  const blank = (text: string, { start, end }: Part) =>
    text.slice(0, start) + " ".repeat(end - start) + text.slice(end);
  const code = (comments ?? []).filter((one): one is typeof one & Part => isPart(one)).reduce(blank, source);
  const add = (part: Part | null, [text, what]: Replacement) => {
    if (part === null) return;
    const { start, end } = part;
    const line = source.slice(0, start).split("\n").length;
    mutants.push({ start, end, text, line, source: source.split("\n")[line - 1]?.trim() ?? "", what });
  };
  const visit = (node: Node): void => {
    if (isLeftOut(node)) return;
    const textOf = (part: Part | null) => source.slice(part?.start, part?.end);
    switch (node.type) {
      case "BinaryExpression":
      case "LogicalExpression": {
        const other = OPERATORS.get(node.operator);
        if (other === undefined) break;
        // Only blanks and brackets stand between the left operand and the operator.
        const start = code.indexOf(node.operator, node.left.end);
        add({ start, end: start + node.operator.length }, [other, `${node.operator} → ${other}`]);
        break;
      }
      case "UnaryExpression":
        if (node.operator === "!") add(node, [textOf(node.argument), "without !"]);
        break;
      case "IfStatement":
      case "ConditionalExpression":
        for (const value of ["true", "false"]) add(node.test, [value, `condition → ${value}`]);
        break;
      case "WhileStatement":
        add(node.test, ["false", "condition → false"]);
        break;
      case "ForStatement":
        add(node.test, ["false", "condition → false"]);
        break;
      case "Literal": {
        const mutated = literal(node.value);
        if (mutated !== undefined) add(node, [mutated, `${textOf(node)} → ${mutated}`]);
        break;
      }
      case "ArrayExpression":
        if (node.elements.length > 0) add(node, ["[]", "list → []"]);
        break;
      case "ExpressionStatement":
      case "ContinueStatement":
      case "BreakStatement":
        add(node, [";", "statement left out"]);
        break;
      case "ReturnStatement":
        if (node.argument === null) add(node, [";", "statement left out"]);
        break;
    }
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child);
  };
  const root: unknown = program;
  if (!isNode(root)) throw new Error(`${path}: no syntax tree`);
  visit(root);
  return mutants;
}

function isPart(value: object): value is Part {
  return "start" in value && typeof value.start === "number" && "end" in value && typeof value.end === "number";
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && isPart(value);
}

/** Imports, types, and errors that tell of a defect. */
function isLeftOut(node: Node): boolean {
  if (node.type === "ImportDeclaration" || node.type === "ExportAllDeclaration") return true;
  if (node.type === "ThrowStatement") return true;
  return (
    node.type.startsWith("TS") &&
    !["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"].includes(node.type)
  );
}

function literal(value: unknown): string | undefined {
  if (typeof value === "boolean") return String(!value);
  if (typeof value === "number") return String(value + 1);
  if (typeof value === "string") return value === "" ? '"mutant"' : '""';
  return undefined;
}
