/** Optional selections, and the alternatives of an optional, which are evaluated only if they are needed. */

import type { Call, Expr, MemberCall, Select } from "../ast.js";
import { ERRED, type Evaluation, failAt, isExhausted } from "../evaluation.js";
import { referenceOf } from "../expression-usage.js";
import { optionalMember } from "../optional-access.js";
import { type CelValue, NONE, OptionalValue } from "../values.js";
import { attributeOf, compileContainer, validateDeclared } from "./attributes.js";
import { type Code, type CompileScope, codeOf } from "./code.js";
import { hasReference } from "./references.js";
import { pathKey } from "./slot-keys.js";

/** `operand.?field`. */
export function compileOptionalField(operand: Expr, field: string, { at }: Call, scope: CompileScope): Code {
  const select: Select = { kind: "select", at, operand, field };
  const fixed = compileFixed(select, scope);
  if (fixed !== undefined) return fixed;
  const attribute = attributeOf(select);
  if (attribute === undefined) {
    const code = codeOf(operand, scope);
    return (ev) => {
      const value = code(ev);
      return value === undefined ? undefined : (optionalMember(ev, value, field) ?? failAt(ev, ev.fault, at));
    };
  }
  // Other reads share the slot. It caches valid values only: absent or invalid ones are looked up again.
  const { leaf, path } = attribute;
  const slot = scope.slots.of(pathKey(leaf.path, path));
  const code = compileContainer(operand, scope) ?? codeOf(operand, scope);
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
    const whole = validateDeclared(ev, value, leaf.index, path, at);
    return whole === undefined ? undefined : new OptionalValue(whole);
  }
}

/**
 * `.?field` of a message (none if empty), a variable (none if it errs), a constant or a global; undefined for others.
 */
function compileFixed(select: Select, scope: CompileScope): Code | undefined {
  const reference = referenceOf(select);
  const isThere = hasReference(reference, scope);
  if (isThere === undefined) return undefined;
  const code = codeOf(select, scope);
  if (reference?.of === "variable") {
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
export function compileOr(
  { fn, at }: Call | MemberCall,
  [target, other]: readonly Expr[],
  scope: CompileScope,
): Code | undefined {
  if ((fn !== "or" && fn !== "orValue") || target === undefined || other === undefined) return undefined;
  const code = codeOf(target, scope);
  const alternative = codeOf(other, scope);
  const isWhole = fn === "or";
  return (ev) => {
    const found = code(ev);
    if (found === undefined) return undefined;
    if (!(found instanceof OptionalValue)) return failAt(ev, "no such overload", at);
    if (found.value === undefined) return alternative(ev);
    return isWhole ? found : found.value;
  };
}
