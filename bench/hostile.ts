/**
 * The CPU time of single decisions on requests that ask for as much work as the limits allow, with policies of up to
 * 10,000 rules. The first decision finds the plan, and the twentieth of a plan writes its functions.
 */

import fc from "fast-check";
import {
  compilePolicies,
  type Decision,
  type DecisionRequest,
  decide,
  type JsonValue,
  type PolicyFile,
  type PolicySet,
} from "../src/index.js";
import { type HostileSet, hostileSet } from "../test/property/arbitraries/hostile-names.js";

/** Decisions of each case: the first, and those after it. The twentieth writes functions. */
const DECISIONS = 25;

/** More CPU than this is too much for one decision. Milliseconds. */
const MOST = 10;

type Attributes = DecisionRequest["resource"]["attr"];

interface Case {
  readonly name: string;
  readonly rules: readonly object[];
  readonly variables?: { readonly [name: string]: string };
  readonly schema?: object;
  /** Another request each time: caches are of no use. */
  readonly request: (i: number) => DecisionRequest;
}

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

interface Asked {
  readonly roles?: readonly string[];
  readonly operation?: string;
  readonly key?: Attributes;
  readonly resource?: Attributes;
  readonly id?: string;
}

function asked(i: number, { roles = ["user"], operation = "read", key = {}, resource = {}, id = "d" }: Asked) {
  return {
    key: { id: `k${i}`, roles, attr: key },
    operation,
    resource: { kind: "doc", id, attr: resource },
    account: { id: "a", attr: {} },
  };
}

const rule = (more: object = {}, expr?: string) => ({
  actions: ["read"],
  roles: ["user"],
  effect: "EFFECT_ALLOW",
  ...(expr === undefined ? {} : { condition: { match: { expr } } }),
  ...more,
});

const roles = (count: number, from = 0) => times(count, (i) => `r${(i + from) % count}`);
const texts = (count: number, prefix = "t") => times(count, (i) => `${prefix}${i}`);
const members = (count: number) => Object.fromEntries(times(count, (i) => [`m${i}`, i]));
const deep = (depth: number): JsonValue => times(depth, () => 0).reduce<JsonValue>((inside) => ({ a: inside }), 1);
const long = (length: number, i: number) => `${i}`.padEnd(length, "abc");

const CASES: readonly Case[] = [
  {
    name: "100 role patterns, 8 roles of 4,096 characters",
    rules: times(100, (i) => rule({ roles: [`*a*b*c*${i}`] })),
    request: (i) => asked(i, { roles: times(8, (n) => long(4_096, i * 8 + n)) }),
  },
  {
    name: "1,000 action patterns, an operation of 4,096 characters",
    rules: times(1_000, (i) => rule({ actions: [`*a*b*${i}`] })),
    request: (i) => asked(i, { operation: long(4_096, i) }),
  },
  {
    name: "10,000 action patterns, an operation of 19 characters",
    rules: times(10_000, (i) => rule({ actions: [`*a*b*${i}`] })),
    request: (i) => asked(i, { operation: long(19, i) }),
  },
  {
    name: "10,000 action patterns that match, 10 roles",
    rules: times(10_000, (i) => rule({ actions: [`r${"*".repeat((i % 2) + 1)}`], roles: roles(10) })),
    request: (i) => asked(i, { operation: `r${i}`, roles: roles(10) }),
  },
  {
    name: "10,000 rules for 1,000 roles, one each, 1,000 roles",
    rules: times(10_000, (i) => rule({ roles: [`r${i % 1_000}`] }, `R.attr.n == ${i}`)),
    request: (i) => asked(i, { roles: roles(1_000, i), resource: { n: i } }),
  },
  {
    name: "1,000 rules for 1,000 roles, one each, 1,000 roles",
    rules: times(1_000, (i) => rule({ roles: [`r${i}`] }, `R.attr.n == ${i}`)),
    request: (i) => asked(i, { roles: roles(1_000, i), resource: { n: i } }),
  },
  {
    name: "100 rules for all of 1,000 roles",
    rules: times(100, (i) => rule({ roles: roles(1_000) }, `R.attr.n == ${i}`)),
    request: (i) => asked(i, { roles: roles(1_000, i), resource: { n: i } }),
  },
  {
    name: "10,000 rules for one role, each with a condition",
    rules: times(10_000, (i) => rule({}, `R.attr.a${i % 500} == "x${i}" && P.attr.b != "y"`)),
    request: (i) => asked(i, { resource: Object.fromEntries(times(120, (n) => [`a${n}`, `${i}`])), key: { b: "z" } }),
  },
  {
    name: "10,000 rules without a condition, 10 roles",
    rules: times(10_000, () => rule({ roles: roles(10) })),
    request: (i) => asked(i, { roles: roles(10, i) }),
  },
  {
    name: "equality of 4,900 attributes",
    rules: [rule({}, "R.attr == P.attr")],
    request: (i) => asked(i, { key: members(4_900), resource: members(4_900) }),
  },
  {
    name: "equality of 100,000 attributes",
    rules: [rule({}, "R.attr == P.attr")],
    request: (i) => asked(i, { key: members(100_000), resource: members(100_000) }),
  },
  {
    name: "equality of lists of 49,000 numbers",
    rules: [rule({}, "R.attr.a == P.attr.a")],
    request: (i) => asked(i, { key: { a: times(49_000, (n) => n) }, resource: { a: times(49_000, (n) => n) } }),
  },
  {
    name: "equality of deep values",
    rules: [rule({}, "R.attr == P.attr")],
    request: (i) => asked(i, { key: { a: deep(250) }, resource: { a: deep(250) } }),
  },
  {
    name: "a text in a list of 1,000,000",
    rules: [rule({}, '"none" in R.attr.a')],
    request: (i) => asked(i, { resource: { a: TEXTS } }),
  },
  {
    name: "a text in a list of 99,000",
    rules: [rule({}, '"none" in R.attr.a')],
    request: (i) => asked(i, { resource: { a: TEXTS.slice(0, 99_000) } }),
  },
  {
    name: "100 rules, each with a text in a list of 99,000",
    rules: times(100, (n) => rule({}, `"none${n}" in R.attr.a`)),
    request: (i) => asked(i, { resource: { a: TEXTS.slice(0, 99_000) } }),
  },
  {
    name: "100 rules, each with two texts in a list of 99,000",
    rules: times(100, (n) => rule({}, `hasIntersection(R.attr.a, ["none${n}", P.id])`)),
    request: (i) => asked(i, { resource: { a: TEXTS.slice(0, 99_000) } }),
  },
  {
    name: "100 rules, each with the equality of two lists of 49,000",
    rules: times(100, (n) => rule({}, `R.attr.a == P.attr.a && R.attr.n == ${n}`)),
    request: (i) => asked(i, { key: { a: TEXTS.slice(0, 49_000) }, resource: { a: TEXTS.slice(0, 49_000), n: -1 } }),
  },
  {
    name: "20 lists of 90,000",
    rules: times(20, (n) => rule({}, `"none" in R.attr.a${n}`)),
    request: (i) => asked(i, { resource: Object.fromEntries(times(20, (n) => [`a${n}`, TEXTS.slice(n, 90_000)])) }),
  },
  {
    name: "two lists of 49,000 with nothing in common",
    rules: [rule({}, "hasIntersection(R.attr.a, P.attr.a)")],
    request: (i) => asked(i, { key: { a: OTHERS.slice(0, 49_000) }, resource: { a: TEXTS.slice(0, 49_000) } }),
  },
  {
    name: "exists over 60,000 texts",
    rules: [rule({}, "R.attr.a.exists(x, x == P.id)")],
    request: (i) => asked(i, { resource: { a: TEXTS.slice(0, 60_000) } }),
  },
  {
    name: "exists over 10,000 maps, with four tests each",
    rules: [rule({}, 'R.attr.a.exists(x, x.a == "a" && x.b == "b" && x.c == "c" && x.d == P.id)')],
    request: (i) => asked(i, { resource: { a: times(10_000, () => ({ a: "a", b: "b", c: "c", d: "d" })) } }),
  },
  {
    name: "a loop in a loop",
    rules: [rule({}, "R.attr.a.exists(x, R.attr.a.exists(y, x + y == 1.0))")],
    request: (i) => asked(i, { resource: { a: times(300, (n) => n + 2) } }),
  },
  {
    name: "times in a list of 10,000",
    rules: [rule({}, 'R.attr.a.exists(x, timestamp(x) > timestamp("2030-01-01T00:00:00Z"))')],
    request: (i) => asked(i, { resource: { a: times(10_000, () => "2026-01-01T00:00:00Z") } }),
  },
  {
    name: "a regular expression on 100,000 characters",
    rules: [rule({}, 'R.attr.a.matches("(a|b|ab)*c(a|b)*d")')],
    request: (i) => asked(i, { resource: { a: "ab".repeat(50_000) } }),
  },
  {
    name: "contains in 1,000,000 characters",
    rules: [rule({}, "R.attr.a.contains(P.attr.b)")],
    request: (i) => asked(i, { resource: { a: "a".repeat(1_000_000) }, key: { b: `${"a".repeat(2_000)}b` } }),
  },
  {
    name: "an attribute of 100,000 that nothing reads, without a schema",
    rules: [rule({}, "R.attr.m5 == 7")],
    request: (i) => asked(i, { resource: members(100_000) }),
  },
  {
    name: "all of 4,900 attributes as an output",
    rules: [rule({ output: { when: { ruleActivated: "R.attr" } } }, "R.attr.m5 == 5")],
    request: (i) => asked(i, { resource: members(4_900) }),
  },
  {
    name: "schema enforcement, 4,900 attributes that no property names",
    rules: [rule()],
    schema: { type: "object", additionalProperties: { type: "number" } },
    request: (i) => asked(i, { resource: members(4_900) }),
  },
  {
    name: "schema enforcement, 900,000 attributes",
    rules: [rule()],
    schema: { type: "object", additionalProperties: { type: "number" } },
    request: (i) => asked(i, { resource: MANY_MEMBERS }),
  },
  {
    name: "schema enforcement, unique items of a list of 99,000",
    rules: [rule()],
    schema: { type: "object", properties: { a: { type: "array", uniqueItems: true, items: { type: "string" } } } },
    request: (i) => asked(i, { resource: { a: TEXTS.slice(0, 99_000) } }),
  },
];

const TEXTS = texts(1_000_000);
const OTHERS = texts(100_000, "o");
const MANY_MEMBERS = members(900_000);

const BASE = { apiVersion: "api.cerbos.dev/v1" };

function filesOf({ rules, variables = {}, schema }: Case): readonly PolicyFile[] {
  const schemas = schema === undefined ? {} : { schemas: { resourceSchema: { ref: "cerbos:///doc.json" } } };
  const platform = [{ actions: ["*"], roles: ["account"], effect: "EFFECT_ALLOW" }];
  const policies = [
    { resource: "doc", version: "default", rules, variables: { local: variables }, ...schemas },
    { resource: "doc", version: "platform", rules: platform },
  ];
  const files = policies.map((resourcePolicy, i) => ({
    path: `${i}.json`,
    text: JSON.stringify({ ...BASE, resourcePolicy }),
  }));
  return schema === undefined ? files : [...files, { path: "_schemas/doc.json", text: JSON.stringify(schema) }];
}

/** The CPU of one decision, of all threads of the process, in milliseconds. */
function cpuOf(policies: PolicySet, request: DecisionRequest): readonly [decision: Decision, spent: number] {
  const before = process.cpuUsage();
  const decision = decide(policies, request);
  const { user, system } = process.cpuUsage(before);
  return [decision, (user + system) / 1_000];
}

/** The CPU of the decisions of a case, and how the first one ends. */
function measured(one: Case): { readonly spent: readonly number[]; readonly ending: string } {
  const loaded = compilePolicies(filesOf(one), one.schema === undefined ? {} : { schemaEnforcement: "reject" });
  if (loaded._tag === "Left") throw new Error(`${one.name}: ${JSON.stringify(loaded.left.slice(0, 2))}`);
  let ending = "";
  const spent = times(DECISIONS, one.request).map((request) => {
    const [{ outcome, fault, permission }, ms] = cpuOf(loaded.right, request);
    ending ||= [outcome, fault?.message ?? permission.errors[0]?.message ?? ""].join("  ").slice(0, 90);
    return ms;
  });
  return { spent, ending };
}

/**
 * Decisions on sets and requests with hostile names: how many threw, and the longest. A decision that takes long is timed
 * again, because a collection of garbage or a compilation may have met it. `KEYWARD_REQUESTS`: how many requests (default
 * 20,000). `KEYWARD_SEED`: the seed.
 */
function namesMeasured(): string {
  const wanted = Number(process.env.KEYWARD_REQUESTS ?? 20_000);
  const seed = Number(process.env.KEYWARD_SEED ?? 1);
  let [decided, thrown, slow, longest] = [0, 0, 0, 0];
  for (let i = 0; decided < wanted; i++) {
    const [set] = fc.sample(hostileSet(REQUESTS_A_SET), { numRuns: 1, seed: seed + i });
    if (set === undefined) continue;
    const policies = setOf(set);
    for (const [n, request] of set.requests.entries()) {
      decided++;
      try {
        const [, spent] = cpuOf(policies, request);
        const isSlow = spent > MOST / 2;
        if (isSlow) slow++;
        longest = Math.max(longest, isSlow ? Math.min(spent, again(set, n), again(set, n)) : spent);
      } catch {
        thrown++;
      }
    }
    if (i % 100 === 99) console.error(`${decided} decided, ${thrown} thrown, longest ${longest.toFixed(1)} ms`);
  }
  return `${decided} requests with hostile names: ${thrown} threw; ${slow} took more than ${MOST / 2} ms and were timed again; the longest took ${longest.toFixed(1)} ms`;
}

function setOf({ documents, options }: HostileSet): PolicySet {
  const files = documents.map((document, n) => ({ path: `${n}.json`, text: JSON.stringify(document) }));
  const loaded = compilePolicies(files, options);
  if (loaded._tag === "Left") throw new Error(JSON.stringify(loaded.left.slice(0, 2)));
  return loaded.right;
}

/** The CPU of a decision on a new set, after the same decisions as before. */
function again(set: HostileSet, last: number): number {
  const policies = setOf(set);
  let spent = 0;
  for (const request of set.requests.slice(0, last + 1)) [, spent] = cpuOf(policies, request);
  return spent;
}

const REQUESTS_A_SET = 400;

export async function benchHostile(): Promise<void> {
  console.log(`CPU of single decisions in ms: the first, the median and the longest of ${DECISIONS - 1} later ones\n`);
  for (const one of process.env.KEYWARD_REQUESTS === undefined ? CASES : []) {
    const { spent, ending } = measured(one);
    const [first = 0, ...others] = spent;
    const sorted = others.toSorted((a, b) => a - b);
    const [median = 0, longest = 0] = [sorted[sorted.length >> 1], sorted.at(-1)];
    const shown = [first, median, longest].map((ms) => ms.toFixed(1).padStart(7)).join(" ");
    console.log(`${one.name.padEnd(62)} ${shown} ${median > MOST ? "!" : " "} ${ending}`);
  }
  console.log(`\n${namesMeasured()}`);
}
