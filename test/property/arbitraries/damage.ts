/** Requests with one wrong value in two places. Damage of one place at a time is in `src/testing/laws/damage.ts`. */

import type { Mutation } from "../../../src/testing/laws/damage.js";
import { places, replaced, valueAt } from "../../../src/testing/laws/places.js";
import { isValueList, type PlainRequest, type Value } from "../../../src/testing/laws/plain-request.js";

const WRONG: readonly Value[] = [null, true, false, 0, 1, "", [], {}, [[]], { "*": true }, ["*"]];

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
type Wrong = (old: Value | undefined, value: Value) => Value | undefined;

const whole: Wrong = (old, value) => (old === undefined || sameType(old, value) ? undefined : value);

const inside: Wrong = (old, value) =>
  old !== undefined && isValueList(old) && typeof value !== "string" ? old.map(() => value) : undefined;

function sameType(a: Value, b: Value): boolean {
  return typeof a === typeof b && Array.isArray(a) === Array.isArray(b) && (a === null) === (b === null);
}
