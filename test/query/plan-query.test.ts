/** Query plans of small policies. `expressions.test.ts` and `plans.test.ts` ask the real server. */

import { describe, expect, test } from "vitest";
import { functions } from "../../src/cel/functions/registry.js";
import { OPERATORS } from "../../src/cel/operators.js";
import { optionalArgument } from "../../src/cel/types.js";
import { type CheckEngineOptions, compileCheckEngine } from "../../src/cerbos/engine.js";
import { filterText } from "../../src/engine/query/operand.js";
import { planQuery } from "../../src/engine/query/plan-query.js";
import { OPTIONAL_FUNCTIONS } from "../../src/engine/query/wording.js";

const rule = (effect: "ALLOW" | "DENY", roles: readonly string[], expr?: string) => ({
  actions: ["read"],
  effect: `EFFECT_${effect}`,
  roles,
  ...(expr === undefined ? {} : { condition: { match: { expr } } }),
});

const policy = (rules: readonly object[], more: object = {}) => ({
  apiVersion: "api.cerbos.dev/v1",
  resourcePolicy: { resource: "doc", version: "default", rules, ...more },
});

function planOf(
  policies: readonly object[],
  {
    options = {},
    ...asked
  }: { options?: CheckEngineOptions; roles?: readonly string[]; attr?: object; scope?: string; version?: string },
): string {
  const files = policies.map((one, i) => ({ path: `${i}.json`, text: JSON.stringify(one) }));
  const compiled = compileCheckEngine(files, options);
  if (compiled._tag === "Left") throw new Error(JSON.stringify(compiled.left));
  const { roles = ["user"], attr = {}, scope = "", version = "" } = asked;
  const found = planQuery(
    compiled.right.policies,
    {
      principal: { id: "ann", roles, attr: { team: "red" }, policyVersion: version, scope: "" },
      resource: { kind: "doc", attr: JSON.parse(JSON.stringify(attr)), policyVersion: "", scope },
      actions: ["read"],
      jwt: {},
      now: undefined,
    },
    compiled.right.options,
  );
  return "fault" in found ? `no plan: ${found.fault}` : `${filterText(found.filter)} ${found.text === "NO_MATCH"}`;
}

describe("rules", () => {
  test("the principal's own are those of the version that the resource asks for", () => {
    const own = (version: string) => ({
      apiVersion: "api.cerbos.dev/v1",
      principalPolicy: {
        principal: "ann",
        version,
        rules: [
          {
            resource: "doc",
            actions: [
              { action: "read", effect: "EFFECT_ALLOW", condition: { match: { expr: `R.attr.v == "${version}"` } } },
            ],
          },
        ],
      },
    });
    const plan = '(eq request.resource.attr.v "default") false';
    expect(planOf([own("default"), own("v2")], { version: "v2" })).toBe(plan);
    expect(planOf([own("default")], { version: "v2" })).toBe(plan);
    expect(planOf([own("v2")], { version: "v2" })).toBe("(false) true");
  });

  test("the version that a principal names is not read", () => {
    const reads = policy([rule("ALLOW", ["user"], 'P.policyVersion == "" && R.attr.a == 1')]);
    expect(planOf([reads], { version: "v2" })).toBe("(eq request.resource.attr.a 1) false");
  });

  test("a DENY rule that depends on the resource counts for all roles", () => {
    const both = { roles: ["user", "guest"] };
    const rules = [rule("ALLOW", ["user"], "R.attr.a == 1"), rule("DENY", ["guest"], "R.attr.b == 1")];
    expect(planOf([policy(rules)], both)).toBe(
      "(and (not (eq request.resource.attr.b 1)) (eq request.resource.attr.a 1)) false",
    );
    const always = [rule("ALLOW", ["user"], "R.attr.a == 1"), rule("DENY", ["guest"])];
    expect(planOf([policy(always)], both)).toBe("(eq request.resource.attr.a 1) false");
  });

  test("what a scope allows by itself is not denied above it; where it asks its parents they have to allow as well", () => {
    const root = policy([rule("ALLOW", ["user"], "R.attr.a == 1"), rule("DENY", ["user"], "R.attr.b == 1")]);
    const scoped = (more: object) => policy([rule("ALLOW", ["user"], "R.attr.c == 1")], { scope: "acme", ...more });
    const asks = { scopePermissions: "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS" };
    const [a, b, c] = ["a", "b", "c"].map((name) => `(eq request.resource.attr.${name} 1)`);
    expect(planOf([root, scoped({})], { scope: "acme" })).toBe(
      `(and (not (and (not ${c}) ${b})) (or ${c} ${a})) false`,
    );
    expect(planOf([root, scoped(asks)], { scope: "acme" })).toBe(`(and (not (or (not ${c}) ${b})) ${a}) false`);
  });

  test("strictly, what errs for all denies; what errs for some is left to the plan", () => {
    const rules = [rule("ALLOW", ["user"], "R.attr.a > 1.0"), rule("DENY", ["user"], "P.attr.nothing == 1")];
    expect(planOf([policy(rules)], {})).toBe("(gt request.resource.attr.a 1) false");
    for (const options of [{ strictEvaluation: true }, { failClosed: true }]) {
      expect(planOf([policy(rules)], { options })).toBe("(false) false");
      expect(planOf([policy(rules.slice(0, 1))], { options })).toBe("(gt request.resource.attr.a 1) false");
    }
  });

  test("which derived roles are active is asked with every condition as it is written", () => {
    const exprs = [
      'R.attr["level"] < 1.5',
      "((timestamp(P.attr.team).getMonth() <= 5) && ((R.attr.locked ? P.attr.rank : R.attr.level) > 1)) && R.attr.locked",
    ];
    const condition = { match: { any: { of: exprs.map((expr) => ({ expr })) } } };
    const roles = {
      apiVersion: "api.cerbos.dev/v1",
      derivedRoles: { name: "d", definitions: [{ name: "dr", parentRoles: ["user"], condition }] },
    };
    const rules = [
      { ...rule("DENY", []), actions: ["other"], derivedRoles: ["dr"], roles: undefined },
      rule("ALLOW", ["user"], "runtime.effectiveDerivedRoles.size() > 0"),
    ];
    const found = planOf([roles, policy(rules, { importDerivedRoles: ["d"] })], {});
    expect(found).toContain('(lt (index request.resource.attr "level") 1.5)');
  });

  test("no rule is about a question", () => {
    expect(planOf([policy([rule("ALLOW", ["admin"])])], {})).toBe("(false) true");
    expect(planOf([policy([rule("ALLOW", ["user"])])], { scope: "nowhere" })).toBe("(false) true");
    expect(planOf([policy([rule("ALLOW", ["user"])])], {})).toBe("(true) false");
  });
});

test("what has no words makes no plan, unless nothing depends on it", () => {
  const bound = "cel.bind(x, R.attr.a, x == 1 || x == 2)";
  expect(planOf([policy([rule("ALLOW", ["user"], bound)])], {})).toContain("no plan: cel.bind");
  expect(planOf([policy([rule("ALLOW", ["user"], bound), rule("DENY", ["user"])])], {})).toBe("(false) false");
});

test("a huge expression makes no plan", () => {
  const doubling = Array.from({ length: 30 }, (_, i) => [`v${i}`, i === 0 ? "R.attr.a" : `V.v${i - 1} + V.v${i - 1}`]);
  const variables = { variables: { local: Object.fromEntries(doubling) } };
  const large = policy([rule("ALLOW", ["user"], 'V.v29 == "a"')], variables);
  expect(planOf([large], {})).toContain("no plan: an expression that is so large");
  const long = Array.from({ length: 400 }, (_, i) => i);
  const walks = "R.attr.a.exists(x, R.attr.a.exists(y, R.attr.a.exists(z, x + y == z - 900.0)))";
  expect(planOf([policy([rule("ALLOW", ["user"], walks)])], { attr: { a: long } })).toContain("no plan: finding out");
});

test("the functions of optionals are those that take or give nothing else", () => {
  const names = new Set(functions.map(({ name }) => name));
  const hasOptional = (type: Parameters<typeof optionalArgument>[0]): boolean =>
    optionalArgument(type) !== undefined || ("args" in type && type.args.some(hasOptional));
  const optional = [...names].filter((name) =>
    functions
      .filter((one) => one.name === name)
      .every(({ params, result }) => [...params, result].some((type) => hasOptional(type))),
  );
  const operators = [...OPERATORS].filter(([, { kind }]) => kind === "optionalField" || kind === "optionalIndex");
  expect([...OPTIONAL_FUNCTIONS].sort()).toEqual(
    [...new Set([...optional, ...operators.map(([name]) => name)])].sort(),
  );
});
