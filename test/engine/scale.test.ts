/**
 * Many rules: loading is linear in their number, and deciding takes the work of few rules.
 *
 * @module-tag long
 */

import { describe, expect, test } from "vitest";
import { decide, type PolicyFile, type PolicySet } from "../../src/index.js";
import { policy, supportAll, when } from "../support/compose.js";
import { compiled } from "../support/policies.js";
import { sized } from "../support/size.js";
import { callsOf } from "../support/work.js";

/** This many rules, two for each kind; kind `i` is open to principals of its level. */
function files(rules: number): PolicyFile[] {
  const kinds = Array.from({ length: rules / 2 }, (_, i) => `kind_${i}`);
  const permissions = kinds.map((resource, i) => ({
    path: `permissions/${resource}.yaml`,
    text: policy({
      resource,
      rules: [
        `name: owner, actions: [read, write], roles: [user], effect: EFFECT_ALLOW, ${when(`R.attr.level_${i} > ${i}`)}`,
        `name: locked, actions: [write], roles: ["*"], effect: EFFECT_DENY, ${when(`R.attr.state_${i} != "open"`)}`,
      ],
    }),
  }));
  return [...permissions, ...supportAll("kind_0", `kind_${kinds.length - 1}`)];
}

function outcome(policies: PolicySet, i: number, level: number, operation: string, state = "open"): string {
  return decide(policies, {
    key: { id: "k", roles: ["user"], attr: {} },
    operation,
    resource: { kind: `kind_${i}`, id: "r", attr: { [`level_${i}`]: level, [`state_${i}`]: state } },
    account: { id: "a", attr: {} },
  }).outcome;
}

const RULES = sized(10_000);

describe(`${RULES} rules, two to a kind`, () => {
  const LAST = RULES / 2 - 1;
  const large = compiled(files(RULES));

  test("load in work that grows with their number", () => {
    const calls = (rules: number) => {
      const made = files(rules);
      return callsOf(() => compiled(made));
    };
    expect(calls(0.4 * RULES) / calls(0.1 * RULES)).toBeLessThan(4.4);
  });

  // The first decisions of the set: one-time work is counted as well.
  test("decide in the work that ten rules take", () => {
    const small = compiled(files(10));
    const calls = (policies: PolicySet, i: number) =>
      callsOf(() => {
        for (let n = 0; n < 50; n++) outcome(policies, i, i + 1, "write");
      });
    // A warm-up: the first count misses calls of functions that V8 optimised before counting began. V8 may optimise some
    // between the two counts as well: a few calls of thousands.
    calls(compiled(files(10)), 4);
    expect(calls(large, LAST) / calls(small, 4)).toBeCloseTo(1, 2);
  });

  test("decide each by its own", () => {
    expect(outcome(large, LAST, LAST + 1, "write")).toBe("allow");
    expect(outcome(large, LAST, LAST, "write")).toBe("insufficient_permissions");
    expect(outcome(large, LAST, LAST + 1, "write", "closed")).toBe("insufficient_permissions");
    expect(outcome(large, 0, 1, "read")).toBe("allow");
    expect(outcome(large, 77, 78, "read")).toBe("forbidden");
  });
});

test(`${RULES} rules in one policy, each of which may decide`, () => {
  const rules = Array.from(
    { length: RULES },
    (_, i) =>
      `name: r${i}, actions: [read], roles: [role_${i % 100}], effect: EFFECT_ALLOW, ${when(`R.attr.n == ${i}`)}`,
  );
  const policies = compiled([{ path: "a.yaml", text: policy({ rules }) }, ...supportAll("doc")]);
  const ask = (n: number, role: string) =>
    decide(policies, {
      key: { id: "k", roles: [role], attr: {} },
      operation: "read",
      resource: { kind: "doc", id: "r", attr: { n } },
      account: { id: "a", attr: {} },
    });
  const last = RULES - 1;
  expect(ask(last, "role_99").permission.reasons.map(({ rule }) => rule)).toEqual([`r${last}`]);
  expect(ask(last, "role_98").outcome).toBe("insufficient_permissions");
});

test("1,000 roles in one request, known and unknown", () => {
  const known = Array.from({ length: 100 }, (_, i) => `role_${i}`);
  const rules = [`name: some, actions: [read], roles: [${known}], effect: EFFECT_ALLOW, ${when("R.attr.open")}`];
  const policies = compiled([{ path: "a.yaml", text: policy({ rules }) }, ...supportAll("doc")]);
  const ask = (roles: string[]) =>
    decide(policies, {
      key: { id: "k", roles, attr: {} },
      operation: "read",
      resource: { kind: "doc", id: "r", attr: { open: true } },
      account: { id: "a", attr: {} },
    });
  const one = ask(["role_7"]);
  expect(one.outcome).toBe("allow");
  const many = [...known, ...Array.from({ length: 900 }, (_, i) => `unknown_${i}`)];
  for (let i = 0; i < 25; i++) expect(ask(many)).toEqual(one);
  expect(ask(many.slice(100)).outcome).toBe("insufficient_permissions");
});

test(`${RULES} derived roles that one rule lists`, () => {
  const names = Array.from({ length: RULES }, (_, i) => `d${i}`);
  const definitions = names.map(
    (name, i) => `    - {name: ${name}, parentRoles: [user], ${when(`R.attr.n == ${i}`)}}\n`,
  );
  const roles = `apiVersion: api.cerbos.dev/v1\nderivedRoles:\n  name: many\n  definitions:\n${definitions.join("")}`;
  const rules = [`name: some, actions: [read], derivedRoles: [${names}], effect: EFFECT_ALLOW`];
  const text = policy({ body: "importDerivedRoles: [many]", rules });
  const policies = compiled([{ path: "a.yaml", text }, { path: "r.yaml", text: roles }, ...supportAll("doc")]);
  const ask = (n: number) =>
    decide(policies, {
      key: { id: "k", roles: ["user"], attr: {} },
      operation: "read",
      resource: { kind: "doc", id: "r", attr: { n } },
      account: { id: "a", attr: {} },
    });
  for (let i = 0; i < 25; i++) expect(ask(RULES - 1 - i).permission.derivedRoles).toEqual([`d${RULES - 1 - i}`]);
  expect(ask(RULES).outcome).toBe("insufficient_permissions");
});
