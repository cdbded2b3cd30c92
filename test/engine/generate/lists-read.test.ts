/**
 * Lists with elements that count their reads. The deciding function reads each element at most once, whether it copies
 * a list or searches it in place, and however unusual the rest of the request is. The decision equals that of closures
 * on the plain request.
 */

import { describe, expect, test } from "vitest";
import { type Decision, decide, deciderFor } from "../../../src/index.js";
import { compiled, shippedFiles } from "../../support/policies.js";
import { ask, type Changes } from "../../support/requests.js";

const generated = compiled(shippedFiles);
const closures = compiled(shippedFiles, { codegen: false });

const UNTYPED = `
apiVersion: api.cerbos.dev/v1
resourcePolicy:
  version: default
  resource: api
  rules:
    - { actions: [first], roles: ["*"], effect: EFFECT_ALLOW, condition: { match: { expr: "\\"a\\" in P.attr.list && R.attr.x == 1" } } }
    - { actions: [last], roles: ["*"], effect: EFFECT_ALLOW, condition: { match: { expr: "R.attr.x == 1 && R.attr.s in P.attr.list" } } }
    - { actions: [negated], roles: ["*"], effect: EFFECT_ALLOW, condition: { match: { expr: "!(R.attr.x == 1) && !(R.attr.s in P.attr.list)" } } }
    - { actions: [many], roles: ["*"], effect: EFFECT_ALLOW, condition: { match: { expr: "hasIntersection(P.attr.list, [\\"a\\", \\"p\\" + R.attr.s])" } } }
    - { actions: [twice], roles: ["*"], effect: EFFECT_ALLOW, condition: { match: { expr: "\\"a\\" in P.attr.list || R.attr.s in P.attr.list" } } }
    - { actions: [empty], roles: ["*"], effect: EFFECT_ALLOW, condition: { match: { expr: "P.attr.list == [] || P.attr.list == [\\"a\\", \\"b\\"] || size(P.attr.list) == 3" } } }
    - { actions: [lists], roles: ["*"], effect: EFFECT_ALLOW, condition: { match: { expr: "R.attr.x == 1 && hasIntersection(P.attr.list, R.attr.other)" } } }
    - { actions: [macro], roles: ["*"], effect: EFFECT_ALLOW, condition: { match: { expr: "P.attr.list.exists(t, t == R.attr.s) && \\"a\\" in P.attr.list" } } }
    - { actions: [inside], roles: ["*"], effect: EFFECT_ALLOW, condition: { match: { expr: "[\\"a\\", \\"b\\"].exists(t, t in P.attr.list)" } } }
    - { actions: [before], roles: ["*"], effect: EFFECT_ALLOW, condition: { match: { expr: "R.attr.s in P.attr.list" } } }
    - { actions: [before], roles: ["*"], effect: EFFECT_DENY, condition: { match: { expr: "R.attr.x == 2" } } }
    - { actions: [alias], roles: ["*"], effect: EFFECT_ALLOW, condition: { match: { expr: "\\"a\\" in V.list || R.attr.s in V.list" } } }
    - { actions: [variable], roles: ["*"], effect: EFFECT_ALLOW, condition: { match: { all: { of: [{ expr: "V.has" }, { expr: "V.has || R.attr.x == 1" }] } } } }
  variables: { local: { has: "R.attr.s in P.attr.list", list: P.attr.list } }
`;
const FILES = [{ path: "api.yaml", text: UNTYPED }];
const untyped = compiled(FILES, { platform: "none" });
const untypedClosures = compiled(FILES, { platform: "none", codegen: false });

type Counts = Map<string, number>;

function count(counts: Counts, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function twice(counts: Counts): readonly string[] {
  return [...counts].filter(([, times]) => times > 1).map(([name]) => name);
}

/** The same list, made of counting getters. */
function counting(list: readonly unknown[], name: string, reads: Counts): unknown[] {
  const made: unknown[] = [];
  list.forEach((item, i) => {
    const get = () => {
      count(reads, `${name}/${i}`);
      return item;
    };
    Object.defineProperty(made, i, { get, enumerable: true, configurable: true });
  });
  return made;
}

const LISTS: readonly (readonly unknown[])[] = [
  [],
  ["a"],
  ["b", "a"],
  ["a", "b", "c"],
  ["pa", 1],
  [1, "a"],
  [null, "s", {}],
  ["api.*.delete_api", "x"],
  ["x", "api.api_1.delete_api", 7],
  ["x", 7, "api.api_1.delete_api"],
  Array.from({ length: 80 }, (_, i) => `t${i}`),
];

/** The outcome, with a mark if something erred. */
function wordsFor({ outcome, permission, platform }: Decision): string {
  return outcome + (permission.errors.length + platform.errors.length > 0 ? "!" : "");
}

/** Calls for each way to decide, until functions are generated. */
const WARM = 25;

describe("of the shipped policies", () => {
  const others: readonly Changes[] = [
    {},
    { roles: ["custom"] },
    { roles: ["custom"], resource: { keyCount: "none" } },
    { roles: ["custom"], resource: { environment: "development" } },
    { roles: ["custom"], resource: { accountId: "x".repeat(600) } },
    { roles: ["custom"], account: { holds: ["abuse", 1] } },
    { roles: ["custom"], account: { status: [] } },
  ];
  const some = others.flatMap((changes) =>
    LISTS.flatMap((permissions) => [
      { changes, permissions, workspaceIds: ["*"] },
      { changes, permissions: ["api.*.delete_api"], workspaceIds: [...permissions, "ws_1"] },
    ]),
  );

  test("each element is read once at most, and the answer is that of closures", () => {
    for (let i = 0; i < WARM; i++) {
      for (const changes of others) decide(generated, ask("apis.deleteApi", changes));
    }
    const outcomes = new Map<string, number>();
    for (const { changes, permissions, workspaceIds } of some) {
      const plain = ask("apis.deleteApi", changes);
      const { key, account } = plain;
      const made = (reads: Counts | undefined) => {
        const list = (values: readonly unknown[], name: string) =>
          reads === undefined ? values : counting(values, name, reads);
        const holds = Array.isArray(account.attr.holds) ? account.attr.holds : [];
        return {
          ...plain,
          key: {
            ...key,
            attr: {
              ...key.attr,
              permissions: list(permissions, "permissions"),
              workspaceIds: list(workspaceIds, "workspaceIds"),
            },
          },
          account: { ...account, attr: { ...account.attr, holds: list(holds, "holds") } },
        };
      };
      const expected = Reflect.apply(decide, undefined, [closures, made(undefined)]);
      count(outcomes, wordsFor(expected));
      for (const bound of [false, true]) {
        const reads = new Map<string, number>();
        const hostile = made(reads);
        const { key, ...rest } = hostile;
        const found = bound
          ? Reflect.apply(deciderFor, undefined, [generated, { key }]).decide(rest)
          : Reflect.apply(decide, undefined, [generated, hostile]);
        expect({ found, reads: twice(reads) }).toEqual({ found: expected, reads: [] });
      }
    }
    for (const outcome of [
      "allow",
      "insufficient_permissions",
      "insufficient_permissions!",
      "forbidden",
      "forbidden!",
    ]) {
      expect([outcome, outcomes.get(outcome)]).toEqual([outcome, expect.toSatisfy((times) => times >= 5)]);
    }
  });
});

describe("without schemas", () => {
  const actions = [
    "first",
    "last",
    "negated",
    "many",
    "twice",
    "empty",
    "lists",
    "macro",
    "inside",
    "before",
    "alias",
    "variable",
  ];

  test.each(actions)("%s", (action) => {
    const outcomes = new Map<string, number>();
    const request = (list: unknown, other: unknown, x: unknown, s: unknown) => ({
      key: { id: "k", roles: ["user"], attr: { list } },
      operation: action,
      resource: { kind: "api", id: "1", attr: { x, s, other } },
    });
    for (let i = 0; i < WARM; i++) Reflect.apply(decide, undefined, [untyped, request(["a"], ["a"], 1, "a")]);
    for (const list of LISTS) {
      for (const x of [1, 2, undefined, Number.NaN, "x".repeat(600)]) {
        for (const s of ["a", "s", "y".repeat(600), 1, undefined, ["a"]]) {
          const expected = Reflect.apply(decide, undefined, [untypedClosures, request(list, ["b", "c"], x, s)]);
          const reads = new Map<string, number>();
          const hostile = request(counting(list, "list", reads), counting(["b", "c"], "other", reads), x, s);
          const found = Reflect.apply(decide, undefined, [untyped, hostile]);
          expect({ list, x, s, found, reads: twice(reads) }).toEqual({ list, x, s, found: expected, reads: [] });
          count(outcomes, wordsFor(expected));
        }
      }
    }
    // Two of the conditions cannot err.
    const erring = action === "empty" || action === "inside" ? [] : ["insufficient_permissions!"];
    for (const outcome of ["allow", "insufficient_permissions", ...erring]) {
      expect([outcome, outcomes.get(outcome)]).toEqual([outcome, expect.toSatisfy((times) => times >= 5)]);
    }
  });
});
