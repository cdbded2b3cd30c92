/** The value of conditions: formulas know it or leave it open, and evaluation agrees. */

import { expect, test } from "vitest";
import { PlanFormulas, roleClassesOf } from "../../../src/engine/formula/plan-formulas.js";
import { keyOf } from "../../../src/engine/formula/terms.js";
import { FormulaWorld } from "../../../src/engine/formula/world.js";
import { type CompileOptions, decide } from "../../../src/index.js";
import { compiled } from "../../support/policies.js";
import { corpus, corpusFiles, KEY, NOW, RESOURCES, requestOf } from "../language/corpus.js";
import { Asked, newCounts, sourceOf, stepOf } from "./asked.js";

const globals: CompileOptions["globals"] = { map: { a: 1, "": 2 } };

/** By the evaluation result; `e` is an error. After a `?`, formulas leave the value open. */
const CONDITIONS = {
  t: [
    ...['C.cc <= "red"', 'C.cc < "rede"', 'C.cc > "r"', 'C.cc >= "red"', 'C.cc.startsWith("r")', "C.cl == C.cl"],
    ...['C.cl[1] == "k"', "G.map.a == 1", 'G.map[""] == 2'],
    ...['P.policyVersion == ""', "C.cb ? C.cb : C.cn", "C.cn == 1u", "C.cn in [1u]", "-C.cn == -1.0", "C.cc in C.cl"],
    ...['hasIntersection(C.cl, ["k"])', 'isSubset(["k"], C.cl)', 'C.cl.all(t, t != "x")', '"k" in C.cm'],
    ...['C.cc + "x" == "redx"', "C.cf * 2.0 == 3.0", "C.cf - 0.5 == 1.0", "int(C.cf) == 1", "int(-C.cf) == -1"],
    ...[
      '(C.cb ? {"a": 1} : {"a": 2}).a == 1',
      "double(C.cn) == 1.0",
      "has(G.map.a)",
      "size(C.cl) == 2",
      '-dyn(duration("1h")) == duration("-1h")',
    ],
  ],
  f: [
    ...[
      'C.cc < "red"',
      'C.cc < "r"',
      'C.cc <= "r"',

      "has(G.map.b)",
    ],
    ...['"a" in C.cm', "1 in C.cm", "C.cl == []", '{"a": 1}.a == 2'],
  ],
  e: [
    ...["C.cc.exists(t, t == 1)", 'C.cn.startsWith("1")', "C.cc.startsWith(C.cn)", "hasIntersection(C.cl, C.cc)"],
    ...['timestamp(C.cn) > timestamp("2024-01-01T00:00:00Z")', 'duration(C.cn) > duration("1s")', "G.map.b == 2"],
    ...['C.cl[-1] == "k"', 'C.cl[2] == "k"', "G.none == 1", "-C.cc == 1"],
  ],
  "?t": [
    ...["(0.0 / 0.0) != 1.0", "(1.0 / 0.0) > 1.0", "(1.0 / 0.0) == (1.0 / 0.0)"],
    "(1.0 / 0.0) + 1.0 == (1.0 / 0.0)",
    "C.cf / 2.0 == 0.75",
    "int(C.cn) % 2 == 1",
    "size(C.cm) == 1",
    "C.cm == C.cm",
  ],
  "?f": [
    "(0.0 / 0.0) == (0.0 / 0.0)",
    "(0.0 / 0.0) < 1.0",
    "1.0 > (0.0 / 0.0)",
    "(0.0 / 0.0) + 1.0 == 1.0",
    "1.0 + (0.0 / 0.0) == 1.0",
    "C.cf * (0.0 / 0.0) < 2.0",
  ],
  "?e": ['C.cl[1.5] == "k"', '-dyn(b"x") == 1'],
};

test("what reads nothing of a request is known without one", () => {
  const expressions = Object.values(CONDITIONS).flat();
  const policies = compiled(corpusFiles(expressions, false), { platform: "none", globals });
  const world = new FormulaWorld();
  const plans = new PlanFormulas(world, roleClassesOf([policies]) ?? []);
  const source = sourceOf(policies, policies.permission);
  const found = expressions.map((expression, i) => {
    const [first] = plans.plansOf(source, "key", { kind: "doc", action: `a${i}` });
    const [rule] = first?.plan.rules ?? [];
    const [resource] = RESOURCES;
    if (first === undefined || rule === undefined || resource === undefined) throw new Error("no rule");
    const { holds, fails } = plans.condition(rule, plans.reading(first.plan, stepOf(first.plan, rule), source, "key"));
    const { effect, errors } = decide(policies, requestOf(i, resource)).permission;
    const evaluated = effect === "allow" ? "t" : errors.length > 0 ? "e" : "f";
    const isKnown = holds.op === "constant" && fails.op === "constant";
    const known = holds === world.formulas.yes ? "t" : fails === world.formulas.yes ? "f" : "e";
    return [expression, isKnown && known !== evaluated ? `not ${known}` : `${isKnown ? "" : "?"}${evaluated}`];
  });
  const expected = Object.entries(CONDITIONS).flatMap(([letter, all]) => all.map((one) => [one, letter]));
  expect(found).toEqual(expected);
});

type Attributes = (typeof RESOURCES)[number]["attr"];

/** The same for a row, by its attributes. */
const OF_ROWS: readonly (readonly [expression: string, attr: Attributes, said: string])[] = [
  ["R.attr.l[-1] == 1", { l: [1, 2] }, "e"],
  ["C.cn in P.roles || C.cc in P.roles", {}, "f"],
  ["R.attr.l[1] == 2", { l: [1, 2] }, "t"],
  ['R.attr.m["z"].orValue(1) == 2', { m: { z: 2 } }, "?e"],
  ['R.attr.m[?"z"].orValue(1) == 2', { m: { z: 2 } }, "t"],
  ["R.attr.?m.z.orValue(1) == 2", { m: { z: 2 } }, "?t"],
  ["R.attr.m[?R.attr.k].orValue(1) == 2", { m: { z: 2 }, k: "z" }, "?t"],
  ["R.attr.l[?0].orValue(2) == 1", { l: [1] }, "?t"],
  ["(R.attr.y ? R.attr.m : R.attr.k).z == 2", { m: { z: 2 }, y: true }, "t"],
  ["(R.attr.y ? R.attr.m : R.attr.k).z == 2", { m: { z: 2 }, k: { z: 1 }, y: false }, "f"],
];

test("of rows, formulas say what evaluation says", () => {
  const policies = corpus(
    OF_ROWS.map(([expression]) => expression),
    false,
  );
  const roles = roleClassesOf([policies]) ?? [];
  const wrong: string[] = [];
  const found = OF_ROWS.map(([expression, attr], i) => {
    const resource = { kind: "doc", id: "d1", attr };
    const counts = newCounts();
    const asked = new Asked(policies, roles, [{ kind: "doc", action: `a${i}` }], true);
    asked.check({ key: KEY, account: { id: "a1", attr: {} }, resource, operation: `a${i}`, now: NOW }, counts, wrong);
    const { effect, errors } = decide(policies, requestOf(i, resource)).permission;
    const evaluated = effect === "allow" ? "t" : errors.length > 0 ? "e" : "f";
    return [expression, attr, `${counts.known === 1 ? "" : "?"}${evaluated}`];
  });
  expect(wrong).toEqual([]);
  expect(found).toEqual(OF_ROWS);
});

test("a value that is the same either way is that value", () => {
  const world = new FormulaWorld();
  const { formulas, terms } = world;
  const test = formulas.unknown("bool", "test");
  const value = (key: string) => terms.raw(world.raw(key));
  expect(keyOf(terms.choose(test, value("one"), value("one")))).toBe(keyOf(value("one")));
  expect(terms.choose(test, value("one"), value("other")).list).toMatchObject({ kind: "choice", test });
});
