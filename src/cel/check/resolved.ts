/**
 * The overloads that checking settles on. Where the types of a call's arguments leave one overload only, cel-go runs
 * that one and no other, which matters for values whose type is open: `R.attr.limits["keys"]` has no type until
 * something is done with it, and `int(…)` of it takes it for an int, so that a double is an error (observed).
 */

import type { Expr } from "../ast.js";
import type { Overload } from "../functions/overload.js";
import type { Type } from "../types.js";
import { type CelValue, isList } from "../values.js";

/** By the nodes of trees that were checked. The same tree has the same overloads however often it is checked. */
const resolved = new WeakMap<Expr, Overload>();

export function resolve(expr: Expr, overload: Overload): void {
  resolved.set(expr, overload);
}

/** The only overload that a call can run; undefined if there may be others, or none was looked for. */
export function resolvedOverload(expr: Expr): Overload | undefined {
  return resolved.get(expr);
}

/** What a node means in a later version of the language, and not in 0.51. */
interface Newer {
  /** The function that a call names, and its overloads. */
  readonly call?: { readonly fn: string; readonly overloads: readonly Overload[] };
  /** The name of the type that a name is. */
  readonly type?: string;
}

/** By the nodes of trees that were checked. Trees of 0.51 have none, so that compiling them looks nothing up. */
const newer = new WeakMap<Expr, Newer>();

export function noteNewer(expr: Expr, meaning: Newer): void {
  newer.set(expr, meaning);
}

export function newerCall(expr: Expr): Newer["call"] {
  return newer.get(expr)?.call;
}

export function newerType(expr: Expr): string | undefined {
  return newer.get(expr)?.type;
}

/** The names in the `.proto` of the fields that selections of messages name otherwise. */
const fields = new WeakMap<object, string>();

export function noteField(selection: object, name: string): void {
  fields.set(selection, name);
}

/** The field that a checked selection reads. */
export function selectedField(selection: { readonly field: string }): string {
  return fields.get(selection) ?? selection.field;
}

/** Why an expression that checks cannot be evaluated, and where in it. */
interface Doom {
  readonly at: number;
  readonly message: string;
}

/**
 * Expressions that cel-go checks and then cannot plan, so that on the server they always fail, whatever `||` would make
 * of the part that is at fault.
 */
const doomed = new WeakMap<Expr, Doom>();

export function noteDoom(expr: Expr, doom: Doom): void {
  doomed.set(expr, doom);
}

export function doomOf(expr: Expr): Doom | undefined {
  return doomed.get(expr);
}

/** Whether a value is what an overload takes. Of a list the first element is looked at, as cel-go does. */
export function suits(type: Type, value: CelValue): boolean {
  if (!type.is(value)) return false;
  const [element] = type.args;
  const first = isList(value) ? value[0] : undefined;
  return type.kind !== "list" || element === undefined || first === undefined || suits(element, first);
}
