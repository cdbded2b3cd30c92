/** Copies of requests for closures: of what a function has read its values, of the others those that closures may read. */

import { expect, test } from "vitest";
import { ALL_NAMES, Copier, NOTHING_READ, readOf } from "../../../src/engine/evaluate/copier.js";
import type { JointRequest } from "../../../src/engine/plan/subjects.js";

const part = (id: string, attr: JointRequest["key"]["attr"]) => ({
  id,
  roles: [`${id} role`],
  scope: `${id}.scope`,
  attr,
});
const REQUEST: JointRequest = {
  key: part("k", { a: 1, b: { c: 2 } }),
  account: part("a", { a: "x" }),
  resource: { ...part("r", { a: [1], b: { c: { d: 3 } } }), kind: "doc" },
  action: "act",
  now: undefined,
};
const { key, account } = REQUEST;
const { roles: _, ...resource } = { roles: [], ...REQUEST.resource };

/** A part that does not say what it has. */
const hostile = new Proxy({}, { ownKeys: () => expect.unreachable(), getOwnPropertyDescriptor: () => undefined });

test("all of a request: another object, with the same in it", () => {
  const made = new Copier(ALL_NAMES, NOTHING_READ, undefined).request(REQUEST);
  expect(made).toEqual({
    key,
    account,
    resource: { kind: "doc", id: "r", scope: "r.scope", attr: resource.attr },
    now: undefined,
  });
  expect([made.key?.attr === key.attr, made.account?.attr === account.attr]).toEqual([false, false]);
});

test("the attributes that have a name, of each part its own", () => {
  const names = { principal: ["b", "none"], account: [], resource: ["a"] };
  const made = new Copier(names, NOTHING_READ, undefined).request(REQUEST);
  expect([made.key?.attr, made.account?.attr, made.resource?.attr]).toEqual([{ b: { c: 2 } }, {}, { a: [1] }]);
});

test("a part that is bound is not copied", () => {
  const copier = (...parts: readonly ("principal" | "account")[]) =>
    new Copier(ALL_NAMES, NOTHING_READ, undefined, new Set(parts)).request(REQUEST);
  const isSame = ({ key: one, account: other }: ReturnType<typeof copier>) => [one === key, other === account];
  expect([copier(), copier("principal"), copier("account"), copier("principal", "account")].map(isSame)).toEqual([
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ]);
});

test("what is wrong with one part concerns no other, and what is not read is nowhere wrong", () => {
  const parts = (names = ALL_NAMES, given: JointRequest = REQUEST) => {
    const made = new Copier(names, NOTHING_READ, undefined).request(given);
    return [made.key, made.account, made.resource].map((one) => one !== undefined);
  };
  const [badKey, badAccount, badResource] = [
    { ...REQUEST, key: { ...key, attr: hostile } },
    { ...REQUEST, account: { ...account, attr: hostile } },
    { ...REQUEST, resource: { ...REQUEST.resource, attr: hostile } },
  ];
  expect([parts(), parts(ALL_NAMES, badKey), parts(ALL_NAMES, badAccount), parts(ALL_NAMES, badResource)]).toEqual([
    [true, true, true],
    [false, true, true],
    [true, false, true],
    [true, true, false],
  ]);
  expect(parts({ ...ALL_NAMES, principal: [] }, badKey)).toEqual([true, true, true]);
});

const READS = [
  { part: "principal", path: ["b"] },
  { part: "principal", path: ["b", "c"] },
  { part: "account", path: ["a"] },
  { part: "resource", path: ["b"] },
  { part: "resource", path: ["b", "c"] },
  { part: "resource", path: ["b", "c", "d"] },
] as const;

test("what a function reads, by name: where its value stands, and what was read in it", () => {
  const none = new Map();
  expect(readOf(READS, 4)).toEqual({
    principal: new Map([["b", { at: 4, inside: new Map([["c", { at: 5, inside: none }]]) }]]),
    account: new Map([["a", { at: 6, inside: none }]]),
    resource: new Map([
      ["b", { at: 7, inside: new Map([["c", { at: 8, inside: new Map([["d", { at: 9, inside: none }]]) }]]) }],
    ]),
  });
  expect(readOf([], 1)).toEqual(NOTHING_READ);
  expect(readOf([{ part: "account", path: [] }], 0)).toEqual(NOTHING_READ);
});

test("values that were read take the place of those that are there now", () => {
  const values = ["set", { c: "map" }, "read", "text", { c: { e: 5 } }, { d: "?", e: 6 }, "deep"];
  const made = new Copier(ALL_NAMES, readOf(READS, 1), values).request(REQUEST);
  expect([made.key?.attr, made.account?.attr, made.resource?.attr]).toEqual([
    { a: 1, b: { c: "read" } },
    { a: "text" },
    { a: [1], b: { c: { d: "deep", e: 6 } } },
  ]);
});
