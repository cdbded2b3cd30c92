/**
 * Every operator on operands of every kind, as a condition and as an output: what is generated of it is put down in
 * `operators.json`, and for whatever values it says what the closures say, or nothing.
 * `KEYWARD_WRITE=1 npx vitest run test/engine/generate` writes it anew.
 *
 * @module-tag long
 */

import { isLeft } from "fp-ts/lib/Either.js";
import { afterAll, describe, expect, test } from "vitest";
import { type JsonMap, Timestamp } from "../../../src/cel/values.js";
import { compileText, generate, generateStaged } from "../../../src/engine/generate/generate.js";
import { ALL_ASKED } from "../../../src/engine/generate/selection.js";
import { made } from "../../../src/engine/generate/written.js";
import { compilePolicies, type DecisionRequest, decide, type PolicySet } from "../../../src/index.js";
import { digest, Recording } from "../../support/recording.js";
import { functionText } from "../language/texts.js";

const recording = new Recording("test/engine/generate/operators.json");
afterAll(() => recording.close());

const numbers = (count: number) => `[${Array.from({ length: count }, (_, i) => i)}]`;

/** Attributes, what is made of them, and constants. */
const OPERANDS = [
  ...["R.attr.a", "P.attr.b", "R.id", '"x" + R.attr.s', "R.attr.n * 2.0", "size(R.attr.l)", "R.attr.y == 1", "V.twice"],
  ...[
    "timestamp(R.attr.t)",
    "timeSince(timestamp(R.attr.t))",
    'timestamp("2024-06-01T12:00:00.5Z")',
    'duration("-90m")',
  ],
  ...['"x"', "2", "1.5", "9007199254740993", "true", "null", "[]", '["x", "y"]', "[2, 1.5, 2]"],
];

/** Of these there is less to be told apart. */
const RARE = [
  ...[
    "now()",
    "R.attr.m.k",
    "V.once",
    "-0.0",
    "[1, true]",
    '["x", R.attr.s]',
    "C.words",
    "C.word",
    numbers(24),
    numbers(25),
  ],
  ...[
    '"10.1.0.0/16"',
    '"10.1.2.3/32"',
    '"0.0.0.0/0"',
    '"::/8"',
    "C.none",
    `["x", "y", "z" + R.attr.s, "v" + R.attr.m.k + "w"]`,
    `["${"l".repeat(512)}"]`,
    `["${"l".repeat(511)}"]`,
    `"${"l".repeat(512)}"`,
    `timestamp("2024-" + R.attr.t)`,
    "math.greatest(R.attr.a, R.attr.n, 1.0)",
    "-R.attr.n",
    "R.attr.l",
    "timestamp(2)",
    "P.scope",
    "P.roles",
    "R.kind",
  ],
];

const FEW = [
  "R.attr.a",
  "P.attr.b",
  '"x" + R.attr.s',
  "size(R.attr.l)",
  "timestamp(R.attr.t)",
  'duration("-90m")',
  '"x"',
  "2",
  '["x", "y"]',
];

/** For the bodies of macros: `R.attr.a` is their variable. */
const INNER = [
  "R.attr.a",
  "R.attr.a.k",
  "P.attr.b",
  '"x"',
  '["x", "y"]',
  "V.twice",
  '"x" + R.attr.a.k',
  "has(R.attr.a.k)",
  "has(R.attr.a.constructor)",
  'R.attr.a.k + "x"',
];

const binary = (symbol: string) => (a: string, b: string) => `(${a}) ${symbol} (${b})`;
const member = (fn: string) => (a: string, b: string) => `(${a}).${fn}(${b})`;
const global = (fn: string) => (a: string, b: string) => `${fn}(${a}, ${b})`;

type Write = (a: string, b: string) => string;

/** On all operands. */
const WHOLE: { readonly [name: string]: Write } = {
  ...Object.fromEntries(["==", "<", "in", "+", "-"].map((one) => [one, binary(one)])),
  ...{ contains: member("contains"), hasIntersection: global("hasIntersection") },
  ...{ "?:": (a, b) => `R.attr.y == true ? (${a}) : (${b})` },
};

/** Those that differ little from another, on fewer. */
const ALIKE: { readonly [name: string]: Write } = {
  ...Object.fromEntries(["!=", "<=", ">", ">=", "*", "/", "%", "&&", "||"].map((one) => [one, binary(one)])),
  ...Object.fromEntries(["startsWith", "endsWith", "inIPAddrRange"].map((one) => [one, member(one)])),
  ...{
    isSubset: global("isSubset"),
    intersects: member("hasIntersection"),
    has_intersection: global("has_intersection"),
  },
  ...{ is_subset: member("isSubset"), "when ?": (a, b) => `(${a}) ? (${b}) : R.attr.y` },
  "+ time": (a, b) => `timestamp("2024-06-01T10:00:00Z") + (${a}) < (${b})`,
  "- time": (a, b) => `(${a}) > (${b}) - duration("1ms")`,
  "- span": (a, b) => `(${a}) - (${b}) >= duration("1ms")`,
  "+ span": (a, b) => `duration("1h") + (${a}) >= (${b}) + duration("1ms")`,
  "+ x": (a, b) => `(${a}) + (${b}) + "x" == P.attr.b`,
  "x +": (a, b) => `"" + (${a}) != (${b})`,
  "-x": (a, b) => `-(${a}) < (${b})`,
  has: (a, b) => `has((${a}).k) == (${b})`,
  "3 deep": (a, b) => `R.attr.l.exists(t, R.attr.l.exists(u, t.ks.all(v, (${a}) == (${b}) || u == v)))`,
  "4 deep": (a, b) => `R.attr.l.exists(t, R.attr.l.exists(u, t.ks.all(v, v.ks.exists(w, (${a}) == (${b}) || u == w))))`,
  "optional.none()": (a, b) => `(${a}) == (${b}) || optional.none() == optional.none()`,
  "! &&": (a, b) => `!((${a}) && !(${b}))`,
};

/** Where an expression stands. */
const CONTEXTS: { readonly [name: string]: (expression: string) => string } = {
  "of elements": (one) => `R.attr.l.exists(t, ${one.replaceAll("R.attr.a", "t")})`,
  "of elements of elements": (one) => `R.attr.l.all(u, u.ks.exists(t, ${one.replaceAll("R.attr.a", "t")} || t == u.k))`,
  "of constants": (one) => `["x", "z"].all(t, ${one.replaceAll("R.attr.a", "t")})`,
};

interface Row {
  readonly name: string;
  readonly expressions: readonly string[];
}

const ROWS = [...Object.entries(WHOLE), ...Object.entries(ALIKE)].map(([operator, write]) => {
  const [lefts, rights] = operator in WHOLE ? [OPERANDS, OPERANDS] : [FEW, FEW];
  const row = (left: string, some: readonly string[], put: (one: string) => string, name = ""): Row => ({
    name: `${operator} ${left}${name}`,
    expressions: some.map((right) => put(write(left, right))),
  });
  const itself = (one: string) => one;
  const within = ["==", "in", "startsWith", "hasIntersection", "&&"].includes(operator) ? Object.entries(CONTEXTS) : [];
  const rows = [
    ...lefts.map((left) => row(left, rights, itself)),
    row("R.attr.a", RARE, itself, " with others"),
    ...(operator === "hasIntersection" ? [row("P.attr.b", RARE, itself, " with others")] : []),
    ...within.flatMap(([context, of]) => INNER.map((left) => row(left, INNER, of, ` ${context}`))),
  ];
  return [operator, rows] as const;
});

const DEFINITIONS = {
  constants: { local: { words: ["x", "z"], word: "x" } },
  variables: { local: { once: "R.attr.n", twice: '"x" + R.attr.s != "xx" && P.attr.b == "x"' } },
};

interface Loaded {
  readonly policies: PolicySet;
  readonly refused: ReadonlySet<number>;
}

const sets = new Map<Row, Loaded>();

/** Made once: none of it is made by what is asked here. */
function setOf(row: Row): Loaded {
  const made = sets.get(row) ?? loaded(row.expressions);
  sets.set(row, made);
  return made;
}

/** Each condition has an action of its own, `a0` and so on, and an output of one `o0`; those are left out that are refused. */
function loaded(expressions: readonly string[]): Loaded {
  const refused = new Set<number>();
  for (;;) {
    const rules = expressions.flatMap((expr, i) => {
      const rule = { roles: ["user"], effect: "EFFECT_ALLOW" };
      const [condition, output] = [{ match: { expr } }, { when: { ruleActivated: expr } }];
      return refused.has(i)
        ? []
        : [
            { ...rule, actions: [`a${i}`], condition },
            { ...rule, actions: [`o${i}`], output },
          ];
    });
    rules.push({
      roles: ["user"],
      effect: "EFFECT_ALLOW",
      actions: ["plain"],
      condition: { match: { expr: "R.attr.plain" } },
    });
    const head = { resource: "doc", version: "default", ...DEFINITIONS };
    const lines = rules.map((one) => JSON.stringify(one)).join(",\n");
    const text = `{"apiVersion":"api.cerbos.dev/v1","resourcePolicy":{${JSON.stringify(head).slice(1, -1)},"rules":[\n${lines}]}}`;
    const found = compilePolicies([{ path: "a.json", text }], { platform: "none", codegen: false });
    if (!isLeft(found)) return { policies: found.right, refused };
    for (const { line } of found.left) {
      const [, number] = /"actions":\["[ao](\d+)"\]/.exec(text.split("\n")[line - 1] ?? "") ?? [];
      if (number === undefined) throw new Error(JSON.stringify(found.left));
      refused.add(Number(number));
    }
  }
}

const part = { id: "u1", roles: ["user"], scope: "", attr: {} };
type Part = Omit<typeof part, "attr"> & { readonly attr: JsonMap };

/** Parts as a generated function takes them. */
function valuesOf(key: Part, account: Part, resource: Part & { readonly kind: string }) {
  const subject = ({ id, roles, attr }: Part) => [id, roles, attr] as const;
  return [...subject(key), ...subject(account), resource.kind, resource.id, resource.attr] as const;
}

const NOW = new Date("2024-06-01T12:00:00.500Z");
const CLOCK = new Timestamp(NOW.getTime() / 1000 - 0.5, 500_000_000);

function layersOf({ permission }: PolicySet, action: string) {
  return permission.planned(part, { ...part, kind: "doc" }, action).jointWith(undefined).wanted.layers;
}

const BOUND = [new Set(["principal"] as const), new Set(["resource"] as const)];

/**
 * The function for a condition, with parts of the request that are bound, beside a condition that has a form, and where
 * both layers have the condition; and that for an output.
 */
function texts(policies: PolicySet, number: number): readonly string[] {
  const [layers, output, plain] = [`a${number}`, `o${number}`, "plain"].map((action) => layersOf(policies, action));
  const [[layer] = [], [other] = []] = [layers, plain];
  if (layers === undefined || output === undefined || layer === undefined || other === undefined)
    throw new Error("no layer");
  const beside = { ...layer, conditions: [...layer.conditions, ...other.conditions] };
  const staged = BOUND.map((bound) => generateStaged(layers, bound));
  return [generate(layers), generate(output), ...staged, generate([beside]), generate([layer, layer])].map(
    functionText,
  );
}

describe.each(ROWS)("what is generated of %s", (_, rows) => {
  test("is put down", () => {
    const found = rows.map((row) => {
      const { name, expressions } = row;
      const { policies, refused } = setOf(row);
      const all = expressions.map((_, i) => (refused.has(i) ? ["refused"] : texts(policies, i)));
      // Of what there is no function, and of what there is none for the output, and what cannot be loaded.
      const letters = all.map(([one, output]) =>
        one === "refused" ? "!" : one === "none" ? (output === "none" ? "-" : "o") : output === "none" ? "c" : "g",
      );
      return [name, `${letters.join("")} ${digest(all.flat().join("\n"))}`] as const;
    });
    expect(found).toEqual(found.map(([name, now]) => [name, recording.of(name, now)]));
  });
});

type Attr = NonNullable<DecisionRequest["resource"]["attr"]>;

const VALUES: { readonly [name: string]: readonly Attr[string][] } = {
  a: ["x", 2, true, null, 1.5, ["x"], "xx", {}, { k: "x" }, [2, 1.5, 2], "10.1.2.3", false, -0, [], "", 3],
  s: ["x", "", "yx", 1, "x"],
  n: [1, 0.75, "1", 0, -1],
  l: [["x"], [], ["x", 2], [{ k: "x", ks: ["x", "y"] }], [{ k: "y", ks: [{ k: "x" }] }, "x"], "xyz", { x: 1 }],
  y: [true, 1, false, "x"],
  m: [{ k: "x" }, {}, { k: 1 }, "x", { k: "" }, { k: ["x", "y"] }],
  t: ["2024-06-01T12:00:00.4999Z", "2024-01-01T00:00:00+01:00", "2024-06-01T12:00:00.5Z", "x"],
  b: ["x", "xx", 2, true, ["x", "y"], ["y", 1], "xxx", { k: true }, null, 1.5],
};

const pick = (names: readonly string[], i: number): Attr =>
  Object.fromEntries(
    names.flatMap((name, stride) => {
      const values = VALUES[name] ?? [];
      const value = values[(i * (1 + (stride % 3)) + stride) % values.length] ?? null;
      return (i + stride) % 9 === 8 ? [] : [[name, value] as const];
    }),
  );

const REQUESTS = Array.from(
  { length: 16 },
  (_, i): Omit<DecisionRequest, "operation"> => ({
    key: { id: "u1", roles: ["user"], attr: pick(["b"], i + 3 * (i >> 3)) },
    resource: { kind: "doc", id: "x", attr: { ...pick(["a", "s", "n", "l", "y", "m", "t"], i) } },
    account: { id: "a1", attr: {} },
    ...(i === 7 ? {} : { now: NOW }),
  }),
);

/** What a function says: a set of one condition, or of none with the value of an output; undefined for nothing. */
function said(policies: PolicySet, action: string): (one: Omit<DecisionRequest, "operation">) => unknown {
  const layers = layersOf(policies, action);
  const generated = generate(layers);
  const factory = generated && compileText(generated.text);
  if (generated === undefined || factory === undefined) return () => undefined;
  const run = made(factory, generated, layers);
  return ({ key, resource, now }) => {
    const [principal, about] = [
      { ...part, attr: key.attr ?? {} },
      { ...part, id: "x", kind: "doc", attr: resource.attr ?? {} },
    ];
    const found = run(ALL_ASKED, ...valuesOf(principal, principal, about), now === undefined ? undefined : CLOCK);
    if (typeof found === "number") return action.startsWith("a") ? found === 1 : undefined;
    if (!Array.isArray(found) || found[0] === -1 || found[1] === undefined) return undefined;
    return { value: found[1] };
  };
}

describe.each(ROWS)("what functions say of %s", (operator, rows) => {
  test("is what closures say", () => {
    let [holds, fails, values] = [0, 0, 0];
    for (const row of rows) {
      const { policies, refused } = setOf(row);
      for (const [i, expression] of row.expressions.entries()) {
        if (refused.has(i)) continue;
        const [condition, output] = [said(policies, `a${i}`), said(policies, `o${i}`)];
        for (const request of REQUESTS) {
          const found = condition(request);
          if (typeof found === "boolean") {
            const { permission } = decide(policies, { ...request, operation: `a${i}` });
            if (permission.errors.length > 0 || (permission.effect === "allow") !== found)
              expect({ expression, request, found, permission }).toBe("the same");
            if (found) holds++;
            else fails++;
          }
          const put = output(request);
          if (put === undefined) continue;
          const { permission } = decide(policies, { ...request, operation: `o${i}` });
          expect([expression, request, permission.outputs.map(({ val }) => ({ value: val }))]).toEqual([
            expression,
            request,
            [put],
          ]);
          values++;
        }
      }
    }
    const counts = `${holds} times yes, ${fails} times no, ${values} values`;
    expect(counts).toBe(recording.of(operator, counts));
  });
});

test("a variable that both layers read is of the key in one, and of the account in the other", () => {
  const { policies } = loaded(["V.twice || V.twice"]);
  const [layer] = layersOf(policies, "a0");
  if (layer === undefined) throw new Error("no layer");
  const generated = generate([layer, layer]);
  const factory = generated && compileText(generated.text);
  if (generated === undefined || factory === undefined) throw new Error("no function");
  const run = made(factory, generated, [layer, layer]);
  const [is, isNot] = ["x", "y"].map((b) => ({ ...part, attr: { b } }));
  if (is === undefined || isNot === undefined) throw new Error("no parts");
  const resource = { ...part, kind: "doc", attr: { s: "y" } };
  expect([
    run(ALL_ASKED, ...valuesOf(is, isNot, resource), undefined),
    run(ALL_ASKED, ...valuesOf(isNot, is, resource), undefined),
  ]).toEqual([1, 2]);
});
