/** Copies of attributes: each value is read once, and earlier reads are reused. */

import { expect, test } from "vitest";
import {
  Copies,
  deepCopy,
  listCopy,
  type ReadNames,
  searchedCopy,
  UNREADABLE,
} from "../../../src/engine/frame/copies.js";
import { MAX_VALUES } from "../../../src/limits.js";

const ATTR = { a: 1, b: { c: 2, d: [3] } };
const NONE: ReadNames = new Map();

test("all attributes, or those that have a name", () => {
  const made = new Copies().attributes(ATTR);
  expect(made).toEqual(ATTR);
  expect([made === ATTR, made.b === ATTR.b]).toEqual([false, false]);
  expect(new Copies().attributes(ATTR, ["b", "none"])).toEqual({ b: ATTR.b });
  expect(new Copies().attributes(ATTR, [])).toEqual({});
});

test("values that were read take the place of those that are there now", () => {
  const read: ReadNames = new Map([
    ["a", { at: 1, inside: NONE }],
    ["b", { at: 2, inside: new Map([["c", { at: 3, inside: NONE }]]) }],
  ]);
  const copy = (...values: readonly unknown[]) => new Copies(["steps", ...values]).attributes(ATTR, undefined, read);
  expect(copy("read", { c: "?", e: 5 }, "inside")).toEqual({ a: "read", b: { c: "inside", e: 5 } });
  // Absent at the first read.
  expect(copy(undefined, { c: "?" }, undefined)).toEqual({ b: {} });
  expect(copy(undefined, "text", undefined)).toEqual({ b: "text" });
});

test("a proxy that does not tell whether it has a property is asked for it", () => {
  const fail = () => {
    throw new Error("nothing is told");
  };
  const told = (handler: ProxyHandler<object>) =>
    new Copies().attributes(Object(new Proxy({ a: 1 }, { getOwnPropertyDescriptor: fail, ...handler })), ["a"]);
  expect([told({}), told({ get: fail })]).toEqual([{ a: 1 }, { a: UNREADABLE }]);
});

test("an object that is there twice, or within itself, is copied once", () => {
  const shared = { x: 1 };
  const cycle: { [name: string]: unknown } = { shared, again: shared };
  cycle.itself = cycle;
  const made = new Copies().attributes({ cycle, list: [shared] });
  const { cycle: copied, list } = made;
  expect(copied).toMatchObject({ shared: { x: 1 } });
  expect(Reflect.get(Object(copied), "itself")).toBe(copied);
  expect(Reflect.get(Object(copied), "again")).toBe(Reflect.get(Object(copied), "shared"));
  expect(Array.isArray(list) && list[0]).toBe(Reflect.get(Object(copied), "shared"));
});

test("an object within itself is copied whole there, whatever names are asked for", () => {
  const cycle: { [name: string]: unknown } = { x: 1 };
  cycle.itself = cycle;
  const made = new Copies().attributes(cycle, ["itself"]);
  expect([Object.keys(made), Object.keys(Object(made.itself))]).toEqual([["itself"], ["x", "itself"]]);
});

test("no more values are read than a request may have", () => {
  const list = Array.from({ length: MAX_VALUES / 2 + 1 }, () => 1);
  expect(new Copies().attributes({ list })).toEqual({ list });
  expect(() => new Copies().attributes({ list, again: [...list] })).toThrow("more values than one request may have");
  expect([listCopy(new Array(MAX_VALUES + 1)), deepCopy(new Array(MAX_VALUES + 1), new Copies())]).toEqual([
    UNREADABLE,
    UNREADABLE,
  ]);
});

test("values that are no JSON, or too deep, are no data", () => {
  const holes: unknown[] = [];
  holes.length = 2;
  const made = new Copies().attributes({ date: new Date(0), nan: Number.NaN, holes, undefined });
  expect(made).toEqual({ date: UNREADABLE, nan: UNREADABLE, holes: [UNREADABLE, UNREADABLE] });
  const depthOf = (levels: number) => {
    let deep: unknown = 1;
    for (let i = 0; i < levels; i++) deep = [deep];
    let copy = deepCopy(deep, new Copies());
    let depth = 0;
    for (; Array.isArray(copy); depth++) [copy] = copy;
    return [depth, copy];
  };
  expect([depthOf(1_000), depthOf(1_001)]).toEqual([
    [1_000, 1],
    [1_000, UNREADABLE],
  ]);
});

test("lists are read from the beginning to the end of their length", () => {
  for (const length of [0, 1, 8, 9, 100]) {
    const list = Array.from({ length }, (_, i) => i);
    Object.defineProperty(list, Symbol.iterator, { get: () => expect.unreachable("iterated") });
    const copy = listCopy(list);
    expect(copy).toEqual(Array.from({ length }, (_, i) => i));
    expect(copy).not.toBe(list);
  }
});

test("of the maps in a list that is searched, only the members that are read", () => {
  const copy = (map: object) => ({ k: Reflect.get(map, "k") });
  expect(searchedCopy([{ k: 1, j: 2 }, "text", 1, null, [{ j: 2 }], new Date(0)], copy, new Copies())).toEqual([
    ...[{ k: 1 }, "text", 1, null, [{ j: 2 }], UNREADABLE],
  ]);
  expect(searchedCopy({ k: 1, j: 2 }, copy, new Copies())).toEqual({ k: 1, j: 2 });
});
