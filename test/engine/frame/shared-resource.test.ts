/** Both layers read one frame of the resource: the functions of one layer do not change it for the other. */

import { describe, expect, test } from "vitest";
import { type DecisionRequest, decide, type PolicyFile } from "../../../src/index.js";
import { actRequest, allowAct, WARM } from "../../support/act.js";
import { policy, supportAll, when } from "../../support/compose.js";
import { compiled } from "../../support/policies.js";

const supported = (more: string) => `name: s, actions: [act], roles: [account], effect: EFFECT_ALLOW, ${more}`;
const denied = (expr: string) => `name: d, actions: [act], roles: [account], effect: EFFECT_DENY, ${when(expr)}`;

function filesOf(permission: string, platform: readonly string[], body = ""): PolicyFile[] {
  return [
    { path: "a.yaml", text: policy({ rules: [allowAct("r", permission)], body }) },
    ...(platform.length === 0
      ? supportAll("doc")
      : [{ path: "p.yaml", text: policy({ version: "platform", rules: platform }) }]),
  ];
}

/** Compares functions, warmed up by `usual`, with closures. */
function expectSame(
  files: readonly PolicyFile[],
  usual: DecisionRequest,
  requests: readonly (() => DecisionRequest)[],
) {
  const [generated, closures] = [compiled(files), compiled(files, { codegen: false })];
  for (let i = 0; i < WARM; i++) decide(generated, usual);
  for (const make of requests) expect(decide(generated, make())).toEqual(decide(closures, make()));
}

describe("the closures of one layer read elements of which the other layer's function reads some members", () => {
  const rows = (j: string) => actRequest({ y: "a", rows: [{ k: "a", j }] });
  const byMembers = when('R.attr.rows.exists(r, r.k == "a")');

  test.each([
    [
      "in a condition without a generated form",
      [supported(when('R.attr.y == "a"')), denied('R.attr.rows.exists_one(r, r.j == "b")')],
    ],
    ["in an output", [supported(`${when('R.attr.y == "a"')}, output: {when: {ruleActivated: R.attr.rows}}`)]],
    [
      "in an output without a generated form",
      [supported(`${when('R.attr.y == "a"')}, output: {when: {ruleActivated: "R.attr.rows.map(r, r.j)"}}`)],
    ],
  ] as const)("%s", (_, platform) => {
    expectSame(filesOf(byMembers, platform), rows("a"), [() => rows("a"), () => rows("b"), () => actRequest({})]);
  });
});

test.each([
  ['hasIntersection(R.attr.list, ["a", "p" + R.id])', 'R.attr.list[1] == "a"'],
  ['hasIntersection(R.attr.list, ["a", "p" + R.id])', '!(["a"].exists_one(t, t in R.attr.list))'],
  ['"b" in R.attr.list', '["a"].exists_one(t, t in R.attr.list)'],
  ['"b" in R.attr.list', '"a" in R.attr.list'],
])("a list that only the schema of one layer refuses: %s, %s", (permission, platform) => {
  const schema = {
    path: "_schemas/x.json",
    text: '{"properties": {"list": {"type": "array", "items": {"type": "string"}}}}',
  };
  const body = "schemas: {resourceSchema: {ref: cerbos:///x.json}}";
  const files = [schema, ...filesOf(when(permission), [supported(when(platform))], body)];
  const lists = [
    ["c", "a"],
    [1, "a"],
    ["a", 1],
    ["b", 1, "a"],
    [{}, "a"],
  ];
  expectSame(
    files,
    actRequest({ list: ["a"] }),
    lists.map((list) => () => actRequest({ list })),
  );
});

describe("a getter that throws is an attribute or element that cannot be read", () => {
  const throwing = <T extends object>(of: T, name: string | number): T =>
    Object.defineProperty(of, name, {
      get: () => {
        throw new Error("hostile");
      },
      enumerable: true,
    });

  test.each([
    ["R.attr", '"a" in R.attr.list'],
    ["P.attr", '"a" in P.attr.list'],
    ["P.attr, in a search that is not the last", '"a" in P.attr.list && "b" in P.attr.list'],
    ["R.attr, of both layers", "hasIntersection(R.attr.list, P.attr.list)"],
  ])("in a list of %s", (_, expr) => {
    const both = (make: () => unknown[]) => () => actRequest({ list: make(), y: 1 }, { list: make() });
    const lists = [() => throwing(["b"], 1), () => throwing(["a"], 1), () => throwing([], 0)];
    for (const platform of [[], [supported(when("R.attr.y == 1"))], [supported(when('"a" in R.attr.list'))]]) {
      expectSame(filesOf(when(expr), platform), both(() => ["a", "b"])(), lists.map(both));
    }
  });

  test("beside attributes that can be read, for both layers", () => {
    const files = filesOf(when("R.attr.x == 1"), [supported(when("R.attr.y == 1"))]);
    const usual = () => ({ x: 1, y: 1 });
    expectSame(files, actRequest(usual()), [
      ...["x", "y", "z"].map((name) => () => actRequest(throwing(usual(), name))),
      () => actRequest(throwing(throwing(usual(), "x"), "y")),
    ]);
  });
});

describe("undefined", () => {
  const conditions = ["R.attr.x == 1", "has(R.attr.x)", "!has(R.attr.x)", "has(R.attr.map.k)", "R.attr.map.k == 1"];

  test.each(conditions)("is an absent attribute: %s", (expr) => {
    for (const platform of [[], [supported(when(expr))]]) {
      const files = filesOf(when(expr), platform);
      const [generated, closures] = [compiled(files), compiled(files, { codegen: false })];
      for (let i = 0; i < WARM; i++) decide(generated, actRequest({ x: 1, map: { k: 1 } }));
      for (const policies of [generated, closures]) {
        expect(decide(policies, actRequest({ x: undefined, map: { k: undefined } }))).toEqual(
          decide(closures, actRequest({ map: {} })),
        );
        expect(decide(policies, actRequest({ x: undefined, map: undefined }))).toEqual(
          decide(closures, actRequest({})),
        );
      }
    }
  });

  test.each([
    "R.attr.list[0] == 1",
    "R.attr.list == [1]",
    "R.attr.list.all(t, t == 1)",
    "R.attr.list.exists(t, has(t.k))",
  ])("is an error as an element of a list that is read: %s", (expr) => {
    const files = filesOf(when(expr), [supported(when(expr))]);
    const [generated, closures] = [compiled(files), compiled(files, { codegen: false })];
    for (let i = 0; i < WARM; i++) decide(generated, actRequest({ list: [1] }));
    for (const policies of [generated, closures]) {
      const { permission, platform } = decide(policies, actRequest({ list: [undefined] }));
      expect([permission.effect, platform.effect]).toEqual(["deny", "deny"]);
      expect([permission.errors.length, platform.errors.length]).toEqual([1, 1]);
    }
  });
});

test("the reader of a kind reads what the rules of the operation read, and nothing else", () => {
  const rule = (operation: string, role: string, expr: string) =>
    `name: ${operation}, actions: [${operation}], roles: [${role}], effect: EFFECT_ALLOW, ${when(expr)}`;
  const files = [
    {
      path: "a.yaml",
      text: policy({
        rules: [rule("one", "user", "R.attr.a == P.attr.p"), rule("two", "user", "R.attr.b.c == P.attr.q")],
      }),
    },
    {
      path: "p.yaml",
      text: policy({
        version: "platform",
        rules: [
          rule("one", "account", "R.attr.d == 1"),
          rule("two", "account", 'R.attr.e.matches("^1") && P.attr.r == 1'),
        ],
      }),
    },
  ];
  /** A part that records the names that are read; `reads` collects those of all parts. */
  const noting = (part: string, names: readonly string[], reads: Set<string>): object => {
    const attr = {};
    for (const name of names) {
      const get = () => {
        reads.add(`${part}.${name}`);
        return name === "b" ? { c: 1, f: 1 } : name === "e" ? "1" : 1;
      };
      Object.defineProperty(attr, name, { get, enumerable: true });
    }
    return attr;
  };
  for (const codegen of [true, false]) {
    const policies = compiled(files, { codegen });
    for (const [operation, expected] of [
      ["one", ["key.p", "resource.a", "resource.d"]],
      ["two", ["account.r", "key.q", "resource.b", "resource.e"]],
    ] as const) {
      for (let i = 0; i < 2 * WARM; i++) {
        const reads = new Set<string>();
        const request = actRequest(
          noting("resource", ["a", "b", "c", "d", "e"], reads),
          noting("key", ["p", "q", "r"], reads),
        );
        const attr = noting("account", ["p", "q", "r"], reads);
        const decision: unknown = Reflect.apply(decide, undefined, [
          policies,
          { ...request, operation, account: { id: "a", attr } },
        ]);
        expect(decision).toMatchObject({ outcome: "allow" });
        expect([...reads].sort()).toEqual(expected);
      }
    }
  }
});
