/** Generated functions answer as the closures do, or leave the request to them. */

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { compilePolicies, type DecisionRequest, decide, type PolicyFile, type PolicySet } from "../../src/index.js";
import {
  mutatedRequest,
  OTHER_VERSIONS,
  policySet,
  request,
  shippedRequest,
  toFiles,
} from "../property/arbitraries/index.js";
import { watchFunctions } from "../support/functions.js";
import { withGetter } from "../support/hostile.js";
import { shippedFiles } from "../support/policies.js";
import { SEED } from "../support/seed.js";
import { IS_WHOLE, sized } from "../support/size.js";
import { VALUES } from "../support/values.js";

/** Runs until every plan in use has its function. */
const WARM = 21;

/** How often generated functions answered, and how often closures had to. */
const counts = { answered: 0, asked: 0 };

let unwatch: () => void;

beforeEach(() => {
  counts.answered = 0;
  counts.asked = 0;
  unwatch = watchFunctions((_, isFound) => {
    if (isFound) counts.answered++;
    else counts.asked++;
  });
});

afterEach(() => {
  unwatch();
});

interface Pair {
  readonly generated: PolicySet;
  readonly closures: PolicySet;
}

function pairOf(files: readonly PolicyFile[]): Pair {
  const make = (codegen: boolean): PolicySet => {
    const loaded = compilePolicies(files, { codegen, otherVersions: OTHER_VERSIONS });
    if (loaded._tag === "Left") throw new Error(JSON.stringify(loaded.left[0]));
    return loaded.right;
  };
  return { generated: make(true), closures: make(false) };
}

function warm({ generated }: Pair, requests: readonly DecisionRequest[]): void {
  for (let i = 0; i < WARM; i++) for (const one of requests) decide(generated, one);
  counts.answered = 0;
  counts.asked = 0;
}

function sameDecision({ generated, closures }: Pair, one: DecisionRequest): boolean {
  const decision = decide(generated, one);
  const expected = decide(closures, one);
  if (isDeepStrictEqual(decision, expected)) return true;
  expect({ one, decision }).toEqual({ one, decision: expected });
  return false;
}

/** A permission policy of one rule for each condition, and a platform policy that allows everything. */
function filesWith(conditions: readonly string[], extra: object = {}): PolicyFile[] {
  const rules = conditions.map((expr, i) => ({
    name: `rule_${i}`,
    actions: ["act"],
    roles: ["user"],
    effect: i % 2 === 0 ? "EFFECT_ALLOW" : "EFFECT_DENY",
    condition: { match: { expr } },
  }));
  const policy = (version: string, all: readonly object[], more: object) => ({
    path: `${version}.json`,
    text: JSON.stringify({
      apiVersion: "api.cerbos.dev/v1",
      resourcePolicy: { resource: "doc", version, rules: all, ...more },
    }),
  });
  const supported = { name: "supported", actions: ["act"], roles: ["account"], effect: "EFFECT_ALLOW" };
  return [policy("default", rules, extra), policy("platform", [supported], {})];
}

function requestWith(principal: object, resource: object): DecisionRequest {
  return {
    key: { id: "u1", roles: ["user"], attr: principal as NonNullable<DecisionRequest["key"]["attr"]> },
    operation: "act",
    resource: { kind: "doc", id: "d1", attr: resource as NonNullable<DecisionRequest["resource"]["attr"]> },
    account: { id: "acc", attr: {} },
  };
}

describe("the same decisions with generated code and without", { tags: "long" }, () => {
  test("shipped policies; well-formed ones are never passed on to the closures", () => {
    const pair = pairOf(shippedFiles);
    const requests = fc.sample(shippedRequest(), { numRuns: sized(10_000, 2_000), seed: SEED });
    warm(pair, requests.slice(0, 2_000));
    for (const one of requests) sameDecision(pair, one);
    expect(counts.answered).toBeGreaterThan(0.9 * sized(10_000, 2_000));
    const single = requests.filter(({ key }) => key.roles.length === 1);
    counts.asked = 0;
    for (const one of single) decide(pair.generated, one);
    expect(counts.asked).toBe(0);
    const mutations = fc.sample(
      shippedRequest().chain((one) => mutatedRequest(one)),
      { numRuns: sized(10_000), seed: SEED },
    );
    for (const { request: one } of mutations) sameDecision(pair, one);
  });

  test("generated policies, half of them damaged", () => {
    const sets = policySet().chain((set) =>
      fc.tuple(
        fc.constant(set),
        fc.array(
          request(set).chain((one) => fc.tuple(fc.constant(one), mutatedRequest(one))),
          { minLength: 100, maxLength: 100 },
        ),
      ),
    );
    let answered = 0;
    for (const [set, requests] of fc.sample(sets, { numRuns: sized(100), seed: SEED })) {
      const pair = pairOf(toFiles(set));
      const all = requests.flatMap(([one, mutation]) => [one, mutation.request]);
      const single = all.map((one) => ({ ...one, key: { ...one.key, roles: one.key.roles.slice(0, 1) } }));
      warm(pair, single);
      for (const one of single) sameDecision(pair, one);
      answered += counts.answered;
      for (const one of all) sameDecision(pair, one);
    }
    expect(answered).toBeGreaterThan(sized(2_000));
  });

  test("every supported form, over values of every type", () => {
    const conditions = [
      `R.attr.a == "x"`,
      `R.attr.a != "x"`,
      `R.attr.a == R.attr.b`,
      `R.attr.a == true || R.attr.b == 1 || R.attr.a == 1.5`,
      `R.attr.a == null`,
      `!(R.attr.a == null) && R.attr.b != null`,
      `R.attr.a == [] || R.attr.b == ["x"]`,
      `R.attr.a > 1`,
      `R.attr.a <= R.attr.b`,
      `R.attr.a - R.attr.b > 0.0`,
      `R.attr.a * 2.0 >= 3.0 && -R.attr.b / 2.0 < 0.0`,
      `R.attr.a + 1.0 == R.attr.b`,
      `("k" + R.attr.a) == "kx"`,
      `"" + R.attr.a == R.attr.b`,
      `R.attr.a in ["x", "y"]`,
      `R.attr.a in [1, 2]`,
      `"x" in R.attr.a`,
      `R.attr.a in R.attr.b`,
      `hasIntersection(R.attr.a, ["x", "k" + R.attr.b, "k" + R.attr.b + ".z", "" + R.id])`,
      `hasIntersection([R.attr.b, "x"], R.attr.a)`,
      `size(R.attr.a) > 1 || R.attr.b.size() == 0`,
      `has(R.attr.a) && R.attr.a == "x"`,
      `has(R.attr.a.k) && R.attr.a.k == "x"`,
      `R.attr.a.k == R.attr.b.k`,
      `R.attr.a ? R.attr.b == "x" : R.attr.b == "y"`,
      `R.attr.a`,
      `R.attr.a || R.attr.b`,
      `R.attr.a && !R.attr.b`,
      `V.flag && R.attr.a == C.word`,
      `V.flag || R.attr.b == C.number`,
      `"user" in P.roles && P.id == "u1" && R.kind == "doc"`,
      // One condition left to a closure, beside one that is not.
      `R.attr.a.matches("^x") && R.attr.b == "y"`,
    ];
    const variables = { local: { flag: `R.attr.a != R.attr.b` } };
    const constants = { local: { word: "x", number: 1 } };
    for (const expr of conditions) {
      const pair = pairOf(filesWith([expr, `R.id == "d2"`], { variables, constants }));
      const requests = VALUES.flatMap((a) => VALUES.map((b) => requestWith({}, { a, b })));
      const some = requests.filter((_, i) => IS_WHOLE || i % 7 === 0);
      warm(pair, requests.slice(0, 40));
      for (const one of [...some, requestWith({}, {}), requestWith({}, { a: "x" })]) sameDecision(pair, one);
      expect(counts.answered, expr).toBeGreaterThan(0);
    }
  });

  test("without generated code, nothing is generated", () => {
    const { closures } = pairOf(shippedFiles);
    for (const one of fc.sample(shippedRequest(), { numRuns: sized(2_000), seed: SEED })) decide(closures, one);
    expect(counts.answered).toBe(0);
  });
});

test("more rules than a word has bits: whichever applies decides", () => {
  const COUNT = 120;
  const about = (...applies: readonly number[]) =>
    requestWith(
      {},
      Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [`a${i}`, String(applies.includes(i))])),
    );
  const pair = pairOf(filesWith(Array.from({ length: COUNT }, (_, i) => `R.attr.a${i} == "true"`)));
  warm(pair, [about()]);
  for (let i = 0; i < COUNT; i++) {
    expect(sameDecision(pair, about(0, i))).toBe(true);
    const { effect, reasons } = decide(pair.generated, about(0, i)).permission;
    expect([effect, reasons[0]?.reason]).toEqual(i % 2 === 0 ? ["allow", "rule_0"] : ["deny", `rule_${i}`]);
  }
  expect(counts.asked).toBe(0);
  expect(counts.answered).toBeGreaterThan(COUNT);
});

describe("hostile surroundings", () => {
  const good = fc.sample(shippedRequest({}), { numRuns: sized(300, 60), seed: 7 });

  const poisons: readonly [string, (name: string) => PropertyDescriptor][] = [
    ["enumerable", () => ({ value: "acc_1", enumerable: true })],
    ["hidden", () => ({ value: "active" })],
    ["false", () => ({ value: false })],
    ["list", () => ({ value: ["*"] })],
    ["getter", () => ({ get: () => "production" })],
    [
      "throwing getter",
      () => ({
        get: () => {
          throw new Error("hostile");
        },
      }),
    ],
  ];
  const names = ["accountId", "environment", "permissions", "system", "state", "limits", "keys", "status", "holds"];

  function poisoned(descriptor: PropertyDescriptor, run: () => void): void {
    for (const name of names) Object.defineProperty(Object.prototype, name, { ...descriptor, configurable: true });
    try {
      run();
    } finally {
      for (const name of names) Reflect.deleteProperty(Object.prototype, name);
    }
  }

  test.each(poisons)("a polluted Object.prototype (%s) changes no outcome", { tags: "long" }, (_, descriptor) => {
    const pair = pairOf(shippedFiles);
    warm(pair, good);
    const damaged = good.flatMap((one) => fc.sample(mutatedRequest(one, "removed"), { numRuns: 3, seed: 3 }));
    const requests = [...good, ...damaged.map((mutation) => mutation.request)];
    const before = requests.map((one) => decide(pair.closures, one).outcome);
    const during: string[] = [];
    poisoned(descriptor(""), () => {
      for (const one of requests) during.push(decide(pair.generated, one).outcome);
    });
    expect(during).toEqual(before);
    // Generated while the prototype is polluted, used afterwards.
    const late = pairOf(shippedFiles);
    poisoned(descriptor(""), () => warm(late, good));
    expect(requests.map((one) => decide(late.generated, one).outcome)).toEqual(before);
  });

  test("getters, on attributes and inside them", { tags: "long" }, () => {
    const pair = pairOf(shippedFiles);
    warm(pair, good);
    const thrower = () => {
      throw new Error("hostile");
    };
    for (const one of good) {
      for (const subject of ["key", "resource", "account"] as const) {
        for (const name of Object.keys(one[subject].attr)) {
          const value = one[subject].attr[name];
          const made = (get: () => unknown) => ({
            ...one,
            [subject]: { ...one[subject], attr: withGetter(one[subject].attr, name, get) },
          });
          sameDecision(
            pair,
            made(() => value),
          );
          const thrown = made(thrower);
          expect(decide(pair.generated, thrown).outcome).toBe(decide(pair.closures, thrown).outcome);
          let reads = 0;
          decide(
            pair.generated,
            made(() => (reads++ % 2 === 0 ? value : "another")),
          );
        }
      }
    }
    // Changed answers did not enter the cache.
    for (const one of good) sameDecision(pair, one);
  });

  test("a function that leaves rules to closures reads for them as well", () => {
    const pair = pairOf(filesWith([`R.attr.a == "x"`, `R.attr.a.matches("^y")`, `R.attr.m.k.matches("x")`]));
    warm(pair, [requestWith({}, { a: "x", m: { k: "x" } })]);
    let reads = 0;
    const read = <T>(value: T) => ({
      get: () => {
        reads++;
        return value;
      },
    });
    const inner = Object.defineProperties({}, { k: read("x") });
    const attr = Object.defineProperties({}, { a: read("x"), m: read(inner) });
    expect(decide(pair.generated, requestWith({}, attr)).outcome).toBe("allow");
    expect(reads).toBe(3);
    expect(counts.answered).toBe(1);
  });

  test("so it does for what stands deep in an attribute", () => {
    const rules = [`R.attr.m.p.q == "x"`, `R.attr.m.p.q.matches("^y")`, `R.attr.m.p.r.matches("x")`];
    const pair = pairOf(filesWith(rules));
    warm(pair, [requestWith({}, { m: { p: { q: "x", r: "x" } } })]);
    const names: string[] = [];
    const read = <T>(name: string, value: T) => ({
      enumerable: true,
      get: () => {
        names.push(name);
        return value;
      },
    });
    const inner = Object.defineProperties({}, { q: read("q", "x"), r: read("r", "x") });
    const middle = Object.defineProperties({}, { p: read("p", inner) });
    const attr = Object.defineProperties({}, { m: read("m", middle) });
    expect(decide(pair.generated, requestWith({}, attr)).outcome).toBe("allow");
    expect(names.sort()).toEqual(["m", "p", "q", "r"]);
  });

  test("a getter that decides is its own decision", () => {
    const pair = pairOf(shippedFiles);
    warm(pair, good);
    good.forEach((one, i) => {
      const other = good[(i * 7 + 1) % good.length] ?? one;
      const value = one.resource.attr.accountId;
      const attr = withGetter(one.resource.attr, "accountId", () => {
        sameDecision(pair, other);
        return value;
      });
      sameDecision(pair, { ...one, resource: { ...one.resource, attr } });
    });
  });

  test("a proxy that makes up what it does not have", () => {
    const pair = pairOf(filesWith([`R.attr.a == "x"`]));
    warm(pair, [requestWith({}, { a: "x" })]);
    const proxy = new Proxy({}, { get: () => "x" });
    expect(decide(pair.generated, requestWith({}, proxy)).outcome).toBe("insufficient_permissions");
    sameDecision(pair, requestWith({}, proxy));
  });

  const hostile = [
    `"]; globalThis.injected = true; //`,
    `'); globalThis.injected = true; ('`,
    "\u2028globalThis.injected = true\u2029",
    "\n globalThis.injected = true \n",
    "`$" + "{globalThis.injected = true}`",
    "*/ globalThis.injected = true /*",
    "\\u0022\\",
    "__proto__",
    "constructor",
    "toString",
    "0",
    "",
  ];

  test.each(hostile)("the name and the text %j are data", (name) => {
    const quoted = JSON.stringify(name);
    const own = (value: unknown) => JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify(value)}}`);
    const conditions = [
      `R.attr[${quoted}] == ${quoted}`,
      `R.attr[${quoted}] in [${quoted}, "z"] && P.attr[${quoted}] == R.attr[${quoted}]`,
      `hasIntersection(R.attr.list, [${quoted}, ${quoted} + R.id + ${quoted}])`,
    ];
    const loaded = conditions.map((expr) => pairOf(filesWith([expr])));
    for (const pair of loaded) {
      const requests = [own(name), own("z"), own(1), {}].flatMap((attr) =>
        [[name], [`${name}d1${name}`], []].map((list) => requestWith(own(name), { ...attr, list })),
      );
      warm(pair, requests);
      for (const one of requests) sameDecision(pair, one);
      // Names that every object inherits are left to closures; texts never are.
      const inherits = name in Object.prototype && pair !== loaded[2];
      expect(counts.answered > 0).toBe(!inherits);
    }
    expect("injected" in globalThis).toBe(false);
  });
});
