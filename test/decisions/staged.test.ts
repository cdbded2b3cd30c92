/** What depends on the key, or on the account, alone is evaluated once, by functions that are generated. */

import { afterEach, expect, test, vi } from "vitest";
import { Cell } from "../../src/engine/evaluate/cell.js";
import { type Decider, type DeciderRequest, decide, deciderFor } from "../../src/index.js";
import { shipped } from "../support/policies.js";
import { ask } from "../support/requests.js";

const { key, resource, account, operation } = ask("keys.createKey", {
  roles: ["editor"],
  key: { permissions: ["api.*.create_key"] },
});
const REQUEST = { key, resource, account, operation };

afterEach(() => {
  vi.restoreAllMocks();
});

/** How many verdicts of `count` decisions were found by functions that were bound, and how many by whole questions. */
function asked(count: number, decider: Decider, request: DeciderRequest) {
  for (let round = 0; round < 100; round++) decider.decide(request);
  const bound = vi.spyOn(Cell.prototype, "verdictOn");
  const whole = vi.spyOn(Cell.prototype, "verdict");
  for (let round = 0; round < count; round++) expect(decider.decide(request)).toEqual(decide(shipped, REQUEST));
  const found = { bound: bound.mock.calls.length, whole: whole.mock.calls.length - 2 * count };
  vi.restoreAllMocks();
  return found;
}

test("for a key and an account both layers", () => {
  const decider = deciderFor(shipped, { key, account });
  expect(asked(5, decider, { operation, resource })).toEqual({ bound: 10, whole: 0 });
});

test("for a key the permission layer, whoever the account is", () => {
  const expected = { bound: 5, whole: 5 };
  expect(asked(5, deciderFor(shipped, { key }), { operation, resource, account })).toEqual(expected);
  const other = { ...account, id: "another" };
  expect(asked(5, deciderFor(shipped, { key, account: other }), { operation, resource, account })).toEqual(expected);
});

test("rows that are instances of classes are decided on by functions, as plain objects are", () => {
  class Row {
    constructor(fields: object) {
      Object.assign(this, fields);
    }
  }
  for (let round = 0; round < 100; round++) decide(shipped, REQUEST);
  const row = new Row({ ...resource, attr: new Row(resource.attr ?? {}) });
  const generated = vi.spyOn(Cell.prototype, "generated");
  const decision: unknown = Reflect.apply(decide, undefined, [shipped, { ...REQUEST, resource: row }]);
  const found = generated.mock.results.map(({ value }) => Number(value) >= 0);
  expect(found).toEqual([true, true]);
  expect(decision).toEqual(decide(shipped, REQUEST));
});
