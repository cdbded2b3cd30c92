/** What expressions are as formulas, and what is taken for granted of them, is put down as it is written. */

import { afterAll, expect, test } from "vitest";
import { PlanFormulas, roleClassesOf } from "../../../src/engine/formula/plans.js";
import { World } from "../../../src/engine/formula/world.js";
import type { PolicySet } from "../../../src/index.js";
import { sourceOf } from "../formula/asked.js";
import { corpus } from "./corpus.js";
import { PARTS, Recording } from "./recorded.js";
import { formulaTexts } from "./texts.js";

const recording = new Recording("formula-texts");
afterAll(() => recording.close());

test.each(PARTS)("%s and the like", (_, expressions) => {
  const sets = [corpus(expressions, false), corpus(expressions, false, true)];
  const found = expressions.map((expression, action) => {
    const texts = sets.flatMap((policies) => textsOf(policies, `a${action}`));
    return [expression, ...recording.ofTexts(expression, texts)] as const;
  });
  expect(found.map(([expression, now]) => [expression, now])).toEqual(
    found.map(([expression, , then]) => [expression, then]),
  );
});

/** When the only condition of an operation holds, and when it does not; what holds of every request; and what is preferred. */
function textsOf(policies: PolicySet, action: string): readonly string[] {
  const world = new World();
  const plans = new PlanFormulas(world, roleClassesOf([policies]) ?? []);
  const source = sourceOf(policies, policies.permission);
  const [first] = plans.plansOf(source, "key", { kind: "doc", action });
  const [rule] = first?.plan.rules ?? [];
  if (first === undefined || rule === undefined) throw new Error("no rule");
  const { holds, fails } = plans.condition(rule, plans.reading(first.plan, source, "key"));
  plans.close();
  const parts = [[holds], [fails], [...world.facts], [...world.preferences]];
  return formulaTexts(parts);
}
