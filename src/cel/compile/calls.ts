/** Calls of functions, and of operators for which no other module here has specialised code. */

import type { Call, Expr, MemberCall } from "../ast.js";
import { typeOf } from "../equality.js";
import { type Evaluation, type EvaluationResult, failAt } from "../evaluation.js";
import { NO_OVERLOAD, type Overload } from "../functions/overload.js";
import { operators } from "../functions/signatures.js";
import { OPERATORS } from "../operators.js";
import type { CelType } from "../types.js";
import { type CelValue, isList } from "../values.js";
import { type Code, type CompileScope, codeOf } from "./code.js";

/**
 * Code for a call; a receiver is the first of `args`. Overloads are tried in the order of their declaration. Arguments
 * are evaluated once, from left to right, and the first error is the error of the call.
 */
export function compileCall(expr: Call | MemberCall, args: readonly Expr[], scope: CompileScope): Code {
  const code = callCode(expr, args, scope);
  if (code === undefined) throw new Error(`keyward: cannot compile a call of ${expr.fn}: it has no such overload`);
  return code;
}

function callCode(expr: Call | MemberCall, args: readonly Expr[], scope: CompileScope): Code | undefined {
  const { at, fn, overload } = expr;
  const all = scope.functions.overloadsOf(fn, expr.kind === "member" ? "member" : "global");
  const known = all.filter((o) => o.params.length === args.length);
  const prepared = known.length === 1 ? preparedCall(known[0], args, at, scope) : undefined;
  if (prepared !== undefined) return prepared;
  const only = known.length > 1 && !SHARED_IMPLEMENTATIONS.has(fn) ? all[overload ?? -1] : undefined;
  const overloads = only === undefined ? known : [restrictedToDeclared(only)];
  const codes = args.map((arg) => codeOf(arg, scope));
  const none = noOverload(fn, at);
  switch (args.length) {
    case 0:
      return call0(overloads, none, at);
    case 1:
      return call1(overloads, codes, none, at);
    case 2:
      return call2(overloads, codes, none, at);
    case 3:
      return call3(overloads, codes, none, at);
    case 4:
      return call4(overloads, codes, none, at);
    default:
      return undefined;
  }
}

/**
 * A call that precomputes something from a constant second argument (`Overload.prepare`), such as a compiled pattern.
 */
function preparedCall(
  overload: Overload | undefined,
  [first, second]: readonly Expr[],
  at: number,
  scope: CompileScope,
): Code | undefined {
  const [type] = overload?.params ?? [];
  const run = second?.kind === "literal" ? overload?.prepare?.(second.value) : undefined;
  if (run === undefined || type === undefined || first === undefined) return undefined;
  const code = codeOf(first, scope);
  return (ev) => {
    const value = code(ev);
    if (value === undefined) return undefined;
    return type.is(value) ? withFaultOffset(ev, run(ev, value), at) : failAt(ev, "no such overload", at);
  };
}

/**
 * Functions, operators included, that cel-go implements once for all overloads. The overload that the checker chose
 * does not restrict them.
 */
const SHARED_IMPLEMENTATIONS: ReadonlySet<string> = new Set([
  ...operators.map(({ name }) => name),
  "size",
  "matches",
  "matchesID",
  "sort",
  "@sortByAssociatedKeys",
]);

/** Reports that no overload fits the arguments. */
type ReportNoOverload = (ev: Evaluation, ...args: readonly CelValue[]) => undefined;

/** Uses cel-go's wording: some messages include the function's name, some also the types of the arguments. */
function noOverload(fn: string, at: number): ReportNoOverload {
  const plain: ReportNoOverload = (ev) => failAt(ev, "no such overload", at);
  if (OPERATORS.has(fn) || fn === "contains" || fn === "startsWith" || fn === "endsWith") return plain;
  if (fn === "matches") {
    return (ev, text) => (typeof text === "string" ? plain(ev) : failAt(ev, "no such overload: matches", at));
  }
  if (NAMED.has(fn)) return (ev) => failAt(ev, `no such overload: ${fn}`, at);
  return (ev, ...args) => failAt(ev, `no such overload: ${fn}(${args.map(typeOf).join(", ")})`, at);
}

/** Functions for which the message includes the name. */
const NAMED: ReadonlySet<string> = new Set([
  ...["size", "@sortByAssociatedKeys", "isMemberOf", "path", "trustDomain", "id", "name", "matchesID"],
  ...[
    "ancestorOf",
    "commonAncestors",
    "descendentOf",
    "immediateChildOf",
    "immediateParentOf",
    "overlaps",
    "siblingOf",
  ],
]);

/** Restricts an overload to its declared parameter types: some overloads share an implementation that accepts more. */
function restrictedToDeclared(overload: Overload): Overload {
  const { run, params } = overload;
  const [a, b] = params;
  if (run.arity === 1 && a !== undefined) {
    const call = (ev: Evaluation, x: CelValue) => (fitsParameter(a, x) ? run.call(ev, x) : NO_OVERLOAD);
    return { ...overload, run: { arity: 1, call } };
  }
  if (run.arity === 2 && a !== undefined && b !== undefined) {
    const call = (ev: Evaluation, x: CelValue, y: CelValue) =>
      fitsParameter(a, x) && fitsParameter(b, y) ? run.call(ev, x, y) : NO_OVERLOAD;
    return { ...overload, run: { arity: 2, call } };
  }
  return overload;
}

/** Whether a value fits a parameter's type. As in cel-go, only the first element of a list is tested. */
function fitsParameter(type: CelType, value: CelValue): boolean {
  if (!type.is(value)) return false;
  const [element] = type.args;
  const first = isList(value) ? value[0] : undefined;
  return type.kind !== "list" || element === undefined || first === undefined || fitsParameter(element, first);
}

type ImplementationOf<N> = Extract<Overload["run"], { readonly arity: N }>;

function withFaultOffset(ev: Evaluation, result: EvaluationResult, at: number): EvaluationResult {
  if (result === undefined) ev.faultAt = at;
  return result;
}

function runs<N extends number>(
  overloads: readonly Overload[],
  isArity: (run: Overload["run"]) => run is ImplementationOf<N>,
): ImplementationOf<N>[] {
  return overloads.map((o) => o.run).filter(isArity);
}

function call0(overloads: readonly Overload[], none: ReportNoOverload, at: number): Code | undefined {
  const [run] = runs(overloads, (r): r is ImplementationOf<0> => r.arity === 0);
  if (run === undefined) return undefined;
  return (ev) => {
    const result = run.call(ev);
    return result === NO_OVERLOAD ? none(ev) : withFaultOffset(ev, result, at);
  };
}

function call1(
  overloads: readonly Overload[],
  [a]: readonly Code[],
  none: ReportNoOverload,
  at: number,
): Code | undefined {
  const all = runs(overloads, (r): r is ImplementationOf<1> => r.arity === 1);
  if (all.length === 0 || a === undefined) return undefined;
  return (ev) => {
    const x = a(ev);
    if (x === undefined) return undefined;
    for (const run of all) {
      const result = run.call(ev, x);
      if (result !== NO_OVERLOAD) return withFaultOffset(ev, result, at);
    }
    return none(ev, x);
  };
}

function call2(
  overloads: readonly Overload[],
  [a, b]: readonly Code[],
  none: ReportNoOverload,
  at: number,
): Code | undefined {
  const all = runs(overloads, (r): r is ImplementationOf<2> => r.arity === 2);
  if (all.length === 0 || a === undefined || b === undefined) return undefined;
  return (ev) => {
    const x = a(ev);
    if (x === undefined) return undefined;
    const y = b(ev);
    if (y === undefined) return undefined;
    for (const run of all) {
      const result = run.call(ev, x, y);
      if (result !== NO_OVERLOAD) return withFaultOffset(ev, result, at);
    }
    return none(ev, x, y);
  };
}

function call3(
  overloads: readonly Overload[],
  [a, b, c]: readonly Code[],
  none: ReportNoOverload,
  at: number,
): Code | undefined {
  const all = runs(overloads, (r): r is ImplementationOf<3> => r.arity === 3);
  if (all.length === 0 || a === undefined || b === undefined || c === undefined) return undefined;
  return (ev) => {
    const x = a(ev);
    if (x === undefined) return undefined;
    const y = b(ev);
    if (y === undefined) return undefined;
    const z = c(ev);
    if (z === undefined) return undefined;
    for (const run of all) {
      const result = run.call(ev, x, y, z);
      if (result !== NO_OVERLOAD) return withFaultOffset(ev, result, at);
    }
    return none(ev, x, y, z);
  };
}

function call4(
  overloads: readonly Overload[],
  [a, b, c, d]: readonly Code[],
  none: ReportNoOverload,
  at: number,
): Code | undefined {
  const all = runs(overloads, (r): r is ImplementationOf<4> => r.arity === 4);
  if (all.length === 0 || a === undefined || b === undefined || c === undefined || d === undefined) return undefined;
  return (ev) => {
    const w = a(ev);
    if (w === undefined) return undefined;
    const x = b(ev);
    if (x === undefined) return undefined;
    const y = c(ev);
    if (y === undefined) return undefined;
    const z = d(ev);
    if (z === undefined) return undefined;
    for (const run of all) {
      const result = run.call(ev, w, x, y, z);
      if (result !== NO_OVERLOAD) return withFaultOffset(ev, result, at);
    }
    return none(ev, w, x, y, z);
  };
}
