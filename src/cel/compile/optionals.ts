/** Optional selections, and the alternatives to an optional, which are evaluated only if they are needed. */

import type { Call, Expr, MemberCall } from "../ast.js";
import { ERRED, type Evaluation, failAt, isExhausted } from "../evaluation.js";
import { chainOf } from "../facts.js";
import { optionalMember } from "../optional-access.js";
import { type CelValue, NONE, OptionalValue } from "../values.js";
import { asDeclared, attributeOf, compileContainer } from "./attributes.js";
import type { Code, Compile, Scope } from "./code.js";
import { hasFixed } from "./paths.js";
import { pathKey } from "./slot-keys.js";

/** `operand.?field`. */
export function compileOptionalSelect(expr: Call, scope: Scope, compile: Compile): Code {
  const [operand, name] = expr.args;
  if (operand === undefined || name?.kind !== "literal" || typeof name.value !== "string") {
    throw new Error("keyward: cannot compile an optional selection: the expression was not parsed here");
  }
  const field = name.value;
  const { at } = expr;
  const select: Expr = { kind: "select", at, operand, field };
  const fixed = compileFixed(select, { operand, field, at }, scope, compile);
  if (fixed !== undefined) return fixed;
  const attribute = attributeOf(select);
  if (attribute === undefined) {
    const code = compile(operand, scope);
    return (ev) => {
      const value = code(ev);
      return value === undefined ? undefined : (optionalMember(ev, value, field) ?? failAt(ev, ev.fault, at));
    };
  }
  // Read by others too, and once by all: what is absent or no value is looked at again.
  const { leaf, path } = attribute;
  const slot = scope.slots.of(pathKey(leaf.path, path));
  const code = compileContainer(operand, scope) ?? compile(operand, scope);
  return (ev) => {
    const known = ev.slots[slot];
    if (known !== ERRED && known !== undefined) return wholeOptional(ev, known);
    const value = code(ev);
    if (value === undefined) return undefined;
    const found = optionalMember(ev, value, field);
    if (found === undefined) return failAt(ev, ev.fault, at);
    if (found.value === undefined) return found;
    const whole = wholeOptional(ev, found.value);
    if (whole !== undefined) ev.fill(slot, found.value);
    return whole;
  };

  function wholeOptional(ev: Evaluation, value: CelValue): OptionalValue | undefined {
    const whole = asDeclared(ev, value, leaf.index, path, at);
    return whole === undefined ? undefined : new OptionalValue(whole);
  }
}

/** A field of a message (none if it is empty), a variable (none if it errs), a constant or a global. */
function compileFixed(
  select: Expr,
  place: Parameters<typeof hasFixed>[0],
  scope: Scope,
  compile: Compile,
): Code | undefined {
  const isThere = hasFixed(place, scope);
  if (isThere === undefined) return undefined;
  const code = compile(select, scope);
  if (chainOf(select)?.of === "variable") {
    return (ev) => {
      const value = code(ev);
      if (value !== undefined) return new OptionalValue(value);
      return isExhausted(ev) ? undefined : NONE;
    };
  }
  return (ev) => {
    if (isThere(ev) !== true) return NONE;
    const value = code(ev);
    return value === undefined ? undefined : new OptionalValue(value);
  };
}

/** `optional.or(other)` and `optional.orValue(value)`; undefined for any other call. */
export function compileOr(expr: MemberCall, scope: Scope, compile: Compile): Code | undefined {
  const { fn, target, args, at } = expr;
  const [other] = args;
  if ((fn !== "or" && fn !== "orValue") || other === undefined) return undefined;
  const code = compile(target, scope);
  const alternative = compile(other, scope);
  const isWhole = fn === "or";
  return (ev) => {
    const found = code(ev);
    if (found === undefined) return undefined;
    if (!(found instanceof OptionalValue)) return failAt(ev, "no such overload", at);
    if (found.value === undefined) return alternative(ev);
    return isWhole ? found : found.value;
  };
}
