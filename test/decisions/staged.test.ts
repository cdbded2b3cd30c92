/** What depends on the key, or on the account, alone is evaluated once, by functions that are generated. */

import { expect, test } from "vitest";
import { type Decider, type DeciderRequest, decide, decideAll, deciderFor } from "../../src/index.js";
import { watchDecisions } from "../support/functions.js";
import { shipped } from "../support/policies.js";
import { ask } from "../support/requests.js";

const { key, resource, account, operation } = ask("keys.createKey", {
  roles: ["editor"],
  key: { permissions: ["api.*.create_key"] },
});
const REQUEST = { key, resource, account, operation };

/** How many of `count` decisions were found by functions that were bound, and how many by others. */
function asked(count: number, decider: Decider, request: DeciderRequest) {
  for (let round = 0; round < 100; round++) decider.decide(request);
  const expected = decide(shipped, REQUEST);
  const found = { bound: 0, whole: 0 };
  const unwatch = watchDecisions((isBound, isFound) => {
    if (isFound) found[isBound ? "bound" : "whole"]++;
  });
  const decisions = Array.from({ length: count }, () => decider.decide(request));
  unwatch();
  for (const decision of decisions) expect(decision).toEqual(expected);
  return found;
}

test("for a key and an account", () => {
  const decider = deciderFor(shipped, { key, account });
  expect(asked(5, decider, { operation, resource })).toEqual({ bound: 5, whole: 0 });
});

test("for a key, whoever the account is", () => {
  const expected = { bound: 5, whole: 0 };
  expect(asked(5, deciderFor(shipped, { key }), { operation, resource, account })).toEqual(expected);
});

test("a request with an account of its own is decided on as by decide, where another is bound", () => {
  const decider = deciderFor(shipped, { key, account: { ...account, id: "another" } });
  expect(asked(5, decider, { operation, resource, account })).toEqual({ bound: 0, whole: 5 });
});

test("for a page of resources", () => {
  const page = (count: number) =>
    decideAll(
      shipped,
      { key, account, operation },
      Array.from({ length: count }, () => resource),
    );
  page(100);
  const bound: boolean[] = [];
  const unwatch = watchDecisions((isBound, isFound) => void bound.push(isBound && isFound));
  page(5);
  unwatch();
  // The first binds the function for those after it.
  expect(bound).toEqual([false, true, true, true, true]);
});

test("rows that are instances of classes are decided on by functions, as plain objects are", () => {
  class Row {
    constructor(fields: object) {
      Object.assign(this, fields);
    }
  }
  for (let round = 0; round < 100; round++) decide(shipped, REQUEST);
  const row = new Row({ ...resource, attr: new Row(resource.attr ?? {}) });
  const found: boolean[] = [];
  const unwatch = watchDecisions((_, isFound) => void found.push(isFound));
  const decision: unknown = Reflect.apply(decide, undefined, [shipped, { ...REQUEST, resource: row }]);
  unwatch();
  expect(found).toEqual([true]);
  expect(decision).toEqual(decide(shipped, REQUEST));
});
