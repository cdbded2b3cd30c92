/** Functions made from generated code: code that is not a function, or that uses an undeclared type, is a defect. */

import { expect, test } from "vitest";
import { KIND, type TypeDeclaration } from "../../../src/cel/type-declaration.js";
import { js } from "../../../src/engine/frame/js.js";
import { compileText } from "../../../src/engine/generate/generate.js";
import { functionOf } from "../../../src/engine/generate/written.js";

const declared = (kinds: number, members: { readonly [name: string]: number } = {}): TypeDeclaration => ({
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

const types = [
  { principal: undefined, resource: declared(KIND.object, { a: KIND.string }) },
  { principal: declared(KIND.object, { a: KIND.number }), resource: undefined },
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
  const run = functionOf(
    (d) => (value: unknown) => d.map((one) => (typeof one === "function" ? one(value) : undefined)),
    checks,
    types,
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
      functionOf(() => () => 0, checks, types);
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

test("what is no function is told", () => {
  for (const made of [1, undefined, [() => 1], {}])
    expect(() => functionOf(() => made)).toThrow("keyward: generated code");
  const run = () => 1;
  expect(functionOf(() => run)).toBe(run);
});

test("a text is made a function of what it is given, with all that it may call", () => {
  const factory = compileText(js`return [d, L([]), L("")];`);
  expect(factory?.([1, "a"])).toEqual([[1, "a"], true, false]);
});
