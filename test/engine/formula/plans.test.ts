/** Of which policies formulas are: what tells contexts apart, when schemas are part of what allows, whose truths are taken. */

import { describe, expect, test } from "vitest";
import { unknownsIn } from "../../../src/engine/formula/formula.js";
import { PlanFormulas, roleClassesOf } from "../../../src/engine/formula/plans.js";
import { World } from "../../../src/engine/formula/world.js";
import { makePlan } from "../../../src/engine/plan/make-plan.js";
import type { CompileOptions, PolicyFile } from "../../../src/index.js";
import { compiled } from "../../support/policies.js";
import { sourceOf } from "./asked.js";

interface Parts {
  readonly role?: object;
  readonly constant?: number;
  readonly variable?: string;
  readonly name?: string;
  readonly condition?: object;
  readonly rule?: string;
  readonly other?: string;
  readonly schemasOfOther?: object;
  readonly schemas?: object;
  readonly schema?: object;
  readonly globals?: CompileOptions["globals"];
  readonly enforced?: boolean;
}

const SCHEMA = "cerbos:///any.json";
const BOTH = { principalSchema: { ref: SCHEMA }, resourceSchema: { ref: SCHEMA } };
const IS_ONE = { all: { of: [{ expr: "V.v == C.c" }, { expr: "R.attr.x == 1" }] } };
const CONDITION = { match: IS_ONE };

/** A policy that imports a derived role, and another that does not matter to it. */
function files(parts: Parts): readonly PolicyFile[] {
  const { name = "v", variable = "R.attr.v", constant = 1, condition = CONDITION, role = {}, schemas = {} } = parts;
  const definition = { name: "dr", parentRoles: ["user"], condition, ...role };
  const rule = { actions: ["read"], effect: "EFFECT_ALLOW", roles: ["user"] };
  const derivedRoles = {
    name: "roles",
    constants: { local: { c: constant } },
    variables: { local: { [name]: variable } },
    definitions: [definition],
  };
  const match = { expr: `size(runtime.effectiveDerivedRoles) > 0 || ${parts.rule ?? "R.attr.y"}` };
  const policy = { resource: "doc", version: "default", importDerivedRoles: ["roles"], ...schemas };
  // A derived role that no rule lists is none.
  const guarded = (role: string) => ({ actions: ["tell"], effect: "EFFECT_ALLOW", derivedRoles: [role] });
  const other = {
    resource: "other",
    version: "default",
    importDerivedRoles: ["others"],
    ...parts.schemasOfOther,
    rules: [rule, guarded(definition.name)],
  };
  const others = {
    name: "others",
    definitions: [{ ...definition, condition: { match: { expr: parts.other ?? "true" } } }],
  };
  const documents = [
    { derivedRoles },
    { derivedRoles: others },
    { resourcePolicy: { ...policy, rules: [{ ...rule, condition: { match } }, guarded(definition.name)] } },
    { resourcePolicy: other },
  ].map((one, i) => ({ path: `${i}.json`, text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", ...one }) }));
  return [...documents, { path: "_schemas/any.json", text: JSON.stringify(parts.schema ?? { type: "object" }) }];
}

const world = new World();
const plans = new PlanFormulas(world, [{ name: "user", isOpen: false }]);

function asked(parts: Parts) {
  const { globals = {}, enforced = false } = parts;
  const options = { platform: "none", globals, schemaEnforcement: enforced ? "reject" : "none" } as const;
  const policies = compiled(files(parts), options);
  const layer = policies.permission;
  const question = { kind: "doc", action: "read", principalId: "", roles: ["user"] };
  const plan = makePlan(layer.index, layer.placeOf("", ""), question);
  return { plan, source: sourceOf(policies, layer) };
}

const keysOf = (parts: Parts) => {
  const { plan, source } = asked(parts);
  const { contextKey, typesKey } = plans.reading(plan, source, "key");
  return { contextKey, typesKey };
};

describe("what conditions read by way of policies", () => {
  const of = (...members: object[]) => ({ match: { all: { of: members } } });
  const [first, second] = [{ expr: "V.v == C.c" }, { expr: "R.attr.x == 1" }];
  const OTHERS: readonly (readonly [what: string, parts: Parts])[] = [
    ["as it is", {}],
    ["a global", { globals: { g: 1 } }],
    ["another global", { globals: { g: 2 } }],
    ["a constant", { constant: 2 }],
    ["a variable", { variable: "R.attr.w" }],
    ["a name of a variable", { name: "w", condition: of({ expr: "V.w == C.c" }, second) }],
    ["a name of a role", { role: { name: "er" } }],
    ["its parents", { role: { parentRoles: ["user", "admin"] } }],
    ["no condition", { role: { condition: undefined } }],
    ["a condition of another kind", { condition: { match: { any: IS_ONE.all } } }],
    ["members in another order", { condition: of(second, first) }],
    ["an expression", { condition: of(first, { expr: "R.attr.x == 2" }) }],
    ["one expression", { condition: { match: first } }],
    ["schemas", { schemas: { schemas: BOTH } }],
    ["a schema of principals", { schemas: { schemas: { principalSchema: { ref: SCHEMA } } } }],
    ["a schema of resources", { schemas: { schemas: { resourceSchema: { ref: SCHEMA } } } }],
    ["another schema", { schemas: { schemas: BOTH }, schema: { type: "object", required: ["x"] } }],
  ];
  const allKeys = () => OTHERS.map(([what, parts]) => ({ what, ...keysOf(parts) }));

  test("each of these is another context than all others; types are others by schemas alone", () => {
    const keys = allKeys();
    const sharing = keys.filter(({ contextKey }, i) => keys.some((one, j) => one.contextKey === contextKey && i !== j));
    expect(sharing).toEqual([]);
    const untyped = keys.filter(({ typesKey }) => typesKey === keys[0]?.typesKey);
    expect(untyped.map(({ what }) => what)).toEqual(
      OTHERS.map(([what]) => what).filter((what) => !/schema/.test(what)),
    );
    expect(new Set(keys.map(({ typesKey }) => typesKey)).size).toBe(5);
  });

  test("what stands in other policies, or in rules, is none of it", () => {
    const plain = keysOf({});
    const parts = [{ rule: "R.attr.z" }, { other: "R.attr.z" }, { schema: { type: "string" } }];
    for (const one of [...parts, { schemasOfOther: { schemas: BOTH } }]) {
      expect(keysOf(one)).toEqual(plain);
    }
  });

  test("the version of the policies is part of it", () => {
    const { plan, source } = asked({});
    const { contextKey } = plans.reading(plan, { ...source, version: "v2" }, "key");
    expect(contextKey).not.toBe(keysOf({}).contextKey);
  });
});

test.each<[what: string, schemas: object, enforced: boolean, isPart: boolean]>([
  ["none", {}, true, false],
  ["of principals", { principalSchema: { ref: SCHEMA } }, true, true],
  ["of resources", { resourceSchema: { ref: SCHEMA } }, true, true],
  ["of both", BOTH, true, true],
  ["not enforced", BOTH, false, false],
])("attributes have to satisfy schemas: %s", (_, schemas, enforced, isPart) => {
  const { plan, source } = asked({ schemas: { schemas }, enforced });
  const names = (principal: "key" | "account") =>
    unknownsIn([plans.ofPlan(plan, source, principal)]).flatMap(({ name, sort }) =>
      name.startsWith("attributes satisfy") ? [`${sort} ${name}`] : [],
    );
  const { typesKey } = plans.reading(plan, source, "key");
  for (const principal of ["key", "account"] as const) {
    expect(names(principal)).toEqual(isPart ? [`bool attributes satisfy ${typesKey} ${principal}`] : []);
  }
});

test("a condition is true when it is said to be, whatever was said before", () => {
  const { plan, source } = asked({});
  const [rule] = plan.rules;
  if (rule === undefined) throw new Error("no rule");
  const reading = plans.reading(plan, source, "key");
  const { yes, no } = world.formulas;
  const own = plans.condition(rule, reading);
  const said = [true, false].map((holds) =>
    plans.condition(rule, reading, () => ({ holds: holds ? yes : no, fails: holds ? no : yes })),
  );
  expect(said).toEqual([
    { holds: yes, fails: no },
    { holds: no, fails: yes },
  ]);
  expect(plans.condition(rule, reading)).toBe(own);
  expect(unknownsIn([own.holds]).map(({ name }) => name)).toContain('resource.attr."y": truth');
});

test("who is asked about in the platform layer has the one role that accounts have", () => {
  const { plan, source } = asked({ rule: '"account" in P.roles' });
  const [rule] = plan.rules;
  if (rule === undefined) throw new Error("no rule");
  const [key, account] = (["key", "account"] as const).map((principal) =>
    plans.condition(rule, plans.reading(plan, source, principal)),
  );
  expect(account?.holds).toBe(world.formulas.yes);
  expect(unknownsIn([key?.holds ?? world.formulas.no]).map(({ name }) => name)).toContain("key.roles has text");
  expect([plans.has("account", "any"), plans.has("key", "user")]).toEqual([world.formulas.yes, world.role("user")]);
});

test("principals that no policy names are one case, whatever others are called", () => {
  const own = ["unnamed", "unnamed_"].map((principal) => ({
    principalPolicy: {
      ...{ principal, version: "default" },
      rules: [{ resource: "doc", actions: [{ action: "read", effect: "EFFECT_ALLOW" }] }],
    },
  }));
  const documents = own.map((one, i) => ({
    path: `own${i}.json`,
    text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", ...one }),
  }));
  const policies = compiled([...files({}), ...documents], { platform: "none" });
  const found = plans.plansOf(sourceOf(policies, policies.permission), "key", { kind: "doc", action: "read" });
  // Those of the root scope come first.
  expect(found.slice(0, 3).map(({ plan }) => plan.personal.length)).toEqual([1, 1, 0]);
});

test("roles that too many patterns divide have no classes", { tags: "long" }, () => {
  const parentRoles = [..."abcdefghijklmnop"].map((char) => `*${char}*`);
  const { model } = compiled(files({ role: { parentRoles } }), { platform: "none" });
  expect(roleClassesOf([{ model }])).toBeUndefined();
  expect(roleClassesOf([compiled(files({}), { platform: "none" })])?.map(({ isOpen }) => isOpen)).toContain(true);
});
