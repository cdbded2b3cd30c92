/**
 * Questions to which the server answers at random, or by accident of its indexes, and this engine answers by the
 * intended meaning. See `docs/differences-from-cerbos.md`, where each heading names its test here. Answers must not
 * depend on the order of the files either.
 */

import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/cel/json.js";
import { parseTimestamp } from "../../src/cel/time.js";
import { type CheckEngineOptions, compileCheckEngine } from "../../src/cerbos/engine.js";
import { check } from "../../src/engine/evaluate/check.js";
import type { CheckResult } from "../../src/engine/evaluate/check-types.js";

type Policy = { readonly [type: string]: JsonValue };

interface Question {
  readonly roles?: readonly string[];
  readonly actions: readonly string[];
  readonly kind?: string;
  readonly scope?: string;
  readonly version?: string;
  readonly attr?: { readonly [name: string]: JsonValue };
}

/** The answer, which must not depend on the order of the files or on earlier questions. */
function answer(policies: readonly Policy[], question: Question, options: CheckEngineOptions = {}): CheckResult {
  const orders = [policies, policies.toReversed()];
  const [first, ...others] = orders.flatMap((order) => Array.from({ length: 3 }, () => once(order, question, options)));
  if (first === undefined) throw new Error("no answer");
  for (const other of others) expect(summary(other)).toEqual(summary(first));
  return first;
}

function once(policies: readonly Policy[], question: Question, options: CheckEngineOptions): CheckResult {
  const { roles = ["user"], actions, kind = "doc", scope = "", version = "", attr = {} } = question;
  const engine = compileCheckEngine(filesOf(policies), options);
  if (isLeft(engine)) throw new Error(JSON.stringify(engine.left));
  const input = {
    principal: { id: "p", roles, attr: {}, policyVersion: version, scope },
    resource: { kind, id: "r", attr, policyVersion: version, scope },
    actions,
    jwt: {},
    now: parseTimestamp("2024-01-01T00:00:00Z"),
  };
  return check(engine.right.policies, input, engine.right.options);
}

function filesOf(policies: readonly Policy[]) {
  return policies.map((policy, i) => ({
    path: `${i}.json`,
    text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", ...policy }),
  }));
}

function summary({ actions, effectiveDerivedRoles, outputs }: CheckResult) {
  const decided = [...actions].map(([action, { effect, policy, scope }]) => ({ action, effect, policy, scope }));
  return { decided, effectiveDerivedRoles, outputs };
}

function effects({ actions }: CheckResult): readonly string[] {
  return [...actions.values()].map(({ effect }) => effect);
}

const when = (expr: string) => ({ condition: { match: { expr } } });
const allow = { effect: "EFFECT_ALLOW" } as const;
const deny = { effect: "EFFECT_DENY" } as const;

function resource(rules: readonly JsonValue[], more: { readonly [field: string]: JsonValue } = {}): Policy {
  return { resourcePolicy: { resource: "doc", version: "default", rules, ...more } };
}

const ANYTHING = resource([{ actions: ["*"], roles: ["*"], ...allow }]);

describe("what the server answers at random", () => {
  test("conditions of a role policy for several resources are independent", () => {
    const rules = [
      { resource: "*", allowActions: ["view"], ...when("R.attr.open") },
      { resource: "doc", allowActions: ["view"], ...when("R.attr.mine") },
    ];
    const policies = [ANYTHING, { rolePolicy: { role: "user", rules } }];
    const asked = (open: boolean, mine: boolean) =>
      effects(answer(policies, { actions: ["view"], attr: { open, mine } }));
    expect(asked(true, false)).toEqual(["deny"]);
    expect(asked(false, true)).toEqual(["deny"]);
    expect(asked(true, true)).toEqual(["allow"]);
  });

  test("a condition of a role policy holds whatever other rules list its actions", () => {
    const rules = [
      { resource: "*", allowActions: ["doc:*"], ...when("R.attr.open") },
      { resource: "*", allowActions: ["*"] },
      { resource: "*", allowActions: ["doc:*"] },
    ];
    for (const order of [rules, rules.toReversed()]) {
      const policies = [ANYTHING, { rolePolicy: { role: "user", rules: order } }];
      const asked = (open: boolean) => effects(answer(policies, { actions: ["doc:view"], attr: { open } }));
      expect(asked(false)).toEqual(["deny"]);
      expect(asked(true)).toEqual(["allow"]);
    }
  });

  test("rules of one name in a principal policy are independent", () => {
    const action = (expr: string) => [{ name: "same", action: "view", ...allow, ...when(expr) }];
    const rules = [
      { resource: "*", actions: action("R.attr.open") },
      { resource: "doc", actions: action("R.attr.mine") },
    ];
    const policies = [{ principalPolicy: { principal: "p", version: "default", rules } }];
    const asked = (open: boolean, mine: boolean) =>
      effects(answer(policies, { actions: ["view"], attr: { open, mine } }));
    expect(asked(true, false)).toEqual(["allow"]);
    expect(asked(false, true)).toEqual(["allow"]);
    expect(asked(false, false)).toEqual(["deny"]);
  });

  test("runtime.effectiveDerivedRoles are those of the scope under examination, for every action", () => {
    const roles = { name: "roles", definitions: [{ name: "leaf", parentRoles: ["user"] }] };
    const inScope = {
      scope: "acme",
      importDerivedRoles: ["roles"],
      rules: [
        { actions: ["a", "b"], roles: ["user"], ...allow, ...when('"leaf" in runtime.effectiveDerivedRoles') },
        { actions: ["none"], derivedRoles: ["leaf"], ...allow },
      ],
    };
    const above = resource([{ actions: ["up"], roles: ["user"], ...allow }]);
    const policies = [{ derivedRoles: roles }, above, resource([], inScope)];
    for (const actions of [
      ["up", "a", "b"],
      ["a", "up", "b"],
      ["b", "a", "up"],
    ]) {
      expect(effects(answer(policies, { actions, scope: "acme" }))).toEqual(["allow", "allow", "allow"]);
    }
  });

  test("policies of one scope that contradict each other's scope permissions do not load", () => {
    const other = { resource: "team", scope: "acme", scopePermissions: "SCOPE_PERMISSIONS_OVERRIDE_PARENT" };
    const consent = "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS";
    const policies = [
      resource([]),
      resource([], { resource: "team" }),
      resource([], { scope: "acme", scopePermissions: consent }),
      resource([], other),
    ];
    const engine = compileCheckEngine(filesOf(policies));
    expect(isLeft(engine) && engine.left.map(({ code }) => code)).toContain("scope_permissions");
  });

  test("OVERRIDE_PARENT in some policies of a scope and nothing in others is a warning, and means the same", () => {
    const written = { scopePermissions: "SCOPE_PERMISSIONS_OVERRIDE_PARENT" };
    const warned = (...policies: readonly Policy[]) => {
      const engine = compileCheckEngine(filesOf(policies));
      if (isLeft(engine)) throw new Error(JSON.stringify(engine.left));
      return engine.right.warnings.map(({ file, code }) => `${file} ${code}`);
    };
    const sets: Policy = { derivedRoles: { name: "sets", definitions: [{ name: "d", parentRoles: ["user"] }] } };
    expect(warned(resource([], written), resource([], { resource: "team" }))).toEqual([
      expect.stringMatching(/ scope_permissions$/),
    ]);
    expect(warned(resource([], written), sets)).toContainEqual(expect.stringMatching(/ scope_permissions$/));
    expect(warned(resource([], written), resource([], { resource: "team", ...written }))).toEqual([]);
    expect(warned(resource([]), resource([], { resource: "team" }))).toEqual([]);
  });

  test("a DENY rule in a scope that requires consent has its own condition", () => {
    const consent = "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS";
    const condition = { match: { expr: "R.attr.frozen" } };
    const rule = (effect: string, role: string) => ({ actions: ["read"], roles: [role], effect, condition });
    const policies = [
      resource([{ actions: ["read"], roles: ["user"], effect: "EFFECT_ALLOW" }]),
      resource([rule("EFFECT_ALLOW", "other"), rule("EFFECT_DENY", "user")], {
        scope: "acme",
        scopePermissions: consent,
      }),
    ];
    const read = (frozen: boolean) => effects(answer(policies, { actions: ["read"], scope: "acme", attr: { frozen } }));
    expect([read(true), read(false)]).toEqual([["deny"], ["allow"]]);
  });

  test("rules of the same expressions in other forms are told apart", () => {
    const frozen = { expr: "R.attr.frozen" };
    const rule = (match: JsonValue) => ({ actions: ["read"], roles: ["user"], ...allow, condition: { match } });
    const forms = [rule(frozen), rule({ none: { of: [frozen] } })];
    for (const rules of [forms, forms.toReversed()]) {
      const read = (value: boolean) =>
        effects(answer([resource(rules)], { actions: ["read"], attr: { frozen: value } }));
      expect([read(true), read(false)]).toEqual([["allow"], ["allow"]]);
    }
    const output = (role: string, when: JsonValue) => ({
      actions: ["read"],
      roles: [role],
      ...allow,
      output: { when },
    });
    const policies = [
      resource([output("other", { conditionNotMet: '"x"' }), output("user", { ruleActivated: '"x"' })]),
    ];
    expect(answer(policies, { actions: ["read"] }).outputs.map(({ val }) => val)).toEqual(["x"]);
  });

  test("a role's parents are those of the version that is asked for", () => {
    const role = (version: string, parent: string): Policy => ({
      rolePolicy: { role: "user", version, parentRoles: [parent], rules: [{ resource: "*", allowActions: ["*"] }] },
    });
    const policies = [
      role("default", "admin"),
      role("v2", "guest"),
      resource([{ actions: ["x"], roles: ["admin"], ...allow }]),
    ];
    const second = resource([{ actions: ["x"], roles: ["guest"], ...allow }], { version: "v2" });
    expect(effects(answer([...policies, second], { actions: ["x"] }))).toEqual(["allow"]);
    expect(effects(answer([...policies, second], { actions: ["x"], version: "v2" }))).toEqual(["allow"]);
    const third = resource([{ actions: ["x"], roles: ["admin"], ...allow }], { version: "v2" });
    expect(effects(answer([...policies, third], { actions: ["x"], version: "v2" }))).toEqual(["deny"]);
  });

  test("a rule whose derived role is not active reports no output, whatever is asked before", () => {
    const output = { when: { ruleActivated: '"yes"', conditionNotMet: '"no"' } };
    const definitions = [{ name: "owner", parentRoles: ["user"], ...when("R.attr.mine") }];
    const policies = [
      { derivedRoles: { name: "roles", definitions } },
      resource([{ actions: ["a", "b"], derivedRoles: ["owner"], ...allow, output }], { importDerivedRoles: ["roles"] }),
    ];
    expect(answer(policies, { actions: ["a", "b"], attr: { mine: false } }).outputs).toEqual([]);
    const outputs = answer(policies, { actions: ["a", "b"], attr: { mine: true } }).outputs;
    expect(outputs.map(({ val }) => val)).toEqual(["yes", "yes"]);
  });

  test("of several refusals, a role policy's is named, the first role's", () => {
    const rule = [{ resource: "doc", allowActions: ["other"] }];
    const policies = [
      { rolePolicy: { role: "user", parentRoles: ["guest"], rules: rule } },
      { rolePolicy: { role: "guest", rules: rule } },
      resource([{ actions: ["view"], roles: ["*"], ...deny }]),
    ];
    expect(answer(policies, { actions: ["view"] }).actions.get("view")?.policy).toBe("role.user.vdefault");
  });

  test("of the refusals of included roles equally near, that of the first one by name is named", () => {
    const policies = (denied: string, parentRoles: readonly string[]) => [
      { rolePolicy: { role: "user", parentRoles } },
      { rolePolicy: { role: "guest", rules: [{ resource: "doc", allowActions: ["other"] }] } },
      resource([{ actions: ["view"], roles: [denied], ...deny }]),
    ];
    const named = (denied: string, parentRoles: readonly string[]) =>
      answer(policies(denied, parentRoles), { actions: ["view"], roles: ["user"] }).actions.get("view")?.policy;
    expect(named("zed", ["guest", "zed"])).toBe("role.guest.vdefault");
    expect(named("zed", ["zed", "guest"])).toBe("role.guest.vdefault");
    expect(named("admin", ["guest", "admin"])).toBe("role.guest.vdefault");
    expect(named("admin", ["admin", "guest"])).toBe("role.guest.vdefault");
  });
});

describe("strict decisions", () => {
  const erring = (effect: { readonly effect: string }, roles: readonly string[]) => ({
    actions: ["view"],
    roles,
    ...effect,
    ...when("R.attr.missing"),
  });
  const fine = { actions: ["view"], roles: ["user"], ...allow };

  test("a DENY rule that errs denies; on the server it is passed over", () => {
    const policies = [resource([fine, erring(deny, ["user"])])];
    expect(effects(answer(policies, { actions: ["view"] }))).toEqual(["allow"]);
    expect(effects(answer(policies, { actions: ["view"] }, { failClosed: true }))).toEqual(["deny"]);
  });

  test("an error in one role denies although another role allows", () => {
    const policies = [resource([fine, erring(allow, ["guest"])])];
    for (const roles of [
      ["user", "guest"],
      ["guest", "user"],
    ]) {
      expect(effects(answer(policies, { actions: ["view"], roles }))).toEqual(["allow"]);
      expect(effects(answer(policies, { actions: ["view"], roles }, { failClosed: true }))).toEqual(["deny"]);
    }
  });

  test("a rule that errs is reported once, for however many roles it is asked", () => {
    const policies = [resource([erring(deny, ["user", "guest"])])];
    const question = { actions: ["view"], roles: ["user", "guest"] };
    const { errors } = answer(policies, question, { failClosed: true });
    expect(errors.map(({ expression }) => expression)).toEqual(["R.attr.missing"]);
  });

  test("a variable that errs is an error to what reads it", () => {
    const rules = [{ actions: ["view"], roles: ["user"], ...allow, ...when('V.team != "red"') }];
    const policies = [resource(rules, { variables: { local: { team: "R.attr.team" } } })];
    expect(effects(answer(policies, { actions: ["view"] }))).toEqual(["deny"]);
    expect(effects(answer(policies, { actions: ["view"] }, { failClosed: true }))).toEqual(["deny"]);
  });
});
