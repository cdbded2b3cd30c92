/** Derived roles, variables, constants and outputs. */

import { describe, expect, test } from "vitest";
import { decide, type LayerVerdict, type PolicySet } from "../../src/index.js";
import type { Attr } from "../property/arbitraries/index.js";
import { permissions, policy, when } from "../support/compose.js";
import { ask } from "../support/requests.js";

function verdict(policies: PolicySet, attr: Attr = {}, roles: readonly string[] = ["user"]): LayerVerdict {
  const request = ask("read", { roles });
  return decide(policies, {
    ...request,
    resource: { kind: "doc", id: "d1", attr: attr },
  }).permission;
}

describe("derived roles", () => {
  const ROLES = `apiVersion: api.cerbos.dev/v1
derivedRoles:
  name: roles
  definitions:
    - name: owner
      parentRoles: [user]
      condition: {match: {expr: R.attr.owner == P.id}}
    - name: anyone
      parentRoles: ["*"]
    - name: unused
      parentRoles: [user]
      condition: {match: {expr: R.attr.gone}}
`;
  const policies = permissions({
    "r.yaml": ROLES,
    "a.yaml": policy({
      body: "importDerivedRoles: [roles]",
      rules: [
        "name: own, actions: [read], derivedRoles: [owner], effect: EFFECT_ALLOW",
        `name: open, actions: [read], derivedRoles: [anyone], effect: EFFECT_ALLOW, ${when("R.attr.open")}`,
      ],
    }),
  });

  test("are active for their parent roles, if their condition holds; and those that no rule lists never are", () => {
    expect(verdict(policies, { owner: "key_caller", open: false })).toMatchObject({
      effect: "allow",
      derivedRoles: ["anyone", "owner"],
    });
    expect(verdict(policies, { owner: "other", open: false })).toMatchObject({
      effect: "deny",
      derivedRoles: ["anyone"],
    });
    expect(verdict(policies, { owner: "key_caller", open: false }, ["guest"])).toMatchObject({
      effect: "deny",
      derivedRoles: ["anyone"],
    });
    expect(verdict(policies, { owner: "other", open: true }, ["guest"])).toMatchObject({
      effect: "allow",
      derivedRoles: ["anyone"],
    });
  });

  test("whose condition errs are an error of each rule that lists them", () => {
    const found = verdict(policies, { open: true });
    expect([found.effect, found.errors.map(({ rule, position }) => [rule, position])]).toEqual([
      "deny",
      [["own", expect.stringMatching(/^r\.yaml:7:\d+$/)]],
    ]);
  });
});

describe("variables", () => {
  const body = `variables:
  local:
    bad: R.attr.missing.deeper
    good: R.attr.level + 1.0
    both: V.good > 1.0 && V.good < C.limit
    heavy: R.attr.list.all(a, R.attr.list.all(b, R.attr.list.all(c, a + b + c >= 0.0)))
constants:
  local:
    limit: 10`;
  const withRule = (expr: string) =>
    permissions({
      "a.yaml": policy({
        body,
        rules: [`name: a, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`],
      }),
    });

  test("are evaluated when they are read: one that would err and is not read does no harm", () => {
    for (const expr of ["V.both", "variables.both", "V.both || V.bad", "V.good == 3.0 && constants.limit == 10.0"]) {
      expect(verdict(withRule(expr), { level: 2 }).effect, expr).toBe("allow");
    }
  });

  test("that err are an error where they are read, which names them", () => {
    const found = verdict(withRule("V.both && V.bad == 1"), { level: 2 });
    expect([found.effect, found.errors[0]?.expression]).toEqual(["deny", "V.both && V.bad == 1"]);
    expect(found.errors[0]?.message).toContain("bad");
  });

  test("that take more than there is are not what is at fault", () => {
    const list = Array.from({ length: 300 }, (_, i) => i);
    const found = verdict(withRule("V.heavy"), { list });
    expect([found.effect, found.errors[0]?.message]).toEqual(["deny", "step budget exhausted"]);
  });

  test("that are not defined are found at load", () => {
    expect(() => withRule("V.nothing")).toThrow(/undefined_variable/);
    expect(() => withRule("C.nothing == 1")).toThrow(/undefined_constant/);
  });

  test("of a policy and of a set of derived roles may have one name", () => {
    const policies = permissions({
      "r.yaml": `apiVersion: api.cerbos.dev/v1
derivedRoles:
  name: roles
  variables: {local: {here: R.attr.a}}
  definitions:
    - {name: owner, parentRoles: [user], condition: {match: {expr: V.here && V.here}}}
`,
      "a.yaml": policy({
        body: "importDerivedRoles: [roles]\nvariables: {local: {here: R.attr.b}}",
        rules: [`name: own, actions: [read], derivedRoles: [owner], effect: EFFECT_ALLOW, ${when("V.here && V.here")}`],
      }),
    });
    const effects = [
      [true, true],
      [true, false],
      [false, true],
    ].map(([a = false, b = false]) => verdict(policies, { a, b }).effect);
    expect(effects).toEqual(["allow", "deny", "deny"]);
  });
});

describe("outputs", () => {
  const withOutput = (output: string, expr = "R.attr.open") =>
    permissions({
      "a.yaml": policy({
        rules: [
          `name: a, actions: [read], roles: [user, "*"], effect: EFFECT_ALLOW, ${when(expr)}, output: {when: {${output}}}`,
        ],
      }),
    });
  const src = "resource.doc.vdefault#a";

  test("ruleActivated where the condition holds, conditionNotMet where it does not", () => {
    const policies = withOutput(`ruleActivated: '"yes"', conditionNotMet: '"no"'`);
    expect(verdict(policies, { open: true }).outputs).toEqual([{ src, action: "read", val: "yes" }]);
    expect(verdict(policies, { open: false }).outputs).toEqual([{ src, action: "read", val: "no" }]);
  });

  test("none where the condition errs", () => {
    expect(verdict(withOutput(`ruleActivated: '"yes"', conditionNotMet: '"no"'`)).outputs).toEqual([]);
  });

  test("once for a rule, however many roles it applies to", () => {
    expect(verdict(withOutput("ruleActivated: P.id"), { open: true }, ["user", "one", "two"]).outputs).toHaveLength(1);
  });

  test("are values of the request, each time those of this request", () => {
    const policies = withOutput('ruleActivated: \'{"level": R.attr.level, "tags": R.attr.tags}\'');
    for (const level of [1, 2, 1]) {
      expect(verdict(policies, { open: true, level, tags: ["x"] }).outputs).toEqual([
        { src, action: "read", val: { level, tags: ["x"] } },
      ]);
    }
  });

  test("that err are null and an error, and change no effect", () => {
    const found = verdict(withOutput("ruleActivated: R.attr.gone"), { open: true });
    expect(found).toMatchObject({
      effect: "allow",
      outputs: [{ src, action: "read", val: null }],
      errors: [{ rule: "a", expression: "R.attr.gone" }],
    });
  });

  test("are the reason of a rule, if they are one text; otherwise its name is", () => {
    const reasons = (output: string) => verdict(withOutput(output), { open: true }).reasons.map(({ reason }) => reason);
    expect(reasons(`ruleActivated: '"because"'`)).toEqual(["because"]);
    expect(reasons("ruleActivated: P.id")).toEqual(["a"]);
    expect(reasons("ruleActivated: '1'")).toEqual(["a"]);
  });
});
