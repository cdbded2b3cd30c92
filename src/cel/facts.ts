/**
 * Static facts of an expression: what it reads, without running it. Checks and audits are built on these.
 */

import { children, type Expr } from "./ast.js";
import { CONSTANT_ROOTS, GLOBAL_ROOTS, protoName, ROOTS, type Root, VARIABLE_ROOTS } from "./roots.js";

/** One read of a request value. */
export interface Read {
  /** The value's canonical name: `P.attr`, `R.id`, `request.auxData.jwt`, `G`. */
  readonly root: string;
  /** The fields below it that are fixed in the text: `["limits", "keys"]`. Empty: the root as a whole. */
  readonly path: readonly string[];
  /** The value is tested by `has()`, or read as an optional, so its absence is not an error. */
  readonly has: boolean;
  /** The read is in the body of a macro, and so may happen once for each element. */
  readonly repeated: boolean;
  /** Offset of the read in the source text. */
  readonly at: number;
}

export interface Facts {
  readonly reads: readonly Read[];
  /** Names read as `V.name`. */
  readonly variables: ReadonlySet<string>;
  /** Names read as `C.name`. */
  readonly constants: ReadonlySet<string>;
  /** Calls `now()` or `timeSince()`. */
  readonly needsTime: boolean;
  /** Names read as `V.name` more than once in this expression, or in the body of a macro. */
  readonly repeatedVariables: ReadonlySet<string>;
  /** Every function called, operators included. */
  readonly functions: ReadonlySet<string>;
}

/** The facts of `expr`. Variables are not followed: join the facts of those named in `variables`. */
export function factsOf(expr: Expr): Facts {
  const facts: Collected = {
    reads: [],
    variables: new Set(),
    constants: new Set(),
    repeatedVariables: new Set(),
    functions: new Set(),
  };
  walk(expr, new Set(), false, facts);
  const needsTime = facts.functions.has("now") || facts.functions.has("timeSince");
  return { ...facts, needsTime };
}

/** The names that an expression reads as `V.x` and `C.x`. */
export function readsOf(expr: Expr): Pick<Facts, "variables" | "constants"> {
  return factsOf(expr);
}

/** A chain of field selections down to a name: `P.attr.limits` is `P`, `["attr", "limits"]`. */
export interface Chain {
  readonly root: string;
  readonly fields: readonly string[];
  /** Where each field's selection stands, in the order of `fields`. */
  readonly positions: readonly number[];
}

/** `expr` as a chain of field names, or undefined. A literal string index counts: `R.attr["x"]`. */
export function chainOf(expr: Expr): Chain | undefined {
  const fields: string[] = [];
  const positions: number[] = [];
  let node = expr;
  for (;;) {
    if (node.kind === "ident") {
      return { root: node.name, fields: canonical(node.name, fields.reverse()), positions: positions.reverse() };
    }
    if (node.kind === "select") {
      fields.push(node.field);
      positions.push(node.at);
      node = node.operand;
      continue;
    }
    const index = literalIndex(node);
    if (index === undefined) return undefined;
    fields.push(index.field);
    positions.push(node.at);
    node = index.operand;
  }
}

/** The fields of a chain from a root, those of messages by a name that they are listed under. */
function canonical(name: string, fields: string[]): readonly string[] {
  let root: Root | undefined = ROOTS.get(name);
  for (const [i, field] of fields.entries()) {
    if (root?.kind !== "message") break;
    if (!root.fields.has(field)) fields[i] = protoName(field);
    root = root.fields.get(fields[i] ?? "");
    if (root === undefined) fields[i] = field;
  }
  return fields;
}

/**
 * `expr` as a chain with an optional selection in it (`R.attr.?a.b`, `R.attr[?"x"]`), which after that is optional to
 * its end; undefined for anything else.
 */
function optionalChainOf(expr: Expr): Chain | undefined {
  const [operand, key] = expr.kind === "call" && OPTIONAL.has(expr.fn) ? expr.args : [];
  if (operand !== undefined && key?.kind === "literal" && typeof key.value === "string") {
    return longer(chainOf(operand) ?? optionalChainOf(operand), key.value, expr.at);
  }
  if (expr.kind === "select") return longer(optionalChainOf(expr.operand), expr.field, expr.at);
  const index = literalIndex(expr);
  return index && longer(optionalChainOf(index.operand), index.field, expr.at);
}

const OPTIONAL: ReadonlySet<string> = new Set(["_?._", "_[?_]"]);

function longer(chain: Chain | undefined, field: string, at: number): Chain | undefined {
  if (chain === undefined) return undefined;
  return { root: chain.root, fields: [...chain.fields, field], positions: [...chain.positions, at] };
}

function literalIndex(node: Expr): { readonly operand: Expr; readonly field: string } | undefined {
  if (node.kind !== "call" || node.fn !== "_[_]") return undefined;
  const [operand, index] = node.args;
  if (operand === undefined || index?.kind !== "literal" || typeof index.value !== "string") return undefined;
  return { operand, field: index.value };
}

interface Collected {
  readonly reads: Read[];
  readonly variables: Set<string>;
  readonly constants: Set<string>;
  readonly repeatedVariables: Set<string>;
  readonly functions: Set<string>;
}

function walk(expr: Expr, bound: ReadonlySet<string>, repeated: boolean, facts: Collected): void {
  if (expr.kind === "has") {
    const chain = chainOf(expr.operand) ?? optionalChainOf(expr.operand);
    if (chain !== undefined && !bound.has(chain.root)) {
      const fields = [...chain.fields, expr.field];
      record({ root: chain.root, fields, has: true, repeated, at: expr.at }, facts);
      return;
    }
  }
  const chain = chainOf(expr);
  if (chain !== undefined) {
    if (!bound.has(chain.root)) record({ ...chain, has: false, repeated, at: expr.at }, facts);
    return;
  }
  const optional = optionalChainOf(expr);
  if (optional !== undefined) {
    if (!bound.has(optional.root)) record({ ...optional, has: true, repeated, at: expr.at }, facts);
    return;
  }
  if (expr.kind === "call" || expr.kind === "member") facts.functions.add(expr.fn);
  if (expr.kind === "macro") {
    walk(expr.range, bound, repeated, facts);
    const inner = new Set(bound).add(expr.v1);
    if (expr.v2 !== undefined) inner.add(expr.v2);
    if (expr.filter !== undefined) walk(expr.filter, inner, true, facts);
    if (expr.transform !== undefined) walk(expr.transform, inner, true, facts);
    return;
  }
  if (expr.kind === "bind") {
    walk(expr.init, bound, repeated, facts);
    walk(expr.body, new Set(bound).add(expr.name), repeated, facts);
    return;
  }
  for (const child of children(expr)) walk(child, bound, repeated, facts);
}

interface Recorded extends Omit<Read, "path"> {
  readonly fields: readonly string[];
}

function record({ root: name, fields, has, repeated, at }: Recorded, facts: Collected): void {
  const [first] = fields;
  if (VARIABLE_ROOTS.has(name)) {
    if (first === undefined) return;
    if (repeated || facts.variables.has(first)) facts.repeatedVariables.add(first);
    facts.variables.add(first);
    return;
  }
  if (CONSTANT_ROOTS.has(name)) {
    if (first !== undefined) facts.constants.add(first);
    return;
  }
  if (GLOBAL_ROOTS.has(name)) {
    facts.reads.push({ root: "G", path: fields, has, repeated, at });
    return;
  }
  let root: Root | undefined = ROOTS.get(name);
  if (root === undefined) return;
  let depth = 0;
  while (root.kind === "message" && depth < fields.length) {
    const field: Root | undefined = root.fields.get(fields[depth] ?? "");
    if (field === undefined) return;
    root = field;
    depth++;
  }
  facts.reads.push({ root: root.path, path: fields.slice(depth), has, repeated, at });
}
