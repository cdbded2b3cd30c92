/**
 * Reads a member that may be absent: `a.?b`, `a[?k]`, and selections from an optional (cel-go
 * `interpreter/attributes.go`, `refQualify` with a presence test). A member of a value without members counts as
 * absent. Only two things are errors: a list index of the wrong type, and a key that no container can have.
 */

import { lookup, typeOf } from "./equality.js";
import { type Evaluation, fail } from "./evaluation.js";
import { Hierarchy } from "./functions/hierarchy-value.js";
import { isPresent, MessageValue } from "./message-value.js";
import { invalidKeyMessage } from "./qualifiers.js";
import { type CelList, type CelValue, isList, isMap, NONE, OptionalValue, Uint } from "./values.js";

/** The member is absent. Not an error. */
const ABSENT: unique symbol = Symbol("absent");

type MemberResult = CelValue | undefined | typeof ABSENT;

/** The optional of a member of `container`, which may be an optional itself; `undefined` for an error. */
export function optionalMember(ev: Evaluation, container: CelValue, key: CelValue): OptionalValue | undefined {
  const fault = invalidKeyMessage(key);
  if (fault !== undefined) return fail(ev, fault);
  const found = find(ev, container, key);
  if (found === ABSENT) return NONE;
  return found === undefined ? undefined : new OptionalValue(found);
}

function find(ev: Evaluation, container: CelValue, key: CelValue): MemberResult {
  if (typeof container !== "object" || container === null) return ABSENT;
  if (container instanceof OptionalValue) {
    return container.value === undefined ? ABSENT : find(ev, container.value, key);
  }
  if (isList(container)) return elementAt(ev, container, key);
  if (container instanceof Hierarchy) return container.at(ev, key);
  if (container instanceof MessageValue) return fieldOf(ev, container, key);
  if (!isMap(container)) return ABSENT;
  const value = lookup(container, key);
  // Attributes of a request can hold values that are not CEL values.
  if (typeof value === "function" || typeof value === "symbol") return fail(ev, "the value is not JSON data");
  return value === undefined ? ABSENT : value;
}

function elementAt(ev: Evaluation, list: CelList, key: CelValue): MemberResult {
  const at = key instanceof Uint ? key.value : key;
  if (typeof at !== "bigint" && typeof at !== "number")
    return fail(ev, `unsupported index type '${typeOf(key)}' in list`);
  const position = Number(at);
  if (!Number.isInteger(position)) return fail(ev, `unsupported index value ${at} in list`);
  return position >= 0 && position < list.length ? list[position] : ABSENT;
}

function fieldOf(ev: Evaluation, message: MessageValue, key: CelValue): MemberResult {
  const value = typeof key === "string" ? message.fields.get(key) : undefined;
  if (value === undefined) return fail(ev, "no such field");
  return isPresent(value) ? value : ABSENT;
}
