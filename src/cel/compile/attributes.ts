/**
 * Reads of the request's JSON objects. Each value is read once (see `Evaluation.slots`) and must match its declared
 * type.
 */

import type { Expr } from "../ast.js";
import { ERRED, type Evaluation, type EvaluationResult, failAt, spend } from "../evaluation.js";
import { requestValueOf } from "../expression-usage.js";
import type { Leaf } from "../roots.js";
import { declaredAt, MISFIT, matchesDeclaration, type TypeDeclaration, validationCost } from "../type-declaration.js";
import type { CelValue, JsonMap } from "../values.js";
import type { Code, CompileScope } from "./code.js";
import { missingText, ownData, selectFrom } from "./select.js";
import { pathKey, validatedKey } from "./slot-keys.js";

/** The JSON object and the path that an expression reads; undefined for any other expression. */
export function attributeOf(expr: Expr): { readonly leaf: Leaf; readonly path: readonly string[] } | undefined {
  const { root, path } = requestValueOf(expr) ?? {};
  return root?.kind === "leaf" && root.attributes && path !== undefined ? { leaf: root, path } : undefined;
}

/** Reads an attribute, or a value in it, and validates the value with all its items and members. */
export function compileValidatedRead(leaf: Leaf, path: readonly string[], at: number, scope: CompileScope): Code {
  const code = compilePath(leaf, path, at, scope);
  const checked: Code = (ev) => {
    const value = code(ev);
    return value === undefined ? undefined : validateDeclared(ev, value, leaf.index, path, at);
  };
  const whole = cachedInSlot(checked, scope.slots.of(validatedKey(leaf.path, path)), at);
  return (ev) => {
    const value = code(ev);
    const hasParts = typeof value === "object" && value !== null && ev.declared[leaf.index] !== undefined;
    return hasParts ? whole(ev) : value;
  };
}

/** `leaf.path[0].path[1]…`. Each prefix has its own slot. Types are validated, but not those of items and members. */
function compilePath(leaf: Leaf, path: readonly string[], at: number, scope: CompileScope): Code {
  const { index } = leaf;
  const [first, ...rest] = path;
  if (first === undefined) return (ev) => ev.attributes[index];
  const done = [first];
  let code = typeChecked(attribute(index, first, at), index, [first], at);
  code = cachedInSlot(code, scope.slots.of(pathKey(leaf.path, done)), at);
  for (const field of rest) {
    done.push(field);
    const slot = scope.slots.of(pathKey(leaf.path, done));
    code = cachedInSlot(typeChecked(selectFrom({ field, at }, code), index, [...done], at), slot, at);
  }
  return code;
}

/**
 * Reads an attribute as the container of a presence test (`has(a.b)`, `a.?b`), without validating its items and
 * members. Undefined if `expr` is not an attribute.
 */
export function compileContainer(expr: Expr, scope: CompileScope): Code | undefined {
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

function typeChecked(code: Code, index: number, path: readonly string[], at: number): Code {
  return (ev) => {
    const value = code(ev);
    const root = ev.declared[index];
    if (root === undefined || value === undefined) return value;
    const declared = declaredAt(root, path);
    return declared === undefined || matchesDeclaration(value, declared) ? value : misfit(ev, declared, path, at);
  };
}

/** Validates a value with all its items and members. */
export function validateDeclared(
  ev: Evaluation,
  value: CelValue,
  index: number,
  path: readonly string[],
  at: number,
): EvaluationResult {
  const declared = declaredAt(ev.declared[index], path);
  if (declared === undefined) return value;
  const cost = validationCost(value, declared, ev.steps);
  if (cost === MISFIT) return misfit(ev, declared, path, at);
  return spend(ev, cost) ? value : undefined;
}

function misfit(ev: Evaluation, { words }: TypeDeclaration, path: readonly string[], at: number): undefined {
  return failAt(ev, `the value of ${path.at(-1) ?? "attr"} is not as declared: ${words}`, at);
}

/** Reads a field of one of the request's JSON objects. That it is an object was validated with the request. */
function attribute(index: number, field: string, at: number): Code {
  const missing = missingText(field);
  return (ev) => ownData(ev, ev.attributes[index] ?? NOTHING, field, missing, at);
}

const NOTHING: JsonMap = Object.freeze(Object.create(null));

/** Caches the value of `code` in a slot for the rest of the evaluation, for the invariant "read once". */
function cachedInSlot(code: Code, slot: number, at: number): Code {
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
