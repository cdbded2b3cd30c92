/** Requests under construction: a value that is set can be read, and nothing else changes. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { ABSENT, Draft, requestOf } from "../../src/space/draft.js";

const field = fc.constantFrom("a", "b", "__proto__", "constructor", "odd name", "");
const place = fc.record({
  subject: fc.constantFrom("key", "resource", "account"),
  path: fc.array(field, { minLength: 1, maxLength: 3 }).map((path) => ["attr", ...path]),
});
const value = fc.oneof(fc.constant<typeof ABSENT>(ABSENT), fc.jsonValue({ maxDepth: 2 }));
const settings = fc.array(fc.tuple(place, value), { maxLength: 6 });

function drafted(
  steps: readonly (readonly [typeof place extends fc.Arbitrary<infer T> ? T : never, unknown])[],
): Draft {
  const draft = new Draft("doc", "read");
  for (const [at, to] of steps) draft.set(at, to);
  return draft;
}

test("a value that is set is read", () => {
  fc.assert(
    fc.property(settings, place, value, (steps, at, to) => {
      const draft = drafted(steps);
      draft.set(at, to);
      expect(draft.get(at)).toEqual(to);
    }),
  );
});

test("a copy has the same values, and shares none", () => {
  fc.assert(
    fc.property(settings, place, (steps, at) => {
      const draft = drafted(steps);
      const before = JSON.stringify(draft.toJson());
      const copy = draft.copy();
      expect(JSON.stringify(copy.toJson())).toBe(before);
      copy.set(at, "changed");
      expect(JSON.stringify(draft.toJson())).toBe(before);
    }),
  );
});

test("its JSON makes the same request again", () => {
  fc.assert(
    fc.property(settings, fc.boolean(), fc.boolean(), (steps, hasAccount, hasTime) => {
      const draft = drafted(steps);
      draft.hasAccount = hasAccount;
      if (hasTime) draft.now = "2025-06-02T12:00:00.000Z";
      const json = draft.toJson();
      expect(Draft.from(requestOf(json)).toJson()).toEqual(json);
      expect(JSON.parse(JSON.stringify(json))).toEqual(json);
    }),
  );
});

test("a value is open unless another value is in its way", () => {
  const draft = drafted([[{ subject: "key", path: ["attr", "a"] }, "text"]]);
  expect(draft.isOpen({ subject: "key", path: ["attr", "a", "b"] })).toBe(false);
  expect(draft.isOpen({ subject: "key", path: ["attr", "a"] })).toBe(true);
  expect(draft.isOpen({ subject: "key", path: ["attr", "b", "c"] })).toBe(true);
});
