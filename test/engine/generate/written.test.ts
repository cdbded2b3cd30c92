/** Functions that are made of their texts: what is none, or looks for what is not there, is a defect that is told. */

import { expect, test } from "vitest";
import { KIND } from "../../../src/cel/declared.js";
import { compileText } from "../../../src/engine/generate/generate.js";
import { js } from "../../../src/engine/generate/js.js";
import { made, madeToBind } from "../../../src/engine/generate/written.js";

const declared = (
  kinds: number,
  members: { readonly [name: string]: number } = {},
): NonNullable<Types["resource"]> => ({
  kinds,
  scalars: undefined,
  listed: [],
  isListed: undefined,
  items: undefined,
  names: new Set(Object.keys(members)),
  member: (name = "") => (name in members ? declared(members[name] ?? 0) : undefined),
  nullable: new Set<string>(),
  hasParts: Object.keys(members).length > 0,
  words: "",
});
type Types = Parameters<typeof made>[2][number]["types"];

const layers = [
  { types: { principal: undefined, resource: declared(KIND.object, { a: KIND.string }) } },
  { types: { principal: declared(KIND.object, { a: KIND.number }), resource: undefined } },
];
const check = (
  layer: number,
  subject: "principal" | "resource",
  asks: "fits" | "cost",
  ...path: readonly string[]
) => ({
  ...{ layer, subject, path, asks },
});
test("values are looked at as the layer declares them", () => {
  const checks = [check(0, "resource", "fits", "a"), check(1, "principal", "fits", "a"), check(0, "resource", "cost")];
  const run = made(
    (d) => (value: unknown) => d.map((one) => Reflect.apply(one as () => unknown, undefined, [value])),
    { checks },
    layers,
  );
  const said = (value: unknown): unknown => Reflect.apply(run, undefined, [value]);
  expect([said("x"), said(1), said({ a: "x" }), said({ a: 1 })]).toEqual([
    [true, false, -1],
    [false, true, -1],
    [false, false, 1],
    [false, false, -1],
  ]);
});

test("what is not declared is looked for in no function", () => {
  const of =
    (...checks: readonly ReturnType<typeof check>[]) =>
    () =>
      made(() => () => 0, { checks }, layers);
  expect(of(check(0, "resource", "fits", "a"))).not.toThrow();
  for (const one of [
    check(0, "principal", "fits"),
    check(0, "principal", "fits", "a"),
    check(0, "resource", "cost", "b"),
    check(0, "resource", "fits", "a", "b"),
    check(2, "resource", "fits"),
  ]) {
    expect(of(one)).toThrow("a type that is not declared");
  }
});

test("what is no function is told, and what binds nothing gives nothing", () => {
  const none = { checks: [] };
  expect(() => made(() => 1, none, [])).toThrow("a generated function that is none");
  expect(() => madeToBind(() => undefined, none, [])).toThrow("a generated function that is none");
  const run = () => 1;
  for (const stages of [[], [run], [run, 1], [1, run], run]) {
    expect(() => madeToBind(() => stages, none, [])).toThrow("a generated function that is none");
  }
  const bind = (bound: unknown) => madeToBind(() => [() => bound, run], none, []).bind("p", [], {}, "a", [], {});
  const bound = { a: 1 };
  expect([bind(bound), bind(undefined), bind(null), bind(1)]).toEqual([bound, undefined, undefined, undefined]);
  expect(madeToBind(() => [() => bound, run], none, []).run).toBe(run);
});

test("a text is made a function of what it is given, with all that it may call", () => {
  const factory = compileText(js`return [d, L([]), L("")];`);
  expect(factory?.([1, "a"])).toEqual([[1, "a"], true, false]);
});
