/** A decider caches the frames of its key and its account, so that each is read once. */

import { expect, test, vi } from "vitest";
import { CompiledPlan } from "../../src/engine/evaluate/compiled-plan.js";
import { type Decider, type DeciderRequest, decide, decideAll, deciderFor, keepDeciders } from "../../src/index.js";
import { watchFunctions } from "../support/functions.js";
import { shipped } from "../support/policies.js";
import { ask } from "../support/requests.js";

const { key, resource, account, operation } = ask("keys.createKey", {
  roles: ["editor"],
  key: { permissions: ["api.*.create_key"] },
});
const REQUEST = { key, resource, account, operation };

/** Counts the reads of keys and accounts into frames, and the verdicts of generated functions, during `run`. */
function reads(run: () => void) {
  const counts = { key: 0, account: 0, found: 0 };
  const read = vi.spyOn(CompiledPlan.prototype, "readPrincipal");
  const unwatch = watchFunctions((_, isFound) => {
    if (isFound) counts.found++;
  });
  run();
  unwatch();
  for (const [{ part }] of read.mock.calls) counts[part]++;
  read.mockRestore();
  return counts;
}

/** The same counts for `count` decisions of a decider in use. */
function readsOf(count: number, decider: Decider, request: DeciderRequest) {
  const expected = decide(shipped, REQUEST);
  for (let round = 0; round < 100; round++) decider.decide(request);
  return reads(() => {
    for (let i = 0; i < count; i++) expect(decider.decide(request)).toEqual(expected);
  });
}

test("for a key and an account", () => {
  const decider = deciderFor(shipped, { key, account });
  expect(readsOf(5, decider, { operation, resource })).toEqual({ key: 0, account: 0, found: 10 });
});

test("for a key, whoever the account is", () => {
  const decider = deciderFor(shipped, { key });
  expect(readsOf(5, decider, { operation, resource, account })).toEqual({ key: 0, account: 5, found: 10 });
});

test("a request with an account of its own is decided on as by decide, where another is bound", () => {
  const decider = deciderFor(shipped, { key, account: { ...account, id: "another" } });
  expect(readsOf(5, decider, { operation, resource, account })).toMatchObject({ account: 5, found: 10 });
});

test("for a key that is kept, with the account of each request", () => {
  const kept = keepDeciders(shipped, { revision: () => "1" });
  const expected = decide(shipped, REQUEST);
  for (let round = 0; round < 100; round++) kept.decide(REQUEST);
  const found = reads(() => {
    for (let i = 0; i < 5; i++) expect(kept.decide(REQUEST)).toEqual(expected);
  });
  expect(found).toEqual({ key: 0, account: 5, found: 10 });
});

test("for a page of resources", () => {
  const page = (count: number) =>
    decideAll(
      shipped,
      { key, account, operation },
      Array.from({ length: count }, () => resource),
    );
  page(100);
  expect(reads(() => void page(5))).toEqual({ key: 1, account: 1, found: 10 });
});

test("rows that are instances of classes are decided on by functions, as plain objects are", () => {
  class Row {
    constructor(fields: object) {
      Object.assign(this, fields);
    }
  }
  for (let round = 0; round < 100; round++) decide(shipped, REQUEST);
  const row = new Row({ ...resource, attr: new Row(resource.attr ?? {}) });
  const answers: unknown[] = [];
  const { found } = reads(() => {
    answers.push(Reflect.apply(decide, undefined, [shipped, { ...REQUEST, resource: row }]));
  });
  expect(found).toBe(2);
  expect(answers).toEqual([decide(shipped, REQUEST)]);
});
