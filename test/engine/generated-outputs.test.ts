/** Generated functions evaluate outputs to the same values as closures, or leave them to closures. */

import { isDeepStrictEqual } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Closures } from "../../src/engine/evaluate/closures.js";
import { type CompileOptions, type DecisionRequest, decide, type PolicyFile, type PolicySet } from "../../src/index.js";
import { policy, when } from "../support/compose.js";
import { compiled } from "../support/policies.js";
import { many, VALUES } from "../support/values.js";

/** Runs until a plan has its function. */
const WARM = 21;

/** The number of outputs evaluated by closures. */
let asked = 0;
const { outputAt } = Closures.prototype;

beforeEach(() => {
  Closures.prototype.outputAt = function (this: Closures, ...given) {
    const code = outputAt.apply(this, given);
    return (activation) => {
      asked++;
      return code(activation);
    };
  };
});

afterEach(() => {
  Closures.prototype.outputAt = outputAt;
});

interface Pair {
  readonly generated: PolicySet;
  readonly closures: PolicySet;
}

const BODY = `variables:
  local:
    late: timestamp(R.attr.a) > timestamp("2024-01-01T00:00:00Z")
    some: R.attr.a == "x" || R.attr.b == "x"
    name: '"v" + R.attr.a'
constants:
  local: {word: w, words: [w, "1"], numbers: [1, 2.5]}
`.trimEnd();

function output(met: string | undefined, notMet?: string): string {
  const text = (name: string, expr: string | undefined) =>
    expr === undefined ? "" : `${name}: ${JSON.stringify(expr)}, `;
  return `output: {when: {${text("ruleActivated", met)}${text("conditionNotMet", notMet)}}}`;
}

function rule(name: string, ...parts: readonly string[]): string {
  return [`name: ${name}, actions: [act], roles: ["*"], effect: EFFECT_ALLOW`, ...parts].join(", ");
}

function pairOf(rules: readonly string[], platform: readonly string[] = [rule("supported")]): Pair {
  const files = [
    { path: "a.yaml", text: policy({ body: BODY, rules }) },
    { path: "b.yaml", text: policy({ version: "platform", body: BODY, rules: platform }) },
  ];
  return pairOfFiles(files);
}

function pairOfFiles(files: readonly PolicyFile[], options: CompileOptions = {}): Pair {
  const made = (codegen: boolean) => compiled(files, { ...options, codegen });
  return { generated: made(true), closures: made(false) };
}

function about(attr: object, id = "d1"): DecisionRequest {
  const given = { resource: { kind: "doc", id, attr: {} }, key: { id: "k1", roles: ["user", "other"], attr: {} } };
  Object.assign(given.resource, { attr });
  return { ...given, operation: "act", account: { id: "acc", attr: { a: "x" } } };
}

function warm({ generated }: Pair, one: DecisionRequest): void {
  for (let i = 0; i < WARM; i++) decide(generated, one);
}

/** Counts the outputs evaluated by closures while functions decide; expects the same decisions. */
function askedFor({ generated, closures }: Pair, one: DecisionRequest): number {
  const before = asked;
  const said = decide(generated, one);
  const count = asked - before;
  const own = decide(closures, one);
  // Compares structurally first: `toStrictEqual` takes a hundred times as long, and is needed only for its message.
  if (!isDeepStrictEqual(said, own)) expect(said).toStrictEqual(own);
  return count;
}

const FORMS = [
  `R.id`,
  `R.attr.a`,
  `P.roles`,
  `R.kind`,
  `"read " + R.id`,
  `P.id + " reads " + R.attr.a`,
  `R.attr.a + R.attr.b + "x"`,
  `R.attr.a + ""`,
  `"" + R.attr.a`,
  `{"who": P.id, "what": R.attr.a, "in": {"b": R.attr.b, "2": 2, "1": 1.5}}`,
  `[P.id, R.attr.a, [R.attr.b, null, true]]`,
  `{"a": R.attr.a, "b": 1}`,
  `{"__proto__": R.attr.a, "constructor": "x"}`,
  `[[], {}, {"": ""}]`,
  `size(R.attr.a)`,
  `R.attr.a == R.attr.b`,
  `R.attr.a < 2.0`,
  `R.attr.a * 2.0`,
  `-R.attr.a`,
  `R.attr.a in ["x", "y"] ? R.attr.b : {"no": R.attr.a}`,
  `R.attr.a == "x" ? "yes" : "no"`,
  `has(R.attr.a.k)`,
  `R.attr.a.k`,
  `R.attr.a.exists(x, x == R.attr.b)`,
  `C.words`,
  `[C.word, C.numbers, C.words]`,
  `{"some": V.some, "name": V.name, "again": V.name}`,
  `V.late`,
  `[9007199254740991, -1, 1.0, -0.0, "x"]`,
];

const NO_FORM = [
  `R.attr`,
  `R.attr.a + R.attr.b`,
  `timestamp(R.attr.a)`,
  `timestamp("2024-01-01T00:00:00Z")`,
  `string(R.attr.a)`,
  `{R.attr.a: "x"}`,
  `{1: "x"}`,
  `9007199254740993`,
  `["x", 9007199254740993]`,
  `[R.attr.a].filter(x, x != R.attr.b)`,
  `"${"l".repeat(600)}" + R.attr.a`,
  `runtime.effectiveDerivedRoles`,
  `G.none`,
];

describe("each form of an output has the value that closures give it, or none", () => {
  const one = about({ a: "x", b: "y" });

  test.each(FORMS)("%s", (expr) => {
    const pair = pairOf([rule("r", when(`R.id == "d1"`), output(expr))]);
    warm(pair, one);
    let answered = 0;
    for (const a of [...VALUES, "2024-06-01T00:00:00Z", 1e308]) {
      for (const b of VALUES) if (askedFor(pair, about({ a, b })) === 0) answered++;
      for (const attr of [{}, { a }, { b: a }]) askedFor(pair, about(attr));
    }
    expect(answered).toBeGreaterThan(0);
    expect(askedFor(pair, about({}, "other"))).toBe(0);
  });

  test.each(NO_FORM)("%s is left to closures", (expr) => {
    const pair = pairOf([rule("r", when(`R.id == "d1"`), output(expr, `"none"`)), rule("s", output(`R.id`))]);
    warm(pair, one);
    for (const a of VALUES) expect(askedFor(pair, about({ a, b: "x" }))).toBe(2);
    expect(askedFor(pair, about({}, "other"))).toBe(0);
  });

  test("hostile texts and names are data", () => {
    for (const name of ['"]; globalThis.injected = true; //', "\u2028", "\\u0022", "*/ /*", "0"]) {
      const text = JSON.stringify(name);
      const pair = pairOf([rule("r", output(`{${text}: ${text} + R.attr[${text}]}`))]);
      warm(pair, about({ [name]: "x" }));
      expect(askedFor(pair, about({ [name]: name }))).toBe(0);
    }
    expect("injected" in globalThis).toBe(false);
  });

  test("a polluted Object.prototype gives them nothing, and keeps no name from them", () => {
    const pair = pairOf([rule("r", output(`{"who": R.attr.a, "k": R.attr.b}`))]);
    warm(pair, one);
    for (const name of ["a", "who", "val"]) {
      Object.defineProperty(Object.prototype, name, { get: () => "polluted", configurable: true });
      const said = [one, about({ b: "y" })].map((each) => decide(pair.generated, each).permission.outputs);
      Reflect.deleteProperty(Object.prototype, name);
      const own = [one, about({ b: "y" })].map((each) => decide(pair.closures, each).permission.outputs);
      expect(said).toStrictEqual(own);
    }
  });

  test("lists as long as can be paid for", () => {
    const pair = pairOf([rule("r", output(`[R.attr.a, R.attr.b]`))]);
    warm(pair, one);
    const texts = (count: number) => many(count, (i) => `t${i}`);
    expect(askedFor(pair, about({ a: texts(1_350), b: texts(1_400) }))).toBe(0);
    expect(askedFor(pair, about({ a: texts(1_400), b: texts(1_400) }))).toBe(1);
    expect(askedFor(pair, about({ a: texts(20_000), b: texts(20_000) }))).toBe(1);
  });
});

describe("which outputs there are", () => {
  const attrs = ["x", "y", 1, undefined, ["x"], { k: "x" }].flatMap((a) => ["x", 2].map((b) => ({ a, b })));

  test("by what holds, in both layers, beside literals and where nothing is put out", () => {
    const deny = (name: string, ...parts: readonly string[]) => rule(name, ...parts).replace("ALLOW", "DENY");
    const pair = pairOf(
      [
        rule("holds", when(`R.attr.a == "x"`), output(`"is " + R.attr.b`, `R.attr.b`)),
        rule("literal", when(`R.attr.b == "x"`), output(`"literal"`, `"not literal"`)),
        deny("denies", when(`R.attr.a == "y"`), output(`{"denied": R.attr.a}`)),
        rule("always", output(`[R.id, P.id]`, `R.attr.never`)),
      ],
      [rule("supported", when(`P.attr.a == "x"`), output(`{"account": P.id, "a": P.attr.a}`, `P.id`))],
    );
    warm(pair, about({ a: "x", b: "x" }));
    const counts = attrs.map((attr) => askedFor(pair, about(attr)));
    expect(counts.filter((count) => count === 0).length).toBeGreaterThan(3);
    const account = { id: "acc", attr: { a: "z" } };
    for (const attr of attrs) askedFor(pair, { ...about(attr), account });
  });

  test("of a set that has one layer alone", () => {
    const text = policy({ rules: [rule("r", when("R.attr.a == 1"), output("R.attr.b", "P.id"))] });
    const pair = pairOfFiles([{ path: "a.yaml", text }], { platform: "none" });
    warm(pair, about({ a: 1, b: "x" }));
    for (const a of [1, 2]) expect(askedFor(pair, about({ a, b: "x" }))).toBe(0);
    expect(askedFor(pair, about({ a: 1 }))).toBe(1);
  });

  test("of rules of one name, as principal policies may have them: what is the same is put out once", () => {
    const same = (met: string, i: number) =>
      `{resource: ${["doc", "d*", "do*", "'*c'", "'*oc'"][i]}, actions: [{name: r, action: act, effect: EFFECT_ALLOW, ${when("R.attr.a == 1")}, ${output(met)}}]}`;
    const rules = ["R.attr.b", '"x"', "R.attr.b", "[R.attr.b]", '["x"]'].map(same).join(", ");
    const text = `apiVersion: api.cerbos.dev/v1
principalPolicy: {principal: k1, version: default, rules: [${rules}]}
`;
    const files = [
      { path: "a.yaml", text: policy({ rules: [rule("other")] }) },
      { path: "k.yaml", text },
    ];
    const pair = pairOfFiles(files, { platform: "none" });
    warm(pair, about({ a: 1, b: "x" }));
    for (const [b, vals] of [
      ["x", ["x", ["x"]]],
      ["y", ["y", "x", ["y"], ["x"]]],
    ] as const) {
      const request = about({ a: 1, b });
      expect(askedFor(pair, request)).toBe(0);
      const { reasons, outputs } = decide(pair.generated, request).permission;
      expect(outputs.map(({ val }) => val)).toEqual(vals);
      expect(reasons.map(({ reason }) => reason)).toEqual(["r", "x"]);
    }
  });

  test("of more rules than one word has", () => {
    const rules = many(120, (i) => rule(`r${i}`, when(`R.attr.a == ${i}.0`), output(`{"rule": ${i}, "b": R.attr.b}`)));
    const pair = pairOf(rules);
    warm(pair, about({ a: 3, b: "x" }));
    for (let a = 0; a < 130; a++) {
      expect(askedFor(pair, about({ a, b: "x" }))).toBe(0);
      expect(askedFor(pair, about({ a, b: { k: "x" } }))).toBe(a < 120 ? 1 : 0);
    }
  });

  test("of rules that apply by a derived role, or in a scope that asks its parents", () => {
    const roles = `apiVersion: api.cerbos.dev/v1
derivedRoles:
  name: roles
  definitions:
    - {name: owner, parentRoles: ["*"], condition: {match: {expr: R.attr.a == "x"}}}
`;
    const derived = `name: derived, actions: [act], derivedRoles: [owner], effect: EFFECT_ALLOW, ${output(`"own " + R.attr.b`)}`;
    const body = "scope: s\nscopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS";
    const asking = policy({
      body,
      rules: [rule("asks", when(`R.attr.b == "x"`), output(`"met " + R.attr.a`, `["not met", R.attr.a]`))],
    });
    const files = [
      { path: "a.yaml", text: policy({ body: "importDerivedRoles: [roles]", rules: [derived] }) },
      { path: "s.yaml", text: asking },
      { path: "roles.yaml", text: roles },
      { path: "b.yaml", text: policy({ version: "platform", rules: [rule("supported")] }) },
      { path: "c.yaml", text: policy({ version: "platform", body, rules: [rule("supported")] }) },
    ];
    const pair = pairOfFiles(files);
    for (const scope of ["", "s"]) {
      const scoped = (attr: object): DecisionRequest => {
        const one = about(attr);
        return { ...one, resource: { ...one.resource, scope } };
      };
      warm(pair, scoped({ a: "x", b: "x" }));
      expect(askedFor(pair, scoped({ a: "x", b: "x" }))).toBe(0);
      for (const attr of attrs) askedFor(pair, scoped(attr));
    }
  });

  test("closures are asked for them where a condition is left to its closure", () => {
    const pair = pairOf([
      rule("r", when(`R.attr.a.matches("^x")`), output(`R.id`)),
      rule("s", when(`R.attr.a == "x"`), output(`R.attr.b`)),
    ]);
    warm(pair, about({ a: "x", b: "x" }));
    for (const attr of attrs) askedFor(pair, about(attr));
    expect(askedFor(pair, about({ a: "x", b: "x" }))).toBe(2);
  });
});

describe("what is read", () => {
  /** A resource with attributes that count their reads and change on each read. */
  function counting(values: { readonly [name: string]: unknown }): { readonly attr: object; readonly reads: string[] } {
    const reads: string[] = [];
    const attr = {};
    for (const [name, value] of Object.entries(values)) {
      const get = () => (reads.push(name) > 0 && reads.indexOf(name) < reads.length - 1 ? "another" : value);
      Object.defineProperty(attr, name, { get, enumerable: true });
    }
    return { attr, reads };
  }

  const rules = [
    rule("r", when(`R.attr.a == "x"`), output(`{"a": R.attr.a, "b": R.attr.b}`)),
    rule("s", when(`R.attr.a == "y"`), output(`R.attr.b.k`)),
  ];

  test.each<readonly [a: string, b: unknown, value: unknown, asked: number]>([
    ["x", "text", { a: "x", b: "text" }, 0],
    ["x", ["a", 1], { a: "x", b: ["a", 1] }, 1],
    ["x", { k: ["a"] }, { a: "x", b: { k: ["a"] } }, 1],
    ["x", [["a"]], { a: "x", b: [["a"]] }, 1],
    ["y", { k: 1 }, 1, 0],
    ["y", { k: { k: 1 } }, { k: 1 }, 1],
    ["y", "none", null, 1],
    ["z", { k: 1 }, undefined, 0],
  ])("once, where a is %j and b is %j", (a, b, value, count) => {
    const pair = pairOf(rules);
    warm(pair, about({ a: "x", b: "x" }));
    const { attr, reads } = counting({ a, b });
    const before = asked;
    const { outputs } = decide(pair.generated, about(attr)).permission;
    expect(asked - before).toBe(count);
    expect(reads.toSorted()).toEqual(["a", "b"]);
    expect(outputs.map(({ val }) => val)).toEqual(value === undefined ? [] : [value]);
  });

  test("by a proxy that makes up what it does not have, or throws", () => {
    const pair = pairOf([rule("r", output(`{"a": R.attr.a}`))]);
    warm(pair, about({ a: "x" }));
    askedFor(pair, about(new Proxy({}, { get: () => "x" })));
    askedFor(pair, about({ a: new Proxy(["x"], { get: (of, name) => (name === "0" ? "y" : Reflect.get(of, name)) }) }));
    const thrower = () => {
      throw new Error("hostile");
    };
    askedFor(pair, about(Object.defineProperty({}, "a", { get: thrower, enumerable: true })));
    askedFor(pair, about({ a: new Proxy([], { get: thrower }) }));
  });

  test("is not shared with the request, nor between decisions and outputs", () => {
    const pair = pairOf([rule("r", output(`R.attr.a`)), rule("s", output(`{"a": R.attr.a, "c": C.words}`))]);
    const a = ["x"];
    warm(pair, about({ a }));
    const vals = () => decide(pair.generated, about({ a })).permission.outputs.map(({ val }) => val);
    const [first, second] = vals();
    (first as string[]).push("changed");
    (second as { c: string[] }).c.push("changed");
    a.push("y");
    expect(vals()).toEqual([["x", "y"], { a: ["x", "y"], c: ["w", "1"] }]);
    expect(second).toEqual({ a: ["x"], c: ["w", "1", "changed"] });
  });
});

test("they have a budget of their own, whoever found the conditions", () => {
  const conditions = Array.from({ length: 40 }, (_, i) => `{expr: '!("n${i}" in R.attr.a)'}`);
  const parts = [
    `condition: {match: {all: {of: [${conditions.join(", ")}]}}}`,
    output(`R.attr.a${'.map(x, x + "b")'.repeat(8)}.size()`),
  ];
  const pair = pairOf([rule("r", ...parts)]);
  const list = (length: number) => about({ a: Array.from({ length }, (_, i) => `x${i}`) });
  warm(pair, list(1));
  const put = (length: number) => {
    expect(askedFor(pair, list(length))).toBe(1);
    return decide(pair.closures, list(length)).permission.outputs[0]?.val;
  };
  // Here the conditions take a fifth of the step budget, and the output nine tenths.
  expect(put(6_000)).toBe(6_000);
  expect(put(12_000)).toBeNull();
});
