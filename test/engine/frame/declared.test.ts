/** The generated type tests agree with `fits` on whether a value matches its declaration. */

import { describe, expect, test } from "vitest";
import { ANY_KIND, KIND, matchesDeclaration, type TypeDeclaration } from "../../../src/cel/type-declaration.js";
import type { JsonScalar } from "../../../src/cel/values.js";
import { fitsTest } from "../../../src/engine/frame/declared.js";
import { js } from "../../../src/engine/frame/js.js";

const declared = (
  kinds: number,
  scalars?: readonly JsonScalar[],
  isListed?: TypeDeclaration["isListed"],
): TypeDeclaration => ({
  kinds,
  scalars: scalars && new Set(scalars),
  listed: [],
  isListed,
  items: undefined,
  names: new Set(),
  member: () => undefined,
  nullable: new Set<string>(),
  hasParts: false,
  words: "",
});

const unasked = { valueOf: () => expect.unreachable("asked for its number"), a: 1 };
const VALUES: readonly unknown[] = [
  ...["", "a", "null", 0, -0, 1, -1, 1.5, 2 ** 40, 2 ** 31, Number.NaN, Infinity, true, false, null, undefined],
  ...[[], [1], {}, unasked, Object.create(null), 1n, Symbol("a"), () => 1],
];

/** The result of the generated test for each value. */
function said(of: TypeDeclaration): readonly boolean[] {
  const { text } = fitsTest(js`v`, of) ?? expect.unreachable("no test");
  const run: unknown = new Function("v", "L", "I", `return ${text};`);
  if (typeof run !== "function") throw new Error("no function");
  return VALUES.map((value) => run(value, Array.isArray, Number.isInteger) === true);
}

const expected = (of: TypeDeclaration): readonly boolean[] =>
  VALUES.map((value) => Reflect.apply(matchesDeclaration, undefined, [value, of]));

test("of each combination of types", () => {
  for (let kinds = 0; kinds < ANY_KIND; kinds++) {
    const of = declared(kinds);
    expect([kinds, said(of)]).toEqual([kinds, expected(of)]);
  }
  expect(fitsTest(js`v`, declared(ANY_KIND))?.text).toBe("true");
});

describe("of some values", () => {
  test.each<readonly [number, readonly JsonScalar[]]>([
    [ANY_KIND, ["a", 1, true, null]],
    [KIND.string, ["a", 1, true, null]],
    [KIND.null | KIND.integer, ["a", 1, 1.5, null, -0]],
    [KIND.object, ["a"]],
    [ANY_KIND, []],
    [ANY_KIND, ["a", "b", "c", "d", "e", "f", "g", ""]],
  ])("of types %i, of %j", (kinds, scalars) => {
    const of = declared(kinds, scalars);
    expect(said(of)).toEqual(expected(of));
  });

  test("more than eight are looked up, and so are lists and maps", () => {
    expect(fitsTest(js`v`, declared(ANY_KIND, ["a", "b", "c", "d", "e", "f", "g", "h", "i"]))).toBeUndefined();
    expect(
      fitsTest(
        js`v`,
        declared(ANY_KIND, ["a"], () => true),
      ),
    ).toBeUndefined();
    expect(
      fitsTest(
        js`v`,
        declared(ANY_KIND, undefined, () => true),
      )?.text,
    ).toBe("true");
  });
});
