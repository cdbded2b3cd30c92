/** What expressions are as formulas, and what is taken for granted of them, is put down as it is written. */

import { afterAll, expect, test } from "vitest";
import type { Formula, Rational } from "../../../src/engine/formula/formula.js";
import { PlanFormulas, roleClassesOf } from "../../../src/engine/formula/plans.js";
import { World } from "../../../src/engine/formula/world.js";
import type { PolicySet } from "../../../src/index.js";
import { sourceOf } from "../formula/asked.js";
import { corpus } from "./corpus.js";
import { PARTS, Recording } from "./recorded.js";

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
  const written = new Written(parts.flat());
  return parts.map((all) => all.map((one) => written.text(one)).join("\n"));
}

/** Formulas as text; what stands in several places is written out in the first of them, with a number. */
class Written {
  private readonly uses = new Map<Formula, number>();
  private readonly numbers = new Map<Formula, number>();

  constructor(all: readonly Formula[]) {
    for (const one of all) this.count(one);
  }

  private count(formula: Formula): void {
    const uses = this.uses.get(formula) ?? 0;
    this.uses.set(formula, uses + 1);
    if (uses === 0 && formula.op !== "constant") for (const arg of formula.args) this.count(arg);
  }

  text(formula: Formula): string {
    if (formula.op === "constant") return constant(formula.value);
    const name = formula.op === "unknown" ? `<${formula.sort} ${formula.name}>` : formula.op;
    if (formula.args.length === 0) return name;
    const known = this.numbers.get(formula);
    if (known !== undefined) return `#${known}`;
    const number = this.numbers.size;
    const isShared = (this.uses.get(formula) ?? 0) > 1;
    if (isShared) this.numbers.set(formula, number);
    return `${isShared ? `${number}:` : ""}(${[name, ...formula.args.map((one) => this.text(one))].join(" ")})`;
  }
}

function constant(value: boolean | string | Rational): string {
  if (typeof value !== "object") return JSON.stringify(value);
  return value.den === 1n ? `${value.num}` : `${value.num}/${value.den}`;
}
