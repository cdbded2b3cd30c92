/** Statements about all elements of a list: the number of elements they are instantiated for. */

import { expect, test } from "vitest";
import { unknownsIn } from "../../../src/engine/formula/formula.js";
import { FormulaWorld } from "../../../src/engine/formula/world.js";

/** The number of facts that follow from this many properties of one list's elements. */
function factsOf(properties: number): number {
  const world = new FormulaWorld();
  const { formulas } = world;
  const list = world.raw("list");
  for (let i = 0; i < properties; i++) {
    world.some(list, ({ text = formulas.text("") }) => {
      const holds = formulas.unknown("bool", `property ${i}`, [text]);
      return { holds, fails: formulas.unknown("bool", `no property ${i}`, [text]) };
    });
  }
  const before = world.facts.size;
  world.close(() => formulas.no);
  return world.facts.size - before;
}

test("each property is held against all elements that are known, up to 2,000 times", () => {
  // Each property has two known elements, one that has it and one on which it errs; each instance adds two facts.
  const [base, few, many] = [0, 31, 32].map(factsOf);
  expect([few, many].map((facts = 0) => facts - (base ?? 0))).toEqual([31 * 62 * 2, 2_000 * 2]);
});

test("so are elements that come up only in what is said of others", () => {
  const world = new FormulaWorld();
  const { formulas, terms } = world;
  const [inner, outer] = [world.raw("inner"), world.raw("outer")];
  const is = (what: string) => ({
    holds: formulas.unknown("bool", what),
    fails: formulas.not(formulas.unknown("bool", what)),
  });
  world.some(inner, ({ text = formulas.text("") }) =>
    is(`property of ${text.op === "constant" ? text.value : "another"}`),
  );
  world.some(outer, (element) => ({ holds: world.isIn(element, inner), fails: formulas.no }));
  world.isIn(terms.of("text", { text: world.text("known") }), outer);
  world.close(() => formulas.no);
  expect(unknownsIn([...world.facts]).map(({ name }) => name)).toContain("property of known");
});
