/**
 * Each generated form of expression: for any values, it agrees with the closures or gives no answer. The generated code
 * of one condition runs alone, so that its answers can be counted.
 */

import { isIPv4 } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Expr } from "../../src/cel/ast.js";
import { compile, Slots } from "../../src/cel/compile.js";
import { type CelValue, type JsonMap, Timestamp } from "../../src/cel/values.js";
import { Activation, NO_TYPES } from "../../src/engine/evaluate/activation.js";
import { MAX_COUNTED } from "../../src/engine/frame/budget.js";
import { principalFrame, resourceFrame } from "../../src/engine/frame/frame.js";
import { type Js, joined, js } from "../../src/engine/frame/js.js";
import { ReaderWriter } from "../../src/engine/frame/reader.js";
import { FunctionDraft } from "../../src/engine/generate/draft.js";
import { condition } from "../../src/engine/generate/expressions.js";
import { compileText, generateReader } from "../../src/engine/generate/generate.js";
import { HELPERS } from "../../src/engine/generate/helpers.js";
import { IndexPlaces } from "../../src/engine/generate/reads.js";
import { usesOf } from "../../src/engine/generate/uses.js";
import { compilePolicies, type DecisionRequest, decide, type PolicySet } from "../../src/index.js";
import { MAX_VALUES, STEP_BUDGET } from "../../src/limits.js";
import "../support/seed.js";
import { FUNCTIONS } from "../../src/cel/functions/registry.js";
import { sized } from "../support/size.js";
import { many, VALUES } from "../support/values.js";

const VARIABLES = {
  flag: `R.attr.a != R.attr.b`,
  late: `timestamp(R.attr.a) > timestamp("2024-01-01T00:00:00Z")`,
  some: `R.attr.a.exists(x, x == "x")`,
  start: `timestamp(R.attr.a)`,
  pair: `["x", "y"]`,
};
const CONSTANTS = { word: "x", number: 1, words: ["x", "y"], numbers: [1, 2], start: "2024-01-01T00:00:00Z" };

type Attr = NonNullable<DecisionRequest["resource"]["attr"]>;

/** Receives the number of counted steps. */
interface Counting {
  counted: number;
}

/** A part of a request, with any fields. */
interface Part {
  readonly id?: string;
  readonly kind?: string;
  readonly roles?: readonly string[];
  readonly attr: object;
}

interface Form {
  readonly closures: PolicySet;
  readonly tree: Expr;
  /**
   * Returns the condition's value as 1 or 0, or -1 if closures must decide. Undefined: the condition has no generated
   * form.
   */
  readonly run: ((principal: Part, resource: Part & Counting, now?: Timestamp) => unknown) | undefined;
}

/** `expr` as the only condition, repeated `times` times in the generated code. */
function formOf(expr: string, times = 1): Form {
  const policy = (version: string, rule: object, more: object = {}) => ({
    path: `${version}.json`,
    text: JSON.stringify({
      apiVersion: "api.cerbos.dev/v1",
      resourcePolicy: {
        resource: "doc",
        version,
        rules: [{ actions: ["act"], effect: "EFFECT_ALLOW", ...rule }],
        ...more,
      },
    }),
  });
  const definitions = { variables: { local: VARIABLES }, constants: { local: CONSTANTS } };
  const loaded = compilePolicies(
    [
      policy("default", { roles: ["user"], condition: { match: { expr } } }, definitions),
      policy("platform", { roles: ["account"] }),
    ],
    { codegen: false },
  );
  if (loaded._tag === "Left") throw new Error(`${expr}: ${JSON.stringify(loaded.left[0])}`);
  const closures = loaded.right;
  const source = closures.model.resourcePolicies.find(({ version }) => version === "default");
  const match = source?.rules[0]?.condition;
  if (source === undefined || match?.kind !== "expr") throw new Error("no condition");
  const tree = match.expr.expr;
  const uses = new Map([[source.definitions, usesOf([tree], source.definitions)]]);
  const draft = new FunctionDraft(NO_TYPES, uses, new IndexPlaces());
  const rules: Js[] = [];
  for (let i = 0; i < times; i++) {
    draft.enterSpace(source.definitions);
    const code = condition(tree, draft);
    if (code === undefined) return { closures, tree, run: undefined };
    rules.push(js`if (${code}) h = 1;`);
  }
  rules.push(js`d.counted = k;`);
  const { text, outside } = draft.source([js`h`], joined(rules, "\n"), []);
  const counter: Counting = { counted: 0 };
  const judgeText = `${joined(outside, "\n").text}\nreturn ${text.text};`;
  const judge = new Function(...Object.keys(HELPERS), "d", judgeText)(...Object.values(HELPERS), counter);
  const layouts = {
    principal: draft.reads.layout("principal", false),
    resource: draft.reads.layout("resource", false),
  };
  const own = new ReaderWriter(layouts.principal, "principal", []).forPrincipal(layouts.principal);
  const readPrincipal = made(joined([...own.outside, js`return ${own.text};`], "\n"));
  const readResource = made(generateReader([layouts.resource], false, false).text);
  const run: Form["run"] = (principal, resource, now) => {
    const key = principalFrame("key", principal.id ?? "", principal.roles ?? [], attributesOf(principal), "");
    const row = resourceFrame(resource.kind ?? "", resource.id ?? "", attributesOf(resource), "");
    readResource(row, row.attr);
    readPrincipal(key, key.attr);
    const found: unknown = judge(key, row, row.first, now);
    resource.counted = counter.counted;
    return found;
  };
  return { closures, tree, run };
}

const attributesOf = ({ attr }: Part): JsonMap => attr as JsonMap;

function made(text: Js): (...parts: readonly unknown[]) => unknown {
  const run = compileText(text)?.([]);
  if (typeof run !== "function") throw new Error("no function");
  return (...parts) => Reflect.apply(run, undefined, parts);
}

const NOW = new Date("2024-06-01T12:00:00.500Z");
const CLOCK = new Timestamp(Math.floor(NOW.getTime() / 1000), 500_000_000);

/** Whether the generated code answered; its answer must be right. */
function answers({ closures, run }: Form, attr: object, clock = true): boolean {
  const key = { id: "u1", roles: ["user"], attr: { words: ["x", "z"] } };
  const resource = { kind: "doc", id: "d1", attr: attr as Attr };
  const now = clock ? { now: NOW } : {};
  let said: unknown;
  try {
    said = run?.(key, { ...resource, counted: 0 }, clock ? CLOCK : undefined);
  } catch {
    return false;
  }
  if (typeof said !== "number" || said < 0) return false;
  const { permission } = decide(closures, { key, operation: "act", resource, account: { id: "acc" }, ...now });
  expect({ attr, said, errors: permission.errors }).toEqual({
    attr,
    said: permission.effect === "allow" ? 1 : 0,
    errors: [],
  });
  return true;
}

const FORMS = [
  `R.attr.a == "x"`,
  `R.attr.a != R.attr.b`,
  `R.attr.a == []`,
  `R.attr.a == ["x", "y"]`,
  `R.attr.a in ["x", "y"]`,
  `R.attr.a in C.words || R.attr.b in C.numbers`,
  `R.attr.a in R.attr.b`,
  `"x" in R.attr.a`,
  `("k" + R.attr.a) in R.attr.b`,
  `"k" + R.attr.a == "k" + R.attr.b`,
  `hasIntersection(R.attr.a, ["x", "k" + R.attr.b, "k" + R.attr.b + ".z", "" + R.id])`,
  `hasIntersection(R.attr.a, [R.attr.b, "y"])`,
  `hasIntersection(R.attr.a, ["k" + C.word])`,
  `R.attr.a.hasIntersection(["x", "k" + R.attr.b])`,
  `hasIntersection(R.attr.a, R.attr.b)`,
  `isSubset(R.attr.a, R.attr.b)`,
  `R.attr.a.is_subset(P.attr.words)`,
  `P.attr.words.isSubset(R.attr.b)`,
  `P.attr.words.hasIntersection(R.attr.a)`,
  `R.attr.a == (R.attr.b == "x" ? "x" : "y")`,
  `R.attr.a == (V.flag ? R.attr.b : "")`,
  `R.attr.a.startsWith(R.attr.b == "x" ? "x" : P.attr.word)`,
  `R.attr.a.startsWith(V.flag ? "k" + R.attr.b : C.word)`,
  `R.attr.a.startsWith("x")`,
  `R.attr.a.startsWith(R.attr.b)`,
  `R.attr.a.endsWith("x") || R.attr.b.endsWith(C.word)`,
  `"kx".startsWith(R.attr.a)`,
  `("k" + R.attr.a).endsWith(R.attr.b)`,
  `R.attr.a.contains("x")`,
  `R.attr.a.contains(R.attr.b)`,
  `size(R.attr.a) > 1 || R.attr.b.size() == 0`,
  `R.attr.a.exists(x, x == "x")`,
  `R.attr.a.exists(P, P == "x")`,
  `R.attr.a.exists(google, google == "x")`,
  `R.attr.a.all(x, x == "x")`,
  `R.attr.a.exists(x, x == R.attr.b)`,
  `R.attr.a.exists(x, x.k == "x")`,
  `R.attr.a.all(x, x.k == R.attr.b || x.k == "x")`,
  `R.attr.a.exists(x, x.k.k == "x")`,
  `R.attr.a.exists(x, has(x.k) && x.k == "x")`,
  `R.attr.a.exists(x, has(R.attr.b.k) && x == "x")`,
  `R.attr.a.exists(x, x)`,
  `R.attr.a.all(x, !x)`,
  `R.attr.a.exists(x, x in R.attr.b)`,
  `R.attr.a.exists(x, x.startsWith("k") && size(x) > 1)`,
  `R.attr.a.exists(x, R.attr.b.all(y, y != x))`,
  `R.attr.a.exists(x, x.exists(y, y == "y"))`,
  `R.attr.a.all(x, x.k.exists(y, y == "x" && R.id == "d1" && "u1" == P.id))`,
  `R.attr.a.exists(x, x.exists(y, y == "x") || V.flag)`,
  `R.attr.a.exists(x, V.some && hasIntersection(R.attr.b, ["k" + x]))`,
  `P.attr.words.exists(x, x == R.attr.a)`,
  `C.words.exists(x, x == R.attr.a)`,
  `["x", "y"].all(x, x in R.attr.a)`,
  `V.some || V.flag`,
  `R.attr.a in V.pair && !(R.attr.b in V.pair)`,
  `V.some && V.some`,
  `V.late || V.late`,
  `timestamp(R.attr.a) < timestamp("2024-06-01T12:00:00.5Z")`,
  `timestamp(R.attr["a"]) < timestamp("2024-06-01T12:00:00.5Z")`,
  `timestamp(R.attr.a) == timestamp(R.attr.b)`,
  `timestamp(R.attr.a) >= timestamp(C.start)`,
  `timestamp(R.attr.a) - timestamp(R.attr.b) < duration("24h")`,
  `timestamp(R.attr.a) + duration("720h0.000000001s") > timestamp(R.attr.b)`,
  `timestamp(R.attr.a) - duration("-1.5s") != timestamp(R.attr.b)`,
  `duration("1h") + timestamp(R.attr.a) <= timestamp(R.attr.b) + (duration("30m") + duration("1800s"))`,
  `timestamp(R.attr.a) - timestamp(R.attr.b) == duration("24h") - duration("24h")`,
  `R.attr.a.exists(t, timestamp(t) < timestamp("2024-06-01T12:00:00.5Z"))`,
  `R.attr.a.all(x, timestamp(R.attr.b) > timestamp("2020-01-01T00:00:00Z"))`,
];

const CLOCK_FORMS = [
  `now() < timestamp(R.attr.a)`,
  `now() - timestamp(R.attr.a) <= duration("3624h")`,
  `timeSince(timestamp(R.attr.a)) > duration("0s")`,
  `timestamp(R.attr.a).timeSince() < duration("-1ns")`,
  `now() == timestamp(R.attr.a) || now() > timestamp(R.attr.b)`,
  `["2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"].exists(t, timestamp(t) > now())`,
  `R.attr.a.exists(x, x == "x" && now() > timestamp("2024-01-01T00:00:00Z"))`,
];

describe("each form says what the closures say, or nothing", () => {
  test.each(FORMS)("%s", (expr) => {
    const form = formOf(expr);
    let answered = 0;
    for (const a of VALUES) for (const b of VALUES) if (answers(form, { a, b })) answered++;
    for (const attr of [{}, { a: "x" }, { a: ["x"] }, { b: ["x"] }]) if (answers(form, attr)) answered++;
    expect(answered).toBeGreaterThan(0);
  });

  test.each(CLOCK_FORMS)("%s, with a clock and without", (expr) => {
    const form = formOf(expr);
    let answered = 0;
    for (const a of VALUES) {
      for (const b of ["2024-01-01T00:00:00Z", "x"]) {
        if (answers(form, { a, b })) answered++;
        answers(form, { a, b }, false);
      }
    }
    expect(answered).toBeGreaterThan(0);
  });

  const NO_FORM = [
    `duration("9223372036s") > timestamp(R.attr.a) - timestamp(R.attr.b)`,
    `C.numbers.exists(x, x == R.attr.a)`,
    `R.attr.a.exists(i, x, x == "x")`,
    `timestamp(R.attr.a) == R.attr.b`,
    `timestamp(R.attr.a).getHours() == timestamp(R.attr.b).getHours()`,
    `timestamp(string(R.attr.a)) < now()`,
    `-int(R.attr.a) < 0`,
    `(R.attr.a == true ? R.attr.b : R.attr.c) == "x"`,
    `has(R.attr.constructor)`,
    `["1", "2", "3", "4", "5", "6", "7", "8", "9"].exists(x, x == R.attr.a)`,
    `hasIntersection(R.attr.a, ["${"l".repeat(512)}" + R.attr.b])`,
    `hasIntersection(R.attr.a, ["l" + R.attr.b + "${"l".repeat(512)}"])`,
    // Other readers may see constants as another type.
    `C.word.k == R.attr.a`,
    `C.words.exists(x, has(x.k))`,
    `C.words.exists(x, x.k == R.attr.a)`,
    `string(R.attr.a).inIPAddrRange("10.0.0.0/8")`,
    `V.start * V.start == duration("0s")`,
    `hasIntersection(R.attr.a, [C.number])`,
    `R.attr.a.startsWith(C.number)`,
    `timestamp(C.number) < now()`,
    `timestamp(C.word) < now()`,
    `duration(C.number) < duration("1h")`,
    `duration(C.word) < duration("1h")`,
  ];

  test.each(NO_FORM)("%s is left to the closures", (expr) => {
    expect(formOf(expr).run).toBeUndefined();
  });

  const NETWORKS = ["10.1.0.0/16", "10.1.2.77/28", "0.0.0.0/0", "255.255.255.255/32", "::ffff:10.1.0.0/112"];
  const ADDRESSES = [
    ...["10.1.2.3", "10.1.2.77", "10.1.255.255", "10.2.0.0", "0.0.0.0", "255.255.255.255", "127.255.255.255"],
    ...["::ffff:10.1.2.3", "::1", "010.1.2.3", "10.1.2.03", "10.1.2.256", "10.1.2", "10.1.2.3.4", "10..2.3", ".1.2.3"],
    ...["10.1.2.", "10.1.2.3 ", "10.1.2.+3", "10.1.2.3/16", "1e1.1.2.3", "", "x"],
  ];

  test.each(NETWORKS)("an address in %s", (network) => {
    const form = formOf(`R.attr.a.inIPAddrRange("${network}")`);
    const answered = [...ADDRESSES, ...VALUES].filter((a) => answers(form, { a }));
    expect(answered).toEqual(ADDRESSES.filter((address) => isIPv4(address)));
  });

  test.each(["::/0", "10.1.0.0/33", "10.1.0.0", "x/8"])("an address in %s is left to the closures", (network) => {
    expect(formOf(`R.attr.a.inIPAddrRange("${network}")`).run).toBeUndefined();
  });

  test("instants at random, to the nanosecond", () => {
    const forms = [
      `timestamp(R.attr.a) + duration("-1.000000001s") < timestamp(R.attr.b)`,
      `timestamp(R.attr.a) - timestamp(R.attr.b) <= duration("1.000000001s")`,
      `timestamp(R.attr.a) - (timestamp(R.attr.a) - timestamp(R.attr.b)) == timestamp(R.attr.b)`,
      `(timestamp(R.attr.a) - timestamp(R.attr.b)) + (timestamp(R.attr.b) - timestamp(R.attr.a)) == duration("0s")`,
    ].map((expr) => formOf(expr));
    const digits = fc.constantFrom("", ".000000001", ".999999999", ".5", ".25");
    const near = fc.integer({ min: -3, max: 3 }).map((s) => new Date(s * 1000).toISOString().slice(0, 19));
    const far = fc.constantFrom(
      "0001-01-01T00:00:00",
      "9999-12-31T23:59:59",
      "1700-02-28T23:59:59",
      "2260-01-01T00:00:00",
    );
    const text = fc.tuple(fc.oneof(near, near, far), digits).map(([date, fraction]) => `${date}${fraction}Z`);
    let answered = 0;
    fc.assert(
      fc.property(text, text, (a, b) => {
        for (const form of forms) if (answers(form, { a, b })) answered++;
      }),
      { numRuns: sized(1_000) },
    );
    expect(answered).toBeGreaterThan(sized(2_000));
  });
});

describe("elements of lists are data", () => {
  const hostile = [
    '"]; globalThis.injected = true; //',
    "\u2028globalThis.injected = true\u2029",
    "*/ injected /*",
    "0",
    "",
  ];

  test.each(hostile)("with the name and the text %j", (name) => {
    const quoted = JSON.stringify(name);
    const form = formOf(`R.attr.a.exists(x, x[${quoted}] == ${quoted} && ${quoted}.startsWith(x[${quoted}]))`);
    for (const value of [name, `${name}!`]) expect(answers(form, { a: [{ [name]: value }] })).toBe(true);
    expect("injected" in globalThis).toBe(false);
  });

  test("names that every object inherits are left to the closures", () => {
    for (const name of ["__proto__", "constructor"]) {
      expect(formOf(`R.attr.a.exists(x, x["${name}"] == "x")`).run).toBeUndefined();
    }
  });

  test("a polluted Object.prototype gives them nothing", () => {
    const form = formOf(`R.attr.a.exists(x, x.k == "x")`);
    expect(answers(form, { a: [{ k: "x" }] })).toBe(true);
    const [key, resource] = [{ attr: {} }, { attr: { a: [{}, { k: "x" }] }, counted: 0 }];
    for (const descriptor of [{ value: "x" }, { get: () => "x", enumerable: true }]) {
      Object.defineProperty(Object.prototype, "k", { ...descriptor, configurable: true });
      const said = form.run?.(key, resource);
      Reflect.deleteProperty(Object.prototype, "k");
      expect(said).toBe(-1);
    }
  });

  test("getters and proxies", () => {
    const form = formOf(`R.attr.a.exists(x, x.k == "x" || x.k == "y")`);
    const thrower = Object.defineProperty({}, "k", {
      get: () => {
        throw new Error("hostile");
      },
    });
    expect(answers(form, { a: [thrower] })).toBe(false);
    let reads = 0;
    const counting = Object.defineProperty({}, "k", { get: () => (reads++ === 0 ? "z" : "x"), enumerable: true });
    // Read once, so that the value cannot change in between.
    expect(form.run?.({ attr: {} }, { ...{ attr: { a: [counting] } }, counted: 0 })).toBe(0);
    expect(reads).toBe(1);
    const liar = new Proxy({}, { get: () => "x" });
    expect(answers(form, { a: [liar] })).toBe(false);
  });
});

const NO_SLOTS = new Slots();

describe("what generated code answers, closures can afford", { tags: "long" }, () => {
  const never = many(50_000, (i) => `p${i}`);
  const sizes = [63, 64, 65, 1_000, 12_000, 20_000, 50_000, 200_000, 400_000, 800_000];
  const BUDGETED = [
    `"x" in R.attr.a || "y" in R.attr.a || "z" in R.attr.a`,
    `hasIntersection(R.attr.a, ["x", "k" + R.id])`,
    `R.attr.a.hasIntersection(["x", "k" + R.id])`,
    `hasIntersection(R.attr.a, [R.id])`,
    `hasIntersection(R.attr.a, P.attr.words)`,
    `isSubset(R.attr.a, P.attr.words)`,
    `R.attr.a.exists(x, x == "x")`,
    `R.attr.a.exists(x, x == "x" || x == "y" || x == "z" || x.startsWith("q") || x.endsWith("q") || x == R.id)`,
    `R.attr.a.exists(x, "k" + x + "a" + x == "x")`,
  ];

  test.each(BUDGETED)("%s, over lists of any length", (expr) => {
    const form = formOf(expr);
    const answered = sizes.map((size) => answers(form, { a: many(size, (i) => `p${i}`) }));
    expect(answered.slice(0, 4)).toEqual([true, true, true, true]);
    expect(answered.at(-1)).toBe(false);
  });

  /** The most steps of the closures that the generated code does not count, for any request and any form here. */
  const FIXED = 100;

  test.each([...BUDGETED, ...FORMS.filter((expr) => !expr.includes("V."))])("%s counts what they spend", (expr) => {
    const { tree, run } = formOf(expr);
    const code = compile(tree, {
      functions: FUNCTIONS,
      variables: new Map(),
      constants: new Map(Object.entries(CONSTANTS)),
      slots: NO_SLOTS,
    });
    const activation = new Activation();
    const principal = { id: "u1", roles: ["user"], attr: { words: ["x"] }, scope: "" };
    const lists: CelValue[] = [1, 63, 64, 65, 500, 3_000].flatMap((size): CelValue[] => [
      many(size, (i) => `p${i}`),
      many(size, () => ({ k: "x" })),
      many(size, (i) => [`p${i}`]),
    ]);
    const texts = [10, 63, 64, 300, 511, 512, 600, 100_000].map((size) => "l".repeat(size));
    for (const a of [...lists, ...texts]) {
      for (const b of ["y", ...texts, ...lists.slice(0, 12)]) {
        const resource = { kind: "doc", id: "d1", attr: { a, b }, scope: "", counted: 0 };
        const said = run?.(principal, resource);
        if (typeof said !== "number" || said < 0) continue;
        activation.begin(principal, resource, undefined, {});
        code(activation);
        expect(STEP_BUDGET - activation.steps).toBeLessThanOrEqual(resource.counted + FIXED);
      }
    }
  });

  test("loops within loops", () => {
    const form = formOf(`R.attr.a.exists(x, R.attr.b.exists(y, y == x))`);
    const answered = [1, 10, 100, 1_000, 10_000].map((size) =>
      answers(form, { a: never.slice(0, size), b: many(size, (i) => `q${i}`) }),
    );
    expect(answered).toEqual([true, true, true, false, false]);
    const search = formOf(`R.attr.a.exists(x, x in R.attr.b)`);
    const found = [10, 100, 300, 5_000].map((size) =>
      answers(search, { a: never.slice(0, size), b: many(size, () => "q") }),
    );
    expect(found).toEqual([true, true, true, false]);
  });

  test("lists in which nothing is looked for", () => {
    const found = (expr: string, sizes: readonly number[]) => {
      const { run } = formOf(expr);
      const part = { attr: {} };
      return sizes.map((size) => run?.(part, { ...{ attr: { a: Array(size).fill("p") } }, counted: 0 }));
    };
    expect(found(`R.attr.a.hasIntersection([])`, [MAX_COUNTED, MAX_COUNTED + 1])).toEqual([0, -1]);
    // Nothing but the length of a list that is data ends this one.
    expect(found(`hasIntersection(R.attr.a, [])`, [MAX_VALUES, MAX_VALUES + 1])).toEqual([0, -1]);
  });

  test("long texts", () => {
    const sizes = [511, 512, 100_000, 30_000_000];
    const equal = formOf(`R.attr.a == R.attr.b`);
    const part = formOf(`R.attr.a.contains("no")`);
    const starts = formOf(`R.attr.a.startsWith("no")`);
    const text = (size: number) => ({ a: "l".repeat(size), b: "l".repeat(size) });
    expect(sizes.map((size) => answers(equal, text(size)))).toEqual([true, true, true, false]);
    expect(sizes.map((size) => answers(part, text(size)))).toEqual([true, true, true, false]);
    expect(sizes.map((size) => answers(starts, text(size)))).toEqual([true, true, true, true]);
  });

  test("a thousand rules", () => {
    const expr = `P.id == "u1" && R.attr.a in R.attr.b && hasIntersection(R.attr.b, ["x", "k" + R.attr.a])`;
    const form = formOf(expr, 1_000);
    expect(
      [
        { a: "x", b: ["x"] },
        { a: "x", b: [] },
      ].map((attr) => answers(form, attr)),
    ).toEqual([true, true]);
    // Each pays for its own search.
    const b = many(1_000, (i) => `p${i}`);
    expect(answers(formOf(expr, 100), { a: "x", b })).toBe(true);
    expect(answers(form, { a: "x", b })).toBe(false);
  });

  test("what costs too much in any request has no form", () => {
    const expr = `"a" + R.attr.a + R.attr.a + R.attr.a + R.attr.a + R.attr.a + R.attr.a + R.attr.a == "x"`;
    expect(formOf(expr, 250).run).toBeDefined();
    expect(formOf(expr, 500).run).toBeUndefined();
  });

  test("a search that is declined does not look at the list, which was copied", () => {
    let read = 0;
    const list = many(MAX_VALUES, () => "l".repeat(20));
    const a = new Proxy(list, {
      get(target, name) {
        if (name !== "length") read++;
        return Reflect.get(target, name);
      },
    });
    const form = formOf(many(100, (i) => `hasIntersection(R.attr.a, ["${i}", "k" + R.attr.b])`).join(" || "));
    expect(answers(form, { a, b: "x" })).toBe(false);
    expect(read).toBe(MAX_VALUES);
    // A short list is searched.
    list.length = 10;
    expect(form.run?.({ attr: {} }, { ...{ attr: { a, b: "x" }, id: "d" }, counted: 0 })).toBe(0);
    expect(read).toBe(MAX_VALUES + 10);
  });
});
