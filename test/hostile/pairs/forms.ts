/**
 * Hostile policies and requests, each of a form that once used too much work. Sizes and surroundings are random. The
 * forms cover underpaid work, endless work, faults, truncated files and values that are not data.
 */

import { readdirSync, readFileSync } from "node:fs";
import type { CompileOptions, PolicyFile } from "../../../src/index.js";
import type { Random } from "../../differential/random.js";

/** One policy set and one request. The request may be any value; `text` is a request as the command line reads it. */
export interface Pair {
  readonly files: readonly PolicyFile[];
  readonly options?: CompileOptions;
  readonly request: unknown;
  readonly text?: string;
  /** Whether to decide often enough first that functions are generated for the plan. */
  readonly isWarm?: boolean;
  /** Matches an error, fault or issue that proves that the hostile form was reached. */
  readonly meets: RegExp;
}

type Names = { readonly [name: string]: string };
type Attributes = { readonly [name: string]: unknown };

const EXHAUSTED = /step budget exhausted/;
const numbers = (length: number) => Array.from({ length }, (_, i) => i);
const texts = (length: number) => Array.from({ length }, (_, i) => `text ${i}`);
const members = (length: number) => Object.fromEntries(numbers(length).map((i) => [`member ${i}`, i]));

function file(path: string, policy: object): PolicyFile {
  return { path, text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy: policy }) };
}

const SUPPORTED = { actions: ["read"], roles: ["account"], effect: "EFFECT_ALLOW" };
const PLATFORM = file("platform.yaml", { resource: "doc", version: "platform", rules: [SUPPORTED] });

function rule(expr: string, more: object = {}): object {
  return { actions: ["read"], roles: ["user"], effect: "EFFECT_ALLOW", condition: { match: { expr } }, ...more };
}

function policies(rules: readonly object[], variables: Names = {}, more: object = {}): readonly PolicyFile[] {
  return [
    file("doc.yaml", { resource: "doc", version: "default", rules, variables: { local: variables }, ...more }),
    PLATFORM,
  ];
}

function request(attr: unknown, key: object = {}): object {
  return {
    key: { id: "k", roles: ["user"], attr: {}, ...key },
    operation: "read",
    resource: { kind: "doc", id: "d", attr },
    account: { id: "a", attr: {} },
  };
}

/** Wraps an expression in surroundings that absorb its error, repeat it, or turn it into a denial. */
function asked(random: Random, expr: string, attr: Attributes, variables: Names = {}): Pair {
  const inside = random.pick([
    expr,
    `!(${expr})`,
    `(${expr}) || true`,
    `!(${expr}) && true`,
    `(${expr}) ? true : false`,
    `[1, 2, 3].exists(n, ${expr})`,
    `R.attr.again.all(n, !(${expr}) || true)`,
  ]);
  const isVariable = random.chance(0.3);
  const all = isVariable ? { ...variables, whole: inside } : variables;
  const read = isVariable ? random.pick(["V.whole", "V.whole || V.whole", "!V.whole || V.whole"]) : inside;
  const first = random.chance(0.3) ? rule(read, { effect: "EFFECT_DENY" }) : rule(read);
  const rules = random.chance(0.5) ? [first, rule("true")] : [first, rule(read, { name: "again" })];
  return {
    files: policies(rules, all),
    options: { codegen: random.chance(0.7), typedReads: random.chance(0.5) },
    request: request({ again: [1, 2, 3], ...attr }),
    isWarm: random.chance(0.5),
    meets: EXHAUSTED,
  };
}

/** From 10 to `most`; small sizes are as likely as large ones. */
function size(random: Random, most: number): number {
  return Math.round(10 * (most / 10) ** Math.sqrt(random.next()));
}

const nestedCalls = (depth: number): string =>
  depth === 0
    ? '["a"]'
    : `[string(hasIntersection(R.attr.a, ["a" + string(hasIntersection(R.attr.a, ${nestedCalls(depth - 1)}))]))]`;

function schemaPair(schema: object, attr: Attributes): Pair {
  const ref = { schemas: { resourceSchema: { ref: "cerbos:///doc.json" } } };
  return {
    files: [...policies([rule("true")], {}, ref), { path: "_schemas/doc.json", text: JSON.stringify(schema) }],
    options: { schemaEnforcement: "reject", typedReads: false },
    request: request(attr),
    meets: /invalid_attributes|too (many|much)|steps/,
  };
}

/** `$defs` of the given depth, where each definition refers to the next one twice. */
function doubled(depth: number, keyword: "allOf" | "anyOf" | "oneOf", last: object): object {
  const next = (i: number) => ({ $ref: `#/$defs/d${i + 1}` });
  const levels = numbers(depth).map((i) => [`d${i}`, { [keyword]: [next(i), next(i)] }]);
  return { $ref: "#/$defs/d0", $defs: { ...Object.fromEntries(levels), [`d${depth}`]: last } };
}

const SHIPPED = `${process.cwd()}/policies/`;
const shipped: readonly PolicyFile[] = readdirSync(SHIPPED, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.(yaml|json)$/.test(path) && !path.includes("testdata"))
  .map((path) => ({ path, text: readFileSync(SHIPPED + path, "utf8") }));

/** A property that changes on each read, throws, or is not data. */
function strange(random: Random, value: unknown): PropertyDescriptor {
  let reads = 0;
  const later = random.int(1, 3);
  const other = random.pick([undefined, null, 1n, "admin", ["admin"], Symbol("x"), new Map([["a", 1]]), new Date(0)]);
  const refuse = () => {
    throw new Error("hostile");
  };
  const get = random.pick<() => unknown>([
    refuse,
    () => (reads++ < later ? value : other),
    () => (reads++ < later ? value : refuse()),
    () => new Proxy(Object(value), { get: refuse }),
  ]);
  return { get, enumerable: true, configurable: true };
}

export const FORMS = {
  "distinct elements of a long list": (random) =>
    asked(random, `R.attr.a.distinct().size() ${random.pick([">", "<", "=="])} 3`, {
      a: numbers(random.chance(0.3) ? random.int(46_335, 46_350) : size(random, 100_000)),
    }),
  "two long lists of several types": (random) => {
    const fn = random.pick(["hasIntersection", "intersect", "except", "isSubset"]);
    const call = `${fn}(R.attr.a, R.attr.b)`;
    const length = random.chance(0.3) ? 65_536 : size(random, 70_000);
    const odd = random.chance(0.7) ? [random.chance(0.5)] : [];
    return asked(random, fn === "hasIntersection" || fn === "isSubset" ? call : `${call} != []`, {
      a: [...numbers(length), ...odd],
      b: [...texts(size(random, length)), ...odd],
    });
  },
  "loops in loops": (random) => {
    const macro = () => random.pick(["exists", "all", "exists_one"]);
    const [x, y, z] = [macro(), macro(), macro()];
    const inner = random.pick(["x == y + z", "x != y", "x == y + y || z == x", "false"]);
    return asked(random, `R.attr.a.${x}(x, R.attr.a.${y}(y, R.attr.a.${z}(z, ${inner})))`, {
      a: texts(size(random, 2_000)),
    });
  },
  "maps that are compared": (random) =>
    asked(
      random,
      random.pick(["R.attr.rows.all(row, row != R.attr.big)", "R.attr.rows.exists(row, R.attr.big == row)"]),
      {
        rows: numbers(size(random, 20_000)).map(() => ({ a: 1 })),
        big: members(size(random, 10_000)),
      },
    ),
  "sizes of maps": (random) =>
    asked(
      random,
      random
        .pick(["size(R.attr.big) != row", "row != R.attr.big.size()"])
        .replace(/.*/, (one) => `R.attr.rows.all(row, ${one})`),
      {
        rows: numbers(size(random, 50_000)),
        big: members(size(random, 10_000)),
      },
    ),
  "beginnings of long texts": (random) =>
    asked(
      random,
      `R.attr.rows.all(row, R.attr.text.${random.pick(["startsWith", "endsWith", "contains"])}(R.attr.text))`,
      {
        rows: numbers(size(random, 50_000)),
        text: "x".repeat(size(random, 1_000_000)),
      },
    ),
  "addresses in a loop": (random) =>
    asked(random, `R.attr.rows.all(row, row.inIPAddrRange("${random.pick(["10.0.0.0/8", "10.1.2.0/24"])}"))`, {
      rows: numbers(size(random, 300_000)).map(() => "10.1.2.3"),
    }),
  "long lists that are mapped": (random) =>
    asked(
      random,
      random.pick([
        "R.attr.rows.transformMap(i, v, v).size() != 3",
        "R.attr.rows.transformList(i, v, [v, v]).size() != 3",
        "R.attr.rows.map(v, R.attr.rows).size() != 3",
        "R.attr.rows.transformMapEntry(i, v, {v: i}).size() != 3",
      ]),
      { rows: numbers(size(random, 400_000)) },
    ),
  "variables that err": (random) => {
    const depth = random.int(20, 80);
    const first = random.chance(0.5) ? "R.attr.missing" : "R.attr.rows.all(x, R.attr.rows.all(y, x != y + y))";
    const join = random.pick(["||", "&&", "=="]);
    const chain = numbers(depth).map((i) => [`v${i + 1}`, `V.v${i} ${join} V.v${i}`]);
    const made = asked(random, `V.v${depth}`, { rows: texts(5_000) }, { v0: first, ...Object.fromEntries(chain) });
    return { ...made, isWarm: false, meets: /step budget exhausted|no such key/ };
  },
  "outputs that double": (random) => {
    const depth = random.int(20, 60);
    const [open, close] = random.pick([
      ["[", "]"],
      ['{"a": ', "}"],
    ]);
    const pair = (i: number) => (open === "[" ? `[V.o${i}, V.o${i}]` : `${open}V.o${i}, "b": V.o${i}${close}`);
    const variables = { o0: '["x"]', ...Object.fromEntries(numbers(depth).map((i) => [`o${i + 1}`, pair(i)])) };
    const output = { when: { [random.pick(["ruleActivated", "conditionNotMet"])]: `V.o${depth}` } };
    const holds = "ruleActivated" in output.when ? "true" : 'R.id == "other"';
    return { files: policies([rule(holds, { output })], variables), request: request({}), meets: EXHAUSTED };
  },
  "calls within calls": (random) => {
    const made = asked(random, `hasIntersection(R.attr.a, ${nestedCalls(random.int(10, 40))})`, { a: ["a"] });
    return { ...made, meets: /^/ };
  },
  "schemas that ask twice": (random) =>
    schemaPair(
      doubled(random.int(10, 40), random.pick(["allOf", "anyOf", "oneOf"]), random.pick([{}, { type: "string" }])),
      {
        a: texts(size(random, 1_000)),
      },
    ),
  "schemas that ask themselves": (random) => {
    const self = { $ref: "#" };
    const depth = random.int(5, 200);
    const nested = numbers(depth).reduce<unknown>((inner) => ({ a: inner, b: [inner] }).a, { a: 1 });
    const deep = numbers(depth).reduce<unknown>((inner) => ({ a: inner }), nested);
    return schemaPair(
      { properties: { a: { anyOf: [self, { allOf: [self, self] }] } }, type: random.pick(["object", "array"]) },
      { a: deep },
    );
  },
  "many items of many faults": (random) => {
    const faulty = { allOf: numbers(random.int(20, 100)).map((i) => ({ required: [`missing ${i}`] })) };
    return schemaPair(
      { properties: { rows: { items: faulty } } },
      { rows: numbers(size(random, 20_000)).map(() => ({})) },
    );
  },
  "objects that throw or change": (random) => {
    const made = request({ state: "active", a: ["a"] });
    const parts = [made, ...["key", "resource", "account"].map((name) => Reflect.get(made, name))];
    for (const part of random.some(parts, 1, 3)) {
      for (const name of random.some(Object.keys(part), 1, 2))
        Object.defineProperty(part, name, strange(random, part[name]));
    }
    return {
      files: policies([rule('R.attr.state == "active" && "a" in R.attr.a')]),
      request: made,
      meets: /invalid|cannot be read|JSON|not_granted/,
    };
  },
  "half a policy file": (random) => {
    const cut = random.pick(shipped);
    const text = cut.text.slice(0, random.int(0, cut.text.length - 1));
    const files = shipped.map((one) => (one === cut ? { path: cut.path, text } : one));
    const key = {
      roles: ["admin"],
      attr: { accountId: "a", workspaceIds: ["*"], environment: "production", permissions: [] },
    };
    const api = { accountId: "a", workspaceId: "w", environment: "production", system: true, deleteProtection: false };
    const asked = { ...request({}, key), operation: "apis.deleteApi", resource: { kind: "api", id: "d", attr: api } };
    return { files, request: asked, meets: /^/ };
  },
  "what is no data": (random) => {
    const value = random.pick<unknown>([
      new Map([["a", 1]]),
      new Date(0),
      () => 1,
      Symbol("x"),
      1n,
      new Set(["a"]),
      new Uint8Array(3),
    ]);
    const isWhole = random.chance(0.3) && typeof value === "object";
    const made = asked(
      random,
      random.pick(["R.attr.x == R.attr.x", "size(R.attr.x) > 0", "R.attr.x.a == 1", "R.attr.x != 1"]),
      { x: value },
    );
    return {
      ...made,
      request: isWhole ? request(value) : made.request,
      meets: /not JSON data|must be an object|no such key/,
    };
  },
  "long texts of JSON": (random) => {
    const length = size(random, 2_000_000);
    const inner = random.pick([
      `"${"x".repeat(length)}"`,
      `"${"\\u0061".repeat(length / 6)}"`,
      `[${"[".repeat(500)}${"]".repeat(500)}]`,
      `[${"1,".repeat(length / 2)}1]`,
    ]);
    const text = JSON.stringify(request({ x: "HERE", a: 1 })).replace(
      '"HERE"',
      random.chance(0.3) ? `1,"x":${inner}` : inner,
    );
    return { files: policies([rule("R.attr.a == 1")]), request: request({}), text, meets: /^/ };
  },
  "names that a terminal obeys": (random) => {
    const bad = random.pick([
      "\n::error::x",
      "\u001b[2J",
      "\r##[command]x",
      "\u0007\u009b31m",
      "\u202e",
      "##vso[task]",
    ]);
    const field = random.pick(["rules", "variables", "nonsense", "schemas"]);
    const files = policies(
      [rule(random.pick(["true", `R.attr.x == "${JSON.stringify(bad).slice(1, -1)}`]))],
      {},
      { [`${field}${bad}`]: bad },
    );
    return { files, request: request({}), meets: /./ };
  },
} as const satisfies { readonly [name: string]: (random: Random) => Pair };

export type Form = keyof typeof FORMS;
