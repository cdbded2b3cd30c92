/** Formulas by policy: when contexts differ, when schemas affect the result, and which truth values they use. */

import { describe, expect, test } from "vitest";
import { unknownsIn } from "../../../src/engine/formula/formula.js";
import { PlanFormulas, roleClassesOf } from "../../../src/engine/formula/plan-formulas.js";
import { FormulaWorld } from "../../../src/engine/formula/world.js";
import { makePlan } from "../../../src/engine/plan/make-plan.js";
import type { CompileOptions, PolicyFile } from "../../../src/index.js";
import { compiled } from "../../support/policies.js";
import { sourceOf, stepOf } from "./asked.js";

interface Parts {
  readonly role?: object;
  readonly constant?: number;
  readonly variable?: string;
  readonly name?: string;
  readonly condition?: object;
  readonly rule?: string;
  /** The condition in a policy of a child scope, with a derived role of its own. */
  readonly child?: string;
  /** The roles that a role includes. */
  readonly including?: readonly string[];
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

/** A policy that imports a derived role, and an unrelated one. */
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
  // A derived role that no rule lists has no effect.
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
  const child = {
    ...{ resource: "doc", version: "default", scope: "s", importDerivedRoles: ["others"] },
    rules: [
      { ...rule, condition: { match: { expr: `size(runtime.effectiveDerivedRoles) > 0 && ${parts.child}` } } },
      guarded(definition.name),
    ],
  };
  const including = {
    ...{ role: "boss", version: "default", parentRoles: parts.including },
    rules: [{ resource: "nothing", allowActions: ["read"] }],
  };
  const documents = [
    { derivedRoles },
    { derivedRoles: others },
    { resourcePolicy: { ...policy, rules: [{ ...rule, condition: { match } }, guarded(definition.name)] } },
    { resourcePolicy: other },
    ...(parts.child === undefined ? [] : [{ resourcePolicy: child }]),
    ...(parts.including === undefined ? [] : [{ rolePolicy: including }]),
  ].map((one, i) => ({ path: `${i}.json`, text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", ...one }) }));
  return [...documents, { path: "_schemas/any.json", text: JSON.stringify(parts.schema ?? { type: "object" }) }];
}

const world = new FormulaWorld();
const plans = new PlanFormulas(world, [
  { name: "user", isOpen: false, matchedBy: [], unmatchedBy: [], has: (role) => role === "user" },
]);

function asked(parts: Parts) {
  const { globals = {}, enforced = false } = parts;
  const options = { platform: "none", globals, schemaEnforcement: enforced ? "reject" : "none" } as const;
  const policies = compiled(files(parts), options);
  const layer = policies.permission;
  const question = { kind: "doc", action: "read", principalId: "", roles: ["user", "boss"] };
  const plan = makePlan(layer.index, layer.placeOf("", ""), question);
  const [rule] = plan.rules;
  if (rule === undefined) throw new Error("no rule");
  return { plan, rule, source: sourceOf(policies, layer), step: stepOf(plan, rule) };
}

const allowed = (parts: Parts) => plans.allows(asked(parts).source, "key", { kind: "doc", action: "read" });

describe("the active derived roles", () => {
  const of = (...members: object[]) => ({ match: { all: { of: members } } });
  const [first, second] = [{ expr: "V.v == C.c" }, { expr: "R.attr.x == 1" }];
  const TYPED = { type: "object", properties: { x: { type: "number" } } };
  const OTHERS: readonly (readonly [what: string, parts: Parts])[] = [
    ["as they are", {}],
    ["a constant", { constant: 2 }],
    ["a variable", { variable: "R.attr.w" }],
    ["a global", { variable: "G.g", globals: { g: 1 } }],
    ["another global", { variable: "G.g", globals: { g: 2 } }],
    ["a name of a role", { role: { name: "er" } }],
    ["its parents", { role: { parentRoles: ["user", "admin"] } }],
    ["no condition", { role: { condition: undefined } }],
    ["a condition of another kind", { condition: { match: { any: IS_ONE.all } } }],
    ["members in another order", { condition: of(second, first) }],
    ["an expression", { condition: of(first, { expr: "R.attr.x == 2" }) }],
    ["one expression", { condition: { match: first } }],
    ["a type of what it reads", { schemas: { schemas: BOTH }, schema: TYPED }],
    ["roles that its parents include", { including: ["user"] }],
    ["other roles", { including: ["admin"] }],
    ["both", { including: ["admin", "user"] }],
  ];
  const activeIn = (parts: Parts) => {
    const { plan, step, source } = asked(parts);
    return plans.reading(plan, step, source, "key").active();
  };

  test("each of these is another list than all others", () => {
    const lists = OTHERS.map(([what, parts]) => ({ what, active: activeIn(parts) }));
    expect(lists.filter(({ active }, i) => lists.some((one, j) => one.active === active && i !== j))).toEqual([]);
  });

  test.each<[what: string, parts: Parts]>([
    ["a rule", { rule: "R.attr.z" }],
    ["another policy", { other: "R.attr.z" }],
    ["schemas of another policy", { schemasOfOther: { schemas: BOTH } }],
    ["a global that nothing reads", { globals: { g: 1 } }],
    ["a name of a variable", { name: "w", condition: of({ expr: "V.w == C.c" }, second) }],
    ["a schema that declares nothing", { schemas: { schemas: BOTH }, schema: { type: "object", required: ["x"] } }],
    [
      "a type of what is not read",
      { schemas: { schemas: BOTH }, schema: { type: "object", properties: { u: { type: "number" } } } },
    ],
  ])("it is the same list whatever this is: %s", (_, parts) => {
    expect(activeIn(parts)).toBe(activeIn({}));
  });

  test("an account has another list than a key", () => {
    const { plan, step, source } = asked({ condition: { match: { expr: "true" } } });
    const lists = (["key", "account"] as const).map((one) => plans.reading(plan, step, source, one).active());
    expect(new Set(lists).size).toBe(2);
  });

  const listsIn = (parts: Parts) =>
    unknownsIn([allowed(parts)]).filter(({ name }) => name.startsWith("value runtime.") && name.endsWith(": type"));

  test("there are none where no role is a parent of any", () => {
    expect(listsIn({})).toHaveLength(1);
    expect(listsIn({ role: { parentRoles: ["nobody"] } })).toEqual([]);
    expect(activeIn({ role: { parentRoles: ["nobody"] } })).toBeUndefined();
  });

  test("those of one scope are others than those of the scope above", () => {
    expect(listsIn({ child: "R.attr.c" })).toHaveLength(2);
  });
});

describe("reads are the same where the same is declared of what is read", () => {
  const schema = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
  const READ = { schemas: { schemas: BOTH }, role: { condition: undefined }, rule: '"a" in R.attr.y' };
  const LIST = { type: "array", items: { type: "string" } };
  const TREE = { type: "object", properties: { name: { type: "string" }, y: { $ref: "#" } } };

  test.each<[what: string, before: object, after: object]>([
    ["a description", schema({ y: LIST }), schema({ y: { ...LIST, description: "many" } }, { title: "A document" })],
    ["what is not read", schema({ y: LIST }), schema({ y: LIST, z: { type: "string" } })],
    ["what is required", schema({ y: LIST }), schema({ y: LIST }, { required: ["y"] })],
    ["bounds", schema({ y: LIST }), schema({ y: { ...LIST, maxItems: 3 } })],
    [
      "members without a type",
      schema({ y: { properties: { a: LIST } } }),
      schema({ y: { properties: { a: LIST, b: {} } } }),
    ],
    [
      "an order of values",
      schema({ y: { enum: [["a"], ["b"], "c", 1] } }),
      schema({ y: { enum: ["c", 1, ["b"], ["a"]] } }),
    ],
    ["a schema without an end, as it was", TREE, { ...TREE }],
  ])("%s", (_, before, after) => {
    expect(allowed({ ...READ, schema: after })).toBe(allowed({ ...READ, schema: before }));
  });

  test.each<[what: string, before: object, after: object]>([
    ["items of another type", schema({ y: LIST }), schema({ y: { ...LIST, items: { type: "integer" } } })],
    [
      "items of items",
      schema({ y: { items: LIST } }),
      schema({ y: { items: { ...LIST, items: { type: "integer" } } } }),
    ],
    ["no type", schema({ y: LIST }), schema({ y: {} })],
    ["members", schema({ y: { properties: { a: LIST } } }), schema({ y: { properties: { b: LIST } } })],
    ["other members", schema({ y: { additionalProperties: LIST } }), schema({ y: { additionalProperties: false } })],
    ["listed values", schema({ y: { enum: [["a"], ["b"]] } }), schema({ y: { enum: [["a"], ["c"]] } })],
    ["a listed value", schema({ y: { enum: [["a"]] } }), schema({ y: { enum: [["b"]] } })],
    ["a schema without an end", TREE, { ...TREE, description: "of documents" }],
  ])("they are others where this is another: %s", (_, before, after) => {
    expect(allowed({ ...READ, schema: after })).not.toBe(allowed({ ...READ, schema: before }));
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
  const [own, account] = [names("key"), names("account")];
  const isTruth = expect.stringMatching(/^bool attributes satisfy /);
  expect([own, account]).toEqual(isPart ? [[isTruth], [isTruth]] : [[], []]);
  if (isPart) expect(own).not.toEqual(account);
});

test("attributes that satisfy schemas need not satisfy others", () => {
  const enforced = { schemas: { schemas: BOTH }, enforced: true };
  expect(allowed(enforced)).toBe(allowed({ ...enforced, schema: { type: "object" } }));
  expect(allowed(enforced)).not.toBe(allowed({ ...enforced, schema: { type: "object", maxProperties: 3 } }));
  expect(allowed({ ...enforced, schemas: { schemas: { principalSchema: { ref: SCHEMA } } } })).not.toBe(
    allowed({ ...enforced, schemas: { schemas: { resourceSchema: { ref: SCHEMA } } } }),
  );
});

test("a condition is true when it is said to be, whatever was said before", () => {
  const { plan, step, rule, source } = asked({});
  const reading = plans.reading(plan, step, source, "key");
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
  const { plan, step, rule, source } = asked({ rule: '"account" in P.roles' });
  const [key, account] = (["key", "account"] as const).map((principal) =>
    plans.condition(rule, plans.reading(plan, step, source, principal)),
  );
  expect(account?.holds).toBe(world.formulas.yes);
  expect(unknownsIn([key?.holds ?? world.formulas.no]).map(({ name }) => name)).toContain("key.roles has text");
  expect([plans.has("account", "any"), plans.has("key", "user")]).toEqual([world.formulas.yes, world.role("user")]);
});

test("roles that too many patterns divide have no classes", { tags: "long" }, () => {
  const parentRoles = [..."abcdefghijklmnop"].map((char) => `*${char}*`);
  const { model } = compiled(files({ role: { parentRoles } }), { platform: "none" });
  expect(roleClassesOf([{ model }])).toBeUndefined();
  expect(roleClassesOf([compiled(files({}), { platform: "none" })])?.map(({ isOpen }) => isOpen)).toContain(true);
});
