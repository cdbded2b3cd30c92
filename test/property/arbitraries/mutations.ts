/** Requests that differ from another in one attribute. */

import fc from "fast-check";
import { attributePlacesOf, withoutAttribute } from "../../../src/testing/laws/attribute-places.js";
import { type RequestMutation, retyped } from "../../../src/testing/laws/damage.js";
import type { PlainRequest } from "../../../src/testing/laws/plain-request.js";

/**
 * The request with one attribute removed, or replaced by a value of another type, in the key, the resource or the
 * account. A request without attributes is returned unchanged.
 */
export function mutatedRequest(
  request: PlainRequest,
  kind: "removed" | "retyped" | "either" = "either",
): fc.Arbitrary<RequestMutation> {
  const all = attributePlacesOf(request);
  if (all.length === 0) return fc.constant({ request, what: "nothing" });
  const how = kind === "either" ? fc.constantFrom("removed", "retyped") : fc.constant(kind);
  return fc.tuple(fc.constantFrom(...all), how, fc.nat()).map(([place, change, pick]) => {
    const [subject, ...path] = place;
    const what = `${subject}.attr.${path.join(".")} ${change}`;
    if (change === "removed") return { request: withoutAttribute(request, place), what };
    const choices = retyped(request, place);
    return { request: choices[pick % choices.length] ?? request, what };
  });
}
