/** One function for all actions on a kind: it is asked for the conditions of a question, and does nothing for the others. */

import { describe, expect, test } from "vitest";
import { Generator } from "../../../src/engine/evaluate/generator.js";
import { type Decision, decide, deciderFor, type PolicySet } from "../../../src/index.js";
import { policy, when } from "../../support/compose.js";
import { watchFunctions } from "../../support/functions.js";
import { compiled } from "../../support/policies.js";

const WARM = 25;

function setOf(rules: readonly string[], codegen = true): PolicySet {
  return compiled([{ path: "a.yaml", text: policy({ rules }) }], { platform: "none", codegen });
}

function rule(action: string, expr: string, roles = "user", name = `${action}_${roles}`): string {
  return `name: ${name}, actions: [${action}], roles: [${roles}], effect: EFFECT_ALLOW, ${when(expr)}`;
}

function request(operation: string, attr: object, key: object = {}) {
  return {
    key: { id: "k", roles: ["user"], attr: { ...key } },
    operation,
    resource: { kind: "doc", id: "d", attr: { ...attr } },
    account: { id: "a", attr: {} },
  };
}

function jointOf(set: PolicySet, action: string, role = "user") {
  const key = { id: "k", roles: [role], scope: "", attr: {} };
  return set.pair.asked({ key, account: key, resource: { ...key, kind: "doc" }, action, now: undefined }).joint;
}

/** A decision, and whether a function found it. */
function decided(set: PolicySet, one: ReturnType<typeof request>): { decision: Decision; isFound: boolean } {
  let isFound = false;
  const unwatch = watchFunctions((_, found) => {
    isFound = found;
  });
  const decision = decide(set, one);
  unwatch();
  return { decision, isFound };
}

/** Functions for several plans are long: shorter ones are better apart. */
const LONG = Array.from({ length: 9 }, (_, i) => `R.attr.long != "${"x".repeat(500)}${i}"`).join(" && ");
const PADDING = rule("pad", LONG);

const THREE = [
  PADDING,
  rule("read", "R.attr.a == 1"),
  rule("write", "R.attr.b == 1 && R.attr.map.c == 1"),
  rule("write", "R.attr.a == 2", "admin"),
  rule("share", 'hasIntersection(P.attr.list, ["share", "share." + R.id])'),
  rule("drop", 'hasIntersection(P.attr.list, ["drop", "drop." + R.id])'),
];

describe("a function", () => {
  test("is one for all actions and roles, asked for other conditions by each", () => {
    const set = setOf(THREE);
    const joints = [
      jointOf(set, "read"),
      jointOf(set, "write"),
      jointOf(set, "write", "admin"),
      jointOf(set, "share"),
      jointOf(set, "drop"),
    ];
    expect(joints.map(({ wantedByAll }) => wantedByAll?.some)).toEqual([[1], [2], [3], [4], [5]]);
    const generator = new Generator();
    const holder = { release: () => undefined };
    const made = joints.map(({ wantedByAll }) => wantedByAll && generator.functionFor(wantedByAll, holder));
    expect(new Set(made.map((one) => one?.run)).size).toBe(1);
    expect(made.map((one) => one?.selection?.asked)).toEqual([2, 4, 8, 16, 32]);
    expect(generator.size).toBeLessThan(10_000);
  });

  test("reads nothing that the action does not ask for, and minds nothing unusual there", () => {
    const set = setOf(THREE);
    const closures = setOf(THREE, false);
    for (let i = 0; i < WARM; i++) {
      decide(set, request("read", { a: 1 }));
      decide(set, request("write", { b: 1, map: { c: 1 } }));
    }
    let reads = 0;
    const one = request("read", { a: 1 }, { list: [new Date()] });
    for (const name of ["b", "map"]) {
      Object.defineProperty(one.resource.attr, name, { enumerable: true, get: () => ++reads });
    }
    const { decision, isFound } = decided(set, one);
    expect([decision.outcome, isFound, reads]).toEqual(["allow", true, 0]);
    // What it does ask for is minded: a map that is none is left to closures.
    const odd = request("write", { b: 1, map: Object.assign(Object.create({ c: 1 }), { x: 1 }) });
    expect(decided(set, odd)).toEqual({ decision: decide(closures, odd), isFound: false });
    expect(decided(set, request("read", { ...odd.resource.attr, a: 1 })).isFound).toBe(true);
  });

  test("that gives up says what it has read, and closures read the rest", () => {
    const set = setOf(THREE);
    const closures = setOf(THREE, false);
    for (let i = 0; i < WARM; i++) decide(set, request("write", { b: 1, map: { c: 1 } }));
    for (const attr of [{ b: Number.NaN, map: { c: 1 }, a: 2 }, { b: 1 }, { map: { c: 1 } }, { b: 1, map: "x" }]) {
      const one = request("write", attr);
      const { decision, isFound } = decided(set, one);
      expect({ decision, isFound }).toEqual({ decision: decide(closures, one), isFound: false });
    }
  });
});

describe("a function of its own has a plan", () => {
  const owns = (rules: readonly string[], action: string) => {
    const { wanted, wantedByAll } = jointOf(setOf(rules), action);
    const generator = new Generator();
    const holder = { release: () => undefined };
    return {
      isWanted: wantedByAll !== undefined,
      isShared: wantedByAll !== undefined && generator.functionFor(wantedByAll, holder) !== undefined,
      isOwn: generator.functionFor(wanted, holder) !== undefined,
    };
  };
  const many = (count: number) => Array.from({ length: count }, (_, i) => rule(`act${i}`, `R.attr.a${i} == ${i}`));

  test("that has all of the conditions", () => {
    expect(owns([rule("read", "R.attr.a == 1")], "read").isWanted).toBe(false);
  });

  test("of a kind with more conditions than bits", () => {
    expect([owns([PADDING, ...many(29)], "act0").isShared, owns([PADDING, ...many(30)], "act0").isWanted]).toEqual([
      true,
      false,
    ]);
  });

  test("of a kind whose conditions are short, or very long", () => {
    expect([owns(many(5), "act0").isShared, owns([PADDING, ...many(5)], "act0").isShared]).toEqual([false, true]);
    const longer = Array.from({ length: 9 }, (_, i) => rule(`pad${i}`, LONG));
    expect(owns([...longer, ...many(5)], "act0").isShared).toBe(false);
  });

  test("with an output of values", () => {
    const output = `${rule("read", "R.attr.a == 1")}, output: { when: { ruleActivated: "R.attr.b" } }`;
    expect(owns([output, PADDING, rule("write", "R.attr.a == 2")], "read").isWanted).toBe(false);
    expect(owns([output, PADDING, rule("write", "R.attr.a == 2")], "write").isShared).toBe(true);
  });

  test("with a condition that has no generated form", () => {
    const none = rule("read", 'R.attr.a.matches("x")', "user", "none");
    const rules = [none, PADDING, rule("read", "R.attr.a == 1"), rule("write", "R.attr.a == 2")];
    expect([owns(rules, "read"), owns(rules, "write").isShared]).toEqual([
      { isWanted: true, isShared: false, isOwn: true },
      true,
    ]);
  });

  test("with two searches in the list that others search once, which would have to be copied", () => {
    const search = (text: string) => `hasIntersection(R.attr.list, ["${text}", R.id])`;
    const rules = [PADDING, rule("one", search("one")), rule("two", search("two")), rule("both", search("three"))];
    const both = [...rules, rule("both", search("four"), "user", "again")];
    const owned = ["one", "two", "both"].map((action) => owns(both, action).isShared);
    expect(owned).toEqual([true, true, false]);
    const [set, closures] = [setOf(both), setOf(both, false)];
    for (let i = 0; i < WARM; i++)
      for (const action of ["one", "two", "both"]) decide(set, request(action, { list: [] }));
    for (const list of [[], ["one"], ["three"], ["four"], ["d"], ["x", 1], "one", [null, "two"]]) {
      for (const action of ["one", "two", "both"]) {
        const one = request(action, { list });
        expect(decide(set, one)).toEqual(decide(closures, one));
      }
    }
  });
});

test("what is bound to a key is bound once for all actions", () => {
  const set = setOf(THREE);
  const { key } = request("share", {}, { list: ["share", "drop.d"] });
  for (let i = 0; i < WARM; i++)
    for (const action of ["share", "drop", "read"]) decide(set, request(action, { a: 1 }, key.attr));
  const decider = deciderFor(set, { key });
  const ask = (operation: string, id: string) => {
    const { resource, account } = request(operation, { a: 1 });
    return decider.decide({ operation, resource: { ...resource, id }, account }).outcome === "allow";
  };
  for (let round = 0; round < 3; round++) {
    expect(["share", "drop", "read"].map((operation) => [ask(operation, "d"), ask(operation, "e")])).toEqual([
      [true, true],
      [true, false],
      [true, true],
    ]);
  }
});

test("of those who use one function, only so many are remembered", () => {
  const { wantedByAll } = jointOf(setOf(THREE), "read");
  if (wantedByAll === undefined) throw new Error("no function");
  const generator = new Generator();
  const released: number[] = [];
  for (let i = 0; i < 4_100; i++) generator.functionFor(wantedByAll, { release: () => void released.push(i) });
  expect(released).toEqual([0, 1, 2, 3]);
});
