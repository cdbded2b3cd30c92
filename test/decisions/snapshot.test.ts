/** The copy of a request: each value is read once, and values that are not JSON are not data. */

import { describe, expect, test } from "vitest";
import { type DecisionRequest, decide, snapshot } from "../../src/index.js";
import { MAX_VALUES } from "../../src/limits.js";
import { policy, when } from "../support/compose.js";
import { throwingProxy, withGetter } from "../support/hostile.js";
import { compiled, shipped } from "../support/policies.js";
import { ask, KINDS } from "../support/requests.js";

/** A request on a document with the attribute `x`. */
function about(x: unknown): DecisionRequest {
  const request = { ...ask("read"), resource: { kind: "doc", id: "d", attr: {} } };
  Object.assign(request.resource.attr, { x });
  return request;
}

/** The copy of an attribute. */
function copyOf(x: unknown): unknown {
  return snapshot(about(x)).resource.attr?.x;
}

test("of plain data it is an equal request, of which no part is the original's", () => {
  for (const operation of Object.keys(KINDS)) {
    const request = ask(operation, { account: { holds: [null, { a: [1, "b", true] }] } });
    const copy = snapshot(request);
    expect(JSON.stringify(copy)).toBe(JSON.stringify(request));
    expect(copy.account.attr).not.toBe(request.account.attr);
    expect(copy.key.roles).not.toBe(request.key.roles);
    expect(decide(shipped, copy)).toEqual(decide(shipped, request));
  }
  const now = new Date(5);
  expect(snapshot({ ...ask("apis.getApi"), now }).now).toEqual(now);
});

test("a list or a date in place of a request, or of a part of it, is none", () => {
  for (const none of [[], new Date(0)]) {
    expect(Reflect.apply(snapshot, undefined, [none])).toBe(null);
    expect(Reflect.apply(snapshot, undefined, [{ key: none, operation: "read" }])).toEqual({
      key: null,
      operation: "read",
    });
  }
});

/** No rule that reads `x` may hold, regardless of its condition. */
const RULES = ["R.attr.x != 1", "!(R.attr.x == 1)", "size(R.attr.x) >= 0", "R.attr.x == R.attr.x", "[R.attr.x] != []"];
const INNER = ["R.attr.x.all(v, v != 1)", "R.attr.x.exists(v, v != 1)", "R.attr.x[0] != 1", "R.attr.x != [1]"];
const set = (rules: readonly string[]) =>
  compiled(
    [
      {
        path: "doc.yaml",
        text: policy({
          rules: rules.map((expr, i) => `actions: [op${i}], roles: ["*"], effect: EFFECT_ALLOW, ${when(expr)}`),
        }),
      },
    ],
    { platform: "none" },
  );

describe("what JSON does not have is an error of that attribute", () => {
  class Money {
    readonly amount = 1;
  }
  const sparse = new Array(1);
  const cases: readonly (readonly [string, unknown])[] = [
    ["NaN", Number.NaN],
    ["infinity", Number.POSITIVE_INFINITY],
    ["a bigint", 2n],
    ["a symbol", Symbol("x")],
    ["a function", () => 2],
    ["a Date", new Date(0)],
    ["a Map", new Map([["a", 2]])],
    ["a Set", new Set([2])],
    ["bytes", new Uint8Array(1)],
    ["an instance of a class", new Money()],
    ["a boxed number", Object(2)],
    ["what throws at whatever is done with it", throwingProxy()],
  ];
  const [whole, inner] = [set(RULES), set(INNER)];

  test("and what it has is none", () => {
    RULES.forEach((rule, i) => {
      expect([rule, decide(whole, { ...about([2]), operation: `op${i}` }).outcome]).toEqual([rule, "allow"]);
    });
    INNER.forEach((rule, i) => {
      expect([rule, decide(inner, { ...about([2]), operation: `op${i}` }).outcome]).toEqual([rule, "allow"]);
    });
  });

  test.each(cases)("%s, as an attribute and in a list", (_, value) => {
    RULES.forEach((_rule, i) => {
      const decision = decide(whole, { ...snapshot(about(value)), operation: `op${i}` });
      expect(decision.outcome).toBe("insufficient_permissions");
      expect(decision.fault?.message).toContain("the value of x is not JSON data");
    });
    INNER.forEach((rule, i) => {
      const decision = decide(inner, { ...snapshot(about([value])), operation: `op${i}` });
      expect([rule, decision.outcome, decision.fault?.kind]).toEqual([rule, "insufficient_permissions", "evaluation"]);
    });
  });

  test("a hole of a list", () => {
    INNER.forEach((rule, i) => {
      const decision = decide(inner, { ...snapshot(about(sparse)), operation: `op${i}` });
      expect([rule, decision.outcome]).toEqual([rule, "insufficient_permissions"]);
    });
  });
});

test("what holds of values that change is what held of them when they were read", () => {
  let changing = 0;
  const counted = (value: unknown) => {
    let reads = 0;
    changing += 1;
    return { get: () => (reads++ === 0 ? value : { changed: true }), enumerable: true };
  };
  const request = ask("keys.createKey");
  for (const part of [request, request.key, request.key.attr, request.resource, request.resource.attr]) {
    for (const [name, value] of Object.entries(part)) Object.defineProperty(part, name, counted(value));
  }
  const plain = ask("keys.createKey");
  expect(decide(shipped, snapshot(request))).toEqual(decide(shipped, plain));
  expect(changing).toBeGreaterThan(10);
});

test("an object that is there twice is read once, and one within itself is copied as such", () => {
  let reads = 0;
  const one = withGetter({ a: 1 }, "a", () => ++reads);
  expect(copyOf([one, one, { one }])).toEqual([{ a: 1 }, { a: 1 }, { one: { a: 1 } }]);
  const self: { self?: unknown } = {};
  self.self = self;
  const copy = copyOf(self);
  expect(copy).toHaveProperty("self", copy);
  const list: unknown[] = [1];
  list.push(list);
  const [first, second] = Object.values(copyOf([list, list]) as unknown[][]);
  expect([first?.[0], first?.[1] === first, second === first]).toEqual([1, true, true]);
});

test("attributes of either name are copied with all that is in them, of other parts only names and lists of them", () => {
  const attr = { a: { b: [{ c: 1 }] } };
  const key = { id: { toString: () => "k" }, roles: ["r"], attr, attributes: attr, scope: {}, other: { d: 1 } };
  const request: unknown = Reflect.apply(snapshot, undefined, [{ key, operation: {}, now: {} }]);
  expect(request).toEqual({
    key: { id: null, roles: ["r"], attr, attributes: attr, scope: null, other: null },
    operation: null,
    now: null,
  });
});

describe("what cannot be read to its end", () => {
  const outcomeOf = (request: DecisionRequest) => {
    const policies = set(["has(R.attr.x) || !has(R.attr.x)"]);
    return decide(policies, { ...snapshot(request), operation: "op0" }).outcome;
  };

  test("objects that are made as they are read: an end is found, and it is a refusal", { tags: "long" }, () => {
    const endless: () => object = () =>
      new Proxy(
        {},
        {
          ownKeys: () => ["a", "b"],
          getOwnPropertyDescriptor: () => ({ value: endless(), enumerable: true, configurable: true }),
          get: endless,
        },
      );
    const copy = snapshot(about(endless()));
    expect(copy.resource.attr).toBeNull();
    expect(decide(shipped, copy).outcome).toBe("forbidden");
  });

  test("more values than a request may have: there are none then", () => {
    // The map of attributes does not count as a value; the list in it does, and so does each of its elements.
    const many = (count: number): unknown =>
      Reflect.apply(snapshot, undefined, [{ resource: { attr: { x: new Array(count - 1).fill(1) } } }]);
    expect(many(MAX_VALUES)).toHaveProperty("resource.attr.x.length", MAX_VALUES - 1);
    expect(many(MAX_VALUES + 1)).toEqual({ resource: { attr: null } });
  });

  test("what is nested deeper than data are is no data, and what is around it is", () => {
    const nested = (depth: number) => {
      let value: unknown = "inside";
      for (let i = 0; i < depth; i++) value = { in: value };
      return value;
    };
    const depthOf = (copy: unknown) => {
      let depth = 0;
      let at = copy;
      for (; typeof at === "object" && at !== null && "in" in at; depth++) at = at.in;
      return [depth, at];
    };
    // An attribute is at depth 1.
    expect(depthOf(copyOf(nested(1_000)))).toEqual([1_000, "inside"]);
    const [depth, at] = depthOf(copyOf(nested(1_001)));
    expect([depth, typeof at]).toEqual([1_000, "object"]);
  });

  test("deep nesting", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(outcomeOf(about(deep))).toBe("allow");
  });

  test.each(["key", "resource", "account"] as const)("a part that throws: %s", (part) => {
    const thrower = () => {
      throw new Error("hostile");
    };
    const request = ask("apis.getApi");
    expect(decide(shipped, snapshot(withGetter(request, part, thrower))).outcome).not.toBe("allow");
    const partial = { ...request, [part]: withGetter(request[part], "attr", thrower) };
    expect(decide(shipped, snapshot(partial)).outcome).not.toBe("allow");
    expect(decide(shipped, snapshot({ ...request, [part]: [] })).outcome).not.toBe("allow");
    expect(decide(shipped, snapshot({ ...request, [part]: { ...request[part], attr: [] } })).outcome).not.toBe("allow");
  });

  test("what is no request stays none", () => {
    for (const value of [undefined, null, 1, "a", [], new Date(0), throwingProxy(), () => 1]) {
      const copied: unknown = Reflect.apply(snapshot, undefined, [value]);
      expect(Reflect.apply(decide, undefined, [shipped, copied])).toMatchObject({ outcome: "forbidden" });
    }
  });
});
