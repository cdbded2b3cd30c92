/** Requests with the same wrong value in two places. `src/testing/laws/damage.ts` damages one place at a time. */

import { attributePlacesOf, valueAt, withAttributeReplaced } from "../../../src/testing/laws/attribute-places.js";
import type { RequestMutation } from "../../../src/testing/laws/damage.js";
import { isValueList, type PlainRequest, type PlainValue } from "../../../src/testing/laws/plain-request.js";

const WRONG: readonly PlainValue[] = [null, true, false, 0, 1, "", [], {}, [[]], { "*": true }, ["*"]];

/**
 * Variants of `request` with one wrong value in two places, for all pairs: two equal invalid values must not count as
 * equal. In a list, the wrong value replaces either the whole list or its elements.
 */
export function* wrongTwice(request: PlainRequest): Generator<RequestMutation> {
  const all = attributePlacesOf(request);
  for (const value of WRONG) {
    const single = all.map((place) =>
      [whole, inside].map((how) => [place, how(valueAt(request, place), value)] as const),
    );
    for (const [i, firsts] of single.entries()) {
      for (const [one, a] of firsts) {
        if (a === undefined) continue;
        const half = withAttributeReplaced(request, one, a);
        for (const [two, b] of single.slice(i + 1).flat()) {
          if (b === undefined) continue;
          const what = `${one.join(".")} and ${two.join(".")} are ${JSON.stringify(value)}`;
          yield { request: withAttributeReplaced(half, two, b), what };
        }
      }
    }
  }
}

/** The replacement for `old`; undefined if it would have the right type. */
type Wrong = (old: PlainValue | undefined, value: PlainValue) => PlainValue | undefined;

const whole: Wrong = (old, value) => (old === undefined || sameType(old, value) ? undefined : value);

const inside: Wrong = (old, value) =>
  old !== undefined && isValueList(old) && typeof value !== "string" ? old.map(() => value) : undefined;

function sameType(a: PlainValue, b: PlainValue): boolean {
  return typeof a === typeof b && Array.isArray(a) === Array.isArray(b) && (a === null) === (b === null);
}
