/** Compiled plans: their caches, and that conditions left to closures do not change decisions. */

import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { decide, deciderFor, type PolicySet } from "../../../src/index.js";
import { actPolicies, actRequest, allowAct, WARM } from "../../support/act.js";
import { policy, supportAll, when } from "../../support/compose.js";
import { watchFunctions } from "../../support/functions.js";
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
      [10, 10_000],
      [20_000, 10_000],
      [30_000, 10_000],
      [10_000, 15_000],
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

test("each layer checks the resource by the types that its own schema declares", () => {
  const declared = (permissionRef: string, platformRef: string, typedReads = true) => {
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
    const [generated, closures] = [true, false].map((codegen) => compiled(files, { typedReads, codegen }));
    if (generated === undefined || closures === undefined) throw new Error("no policies");
    for (let i = 0; i < WARM; i++) decide(generated, actRequest({ n: 1 }));
    return [1, true, 1.5].map((n) => {
      const decision = decide(generated, actRequest({ n }));
      expect(decision).toEqual(decide(closures, actRequest({ n })));
      const { permission, platform } = decision;
      return [permission, platform].map(({ effect, errors }) => (errors.length > 0 ? "error" : effect)).join(" ");
    });
  };
  const both = ["allow allow", "deny deny", "deny deny"];
  expect(declared("", "")).toEqual(both);
  expect(declared("x", "x", false)).toEqual(both);
  expect(declared("x", "x")).toEqual(["allow allow", "error error", "error error"]);
  expect(declared("x", "")).toEqual(["allow allow", "error deny", "error deny"]);
  expect(declared("", "y")).toEqual(["allow error", "deny deny", "deny error"]);
  expect(declared("x", "y")).toEqual(["allow error", "error deny", "error error"]);
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
    const { types } = permission.planFor(part, part, "act").wanted;
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

test("a list of the key is searched in macros of other lists", () => {
  const exprs = ["R.attr.l.exists(t, E)", 'R.attr.l.exists(t, t.all(u, E || u == "z"))', "P.attr.l.exists(t, E)"];
  for (const expr of exprs) {
    const own = expr.replace("E", 'hasIntersection(P.attr.b, ["x", "k" + R.id])');
    const [generated, closures] = [true, false].map((codegen) => actPolicies([allowAct("r", when(own))], codegen));
    if (generated === undefined || closures === undefined) throw new Error("no policies");
    const found: boolean[] = [];
    const unwatch = watchFunctions((_, isFound) => found.push(isFound));
    for (let i = 0; i < WARM; i++) {
      for (const b of [["x"], ["kd"], ["y"]]) {
        const request = actRequest({ l: [["a"]] }, { b, l: ["a"] });
        expect(decide(generated, request)).toEqual(decide(closures, request));
        const { key, ...rest } = request;
        expect(deciderFor(generated, { key }).decide(rest)).toEqual(decide(closures, request));
      }
    }
    unwatch();
    expect(found.at(-1)).toBe(true);
  }
});

test("rules that are past the size or the cost of one function are left to closures, as are those of very large plans", () => {
  const costly = (i: number) =>
    `R.attr.a == ${JSON.stringify(`${i}`)} || "a" + R.attr.a + R.attr.a + R.attr.a + R.attr.a + R.attr.a + R.attr.a + R.attr.a == "x"`;
  const long = (i: number) => Array.from({ length: 40 }, (_, j) => `R.attr.a != "${i}-${j}"`).join(" && ");
  for (const [count, exprOf, isGenerated] of [
    [250, costly, true],
    [250, long, true],
    [1_000, costly, false],
  ] as const) {
    const rules = [
      ...Array.from({ length: count }, (_, i) => allowAct(`r${i}`, when(exprOf(i)))),
      `name: last, actions: [act], roles: [user], effect: EFFECT_DENY, ${when('R.attr.a == "b"')}`,
    ];
    const [generated, closures] = [actPolicies(rules, true), actPolicies(rules, false)];
    const found: boolean[] = [];
    const unwatch = watchFunctions((_, isFound) => found.push(isFound));
    for (let i = 0; i < WARM; i++) decide(generated, actRequest({ a: "c" }));
    for (const a of ["a", "b", "999", "299-1", 1]) {
      expect([a, decide(generated, actRequest({ a }))]).toEqual([a, decide(closures, actRequest({ a }))]);
    }
    unwatch();
    expect(found.includes(true)).toBe(isGenerated);
  }
});
