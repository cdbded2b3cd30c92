/** Generated functions of a single layer. */

import { expect, test } from "vitest";
import { Generator, MAX_CONDITIONS } from "../../../src/engine/evaluate/generator.js";
import { policy, when } from "../../support/compose.js";
import { compiled } from "../../support/policies.js";

const generated = 'R.attr.a == "x"';
const closuresAlone = 'hierarchy(R.attr.a).overlaps(hierarchy("x.y"))';

/** The conditions that a plan's functions leave to closures; undefined if there are no functions. */
function leftOf(...conditions: readonly string[]): readonly number[] | undefined {
  const rules = conditions.map((expr) => `actions: [act], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`);
  const { permission } = compiled([{ path: "a.yaml", text: policy({ rules }) }], { platform: "none" });
  const part = { id: "x", kind: "doc", roles: ["user"], scope: "", attr: {} };
  const { wanted } = permission.planFor(part, part, "act");
  return new Generator().layerFunctions(wanted, { release: () => undefined })?.left;
}

test("conditions without a generated form are left to closures", () => {
  expect(leftOf(generated)).toEqual([]);
  expect(leftOf(generated, closuresAlone, generated, closuresAlone)).toEqual([1, 3]);
});

test("a plan without a condition that has a generated form has no functions", () => {
  expect(leftOf(closuresAlone)).toBeUndefined();
  expect(leftOf(`${generated} && ${closuresAlone}`)).toBeUndefined();
});

test("a plan with very many conditions has no functions, so that no single decision writes them", () => {
  const different = (count: number) => Array.from({ length: count }, (_, i) => `R.attr.a == "x${i}"`);
  expect(leftOf(...different(MAX_CONDITIONS))).toEqual([]);
  expect(leftOf(...different(MAX_CONDITIONS + 1))).toBeUndefined();
});
