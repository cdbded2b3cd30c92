/** Static facts of an expression: its reads and calls, found without evaluating it. Checks and audits use them. */

import { children, type Expr, type MacroName, type NameKind } from "./ast.js";
import { isBooleanOperator, isOptionalAccess, OPERATORS } from "./operators.js";
import { follow, type RequestValue } from "./roots.js";

/** One read of a request value. */
export interface RequestValueRead {
  /** The value's canonical name: `P.attr`, `R.id`, `request.auxData.jwt`, `G`. */
  readonly root: string;
  /** The constant field names below the root: `["limits", "keys"]`. Empty: the root as a whole. */
  readonly path: readonly string[];
  /** Whether `has()` or an optional selection reads the value, so that its absence is not an error. */
  readonly has: boolean;
  /** Whether the read is in the body of a macro, and so may happen once for each element. */
  readonly repeated: boolean;
  /** Offset of the read in the source text. */
  readonly at: number;
}

export interface ExpressionUsage {
  readonly reads: readonly RequestValueRead[];
  /** Names read as `V.name`. */
  readonly variables: ReadonlySet<string>;
  /** Names read as `C.name`. */
  readonly constants: ReadonlySet<string>;
  /** Whether it calls `now()` or `timeSince()`. */
  readonly needsTime: boolean;
  /** Names read as `V.name` more than once in this expression, or in the body of a macro. */
  readonly repeatedVariables: ReadonlySet<string>;
  /** Every function called, operators included. */
  readonly functions: ReadonlySet<string>;
}

/** Does `expr` itself, without its variables, read the set of active derived roles? */
export function readsActiveRoleNames(expr: Expr): boolean {
  return usageOf(expr).reads.some(({ root }) => root.startsWith("runtime"));
}

/** The facts of `expr`. Variables are not followed: add the facts of those named in `variables`. */
export function usageOf(expr: Expr): ExpressionUsage {
  const facts: Collected = {
    reads: [],
    variables: new Set(),
    constants: new Set(),
    repeatedVariables: new Set(),
    functions: new Set(),
  };
  walk(expr, false, facts);
  const needsTime = facts.functions.has("now") || facts.functions.has("timeSince");
  return { ...facts, needsTime };
}

/** A chain of field selections down to a name: `P.attr.limits` is `P`, `["attr", "limits"]`. */
export interface Chain {
  readonly of: NameKind;
  readonly root: string;
  readonly fields: readonly string[];
  /** The offset of each field's selection, in the order of `fields`. */
  readonly positions: readonly number[];
}

/** `expr` as a chain of field names, or undefined. A constant string index counts as a field: `R.attr["x"]`. */
export function chainOf(expr: Expr): Chain | undefined {
  const fields: string[] = [];
  const positions: number[] = [];
  let node = expr;
  for (;;) {
    if (node.kind === "ident") {
      return { of: node.of, root: node.name, fields: fields.reverse(), positions: positions.reverse() };
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

/** The request value that `expr` reads; undefined for any other expression. */
export function requestValueOf(expr: Expr): RequestValue | undefined {
  return requestValueAt(chainOf(expr));
}

/** The request value at the end of a chain; undefined for a chain from another name. */
export function requestValueAt(chain: Chain | undefined): RequestValue | undefined {
  return chain?.of === "request" ? follow(chain.root, chain.fields) : undefined;
}

/** A value of the request, or the value of another name. Fields below other names are selections. */
export type NameReference =
  | { readonly of: Exclude<NameKind, "request">; readonly name: string }
  | ({ readonly of: "request" } & RequestValue);

/** `expr` as a reference; undefined for any other expression. */
export function referenceOf(expr: Expr): NameReference | undefined {
  const chain = chainOf(expr);
  if (chain === undefined) return undefined;
  const { of, root, fields } = chain;
  if (of === "request") {
    const found = requestValueAt(chain);
    return found && { of, ...found };
  }
  if (of === "local") return fields.length === 0 ? { of, name: root } : undefined;
  const [name] = fields;
  return name === undefined || fields.length > 1 ? undefined : { of, name };
}

/** The name if `expr` is exactly `V.name`, or `C.name` for a constant; otherwise undefined. */
export function nameOf(expr: Expr, of: "variable" | "constant"): string | undefined {
  const reference = referenceOf(expr);
  return reference?.of === of ? reference.name : undefined;
}

/** Whether the form of an expression shows that its value is a boolean. */
export function hasBooleanForm(expr: Expr): boolean {
  if (expr.kind === "macro") return TRUTHS.has(expr.macro);
  return expr.kind === "call" ? isBooleanOperator(expr.fn) : expr.kind === "has";
}

const TRUTHS: ReadonlySet<MacroName> = new Set<MacroName>(["all", "exists", "exists_one"]);

/**
 * `expr` as a chain with an optional selection in it (`R.attr.?a.b`, `R.attr[?"x"]`); all selections after that one are
 * optional too. Undefined for any other expression.
 */
export function optionalChainOf(expr: Expr): Chain | undefined {
  const [operand, key] = expr.kind === "call" && isOptionalAccess(expr.fn) ? expr.args : [];
  if (operand !== undefined && key?.kind === "literal" && typeof key.value === "string") {
    return extendChain(chainOf(operand) ?? optionalChainOf(operand), key.value, expr.at);
  }
  if (expr.kind === "select") return extendChain(optionalChainOf(expr.operand), expr.field, expr.at);
  const index = literalIndex(expr);
  return index && extendChain(optionalChainOf(index.operand), index.field, expr.at);
}

function extendChain(chain: Chain | undefined, field: string, at: number): Chain | undefined {
  if (chain === undefined) return undefined;
  return { ...chain, fields: [...chain.fields, field], positions: [...chain.positions, at] };
}

function literalIndex(node: Expr): { readonly operand: Expr; readonly field: string } | undefined {
  if (node.kind !== "call" || OPERATORS.get(node.fn)?.kind !== "index") return undefined;
  const [operand, index] = node.args;
  if (operand === undefined || index?.kind !== "literal" || typeof index.value !== "string") return undefined;
  return { operand, field: index.value };
}

interface Collected {
  readonly reads: RequestValueRead[];
  readonly variables: Set<string>;
  readonly constants: Set<string>;
  readonly repeatedVariables: Set<string>;
  readonly functions: Set<string>;
}

function walk(expr: Expr, repeated: boolean, facts: Collected): void {
  const within = expr.kind === "has" ? (chainOf(expr.operand) ?? optionalChainOf(expr.operand)) : undefined;
  const tested = expr.kind === "has" ? extendChain(within, expr.field, expr.at) : optionalChainOf(expr);
  const chain = tested ?? chainOf(expr);
  if (chain !== undefined) {
    record(chain, { has: tested !== undefined, repeated, at: expr.at }, facts);
    return;
  }
  if (expr.kind === "call" || expr.kind === "member") facts.functions.add(expr.fn);
  if (expr.kind !== "macro") {
    for (const child of children(expr)) walk(child, repeated, facts);
    return;
  }
  walk(expr.range, repeated, facts);
  for (const body of [expr.filter, expr.transform]) if (body !== undefined) walk(body, true, facts);
}

function record(chain: Chain, how: Omit<RequestValueRead, "root" | "path">, facts: Collected): void {
  const { of, fields } = chain;
  const [first] = fields;
  if (of === "variable" && first !== undefined) {
    if (how.repeated || facts.variables.has(first)) facts.repeatedVariables.add(first);
    facts.variables.add(first);
  } else if (of === "constant" && first !== undefined) facts.constants.add(first);
  else if (of === "global") facts.reads.push({ root: "G", path: fields, ...how });
  else {
    const found = requestValueAt(chain);
    if (found !== undefined) facts.reads.push({ root: found.root.path, path: found.path, ...how });
  }
}
