/** Requests with several attributes damaged at once. */

import fc from "fast-check";
import type { JsonValue } from "../../../src/policy/model.js";
import { type Mutation, type Place, places, replaced, retyped, without } from "./mutations.js";
import { isList, otherTypes, type PlainRequest } from "./requests.js";

export type Damage = "removed" | "retyped" | "either" | "numeric strings";

/**
 * `request` with one to four attributes removed or given values of other types, one after the other and each in its
 * own place; or with several of its numbers written as text.
 */
export function damagedRequest(request: PlainRequest, damage: Damage): fc.Arbitrary<Mutation> {
  const all = places(request).filter(
    (place) => damage !== "numeric strings" || typeof valueAt(request, place) === "number",
  );
  if (all.length === 0) return fc.constant({ request, what: "nothing" });
  const how = damage === "either" ? fc.constantFrom<Damage>("removed", "retyped") : fc.constant<Damage>(damage);
  const step = fc.tuple(fc.constantFrom(...all), how, fc.nat());
  const maxLength = damage === "numeric strings" ? 8 : 4;
  // What is inside a map comes before the map: once a map is damaged, nothing is left in it to damage.
  const steps = fc
    .uniqueArray(step, { minLength: 1, maxLength, selector: ([place]) => place.join() })
    .map((chosen) => chosen.toSorted(([a], [b]) => b.length - a.length));
  return steps.map((chosen) =>
    chosen.reduce<Mutation>(
      ({ request: before, what }, [place, change, pick]) => ({
        request: damaged(before, place, change, pick),
        what: `${what} ${place.join(".")} ${change};`,
      }),
      { request, what: "" },
    ),
  );
}

function damaged(request: PlainRequest, place: Place, change: Damage, pick: number): PlainRequest {
  if (change === "removed") return without(request, place);
  const choices = retyped(request, place);
  if (change === "numeric strings") return choices[NUMERIC_STRING] ?? request;
  return choices[pick % choices.length] ?? request;
}

/** The number as text, among the values that {@link otherTypes} takes for it. */
const NUMERIC_STRING = otherTypes(1).indexOf("1");

function valueAt(request: PlainRequest, [subject, ...path]: Place): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (value, name) => (isMap(value) ? value[name] : undefined),
    request[subject].attr,
  );
}

function isMap(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const WRONG: readonly JsonValue[] = [null, true, false, 0, 1, "", [], {}, [[]], { "*": true }, ["*"]];

/**
 * `request` with one and the same wrong value in two places, all of them: two broken values that are alike must not
 * count as equal. In lists it stands once for the list, and once for what is in it.
 */
export function* wrongTwice(request: PlainRequest): Generator<Mutation> {
  const all = places(request);
  for (const value of WRONG) {
    const single = all.map((place) =>
      [whole, inside].map((how) => [place, how(valueAt(request, place), value)] as const),
    );
    for (const [i, firsts] of single.entries()) {
      for (const [one, a] of firsts) {
        if (a === undefined) continue;
        const half = replaced(request, one, a);
        for (const [two, b] of single.slice(i + 1).flat()) {
          if (b === undefined) continue;
          const what = `${one.join(".")} and ${two.join(".")} are ${JSON.stringify(value)}`;
          yield { request: replaced(half, two, b), what };
        }
      }
    }
  }
}

/** What to put in place of `old`; undefined if that would be of the right type. */
type Wrong = (old: JsonValue | undefined, value: JsonValue) => JsonValue | undefined;

const whole: Wrong = (old, value) => (old === undefined || sameType(old, value) ? undefined : value);

const inside: Wrong = (old, value) =>
  old !== undefined && isList(old) && typeof value !== "string" ? old.map(() => value) : undefined;

function sameType(a: JsonValue, b: JsonValue): boolean {
  return typeof a === typeof b && Array.isArray(a) === Array.isArray(b) && (a === null) === (b === null);
}
