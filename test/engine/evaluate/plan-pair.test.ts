/** Decisions of a plan pair: nested in others, while functions are evicted, and with parts that change. */

import { describe, expect, test, vi } from "vitest";
import type { PlanPair } from "../../../src/engine/evaluate/plan-pair.js";
import { type DecisionRequest, decide, type PolicyFile, type PolicySet } from "../../../src/index.js";
import { policy, supportAll, when } from "../../support/compose.js";
import { compiled } from "../../support/policies.js";

const RULES = 120;
const WARM = 30;
const rules = Array.from(
  { length: RULES },
  (_, i) => `name: r${i}, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(`R.attr.a_${i} == "yes"`)}`,
);
const files = [{ path: "a.yaml", text: policy({ rules }) }, ...supportAll("doc")];

/** A resource for which the rules of `holding` hold; reading the attribute at `at` runs `meanwhile`. */
function requestWith(holding: readonly number[], at = -1, meanwhile: () => void = () => undefined): DecisionRequest {
  const attr: NonNullable<DecisionRequest["resource"]["attr"]> = {};
  for (let i = 0; i < RULES; i++) {
    const value = holding.includes(i) ? "yes" : "no";
    const get = () => {
      if (i === at) meanwhile();
      return value;
    };
    Object.defineProperty(attr, `a_${i}`, { enumerable: true, get });
  }
  return {
    key: { id: "k", roles: ["user"], attr: {} },
    operation: "read",
    resource: { kind: "doc", id: "d", attr },
    account: { id: "a", attr: {} },
  };
}

/** The pair of plans that decides a request. */
function pairOf({ tables }: PolicySet, { key, account, resource, operation }: DecisionRequest): PlanPair {
  const part = { attr: {}, scope: "" };
  return tables.find(
    { ...part, id: key.id, roles: key.roles },
    { ...part, id: account.id, roles: ["account"] },
    { ...part, kind: resource.kind, id: resource.id },
    operation,
  ).plans;
}

test.each([true, false])("attributes that decide as they are read (codegen: %s)", (codegen) => {
  const policies = compiled(files, { codegen });
  const named = (one: DecisionRequest) => decide(policies, one).permission.reasons.map(({ rule }) => rule);
  for (let round = 0; round < WARM; round++) {
    for (const at of [0, 49, 50, 99, 100, 119]) {
      const inner: string[][] = [];
      const outer = named(requestWith([3, 60, 110], at, () => inner.push(named(requestWith([49, 51, 119])))));
      expect(outer).toEqual(["r3", "r60", "r110"]);
      expect(new Set(inner.map(String))).toEqual(new Set(["r49,r51,r119"]));
    }
  }
});

const OPEN_AND_SHUT = [
  `name: open, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when('R.attr.a_0 == "yes"')}`,
  `name: shut, actions: [read], roles: [user], effect: EFFECT_DENY, ${when('R.attr.a_1.matches("^y")')}`,
];

/** A platform layer with a condition of its own. */
function platformWith(expr: string): PolicyFile {
  const rule = `name: supported, actions: [read], roles: [account], effect: EFFECT_ALLOW, ${when(expr)}`;
  return { path: "platform.yaml", text: policy({ version: "platform", rules: [rule] }) };
}

describe("functions that are evicted while a request is read", () => {
  test.each(["plan", "pair"] as const)("by the release of a %s", (what) => {
    const policies = compiled([
      { path: "a.yaml", text: policy({ rules: OPEN_AND_SHUT }) },
      platformWith('R.attr.a_2 == "yes"'),
    ]);
    for (let round = 0; round < WARM; round++) decide(policies, requestWith([0, 1, 2]));
    const pair = pairOf(policies, requestWith([]));
    const holder = what === "pair" ? pair : pair.permission;
    const release = vi.spyOn(holder, "release");
    for (const at of [0, 1, 2]) {
      const { permission, platform } = decide(
        policies,
        requestWith([0, 1, 2], at, () => holder.release()),
      );
      expect(permission.reasons.map(({ rule }) => rule)).toEqual(["shut"]);
      expect(platform.reasons.map(({ rule }) => rule)).toEqual(["supported"]);
      for (let round = 0; round < 4 * WARM; round++) decide(policies, requestWith([0, 1, 2]));
    }
    expect(release).toHaveBeenCalledTimes(3);
  });

  test("and come back once the plan is in use for longer than before", () => {
    const policies = compiled(files);
    for (let round = 0; round < WARM; round++) decide(policies, requestWith([0]));
    const { permission } = pairOf(policies, requestWith([]));
    expect(permission.functions).toBeDefined();
    permission.release();
    for (let round = 0; round < WARM; round++) {
      expect(decide(policies, requestWith([3])).permission.reasons).toMatchObject([{ rule: "r3" }]);
    }
    expect(permission.functions).toBeUndefined();
    for (let round = 0; round < WARM; round++) decide(policies, requestWith([0]));
    expect(permission.functions).toBeDefined();
    expect(decide(policies, requestWith([3])).permission.reasons).toMatchObject([{ rule: "r3" }]);
  });
});

test("what follows from the same conditions is one verdict, but for a layer that has outputs", () => {
  const rule = `name: open, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when('R.attr.a_0 == "yes"')}`;
  const output = `${rule}, output: {when: {ruleActivated: "R.attr.a_1"}}`;
  const decidedBy = (one: string) => {
    const policies = compiled([{ path: "a.yaml", text: policy({ rules: [one] }) }, ...supportAll("doc")]);
    for (let round = 0; round < WARM; round++) decide(policies, requestWith([0]));
    return [decide(policies, requestWith([0])), decide(policies, requestWith([0, 1]))] as const;
  };
  const [a, b] = decidedBy(rule);
  expect([a.permission === b.permission, a.platform === b.platform]).toEqual([true, true]);
  const [c, d] = decidedBy(output);
  expect([c.permission === d.permission, c.platform === d.platform]).toEqual([false, true]);
  expect([c, d].map(({ permission }) => permission.outputs.map(({ val }) => val))).toEqual([["no"], ["yes"]]);
});

/** Conditions that each layer evaluates by a function, by closures, or by both. */
const WAYS: { readonly [name: string]: readonly string[] } = {
  functions: ['R.attr.x == "a"', '"a" in R.attr.list', 'R.attr.map.k == "a"'],
  closures: ['R.attr.x.matches("^a$")', '["a"].exists_one(t, t in R.attr.list)', 'R.attr.map.k.matches("^a$")'],
  both: ['R.attr.x == "a"', '"a" in R.attr.list', 'R.attr.map.k.matches("^a$")'],
};

describe("each value of a resource is read once for both layers", () => {
  const layerOf = (version: string, role: string, conditions: readonly string[]) => ({
    path: `${version}.yaml`,
    text: policy({
      version,
      rules: conditions.map(
        (expr, i) =>
          `name: r${i}, actions: [read], roles: [${role}], effect: ${i === 0 ? "EFFECT_ALLOW" : "EFFECT_DENY"}, ${when(i === 0 ? expr : `!(${expr})`)}`,
      ),
    }),
  });

  /** Values that are `a` on the first read and `b` afterwards; counts the reads. */
  function changing(reads: Map<string, number>): DecisionRequest {
    const property = (of: object, name: string | number, path: string, first: unknown) => {
      const get = () => {
        const count = (reads.get(path) ?? 0) + 1;
        reads.set(path, count);
        return count === 1 ? first : "b";
      };
      return Object.defineProperty(of, name, { get, enumerable: true, configurable: true });
    };
    const attr = { x: "", list: [], map: {} };
    property(attr, "x", "x", "a");
    property(attr, "list", "list", property([], 0, "list/0", "a"));
    property(attr, "map", "map", property({}, "k", "map/k", "a"));
    return {
      key: { id: "k", roles: ["user"], attr: {} },
      operation: "read",
      resource: { kind: "doc", id: "d", attr },
      account: { id: "a", attr: {} },
    };
  }

  const names = Object.keys(WAYS);
  test.each(names.flatMap((permission) => names.map((platform) => [permission, platform] as const)))(
    "permission by %s, platform by %s",
    (first, second) => {
      const both = [layerOf("default", "user", WAYS[first] ?? []), layerOf("platform", "account", WAYS[second] ?? [])];
      for (const codegen of [true, false]) {
        const policies = compiled(both, { codegen });
        for (let round = 0; round < 2 * WARM; round++) {
          const reads = new Map<string, number>();
          const { permission, platform } = decide(policies, changing(reads));
          expect([round, permission.effect, platform.effect]).toEqual([round, "allow", "allow"]);
          expect([round, [...reads].filter(([, count]) => count > 1)]).toEqual([round, []]);
        }
      }
    },
  );

  test("where one layer has functions and the other has none yet", () => {
    const policies = compiled([
      layerOf("default", "user", WAYS.functions ?? []),
      layerOf("platform", "account", WAYS.functions ?? []),
    ]);
    for (let round = 0; round < WARM; round++) decide(policies, changing(new Map()));
    const pair = pairOf(policies, changing(new Map()));
    for (const plan of [pair.permission, pair.platform]) {
      plan?.release();
      const reads = new Map<string, number>();
      const { permission, platform } = decide(policies, changing(reads));
      expect([permission.effect, platform.effect]).toEqual(["allow", "allow"]);
      expect([...reads].filter(([, count]) => count > 1)).toEqual([]);
      for (let round = 0; round < 4 * WARM; round++) decide(policies, changing(new Map()));
    }
  });
});
