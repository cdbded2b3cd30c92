/** The total size of generated functions is bounded, and a caller with many plans does not keep others from theirs. */

import { expect, test } from "vitest";
import { NO_TYPES } from "../../src/engine/evaluate/activation.js";
import { conditionsOf } from "../../src/engine/evaluate/conditions.js";
import { Generator } from "../../src/engine/evaluate/generator.js";
import { makePlan } from "../../src/engine/plan/make-plan.js";
import { NO_SCHEMAS } from "../../src/engine/plan/plan.js";
import { PolicyIndex } from "../../src/engine/plan/policy-index.js";
import { policy, supportAll, when } from "../support/compose.js";
import { compiled, UNSCOPED } from "../support/policies.js";

/** Each has some hundred characters. */
const long = "x".repeat(500);
const rules = Array.from(
  { length: 255 },
  (_, i) =>
    `name: r${i}, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(`R.attr.name_${i} == "${long}${i}"`)}`,
);
const { model } = compiled([{ path: "a.yaml", text: policy({ rules }) }, ...supportAll("doc")]);
const index = new PolicyIndex(model);
const plan = makePlan(index, UNSCOPED, { kind: "doc", action: "read", principalId: "u", roles: ["user"] });
const conditions = conditionsOf(plan);

/** A plan of the same size for each number. */
function wantedBy(number: number) {
  const rotated = [...conditions.slice(number), ...conditions.slice(0, number)];
  return { conditions: rotated, outputs: [], schemas: NO_SCHEMAS, types: NO_TYPES };
}

test("past the bound the oldest functions are taken back, and made again when asked for", () => {
  const generator = new Generator();
  const released: number[] = [];
  const holders = Array.from({ length: 30 }, (_, i) => ({ release: () => void released.push(i) }));
  const sizes = holders.map((holder, i) => {
    expect(generator.layerFunctions(wantedBy(i), holder)).toBeDefined();
    return generator.size;
  });
  const [first = 0, second = 0] = sizes;
  // All plans read the same (empty) set of key attributes, so they share one reader function.
  const [own, shared] = [second - first, 2 * first - second];
  expect([own > 140_000, shared > 0, shared < 200]).toEqual([true, true, true]);
  const kept = holders.length - released.length;
  expect(released).toEqual(Array.from({ length: released.length }, (_, i) => i));
  // The generator keeps as many functions as fit.
  expect(kept).toBe(Math.floor((4_000_000 - shared) / own));
  expect(released.length).toBeGreaterThan(0);
  expect(sizes.at(-1)).toBe(kept * own + shared);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(4_000_000);
  const [oldest = expect.unreachable()] = holders;
  expect(generator.layerFunctions(wantedBy(0), oldest)).toBeDefined();
  expect(released.at(-1)).toBe(released.length - 1);
});

test("plans with equal functions share them, and their room", () => {
  const generator = new Generator();
  const holders = Array.from({ length: 30 }, () => ({ release: () => expect.unreachable("released") }));
  const [one = expect.unreachable(), ...others] = holders.map((holder) =>
    generator.layerFunctions(wantedBy(0), holder),
  );
  const { size } = generator;
  for (const other of others) expect([other?.judge, other?.read]).toEqual([one.judge, one.read]);
  expect(size).toBeLessThan(400_000);
});
