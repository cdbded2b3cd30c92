/**
 * Every operator on operands of every kind, as a condition and as an output. For any values, a generated function
 * agrees with the closures or leaves the request to them. `operators.json` records the operands with a generated form,
 * and how often functions answer. `KEYWARD_WRITE=1 npx vitest run test/engine/generate` writes it anew.
 *
 * @module-tag long
 */

import { isDeepStrictEqual } from "node:util";
import { isLeft } from "fp-ts/lib/Either.js";
import { afterAll, describe, expect, test } from "vitest";
import type { CompiledPlan } from "../../../src/engine/evaluate/compiled-plan.js";
import { compilePolicies, type DecisionRequest, decide, type PolicySet } from "../../../src/index.js";
import { WARM } from "../../support/act.js";
import { isSet, valuesIn, watchJudges } from "../../support/functions.js";
import { Recording } from "../../support/recording.js";

const recording = new Recording("test/engine/generate/operators.json");
afterAll(() => recording.close());

const numbers = (count: number) => `[${Array.from({ length: count }, (_, i) => i)}]`;

/** Attributes, expressions built from them, and constants. */
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

/** Operands with fewer distinct cases. */
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

/** For the bodies of macros, where `R.attr.a` is replaced by the variable. */
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

/** Tested on all operands. */
const WHOLE: { readonly [name: string]: Write } = {
  ...Object.fromEntries(["==", "<", "in", "+", "-"].map((one) => [one, binary(one)])),
  ...{ contains: member("contains"), hasIntersection: global("hasIntersection") },
  ...{ "?:": (a, b) => `R.attr.y == true ? (${a}) : (${b})` },
};

/** Similar to another operator, so tested on fewer operands. */
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

/** The contexts of an expression. */
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
  readonly generated: PolicySet;
  readonly closures: PolicySet;
  readonly refused: ReadonlySet<number>;
}

/** Each condition gets an action `a0`, `a1`, …, and an output of one gets `o0`, …; refused expressions are left out. */
function loadedOf(expressions: readonly string[]): Loaded {
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
    const head = { resource: "doc", version: "default", ...DEFINITIONS };
    const lines = rules.map((one) => JSON.stringify(one)).join(",\n");
    const text = `{"apiVersion":"api.cerbos.dev/v1","resourcePolicy":{${JSON.stringify(head).slice(1, -1)},"rules":[\n${lines}]}}`;
    const files = [{ path: "a.json", text }];
    const found = compilePolicies(files, { platform: "none", codegen: false });
    if (!isLeft(found)) {
      const generated = compilePolicies(files, { platform: "none" });
      if (isLeft(generated)) throw new Error(JSON.stringify(generated.left));
      return { generated: generated.right, closures: found.right, refused };
    }
    for (const { line } of found.left) {
      const [, number] = /"actions":\["[ao](\d+)"\]/.exec(text.split("\n")[line - 1] ?? "") ?? [];
      if (number === undefined) throw new Error(JSON.stringify(found.left));
      refused.add(Number(number));
    }
  }
}

const NOW = new Date("2024-06-01T12:00:00.500Z");

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

interface Answers {
  readonly hasFunction: boolean;
  /** For each request: whether the condition holds, or the output's value; undefined if it was left to closures. */
  readonly found: readonly (boolean | { readonly value: unknown } | undefined)[];
}

/** The answers of an operation's function. Its decisions must equal those of closures. */
function answersOf({ generated, closures }: Loaded, operation: string): Answers {
  const [usual] = REQUESTS;
  if (usual === undefined) throw new Error("no requests");
  for (let i = 0; i < WARM; i++) decide(generated, { ...usual, operation });
  const judged: (readonly [plan: CompiledPlan, found: unknown])[] = [];
  const unwatch = watchJudges((...one) => judged.push(one));
  const found = REQUESTS.map((one) => {
    judged.length = 0;
    const request = { ...one, operation };
    const [decision, expected] = [decide(generated, request), decide(closures, request)];
    if (!isDeepStrictEqual(decision, expected)) expect({ request, decision }).toEqual({ request, decision: expected });
    const [plan, said] = judged[0] ?? [];
    if (plan === undefined || !isSet(said)) return undefined;
    if (operation.startsWith("a")) return said === 1;
    const [value] = valuesIn(plan, said);
    return value === undefined ? undefined : { value };
  });
  unwatch();
  return { hasFunction: judged.length > 0, found };
}

/** Encodes whether a condition has a generated form, and whether a function produced an output. */
function letterOf(isCondition: boolean, isOutput: boolean): string {
  if (isCondition) return isOutput ? "g" : "c";
  return isOutput ? "o" : "-";
}

describe.each(ROWS)("functions of %s", (operator, rows) => {
  test("say what closures say, or nothing", () => {
    let [holds, fails, values] = [0, 0, 0];
    const found = rows.map(({ name, expressions }) => {
      const loaded = loadedOf(expressions);
      const letters = expressions.map((_, i) => {
        if (loaded.refused.has(i)) return "!";
        const [condition, output] = [answersOf(loaded, `a${i}`), answersOf(loaded, `o${i}`)];
        holds += condition.found.filter((one) => one === true).length;
        fails += condition.found.filter((one) => one === false).length;
        const put = output.found.filter((one) => one !== undefined).length;
        values += put;
        return letterOf(condition.hasFunction, put > 0);
      });
      return [name, letters.join("")] as const;
    });
    const counts = `${holds} times yes, ${fails} times no, ${values} values`;
    expect([...found, counts]).toEqual([
      ...found.map(([name, now]) => [name, recording.of(name, now)]),
      recording.of(operator, counts),
    ]);
  });
});
