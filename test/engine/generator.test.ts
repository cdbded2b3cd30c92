/** Generated functions are bounded in size, and whoever asks for many keeps nobody from theirs. */

import { expect, test } from "vitest";
import { NO_TYPES } from "../../src/engine/evaluate/activation.js";
import { conditionsOf } from "../../src/engine/evaluate/conditions.js";
import { Generator } from "../../src/engine/evaluate/generator.js";
import { makePlan } from "../../src/engine/plan/make-plan.js";
import { NO_SCHEMAS } from "../../src/engine/plan/plan.js";
import { PolicyIndex } from "../../src/engine/plan/policy-index.js";
import { policy, supportAll, when } from "../support/compose.js";
import { compiled, UNSCOPED } from "../support/policies.js";

/** Each of some hundred characters. */
const long = "x".repeat(500);
const rules = Array.from(
  { length: 300 },
  (_, i) =>
    `name: r${i}, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(`R.attr.name_${i} == "${long}${i}"`)}`,
);
const { model } = compiled([{ path: "a.yaml", text: policy({ rules }) }, ...supportAll("doc")]);
const index = new PolicyIndex(model);
const plan = makePlan(index, UNSCOPED, { kind: "doc", action: "read", principalId: "u", roles: ["user"] });
const conditions = conditionsOf(plan);

test("past the bound the oldest functions are taken back, and made again when asked for", () => {
  const generator = new Generator();
  const released: number[] = [];
  const holders = Array.from({ length: 24 }, (_, i) => ({ release: () => void released.push(i) }));
  const sizes = holders.map((holder) => {
    const layers = [{ conditions, outputs: [], schemas: NO_SCHEMAS, types: NO_TYPES }];
    expect(generator.functionFor({ layers, some: undefined }, holder)).toBeDefined();
    return generator.size;
  });
  expect(sizes[0]).toBeGreaterThan(150_000);
  const kept = holders.length - released.length;
  expect(released).toEqual(Array.from({ length: released.length }, (_, i) => i));
  // As many are kept as there is room for.
  expect(kept).toBe(Math.floor(4_000_000 / (sizes[0] ?? 0)));
  expect(released.length).toBeGreaterThan(0);
  expect(sizes.at(-1)).toBe(kept * (sizes[0] ?? 0));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(4_000_000);
});
