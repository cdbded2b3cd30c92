/** Small faults, one at a time, for a file of the source: what tests should notice. */

import { type Node, parseSync, visitorKeys } from "oxc-parser";

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

/** A syntax node with the fields that are looked at here. */
type Any = Node & { readonly [field: string]: unknown };

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
  const { program, comments, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const mutants: Mutant[] = [];
  // The same with blanks in place of comments, in which an operator could stand.
  const code = comments.reduce(
    (text, { start, end }) => text.slice(0, start) + " ".repeat(end - start) + text.slice(end),
    source,
  );
  const add = ({ start, end }: { start: number; end: number }, [text, what]: Replacement) => {
    const line = source.slice(0, start).split("\n").length;
    mutants.push({ start, end, text, line, source: source.split("\n")[line - 1]?.trim() ?? "", what });
  };
  const visit = (node: Any): void => {
    if (isLeftOut(node)) return;
    const textOf = ({ start, end }: Node) => source.slice(start, end);
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
        if (node.test !== null) add(node.test, ["false", "condition → false"]);
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
    for (const key of visitorKeys[node.type] ?? []) {
      const child = (node as { readonly [field: string]: unknown })[key];
      for (const one of Array.isArray(child) ? child : [child]) if (isNode(one)) visit(one);
    }
  };
  visit(program as Any);
  return mutants;
}

function isNode(value: unknown): value is Any {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** Imports, types, and errors that tell of a defect. */
function isLeftOut(node: Any): boolean {
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
