/** Generated functions decide as closures do, or leave a request to them; each row records which of the two. */

import { isDeepStrictEqual } from "node:util";
import { afterAll, expect, test } from "vitest";
import { decide, type PolicySet } from "../../../src/index.js";
import { watchFunctions } from "../../support/functions.js";
import { corpus, RESOURCES, requestOf } from "./corpus.js";
import { PARTS, recordingOf } from "./recorded.js";

/** A plan has its function after this many questions. */
const WARM = 25;

const recording = recordingOf("generated");
afterAll(() => recording.close());

/** The result for each row: `t`rue, `f`alse or `e`rror, as a capital letter if a function decided. */
function decided(generated: PolicySet, closures: PolicySet, action: number): string {
  const answered: boolean[] = [];
  const unwatch = watchFunctions((_, isFound) => answered.push(isFound));
  const [first] = RESOURCES;
  if (first === undefined) throw new Error("no rows");
  for (let i = 0; i < WARM; i++) decide(generated, requestOf(action, first));
  const letters = RESOURCES.map((resource) => {
    const request = requestOf(action, resource);
    const expected = decide(closures, request);
    answered.length = 0;
    const decision = decide(generated, request);
    if (!isDeepStrictEqual(decision, expected)) expect({ request, decision }).toEqual({ request, decision: expected });
    const { permission } = decision;
    const letter = permission.effect === "allow" ? "t" : permission.errors.length > 0 ? "e" : "f";
    return answered[0] === true ? letter.toUpperCase() : letter;
  });
  unwatch();
  return letters.join("");
}

test.each(PARTS)("%s and the like", (_, expressions) => {
  const [generated, closures] = [corpus(expressions, true), corpus(expressions, false)];
  const found = expressions.map((expression, i) => [expression, decided(generated, closures, i)] as const);
  expect(found).toEqual(found.map(([expression, now]) => [expression, recording.of(expression, now)]));
});
