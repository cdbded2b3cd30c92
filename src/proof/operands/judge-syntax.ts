/** The syntax tree of a generated judge, and the parts of it that its operands rely on. */

import {
  type AnyNode,
  type AssignmentExpression,
  type Expression,
  type Function as FunctionNode,
  type Program,
  parse,
  type Statement,
} from "acorn";
import type { FrameField } from "../../engine/generate/reads.js";
import type { AttributeOwner } from "../../engine/plan/subjects.js";
import { type IndexSyntax, indexSyntax, type SearchSyntax, searchSyntax } from "./search-syntax.js";

/** The value that a constant of the judge reads from a frame: a slot by its number, or another field. */
export type FrameRead =
  | { readonly owner: AttributeOwner; readonly slot: number }
  | { readonly owner: AttributeOwner; readonly field: FrameField };

/** A value that is evaluated before the conditions, and the flag of its evaluation: two temporary variables. */
export interface AheadValue {
  readonly name: string;
  readonly flag: string;
  readonly value: Expression;
  /** The offset of its end. */
  readonly end: number;
}

export interface JudgeSyntax {
  readonly reads: ReadonlyMap<string, FrameRead>;
  readonly aheads: readonly AheadValue[];
  /** The functions beside the judge that search lists, and the indexes of lists, by their names. */
  readonly searches: ReadonlyMap<string, SearchSyntax>;
  readonly indexes: ReadonlyMap<string, IndexSyntax>;
  /** The expression that is exactly the code from `at` to `end`; undefined if the code is a part of one. */
  expressionAt(at: number, end: number): Expression | undefined;
}

/** Undefined: the code has another form than a judge. */
export function judgeSyntax(text: string): JudgeSyntax | undefined {
  const judge = judgeIn(text);
  if (judge === undefined || !startsAsJudge(judge.body, text)) return undefined;
  const reads = new Map<string, FrameRead>();
  const indexes = new Map<string, IndexSyntax>();
  for (const statement of judge.body) {
    addReads(statement, reads);
    addIndexes(statement, text, indexes);
  }
  const nodes = nodesIn(judge.root);
  const assignments = nodes.filter((node) => node.type === "AssignmentExpression");
  if (!leavesFrames(nodes, assignments, text, reads)) return undefined;
  return {
    reads,
    aheads: aheadsIn(judge.body, assignments),
    searches: searchesIn(judge.root, text),
    indexes,
    expressionAt: (at, end) => expressionAt(text, nodes, at, end),
  };
}

function searchesIn({ body }: Program, text: string): ReadonlyMap<string, SearchSyntax> {
  const found = new Map<string, SearchSyntax>();
  for (const one of body) {
    if (one.type !== "FunctionDeclaration") continue;
    const search = searchSyntax(one, text);
    // Of two functions with one name, the last counts.
    if (search === undefined) found.delete(one.id.name);
    else found.set(one.id.name, search);
  }
  return found;
}

function addIndexes(statement: Statement, text: string, indexes: Map<string, IndexSyntax>): void {
  if (statement.type !== "VariableDeclaration" || statement.kind !== "const") return;
  for (const { id, init } of statement.declarations) {
    const index = init ? indexSyntax(text.slice(init.start, init.end)) : undefined;
    if (id.type === "Identifier" && index !== undefined) indexes.set(id.name, index);
  }
}

function judgeIn(text: string): { readonly root: Program; readonly body: readonly Statement[] } | undefined {
  try {
    const root = parse(text, { ecmaVersion: 2022, allowReturnOutsideFunction: true });
    const last = root.body.at(-1);
    const judge = last?.type === "ReturnStatement" ? last.argument : undefined;
    if (judge?.type !== "FunctionExpression" || !hasParameters(judge)) return undefined;
    return { root, body: judge.body.body };
  } catch {
    // A syntax error.
    return undefined;
  }
}

function hasParameters({ params }: FunctionNode): boolean {
  return params.map((one) => (one.type === "Identifier" ? one.name : "")).join() === "p,r,v,n";
}

const LEAVES = "return (-1);";

/** The first statements of a judge, which declines frames that its readers have not accepted. `P` and `v` are the slots. */
const FIRST = ["const P = p.values;", `if (P.k < 0 || v.k < 0) ${LEAVES}`];

/** True if {@link FIRST} comes first, and constants and conditions for declining are all up to the variables. */
function startsAsJudge(body: readonly Statement[], text: string): boolean {
  const textOf = ({ start, end }: AnyNode) => text.slice(start, end);
  const variables = body.findIndex((one) => one.type === "VariableDeclaration" && one.kind === "let");
  return body
    .slice(0, Math.max(variables, FIRST.length))
    .every((one, i) =>
      i < FIRST.length
        ? textOf(one) === FIRST[i]
        : one.type === "VariableDeclaration" || (one.type === "IfStatement" && textOf(one.consequent) === LEAVES),
    );
}

/** The replacement of a list after a search with the answer `t1`: some of its elements are not texts. */
const REPLACEMENT = /^if \((t\d+) === 3 && p\.indexes === null\) P\.s(\d+) = NT;$/;

/** True if the frames stay as they are, but for each {@link REPLACEMENT}. */
function leavesFrames(
  nodes: readonly AnyNode[],
  assignments: readonly AssignmentExpression[],
  text: string,
  reads: ReadonlyMap<string, FrameRead>,
): boolean {
  const answersOf = (temp: string, slot: number) =>
    assignments.filter((one) => assigns(one, temp)).every(({ right }) => searchesSlot(right, slot, reads));
  const replacements = nodes.filter((node) => {
    const [, temp, slot] = (node.type === "IfStatement" && REPLACEMENT.exec(text.slice(node.start, node.end))) || [];
    return temp !== undefined && answersOf(temp, Number(slot));
  });
  const changed = nodes.flatMap((node): readonly AnyNode[] => {
    if (node.type === "AssignmentExpression") return [node.left];
    const isChange =
      node.type === "UpdateExpression" || (node.type === "UnaryExpression" && node.operator === "delete");
    return isChange ? [node.argument] : [];
  });
  return changed.filter(({ start, end }) => FRAMES.test(text.slice(start, end))).length === replacements.length;
}

/** The first letter of the code for a part of a frame. */
const FRAMES = /^[Pprv]\b/;

/** True for `(…, z !== 0 ? 2 : f0(a0, …))`, if `a0` is the slot of the key. */
function searchesSlot(code: Expression, slot: number, reads: ReadonlyMap<string, FrameRead>): boolean {
  const last = code.type === "SequenceExpression" ? code.expressions.at(-1) : undefined;
  if (last !== undefined) return searchesSlot(last, slot, reads);
  if (code.type === "ConditionalExpression") {
    const { consequent, alternate } = code;
    return consequent.type === "Literal" && consequent.value === 2 && searchesSlot(alternate, slot, reads);
  }
  const list = code.type === "CallExpression" ? code.arguments[0] : undefined;
  const read = list?.type === "Identifier" ? reads.get(list.name) : undefined;
  return read?.owner === "principal" && "slot" in read && read.slot === slot;
}

const FIELDS: ReadonlyMap<string, FrameRead> = new Map([
  ["p.id", { owner: "principal", field: "id" }],
  ["p.roles", { owner: "principal", field: "roles" }],
  ["r.id", { owner: "resource", field: "id" }],
  ["r.kind", { owner: "resource", field: "kind" }],
]);

/** `const a0 = P.s0;` and the like, in the order of the code. `P` stands for the slots only after `const P = p.values;`. */
function addReads(statement: Statement, reads: Map<string, FrameRead>): void {
  if (statement.type !== "VariableDeclaration" || statement.kind !== "const") return;
  for (const { id, init } of statement.declarations) {
    if (id.type !== "Identifier" || init?.type !== "MemberExpression" || init.computed || init.optional) continue;
    const { object, property } = init;
    if (object.type !== "Identifier" || property.type !== "Identifier") continue;
    const read = readOf(object.name, property.name);
    if (read !== undefined) reads.set(id.name, read);
  }
}

function readOf(object: string, property: string): FrameRead | undefined {
  const [, slot] = /^s(\d+)$/.exec(property) ?? [];
  if (slot === undefined) return FIELDS.get(`${object}.${property}`);
  const owner = object === "P" ? "principal" : object === "v" ? "resource" : undefined;
  return owner && { owner, slot: Number(slot) };
}

/** `t0 = …; t1 = z; z = 0;` at the begin of the statements, of variables that are assigned nowhere else. */
function aheadsIn(body: readonly Statement[], assignments: readonly AssignmentExpression[]): readonly AheadValue[] {
  const found: AheadValue[] = [];
  const start = body.findIndex((one) => one.type === "VariableDeclaration" && one.kind === "let") + 1;
  for (let at = start; start > 0; at += 3) {
    const [first, second, third] = body.slice(at, at + 3).map(assignmentIn);
    if (first === undefined || second?.value.type !== "Identifier" || second.value.name !== "z") break;
    if (third?.name !== "z" || third.value.type !== "Literal" || third.value.value !== 0) break;
    const isOnce = (name: string) => assignments.filter((one) => assigns(one, name)).length === 1;
    if (isOnce(first.name) && isOnce(second.name)) {
      found.push({ name: first.name, flag: second.name, value: first.value, end: first.value.end });
    }
  }
  return found;
}

function assignmentIn(statement: Statement): { readonly name: string; readonly value: Expression } | undefined {
  const made = statement.type === "ExpressionStatement" ? statement.expression : undefined;
  if (made?.type !== "AssignmentExpression" || made.operator !== "=" || made.left.type !== "Identifier")
    return undefined;
  return { name: made.left.name, value: made.right };
}

function assigns({ left }: AssignmentExpression, name: string): boolean {
  return left.type === "Identifier" && left.name === name;
}

/** All nodes, each before its parts. */
function nodesIn(root: AnyNode): readonly AnyNode[] {
  const found: AnyNode[] = [];
  const rest: unknown[] = [root];
  for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
    if (Array.isArray(one)) rest.push(...one.filter((part) => part !== null && part !== undefined));
    else if (isNode(one)) {
      found.push(one);
      rest.push(...Object.values(one).filter((part) => typeof part === "object" && part !== null));
    }
  }
  return found;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value && "end" in value;
}

/**
 * The tree of the whole function decides where an expression ends. So other operators around an operand cannot tear it
 * apart unnoticed.
 */
function expressionAt(text: string, nodes: readonly AnyNode[], at: number, end: number): Expression | undefined {
  const found = nodes.find((node) => node.start >= at && node.end <= end && isExpression(node));
  if (found === undefined || !isExpression(found)) return undefined;
  const [before, after] = [text.slice(at, found.start), text.slice(found.end, end)];
  return /^\(*$/.test(before) && /^\)*$/.test(after) && before.length === after.length ? found : undefined;
}

const EXPRESSIONS: ReadonlySet<string> = new Set<Expression["type"]>([
  "AssignmentExpression",
  "BinaryExpression",
  "CallExpression",
  "ConditionalExpression",
  "Identifier",
  "Literal",
  "LogicalExpression",
  "MemberExpression",
  "SequenceExpression",
  "UnaryExpression",
]);

function isExpression(node: AnyNode): node is Expression {
  return EXPRESSIONS.has(node.type);
}
