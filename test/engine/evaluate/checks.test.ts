/** Everything a check reports, by each evaluation mode: effects, outputs, errors, derived roles, schema faults. */

import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import {
  AttributeValidator,
  invalidAttributes,
  isInvalidAttributes,
} from "../../../src/engine/evaluate/attribute-schemas.js";
import { check } from "../../../src/engine/evaluate/check.js";
import type { CheckEngineOptions } from "../../../src/engine/evaluate/check-engine.js";
import type { CheckInput } from "../../../src/engine/evaluate/check-types.js";
import { compileCheckEngine } from "../../../src/engine/evaluate/compile-check-engine.js";
import { PolicyIndex } from "../../../src/engine/plan/policy-index.js";
import type { PolicyFile } from "../../../src/index.js";
import { policy, when } from "../../support/compose.js";
import { compiled, UNSCOPED } from "../../support/policies.js";

type Changes = Partial<Omit<CheckInput, "principal" | "resource">> & {
  readonly principal?: Partial<CheckInput["principal"]>;
  readonly resource?: Partial<CheckInput["resource"]>;
};

const part = { attr: {}, scope: "", policyVersion: "" };
const inputOf = ({ principal, resource, ...rest }: Changes): CheckInput => ({
  principal: { ...part, id: "u", roles: ["user"], ...principal },
  resource: { ...part, id: "d", kind: "doc", ...resource },
  ...{ actions: ["act"], jwt: {}, now: undefined },
  ...rest,
});

function checked(files: readonly PolicyFile[], changes: Changes = {}, options: CheckEngineOptions = {}) {
  const engine = compileCheckEngine(files, options);
  if (isLeft(engine)) throw new Error(JSON.stringify(engine.left));
  const { actions, ...rest } = check(engine.right.policies, inputOf(changes), engine.right.options);
  const effects = [...actions].map(([action, { effect, policy: by, scope }]) => `${action}: ${effect} ${by} ${scope}`);
  return { ...rest, effects };
}

const fileOf = (rules: readonly string[], body = "", version = "default"): PolicyFile => ({
  path: `doc_${version}_${body.length}.yaml`,
  text: policy({ rules, body, version }),
});
const allow = (more: string, name = "r") =>
  `name: ${name}, actions: [act], roles: [user], effect: EFFECT_ALLOW, ${more}`;

const MODES = {
  lenient: {},
  "server-strict": { strictEvaluation: true },
  strict: { failClosed: true },
} as const satisfies { readonly [mode: string]: CheckEngineOptions };

/** Expressions that exceed the step budget, and the list that each reads. */
const ENDLESS = "R.attr.l.exists(a, R.attr.l.exists(b, a + b < 0.0))";
const MANY = Array.from({ length: 600 }, (_, i) => i);

/** The result of each evaluation mode: the effect and the error messages. */
function saidBy(files: readonly PolicyFile[], changes: Changes = {}) {
  return Object.values(MODES).map((options) => {
    const { effects, errors } = checked(files, changes, options);
    return `${effects.join().includes("allow") ? "allow" : "deny"}: ${errors.map(({ message }) => message).join()}`;
  });
}

describe("what errs", () => {
  const body = 'variables: {local: {bad: "R.attr.none", text: \'"x"\'}}';

  test.each<readonly [expr: string, said: readonly string[]]>([
    ["R.attr.none == 1", ["deny: no such key: none", "deny: no such key: none", "deny: no such key: none"]],
    ["R.attr.none == 1 || true", ["allow: ", "allow: ", "allow: "]],
    [
      "V.bad == 1",
      ["deny: undefined field 'bad'", "deny: undefined field 'bad'", "deny: variable bad: no such key: none"],
    ],
    ["dyn(V.text)", Array(3).fill("deny: the condition's value is not a boolean")],
  ])("%s", (expr, said) => {
    expect(saidBy([fileOf([allow(when(expr))], body)])).toEqual(said);
  });

  test("of a rule that denies, and of none of some, it is told how it counts", () => {
    const denial = (expr: string) => `name: d, actions: [act], roles: [user], effect: EFFECT_DENY, ${when(expr)}`;
    const none = (expr: string) => `condition: {match: {none: {of: [{expr: ${JSON.stringify(expr)}}]}}}`;
    const yes = allow("name: yes").replace("name: r, ", "");
    const message = "no such key: none";
    const noBoolean = "the condition's value is not a boolean";
    expect([
      saidBy([fileOf([yes, denial("R.attr.none == 1")])]),
      saidBy([fileOf([yes, denial("dyn(1)")])]),
      saidBy([fileOf([allow(none("R.attr.none == 1"))])]),
      saidBy([fileOf([allow(none("dyn(1)"))])]),
    ]).toEqual([
      [`allow: ${message}`, `deny: ${message}`, `deny: ${message}`],
      [`allow: ${noBoolean}`, `allow: ${noBoolean}`, `deny: ${noBoolean}`],
      [`allow: ${message}`, `deny: ${message}`, `deny: ${message}`],
      [`allow: ${noBoolean}`, `allow: ${noBoolean}`, `deny: ${noBoolean}`],
    ]);
  });

  test("strictly every role is looked at, though one of them is allowed", () => {
    const rules = [
      allow("", "yes").replace(/, $/, ""),
      allow(when("R.attr.none"), "errs").replace("[user]", "[chief]"),
    ];
    const found = Object.values(MODES).map((options) => {
      const { effects, errors } = checked([fileOf(rules)], { principal: { roles: ["user", "chief"] } }, options);
      return [...effects, errors.length];
    });
    const allowed = ["act: allow resource.doc.vdefault ", 0];
    expect(found).toEqual([allowed, allowed, ["act: deny resource.doc.vdefault ", 1]]);
  });

  test("errs once in a check of several actions", () => {
    const rule = allow(when("R.attr.none")).replace("[act]", "[act, other]");
    for (const options of Object.values(MODES)) {
      expect(checked([fileOf([rule])], { actions: ["act", "other"] }, options).errors).toHaveLength(1);
    }
  });

  test("the end of the budget denies, and no output comes of it", () => {
    const endless = when(ENDLESS);
    const output = 'output: {when: {conditionNotMet: "R.id"}}';
    for (const options of Object.values(MODES)) {
      const found = checked(
        [fileOf([allow(`${endless}, ${output}`), allow("", "other").replace(/, $/, "")])],
        { resource: { attr: { l: MANY } } },
        options,
      );
      expect(found.effects).toEqual(["act: deny resource.doc.vdefault "]);
      expect(found.outputs).toEqual([]);
      expect(found.errors.map(({ rule }) => rule)).toEqual(["r"]);
    }
  });

  test("nor does one come of it that would make good what failed", () => {
    const expr = `${ENDLESS} || true`;
    const rule = allow(`output: {when: {ruleActivated: ${JSON.stringify(expr)}}}`);
    for (const options of Object.values(MODES)) {
      const { effects, outputs } = checked([fileOf([rule])], { resource: { attr: { l: MANY } } }, options);
      expect([effects, outputs]).toMatchObject([
        ["act: allow resource.doc.vdefault "],
        [{ error: "step budget exhausted" }],
      ]);
    }
  });
});

test("outputs, each with its value or why it has none, which is an error as well", () => {
  const out = (name: string, activated: string, notMet: string, condition = "R.attr.a == 1") =>
    allow(
      `${when(condition)}, output: {when: {ruleActivated: ${JSON.stringify(activated)}, conditionNotMet: ${JSON.stringify(notMet)}}}`,
      name,
    );
  const rules = [
    out("one", "R.attr.a", "R.attr.b"),
    out("two", "[R.id, P.attr.none]", "R.kind"),
    out("three", '"yes"', "R.attr.c", "R.attr.none"),
  ];
  const { outputs, errors, effects } = checked([fileOf(rules)], {
    actions: ["act", "other", "act"],
    resource: { attr: { a: 1, b: null } },
  });
  expect(effects).toEqual(["act: allow resource.doc.vdefault ", "other: deny resource.doc.vdefault "]);
  const put = [
    { src: "resource.doc.vdefault#one", action: "act", val: 1 },
    { src: "resource.doc.vdefault#two", action: "act", error: "no such key: none" },
    { src: "resource.doc.vdefault#three", action: "act", error: "no such key: c" },
  ];
  expect(outputs).toEqual([...put, ...put]);
  const error = { policy: "resource.doc.vdefault", message: "no such key: none" };
  // A condition is evaluated once, an output each time it is reached.
  expect(errors).toMatchObject([
    { ...error, rule: "two", expression: "[R.id, P.attr.none]", position: "doc_default_0.yaml:7:162" },
    { ...error, rule: "three", expression: "R.attr.none" },
    { ...error, rule: "three", expression: "R.attr.c", message: "no such key: c" },
    { ...error, rule: "two", expression: "[R.id, P.attr.none]" },
    { ...error, rule: "three", expression: "R.attr.c", message: "no such key: c" },
  ]);
});

describe("derived roles", () => {
  const ROLES: PolicyFile = {
    path: "roles.yaml",
    text: `apiVersion: api.cerbos.dev/v1
derivedRoles:
  name: teams
  variables: {local: {bad: R.attr.none}}
  definitions:
    - { name: sure, parentRoles: [user] }
    - { name: absent, parentRoles: [user], ${when("V.bad == null")} }
    - { name: erring, parentRoles: [user], ${when("R.attr.none == 1")} }
    - { name: other, parentRoles: [guest] }
`,
  };
  const named = "name: n, actions: [none], derivedRoles: [sure, absent, erring, other], effect: EFFECT_ALLOW";
  const set = (expr: string) => [ROLES, fileOf([named, allow(when(expr))], "importDerivedRoles: [teams]")];

  test("a variable that errs is null to them, or is not there, or fails the one that reads it", () => {
    const found = Object.values(MODES).map((mode) => checked(set("true"), {}, mode).effectiveDerivedRoles);
    expect(found).toEqual([["absent", "sure"], ["sure"], ["sure"]]);
    const expr = '"sure" in runtime.effectiveDerivedRoles';
    const roles = "failed to compute effective derived roles [absent, erring]";
    expect(saidBy(set(expr))).toEqual(["allow: ", `deny: ${roles}`, `deny: ${roles}`]);
  });

  test("those of every scope that is visited, and in conditions those of the scope", () => {
    const inner = fileOf(
      [named.replace("erring, ", "").replace("absent, ", "").replace(", other", "")],
      "scope: acme\nimportDerivedRoles: [teams]",
    );
    const files = [...set('runtime.effectiveDerivedRoles == ["absent", "sure"]'), inner];
    const found = checked(files, { resource: { scope: "acme" } });
    expect([found.effects, found.effectiveDerivedRoles]).toEqual([
      ["act: allow resource.doc.vdefault/acme "],
      ["absent", "sure"],
    ]);
  });
});

describe("what is read of a question", () => {
  const allows = (expr: string, changes: Changes = {}, options: CheckEngineOptions = {}) => {
    const { effects, errors } = checked([fileOf([allow(when(expr))])], changes, options);
    return [effects.join().includes("allow"), ...errors.map(({ message }) => message)];
  };

  test("tokens, versions, scopes and the clock", () => {
    const versions = { principal: { policyVersion: "default" }, resource: { policyVersion: "default", scope: "." } };
    expect([
      allows('request.auxData.jwt.sub == "x"', { jwt: { sub: "x" } }),
      allows('request.auxData.jwts.a.claims.sub == "y"', { jwts: { a: { claims: { sub: "y" } } } }),
      allows('P.policyVersion == "default" && R.policyVersion == "default" && R.scope == ""', versions),
      allows('P.policyVersion == "" && R.policyVersion == ""'),
      allows("!has(request.auxData.jwts.a) && request.auxData.jwts.size() == 0"),
      allows('R.kind == "doc" && R.id == "d" && P.id == "u" && P.roles == ["user"]'),
    ]).toEqual(Array(6).fill([true]));
    expect([
      checked([fileOf([allow(when("now() > timestamp(0)"))])]).readsClock,
      checked([fileOf([allow(when("true"))])]).readsClock,
    ]).toEqual([true, false]);
  });

  test("globals: whole numbers are integers as long as they are exact, and names are what they are", () => {
    const globals = {
      ...{ whole: 5, part: 1.5, large: 2 ** 53, huge: 2n ** 53n + 1n, text: "x", none: null, yes: true },
      ...{ list: [1, "a", { n: 2 }], map: { constructor: 3, nested: { list: [4] }, d: { n: 3 } } },
    };
    const exprs = [
      ...[
        "type(G.whole) == int && G.whole == 5",
        "type(G.part) == double",
        "type(G.large) == double",
        "type(G.huge) == int",
      ],
      ...[
        "G.huge == 9007199254740993",
        'G.text == "x" && G.none == null && G.yes',
        "G.list[0] / 2 == 0",
        'G.list[1] == "a"',
      ],
      ...[
        "G.list[2].n / 3 == 0",
        "G.map.constructor / 2 == 1",
        "G.map.nested.list[0] / 5 == 0",
        "!has(G.toString)",
        // A map contains integers, however the expression reaches it.
        "G.map[R.id].n / 2 == 1",
        "G.list.exists(one, type(one) == map && one.n == 2)",
        "cel.bind(g, G.map, g.nested.list == [4])",
        'G.map[R.id] == {"n": 3}',
        "has(G.map[R.id].n) && !has(G.map[R.id].m)",
        "G.map.?d.?n.orValue(0) / 2 == 1",
        "!has(G.map.toString)",
      ],
    ];
    expect(exprs.map((expr) => [expr, ...allows(expr, {}, { globals })])).toEqual(exprs.map((expr) => [expr, true]));
  });

  test("versions and scopes choose policies", () => {
    const rule = (name: string) => allow(`output: {when: {ruleActivated: ${JSON.stringify(`"${name}"`)}}}`, name);
    const files = [fileOf([rule("plain")]), fileOf([rule("other")], "", "v2"), fileOf([rule("acme")], "scope: acme")];
    const by = (changes: Changes, options: CheckEngineOptions = {}) => checked(files, changes, options).effects.join();
    const [plain, other, acme] = ["vdefault ", "vv2 ", "vdefault/acme acme"].map(
      (name) => `act: allow resource.doc.${name}`,
    );
    expect([
      by({}),
      by({ resource: { policyVersion: "v2" } }),
      by({ principal: { policyVersion: "v2" } }),
      by({}, { defaultPolicyVersion: "v2" }),
      by({ resource: { policyVersion: "default" } }, { defaultPolicyVersion: "v2" }),
      by({ resource: { scope: "acme" } }),
      by({}, { defaultScope: "acme" }),
      by({ resource: { scope: "." } }, { defaultScope: "acme" }),
      by({ resource: { scope: "acme.eu" } }, { lenientScopeSearch: true }),
      by({ resource: { scope: "acme.eu" } }),
    ]).toEqual([plain, other, plain, other, plain, acme, acme, plain, acme, "act: deny NO_MATCH "]);
  });
});

describe("attributes against schemas", () => {
  const SCHEMA: PolicyFile = {
    path: "_schemas/s.json",
    text: '{"type": "object", "properties": {"n": {"type": "integer"}}}',
  };
  const uses =
    "schemas: {principalSchema: {ref: cerbos:///s.json}, resourceSchema: {ref: cerbos:///s.json, ignoreWhen: {actions: [draft]}}}";
  const files = [
    SCHEMA,
    fileOf(
      ['name: r, actions: ["*"], roles: [user], effect: EFFECT_ALLOW, output: {when: {ruleActivated: "now()"}}'],
      uses,
    ),
  ];
  const wrong = { principal: { attr: { n: "x" } }, resource: { attr: { n: 1.5 } }, actions: ["act", "draft"] };
  const FAULTS = [
    { source: "principal", path: "/n", message: "expected integer, but got string" },
    { source: "resource", path: "/n", message: "expected integer, but got number" },
  ];

  test.each<readonly [CheckEngineOptions, Changes, readonly string[], readonly object[]]>([
    [{ schemaEnforcement: "warn" }, wrong, ["allow", "allow"], FAULTS],
    [{ schemaEnforcement: "reject" }, wrong, ["deny", "deny"], FAULTS],
    [{ schemaEnforcement: "none" }, wrong, ["allow", "allow"], []],
    [{}, wrong, ["allow", "allow"], []],
    [{ schemaEnforcement: "reject" }, { ...wrong, actions: ["draft"] }, ["deny"], FAULTS.slice(0, 1)],
    [{ schemaEnforcement: "reject" }, { resource: wrong.resource, actions: ["draft"] }, ["allow"], []],
    [{ schemaEnforcement: "reject" }, { resource: wrong.resource }, ["deny"], FAULTS.slice(1)],
    [{ schemaEnforcement: "reject" }, { actions: ["a", "b"] }, ["allow", "allow"], []],
  ])("%j of %j", (options, changes, effects, faults) => {
    const found = checked(files, changes, options);
    expect(found.effects.map((one) => one.split(" ")[1])).toEqual(effects);
    expect(found.validationErrors).toEqual(faults);
    // If the schemas deny, no rule is evaluated.
    expect([found.outputs.length > 0, found.readsClock]).toEqual([effects[0] === "allow", effects[0] === "allow"]);
    if (effects[0] === "deny") expect(found).toMatchObject({ errors: [], effectiveDerivedRoles: [] });
  });

  test("a denial by them names the policy of the nearest scope that there is", () => {
    const inner = fileOf([allow("name: i").replace("name: r, ", "")], `scope: acme\n${uses}`);
    const scoped = (scope: string, kind = "doc") =>
      checked(
        [...files, inner],
        { resource: { attr: { n: "x" }, scope, kind } },
        { schemaEnforcement: "reject", lenientScopeSearch: true },
      );
    expect([scoped(""), scoped("acme"), scoped("acme.eu"), scoped("", "other")].map(({ effects }) => effects)).toEqual([
      ["act: deny resource.doc.vdefault "],
      ["act: deny resource.doc.vdefault/acme "],
      ["act: deny resource.doc.vdefault/acme "],
      ["act: deny NO_MATCH "],
    ]);
  });

  test("what there is nothing to validate by satisfies none", () => {
    const { model } = compiled(files, { platform: "none" });
    const index = new PolicyIndex(model);
    const asked = { kind: "doc", principal: {}, resource: {}, actions: ["draft"] };
    expect(new AttributeValidator(index, model, undefined).faults(UNSCOPED, asked)).toEqual([
      { path: "", message: "there is nothing to validate by", source: "principal" },
    ]);
    expect(new AttributeValidator(index, model, undefined).faults(UNSCOPED, { ...asked, kind: "other" })).toEqual([]);
  });

  test("a verdict in which they deny has every fault in it", () => {
    const verdict = {
      ...{ effect: "allow" as const, policy: "resource.doc.vdefault", scope: "acme", reasons: [], errors: [] },
      ...{ outputs: [{ src: "", action: "", val: 1 }], derivedRoles: ["a"] },
    } as const;
    const faults = [
      { source: "principal", path: "/a", message: "one" },
      { source: "resource", path: "/", message: "two" },
    ] as const;
    const messages = ["attributes of the principal, /a: one", "attributes of the resource, /: two"];
    const { policy: by } = verdict;
    const made = invalidAttributes(verdict, faults);
    expect(made).toEqual({
      ...{ effect: "deny", policy: by, scope: "acme", outputs: [], derivedRoles: [] },
      reasons: [{ kind: "error", reason: "invalid_attributes", rule: "", policy: by }],
      errors: messages.map((message) => ({ policy: by, rule: "", expression: "", message, position: "" })),
      fault: { kind: "invalid_attributes", path: "", message: messages.join("; ") },
    });
    const [reason] = made.reasons;
    if (reason === undefined) throw new Error("no reason");
    const others = [
      { ...reason, kind: "rule" },
      { ...reason, reason: "other" },
    ] as const;
    expect(isInvalidAttributes({ ...made, reasons: [...others, reason] })).toBe(true);
    expect(isInvalidAttributes({ ...made, reasons: [...others] })).toBe(false);
  });
});
