/** What decides for a plan: what is kept for it, and that conditions which are left to closures change nothing. */

import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { Cell } from "../../../src/engine/evaluate/cell.js";
import { Joint } from "../../../src/engine/evaluate/joint.js";
import { KnownSets } from "../../../src/engine/evaluate/known-sets.js";
import { Planned } from "../../../src/engine/evaluate/planned.js";
import { decide, type PolicySet } from "../../../src/index.js";
import { actPolicies, actRequest, allowAct, WARM } from "../../support/act.js";
import { policy, supportAll, when } from "../../support/compose.js";
import { throwingProxy } from "../../support/hostile.js";
import { compiled } from "../../support/policies.js";

describe("conditions and outputs that are left to closures", () => {
  const LEFT = 'R.attr.s.matches("^a")';
  const rules = (outputs: boolean) => [
    allowAct(
      "one",
      `${when('P.attr.p == "x" && R.attr.a == 1')}${outputs ? ", output: {when: {ruleActivated: 'R.attr.o', conditionNotMet: '[R.attr.a, P.attr.p]'}}" : ""}`,
    ),
    allowAct("two", `${when(LEFT)}${outputs ? `, output: {when: {ruleActivated: 'R.attr.s.upperAscii()'}}` : ""}`),
    `name: three, actions: [act], roles: [user], effect: EFFECT_DENY, ${when("R.attr.no == true")}`,
  ];
  const VALUES: readonly object[] = [
    ...[
      { a: 1, s: "ab", no: false },
      { a: 2, s: "ab", no: false },
      { a: 1, s: "b", no: false },
      { a: 2, s: "b", no: false },
    ],
    ...[{ a: 1, s: "ab", no: true }, { a: 1, s: 1, no: false }, { a: 1, s: "ab" }, { s: "ab", no: false }, {}],
    ...[
      { a: 1, s: "ab", no: false, o: [1, { x: "y" }] },
      { a: 1, s: "ab", no: false, o: "text" },
      { a: 1, s: "ab", no: false, o: new Date(0) },
    ],
  ];

  test.each([false, true])("decide as closures alone do (with outputs: %s)", (outputs) => {
    const [generated, closures] = [actPolicies(rules(outputs), true), actPolicies(rules(outputs), false)];
    for (let i = 0; i < WARM; i++) decide(generated, actRequest(VALUES[0] ?? {}, { p: "x" }));
    const effects = new Set<string>();
    for (const attr of VALUES) {
      for (const key of [{ p: "x" }, { p: "y" }, {}, { p: ["x"] }]) {
        const [one, other] = [decide(generated, actRequest(attr, key)), decide(closures, actRequest(attr, key))];
        if (!isDeepStrictEqual(one, other)) expect({ attr, key, one }).toEqual({ attr, key, one: other });
        effects.add(`${one.outcome} ${one.permission.errors.length} ${one.permission.outputs.length}`);
      }
    }
    expect(effects.size).toBeGreaterThan(outputs ? 6 : 4);
  });

  test("decide as closures alone do where there is nothing else", () => {
    const only = [allowAct("only", when(LEFT))];
    const [generated, closures] = [actPolicies(only, true), actPolicies(only, false)];
    for (let i = 0; i < WARM; i++) {
      for (const attr of VALUES) {
        expect(decide(generated, actRequest(attr))).toEqual(decide(closures, actRequest(attr)));
      }
    }
  });

  test("decide as closures alone do where those run out of steps", () => {
    const denied = `name: two, actions: [act], roles: [user], effect: EFFECT_DENY, ${when('!R.attr.b.all(x, x.matches("^x"))')}`;
    const both = [allowAct("one", when('R.attr.a.all(x, x != "y")')), denied];
    const [generated, closures] = [actPolicies(both, true), actPolicies(both, false)];
    const list = (length: number) => Array.from({ length }, () => "x");
    for (let i = 0; i < WARM; i++) decide(generated, actRequest({ a: list(1), b: list(1) }));
    const sizes = [
      [10, 20_000],
      [40_000, 20_000],
      [60_000, 20_000],
      [20_000, 30_000],
    ] as const;
    const effects = sizes.map(([a, b]) => {
      const request = actRequest({ a: list(a), b: list(b) });
      const { permission } = decide(generated, request);
      expect(permission).toEqual(decide(closures, request).permission);
      return permission.effect;
    });
    expect(effects).toEqual(["allow", "allow", "deny", "deny"]);
  });

  test("a verdict has a fault only where there is one", () => {
    const policies = actPolicies(rules(false), false);
    const [fine, faulty] = [
      decide(policies, actRequest(VALUES[0] ?? {}, { p: "x" })),
      decide(policies, actRequest({}, {})),
    ];
    expect([Object.keys(fine.permission).sort(), Object.keys(faulty.permission).sort()]).toEqual([
      ["derivedRoles", "effect", "errors", "outputs", "policy", "reasons", "scope"],
      ["derivedRoles", "effect", "errors", "fault", "outputs", "policy", "reasons", "scope"],
    ]);
    expect(Object.keys(fine.platform)).not.toContain("fault");
  });

  test("a part that cannot be read denies its own layer, and the other says what it says", () => {
    for (const codegen of [true, false]) {
      const files = [
        { path: "a.yaml", text: policy({ rules: [allowAct("r", when("P.attr.x == 1"))] }) },
        {
          path: "p.yaml",
          text: policy({
            version: "platform",
            rules: [`name: s, actions: [act], roles: [account], effect: EFFECT_ALLOW, ${when("P.attr.y == 1")}`],
          }),
        },
      ];
      const policies = compiled(files, { codegen });
      const ask = (key: object, account: object) =>
        decide(policies, { ...actRequest({}, key), account: { id: "a", attr: account as never } });
      for (let i = 0; i < WARM; i++) ask({ x: 1 }, { y: 1 });
      const bad = new Proxy({}, { getOwnPropertyDescriptor: () => throwingProxy() as never });
      const verdicts = (key: object, account: object) => {
        const { permission, platform } = ask(key, account);
        return [permission, platform].map(({ effect, fault }) => `${effect} ${fault?.kind}`);
      };
      expect(verdicts({ x: 1 }, { y: 1 })).toEqual(["allow undefined", "allow undefined"]);
      expect(verdicts(bad, { y: 1 })).toEqual(["deny evaluation", "allow undefined"]);
      expect(verdicts({ x: 1 }, bad)).toEqual(["allow undefined", "deny evaluation"]);
    }
  });
});

test("versions of policies are none to a layer, which is one", () => {
  for (const codegen of [true, false]) {
    const policies = actPolicies([allowAct("r", when('P.policyVersion == "" && R.policyVersion == ""'))], codegen);
    for (let i = 0; i < WARM; i++) expect(decide(policies, actRequest({})).outcome).toBe("allow");
  }
});

test("what decides for the same plans is made once, and for no more than so many others", () => {
  const { permission, platform } = actPolicies([allowAct("r", when("R.attr.a == 1"))], false);
  if (platform === undefined) throw new Error("no platform");
  const part = { id: "x", kind: "doc", roles: ["user"], scope: "", attr: {} };
  const planned = permission.planned(part, part, "act");
  const other = platform.planned({ ...part, roles: ["account"] }, part, "act");
  const [alone, both] = [planned.jointWith(undefined), planned.jointWith(other)];
  expect([planned.jointWith(undefined), planned.jointWith(other)]).toEqual([alone, both]);
  expect([planned.jointWith(undefined) === alone, planned.jointWith(other) === both, alone === both]).toEqual([
    true,
    true,
    false,
  ]);
  const { plan, context } = other.cell;
  const copies = Array.from({ length: 100 }, () => new Planned(new Cell(plan, "act", context, [])));
  const joints = copies.map((one) => planned.jointWith(one));
  expect(joints.every((one) => one instanceof Joint)).toBe(true);
  const isKept = (i: number) => planned.jointWith(copies[i]) === joints[i];
  expect([99, 80, 68].map(isKept)).toEqual([true, true, true]);
  expect(isKept(0)).toBe(false);
});

test("small first words of sets are indexes of an array, others are keys of a map", () => {
  const sets = new KnownSets<string>();
  for (const word of [0, 63, 64, 2 ** 40]) sets.set([word], 1, `${word}`);
  sets.set([1, 2], 2, "two");
  const root = Reflect.get(sets, "root");
  const [small, large] = [Reflect.get(root, "small"), Reflect.get(root, "large")];
  expect([small.length, [0, 1, 63].map((word) => small[word] !== undefined), [...large.keys()]]).toEqual([
    64,
    [true, true, true],
    [64, 2 ** 40],
  ]);
  // Second words are many where there are many first ones: for them there is a map alone.
  expect([Reflect.get(small[1], "small"), [...Reflect.get(small[1], "large").keys()]]).toEqual([undefined, [2]]);
  expect(Reflect.get(sets, "count")).toBe(6);
});

test("of a thousand sets none is let go, of one more all", () => {
  const sets = new KnownSets<number>();
  const found = () => [0, 63, 64, 1_023].map((word) => sets.get([word], 1));
  for (let word = 0; word < 1_024; word++) sets.set([word], 1, word);
  expect(found()).toEqual([0, 63, 64, 1_023]);
  sets.set([5_000], 1, 1);
  expect([found(), sets.get([5_000], 1)]).toEqual([Array(4).fill(undefined), 1]);
  for (let word = 0; word < 1_023; word++) sets.set([word], 1, word);
  expect(sets.get([5_000], 1)).toBe(1);
  sets.set([6_000], 1, 1);
  expect([sets.get([5_000], 1), sets.get([6_000], 1)]).toEqual([undefined, 1]);
});

test("what one schema declares of the resource is declared once for both layers, and each schema for its own", () => {
  const wanted = (permissionRef: string, platformRef: string, typedReads = true) => {
    const uses = (ref: string) => (ref === "" ? "" : `schemas: {resourceSchema: {ref: cerbos:///${ref}.json}}`);
    const files = [
      { path: "a.yaml", text: policy({ rules: [allowAct("r", when("R.attr.n == 1"))], body: uses(permissionRef) }) },
      {
        path: "p.yaml",
        text: policy({
          version: "platform",
          rules: [`name: s, actions: [act], roles: [account], effect: EFFECT_ALLOW, ${when("R.attr.n == 1")}`],
          body: uses(platformRef),
        }),
      },
      { path: "_schemas/x.json", text: '{"properties": {"n": {"type": "integer"}}}' },
      { path: "_schemas/y.json", text: '{"properties": {"n": {"type": "boolean"}}}' },
    ];
    const { key, account, resource } = actRequest({});
    const part = { scope: "", attr: {} };
    const { pair } = compiled(files, { typedReads });
    const { joint } = pair.asked({
      key: { ...part, id: key.id, roles: key.roles },
      account: { ...part, id: account.id, roles: ["account"] },
      resource: { ...part, kind: resource.kind, id: resource.id },
      action: "act",
      now: undefined,
    });
    const [first, second] = joint.wanted.layers.map(({ types }) => types.resource);
    return [first?.member("n")?.words, second?.member("n")?.words, first !== undefined && first === second];
  };
  expect([
    wanted("x", "x"),
    wanted("x", "y"),
    wanted("x", ""),
    wanted("", "y"),
    wanted("", ""),
    wanted("x", "x", false),
  ]).toEqual([
    ["integer", "integer", true],
    ["integer", "boolean", false],
    ["integer", undefined, false],
    [undefined, "boolean", false],
    [undefined, undefined, false],
    [undefined, undefined, false],
  ]);
});

test("outputs of both layers, of which some are left to closures", () => {
  const files = [
    {
      path: "a.yaml",
      text: policy({ rules: [allowAct("r", `${when("R.attr.a == 1")}, output: {when: {ruleActivated: "R.attr.o"}}`)] }),
    },
    {
      path: "p.yaml",
      text: policy({
        version: "platform",
        rules: [
          `name: s, actions: [act], roles: [account], effect: EFFECT_ALLOW, ${when("P.attr.b == 2")}, output: {when: {ruleActivated: "P.attr.o", conditionNotMet: "R.attr.o"}}`,
        ],
      }),
    },
  ];
  const [generated, closures] = [compiled(files, { codegen: true }), compiled(files, { codegen: false })];
  const ask = (policies: PolicySet, b: number, ...values: readonly unknown[]) => {
    const [first, second] = values.map((o) => (o === undefined ? {} : { o }));
    const one = actRequest({ a: 1, ...first });
    return decide(policies, { ...one, account: { id: "a", attr: { b, ...second } as never } });
  };
  for (let i = 0; i < WARM; i++) ask(generated, 2, "x", "y");
  const puts = new Set<string>();
  for (const b of [2, 3]) {
    for (const one of ["x", { deep: [1] }, undefined, new Date(0)]) {
      for (const other of ["y", { deep: [2] }, undefined, new Date(0)]) {
        const found = ask(generated, b, one, other);
        expect([b, one, other, found]).toEqual([b, one, other, ask(closures, b, one, other)]);
        puts.add(
          JSON.stringify(
            [found.permission, found.platform].map(({ outputs, errors }) => [
              outputs.map(({ val }) => val),
              errors.length,
            ]),
          ),
        );
      }
    }
  }
  expect(puts.size).toBeGreaterThan(10);
});

test("the errors of a rule, and the derived roles that are active, have the order of their places and names", () => {
  const roles = (name: string, role: string, expr: string) => ({
    path: `${name}.yaml`,
    text: `apiVersion: api.cerbos.dev/v1\nderivedRoles: {name: ${name}, definitions: [{name: ${role}, parentRoles: [user], ${when(expr)}}]}\n`,
  });
  const rules = [
    'actions: [act], derivedRoles: [late, early], roles: [user], effect: EFFECT_ALLOW, name: r, condition: {match: {expr: "R.attr.own == 1"}}',
    "actions: [act], derivedRoles: [zest, sure], effect: EFFECT_ALLOW, name: s",
  ];
  const files = [
    { path: "doc.yaml", text: policy({ rules, body: "importDerivedRoles: [z, a, m, n]" }) },
    ...[roles("z", "late", "R.attr.z == 1"), roles("a", "early", "R.attr.a == 1")],
    ...[roles("m", "sure", "true"), roles("n", "zest", "true")],
    ...supportAll("doc"),
  ];
  const { permission } = decide(compiled(files, { codegen: false }), actRequest({}));
  expect(permission.errors.map(({ position, rule }) => `${rule} ${position.split(":")[0]}`)).toEqual([
    ...["r a.yaml", "r doc.yaml", "r z.yaml"],
  ]);
  expect(permission.derivedRoles).toEqual(["sure", "zest"]);
});

test("what a schema declares of the principal alone, or of the resource alone, is declared", () => {
  const declared = (...subjects: readonly ("principal" | "resource")[]) => {
    const uses = subjects.map((one) => `${one}Schema: {ref: cerbos:///x.json}`);
    const body = uses.length === 0 ? "" : `schemas: {${uses.join(", ")}}`;
    const files = [
      { path: "a.yaml", text: policy({ rules: [allowAct("r", when("R.attr.n == P.attr.n"))], body }) },
      { path: "_schemas/x.json", text: '{"properties": {"n": {"type": "integer"}}}' },
    ];
    const { permission } = compiled(files, { platform: "none" });
    const part = { id: "x", kind: "doc", roles: ["user"], scope: "", attr: {} };
    const { types } =
      permission.planned(part, part, "act").jointWith(undefined).wanted.layers[0] ?? expect.unreachable();
    return [types.principal?.member("n")?.words, types.resource?.member("n")?.words];
  };
  expect([declared(), declared("principal"), declared("resource"), declared("principal", "resource")]).toEqual([
    ...[
      [undefined, undefined],
      ["integer", undefined],
      [undefined, "integer"],
      ["integer", "integer"],
    ],
  ]);
});
