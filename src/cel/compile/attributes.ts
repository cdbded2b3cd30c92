/** What a request brings as JSON, read once (see `Evaluation.slots`) and as it is declared. */

import type { Expr } from "../ast.js";
import { type Declared, fits, MISFIT, wholeCost } from "../declared.js";
import { ERRED, type Evaluation, failAt, type Result, spend } from "../evaluation.js";
import { requestValueOf } from "../facts.js";
import type { Leaf } from "../roots.js";
import type { CelValue, JsonMap } from "../values.js";
import type { Code, Scope } from "./code.js";
import { missingText, ownData, selectFrom } from "./select.js";
import { pathKey, wholeKey } from "./slot-keys.js";

/** An attribute, or what is in one: undefined for any other expression. */
export function attributeOf(expr: Expr): { readonly leaf: Leaf; readonly path: readonly string[] } | undefined {
  const { root, path } = requestValueOf(expr) ?? {};
  return root?.kind === "leaf" && root.attributes && path !== undefined ? { leaf: root, path } : undefined;
}

/** An attribute, or what is in one, as declared with all that is in it. */
export function compileWhole(leaf: Leaf, path: readonly string[], at: number, scope: Scope): Code {
  const code = compilePath(leaf, path, at, scope);
  const checked: Code = (ev) => {
    const value = code(ev);
    return value === undefined ? undefined : asDeclared(ev, value, leaf.index, path, at);
  };
  const whole = remembered(checked, scope.slots.of(wholeKey(leaf.path, path)), at);
  return (ev) => {
    const value = code(ev);
    const hasParts = typeof value === "object" && value !== null && ev.declared[leaf.index] !== undefined;
    return hasParts ? whole(ev) : value;
  };
}

/** `leaf.path[0].path[1]…`, each prefix with its own slot, and as declared but for what is in it. */
function compilePath(leaf: Leaf, path: readonly string[], at: number, scope: Scope): Code {
  const { index } = leaf;
  const [first, ...rest] = path;
  if (first === undefined) return (ev) => ev.attributes[index];
  const done = [first];
  let code = typed(attribute(index, first, at), index, [first], at);
  code = remembered(code, scope.slots.of(pathKey(leaf.path, done)), at);
  for (const field of rest) {
    done.push(field);
    const slot = scope.slots.of(pathKey(leaf.path, done));
    code = remembered(typed(selectFrom({ field, at }, code), index, [...done], at), slot, at);
  }
  return code;
}

/** {@link compilePath} of what `expr` is, for what asks whether something is in it; undefined if it is no attribute. */
export function compileContainer(expr: Expr, scope: Scope): Code | undefined {
  const found = attributeOf(expr);
  if (found === undefined) return undefined;
  const code = compilePath(found.leaf, found.path, expr.at, scope);
  const { watch } = scope;
  if (watch === undefined) return code;
  return (ev) => {
    const value = code(ev);
    watch(expr, value, ev.fault);
    return value;
  };
}

function typed(code: Code, index: number, path: readonly string[], at: number): Code {
  return (ev) => {
    const value = code(ev);
    const root = ev.declared[index];
    if (root === undefined || value === undefined) return value;
    const declared = declaredAt(root, path);
    return declared === undefined || fits(value, declared) ? value : misfit(ev, declared, path, at);
  };
}

/** A value, if it is as declared with all that is in it. */
export function asDeclared(
  ev: Evaluation,
  value: CelValue,
  index: number,
  path: readonly string[],
  at: number,
): Result {
  const root = ev.declared[index];
  const declared = root && declaredAt(root, path);
  if (declared === undefined) return value;
  const cost = wholeCost(value, declared, ev.steps);
  if (cost === MISFIT) return misfit(ev, declared, path, at);
  return spend(ev, cost) ? value : undefined;
}

function misfit(ev: Evaluation, { words }: Declared, path: readonly string[], at: number): undefined {
  return failAt(ev, `the value of ${path.at(-1) ?? "attr"} is not as declared: ${words}`, at);
}

function declaredAt(root: Declared, path: readonly string[]): Declared | undefined {
  let declared: Declared | undefined = root;
  for (let i = 0; i < path.length && declared !== undefined; i++) declared = declared.member(path[i] ?? "");
  return declared;
}

/** A field of what the request brings as a map. That it is a map was looked at when the request was read. */
function attribute(index: number, field: string, at: number): Code {
  const missing = missingText(field);
  return (ev) => ownData(ev, ev.attributes[index] ?? NOTHING, field, missing, at);
}

const NOTHING: JsonMap = Object.freeze(Object.create(null));

/** Reads by `code` once in an evaluation, and from the slot after that: it keeps the invariant "read once". */
function remembered(code: Code, slot: number, at: number): Code {
  return (ev) => {
    const known = ev.slots[slot];
    if (known === ERRED) return failAt(ev, ev.faults[slot] ?? "", at);
    if (known !== undefined) return known;
    const value = code(ev);
    if (value === undefined) ev.faults[slot] = ev.fault;
    ev.fill(slot, value === undefined ? ERRED : value);
    return value;
  };
}
