/** Requests at the boundaries moved by a one-line change: with the old and new values, and their neighbours. */

import type { JsonValue } from "../../src/cel/json.js";
import type { Random } from "../differential/random.js";
import type { PlainRequest } from "../property/arbitraries/index.js";
import type { OneLine } from "./one-line.js";

/** Copies of some requests, each with an attribute at a boundary of the change; empty if the change has no values. */
export function nearby(
  requests: readonly PlainRequest[],
  { written, changed }: OneLine,
  random: Random,
): readonly PlainRequest[] {
  const values = [...new Set([written, changed].flatMap(valuesNear))];
  if (values.length === 0) return [];
  return requests.flatMap((one) => {
    const subject = random.pick(["key", "account", "resource"] as const);
    const value = random.pick(values);
    const attr = changedAt(one[subject].attr, value, random);
    return attr === undefined ? [] : [{ ...one, [subject]: { ...one[subject], attr } }];
  });
}

function valuesNear(token: string): readonly (string | number)[] {
  if (/^-?\d+(?:\.\d+)?$/.test(token)) return [-1, -0.5, 0, 0.5, 1].map((step) => Number(token) + step);
  const [, text] = /^\\?"([^"\\]*)\\?"$/.exec(token) ?? /^ *- "?([^"]*)"?$/.exec(token) ?? [];
  return text === undefined ? [] : [text, `${text}x`];
}

type Attr = PlainRequest["key"]["attr"];

/** Replaces one value of the same type somewhere in the attributes; a list gets the value as an element. */
function changedAt(attr: Attr, value: string | number, random: Random): Attr | undefined {
  const names = Object.keys(attr).filter((name) => canTake(attr[name], value));
  if (names.length === 0) return undefined;
  const name = random.pick(names);
  const old = attr[name];
  if (Array.isArray(old)) return { ...attr, [name]: [...old, value] };
  if (isMap(old)) {
    const inner = changedAt(old, value, random);
    return inner === undefined ? undefined : { ...attr, [name]: inner };
  }
  return { ...attr, [name]: value };
}

function canTake(old: JsonValue | undefined, value: string | number): boolean {
  if (Array.isArray(old)) return old.every((one) => typeof one === typeof value);
  return typeof old === typeof value || isMap(old);
}

function isMap(value: JsonValue | undefined): value is Attr {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
