/** A decision within a decision, on a plan whose conditions fill more than one word of a set. */

import { expect, test, vi } from "vitest";
import { compilePolicies, type DecisionRequest, decide } from "../../../src/index.js";
import { policy, supportAll, when } from "../../support/compose.js";

const RULES = 120;
const rules = Array.from(
  { length: RULES },
  (_, i) => `name: r${i}, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(`R.attr.a_${i} == "yes"`)}`,
);
const files = [{ path: "a.yaml", text: policy({ rules }) }, ...supportAll("doc")];

/** A resource on which the rules of `holding` hold; the attribute at `at` runs `meanwhile` when it is read. */
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

test.each([true, false])("attributes that decide as they are read (codegen: %s)", (codegen) => {
  const loaded = compilePolicies(files, { codegen });
  if (loaded._tag === "Left") throw new Error(JSON.stringify(loaded.left));
  const named = (one: DecisionRequest) => decide(loaded.right, one).permission.reasons.map(({ rule }) => rule);
  for (let round = 0; round < 30; round++) {
    for (const at of [0, 49, 50, 99, 100, 119]) {
      const inner: string[][] = [];
      const outer = named(requestWith([3, 60, 110], at, () => inner.push(named(requestWith([49, 51, 119])))));
      expect(outer).toEqual(["r3", "r60", "r110"]);
      expect(new Set(inner.map(String))).toEqual(new Set(["r49,r51,r119"]));
    }
  }
});

test("a function that is taken back while it runs leaves to closures what it has left to them", () => {
  const rules = [
    `name: open, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when('R.attr.a_0 == "yes"')}`,
    `name: shut, actions: [read], roles: [user], effect: EFFECT_DENY, ${when('R.attr.a_1.matches("^y")')}`,
  ];
  const loaded = compilePolicies([{ path: "a.yaml", text: policy({ rules }) }, ...supportAll("doc")]);
  if (loaded._tag === "Left") throw new Error(JSON.stringify(loaded.left));
  const { right: policies } = loaded;
  for (let round = 0; round < 30; round++) decide(policies, requestWith([0, 1]));
  const { key, account, resource, operation } = requestWith([]);
  const part = { attr: {}, scope: "" };
  const { joint } = policies.pair.asked({
    key: { ...part, id: key.id, roles: key.roles },
    account: { ...part, id: account.id, roles: ["account"] },
    resource: { ...part, kind: resource.kind, id: resource.id },
    action: operation,
    now: undefined,
  });
  const release = vi.spyOn(joint, "release");
  const { permission } = decide(
    policies,
    requestWith([0, 1], 0, () => joint.release()),
  );
  expect(release).toHaveBeenCalledOnce();
  expect(permission.reasons.map(({ rule }) => rule)).toEqual(["shut"]);
});

test("what follows from the same conditions is one verdict, but for a layer that has outputs", () => {
  const rule = `name: open, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when('R.attr.a_0 == "yes"')}`;
  const output = `${rule}, output: {when: {ruleActivated: "R.attr.a_1"}}`;
  const decidedBy = (one: string) => {
    const loaded = compilePolicies([{ path: "a.yaml", text: policy({ rules: [one] }) }, ...supportAll("doc")]);
    if (loaded._tag === "Left") throw new Error(JSON.stringify(loaded.left));
    for (let round = 0; round < 30; round++) decide(loaded.right, requestWith([0]));
    return [decide(loaded.right, requestWith([0])), decide(loaded.right, requestWith([0, 1]))] as const;
  };
  const [a, b] = decidedBy(rule);
  expect([a.permission === b.permission, a.platform === b.platform]).toEqual([true, true]);
  const [c, d] = decidedBy(output);
  expect([c.permission === d.permission, c.platform === d.platform]).toEqual([false, true]);
  expect([c, d].map(({ permission }) => permission.outputs.map(({ val }) => val))).toEqual([["no"], ["yes"]]);
});
