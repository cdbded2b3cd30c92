/** Makes small faults in a source file, one at a time. Tests should notice each. */

import { parse } from "@babel/parser";

export interface Mutant {
  /** `text` replaces the expression or statement at `start` to `end` of the file. It differs from the original. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly isStatement: boolean;
  readonly line: number;
  /** The original line without surrounding white space. */
  readonly source: string;
  /** For example `a === b: === → !==`. */
  readonly what: string;
}

/** A source file with its possible faults. */
export interface Faults {
  /** In the order of the file. */
  readonly mutants: readonly Mutant[];
  /** The bodies of loops and functions. Every endless run repeats one of them. */
  readonly bodies: readonly Part[];
}

type Replacement = readonly [text: string, what: string];

export interface Part {
  readonly start: number;
  readonly end: number;
}

/** An ESTree node, with the fields that are read here, if its type has them. */
interface Node extends Part {
  readonly type: string;
  readonly operator: string;
  readonly left: Node;
  readonly right: Node;
  readonly argument: Node | null;
  readonly test: Node | null;
  readonly elements: readonly unknown[];
  readonly value: unknown;
  readonly body: unknown;
  readonly key: unknown;
  readonly computed: boolean;
  readonly source: unknown;
  readonly directive: unknown;
  readonly expression: Node;
  readonly object: Node;
  readonly callee: Node;
  readonly arguments: readonly unknown[];
  readonly consequent: unknown;
  readonly alternate: unknown;
  readonly property: { readonly name?: string };
  readonly optional: boolean;
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
  ["%", "*"],
  ["&&", "||"],
  ["||", "&&"],
  ["??", "&&"],
]);

/** Methods, each with a replacement of the same type. */
const METHODS: ReadonlyMap<string, string> = new Map([
  ["some", "every"],
  ["every", "some"],
  ["min", "max"],
  ["max", "min"],
  ["startsWith", "endsWith"],
  ["endsWith", "startsWith"],
]);

/** TypeScript's expressions that also contain code to run. */
const EXPRESSIONS = new Set(["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"]);

const LOOPS = new Set(["WhileStatement", "DoWhileStatement", "ForStatement", "ForOfStatement", "ForInStatement"]);

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

/** All faults of a file, except in types and in messages of errors. */
export function faultsOf(path: string, source: string): Faults {
  const { program, comments } = parse(source, {
    sourceType: "module",
    sourceFilename: path,
    plugins: ["typescript", "estree"],
  });
  const mutants: Mutant[] = [];
  const bodies: Part[] = [];
  // The code with blanks for comments, because comments may contain operators.
  const blank = (text: string, { start, end }: Part) =>
    text.slice(0, start) + " ".repeat(end - start) + text.slice(end);
  const code = (comments ?? []).filter((one): one is typeof one & Part => isPart(one)).reduce(blank, source);
  const add = (node: Node | null, [text, what]: Replacement) => {
    if (node === null) return;
    const { start, end } = node;
    const line = source.slice(0, start).split("\n").length;
    const isStatement = node.type.endsWith("Statement");
    const found = { start, end, text, isStatement, line, source: source.split("\n")[line - 1]?.trim() ?? "" };
    mutants.push({ ...found, what: isStatement ? what : `${short(textOf(node))}: ${what}` });
  };
  const textOf = (part: Part | null) => source.slice(part?.start, part?.end);
  /** `whole` with the part at `start` to `end` of the file replaced by `text`. */
  const within = (whole: Part, start: number, end: number, text: string) =>
    source.slice(whole.start, start) + text + source.slice(end, whole.end);
  // Only the sign of a sort function's result matters.
  const signs = new Set<unknown>();
  const visit = (node: Node, chain: Node): void => {
    if (isLeftOut(node)) return;
    if (
      isNode(node.body) &&
      (LOOPS.has(node.type) || (FUNCTIONS.has(node.type) && node.body.type === "BlockStatement"))
    ) {
      bodies.push(node.body);
    }
    switch (node.type) {
      case "BinaryExpression":
      case "LogicalExpression": {
        const other = OPERATORS.get(node.operator);
        // Subtraction is not valid for strings that are concatenated.
        if (other === undefined || (node.operator === "+" && [node.left, node.right].some(isText))) break;
        // Parentheses around an operand do not belong to it.
        const start = code.indexOf(node.operator, node.left.end);
        const sides = [source.slice(node.start, start), source.slice(start + node.operator.length, node.end)];
        add(node, [`(${sides[0]}) ${other} (${sides[1]})`, `${node.operator} → ${other}`]);
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
      case "ForStatement":
        add(node.test, ["false", "condition → false"]);
        break;
      case "Literal": {
        const mutated = signs.has(node) ? undefined : literal(node.value);
        if (mutated !== undefined) add(node, [mutated, `→ ${mutated}`]);
        break;
      }
      case "ArrayExpression":
        if (node.elements.length > 0) add(node, ["[]", "list → []"]);
        break;
      case "CallExpression":
      case "MemberExpression": {
        if (node.optional) {
          const from = (node.type === "CallExpression" ? node.callee : node.object).end;
          const start = code.indexOf("?.", from);
          const plain = node.type === "CallExpression" || node.computed ? "" : ".";
          add(chain, [within(chain, start, start + 2, plain), "?. → ."]);
        }
        const { callee } = node;
        if (node.type !== "CallExpression" || callee.type !== "MemberExpression" || callee.computed) break;
        const name = callee.property.name ?? "";
        if (name === "sort") for (const one of signsIn(node.arguments)) signs.add(one);
        const other = METHODS.get(name);
        const start = code.indexOf(name, callee.object.end);
        if (other !== undefined) {
          add(chain, [within(chain, start, start + name.length, other), `.${name} → .${other}`]);
        }
        if (name === "filter") {
          const dot = code.lastIndexOf(".", start);
          const end = code[dot - 1] === "?" ? dot - 1 : dot;
          add(chain, [within(chain, end, node.end, ""), "without .filter"]);
        }
        break;
      }
      case "ExpressionStatement":
      case "ContinueStatement":
      case "BreakStatement":
        if (node.directive === undefined) add(node, [";", "statement left out"]);
        break;
      case "ReturnStatement":
        if (node.argument === null) add(node, [";", "statement left out"]);
        break;
    }
    for (const [field, value] of Object.entries(node)) {
      // Names of properties and modules are not values.
      if ((field === "key" && !node.computed) || field === "source") continue;
      for (const child of [value].flat()) {
        if (!isNode(child)) continue;
        // The links of an optional chain are replaced with the whole chain, because an absent value ends the chain.
        const isLink = (field === "callee" || field === "object") && isChained(child) && isChained(node);
        visit(child, isLink || node.type === "ChainExpression" ? chainOf(node, chain) : child);
      }
    }
  };
  const root: unknown = program;
  if (!isNode(root)) throw new Error(`${path}: no syntax tree`);
  visit(root, root);
  return { mutants, bodies };
}

/** The numbers that a sort function returns: for `(a, b) => (a < b ? -1 : 1)`, the last one. */
function signsIn(found: readonly unknown[]): readonly Node[] {
  return found.filter(isNode).flatMap((node) => {
    if (node.type === "ArrowFunctionExpression") return signsIn([node.body]);
    if (node.type === "LogicalExpression") return signsIn([node.left, node.right]);
    if (node.type === "ConditionalExpression") return signsIn([node.consequent, node.alternate]);
    if (node.type === "UnaryExpression") return signsIn([node.argument]);
    return node.type === "Literal" && typeof node.value === "number" && node.value !== 0 ? [node] : [];
  });
}

function chainOf(node: Node, chain: Node): Node {
  return node.type === "ChainExpression" ? node : chain;
}

function isChained(node: Node): boolean {
  return ["CallExpression", "MemberExpression", "TSNonNullExpression"].includes(node.type);
}

function isText(node: Node): boolean {
  return node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");
}

/** A prefix of an expression, enough to distinguish it from others in its line. */
function short(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length <= 60 ? line : `${line.slice(0, 30)} … ${line.slice(-28)}`;
}

function isPart(value: object): value is Part {
  return "start" in value && typeof value.start === "number" && "end" in value && typeof value.end === "number";
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && isPart(value);
}

/** Excludes imports, types, and errors that report a defect of the program. */
function isLeftOut(node: Node): boolean {
  if (node.type === "ImportDeclaration" || node.type === "ExportAllDeclaration") return true;
  if (node.type === "ThrowStatement") return true;
  return node.type.startsWith("TS") && !EXPRESSIONS.has(node.type);
}

function literal(value: unknown): string | undefined {
  if (typeof value === "boolean") return String(!value);
  if (typeof value === "number") return String(value + 1);
  if (typeof value === "string") return value === "" ? '"mutant"' : '""';
  return undefined;
}
