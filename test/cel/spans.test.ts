/** The span of every part of an expression is text with the meaning of that part. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { children, type Expr, type Syntax } from "../../src/cel/ast.js";
import { parseExpression } from "../../src/cel/parse.js";
import { Spans } from "../../src/cel/spans.js";
import { expressionsOf } from "../../src/policy/policy-expressions.js";
import { policySet } from "../property/arbitraries/index.js";
import { compiledDocuments, shipped } from "../support/policies.js";
import answers from "./language-answers.json" with { type: "json" };
import server from "./server-answers.json" with { type: "json" };
import { checkedTree } from "./support.js";
import "../support/seed.js";

/** The tree without offsets, with chains of one operator flattened: the parser balances them by length. */
function shape(expr: Syntax): unknown {
  const flat = (e: Syntax, fn: string): readonly Syntax[] =>
    e.kind === "call" && e.fn === fn ? e.args.flatMap((arg) => flat(arg, fn)) : [e];
  if (expr.kind === "call" && (expr.fn === "_&&_" || expr.fn === "_||_")) {
    return [expr.fn, ...flat(expr, expr.fn).map(shape)];
  }
  const own = Object.entries(expr).filter(([, value]) => typeof value !== "object" || value === null);
  const value =
    expr.kind === "literal" ? JSON.stringify(expr.value, (_, v) => (typeof v === "bigint" ? `${v}n` : v)) : "";
  return [
    own.filter(([name]) => name !== "at" && name !== "value").map(([, v]) => v),
    value,
    children(expr).map(shape),
  ];
}

/** Checks every part and returns their number. */
function checkParts(source: string): number {
  const parsed = parseExpression(source);
  if (!parsed.ok) return 0;
  const spans = new Spans(source);
  const visit = (expr: Syntax): number => {
    const text = spans.textOf(expr);
    // Parts without a text of their own: the arguments of math.greatest, the expansion of sortBy.
    if (expr.kind === "list" && source[expr.at] === ".") return expr.elements.reduce((sum, e) => sum + visit(e), 0);
    // The name of an optional field.
    if (text === ".") return 0;
    const again = parseExpression(text);
    expect({ source, text, shape: again.ok ? shape(again.syntax) : again }).toEqual({
      source,
      text,
      shape: shape(expr),
    });
    if (expr.kind === "bind" && expr.name.startsWith("@")) return visit(expr.init);
    return children(expr).reduce((sum, child) => sum + visit(child), 1);
  };
  return visit(parsed.syntax);
}

const SOURCES = [
  'a.b  ==  (R.attr["x"].c + 1) && !(f(1, -2)) || x in [ 1, 2 ] ? has(a.b.c) : {"k": 1}.k > -x',
  "((a)) && ((b || (c))) && (d)",
  '"(" + x == r"\\(" // a comment with ( and "\n && y',
  "f(x) && (x) && x.g((y)) && [(1), (2)][(0)] == (1)",
  'x.exists(y, y.z == 1 ) && "a".startsWith( "b" ) && size( [] ) == 1u && [1].map(x, x > 1, x+1) == b"x"',
  'cel.bind(z, 1, z+1) == r"\\d"[ 1 ] && P . attr . x && a < 1.5e3 && math.greatest( 1,2 ) == 1',
  'a in (b) && (a) in b && -(x) == - 1 && 1-1 == 0 && 1 - -1 == 2 && !!(a) && b"\\"" == b\'"\'',
  '"""a "quoted" (text""" == a && .5 < 1.0 && 0xFFu == 1u && (1).f() && a.b(c).d[0].e',
  "a && b && c && d && e && f && (g && h)",
];

test.each(SOURCES)("%s", (source) => {
  expect(checkParts(source)).toBeGreaterThan(3);
});

test("the expressions that the server was asked about", { tags: "long" }, () => {
  const texts = new Set<string>();
  JSON.stringify([answers, server], (_, value) => {
    if (typeof value === "string") texts.add(value);
    return value;
  });
  for (const key of [...Object.keys(answers), ...Object.keys(server)]) texts.add(key);
  let parts = 0;
  // An optional element means more than its text.
  for (const text of texts) if (!/[[{,]\s*\?/.test(text)) parts += checkParts(text);
  expect(parts).toBeGreaterThan(1_000);
});

test("the shipped policies, and generated ones", { tags: "long" }, () => {
  for (const policy of shipped.model.resourcePolicies) for (const e of expressionsOf(policy)) checkParts(e.source);
  fc.assert(
    fc.property(policySet({ profile: "any" }), (documents) => {
      const { model } = compiledDocuments(documents);
      for (const policy of model.resourcePolicies) for (const e of expressionsOf(policy)) checkParts(e.source);
    }),
    { numRuns: 30 },
  );
});

test.each([
  ["1 == 1 && P.attr.?a.b.orValue(2) == 2", ["P.attr.?a.b.orValue(2)", "P.attr.?a.b", "P.attr.?a", "P.attr"]],
  ["P.attr.l[? 0].hasValue()", ["P.attr.l[? 0].hasValue()", "P.attr.l[? 0]", "P.attr.l"]],
  ["[?P.attr.?a, 1] == []", ["[?P.attr.?a, 1]", "P.attr.?a"]],
  ["{?'k': P.attr.?a} == {}", ["{?'k': P.attr.?a}", "'k'", "P.attr.?a"]],
  ["P.attr.?a.optMap(v, v + 1) == optional.of(2)", ["P.attr.?a.optMap(v, v + 1)", "P.attr.?a", "v + 1"]],
])("optional values: %s", (source, parts) => {
  const parsed = parseExpression(source);
  if (!parsed.ok) throw new Error(parsed.message);
  const spans = new Spans(source);
  const texts = (expr: Syntax): readonly string[] => [spans.textOf(expr), ...children(expr).flatMap(texts)];
  expect(texts(parsed.syntax)).toEqual(expect.arrayContaining([source, ...parts]));
});

test.each([
  ["type(R.attr.x) == google . protobuf.Timestamp", ["google . protobuf.Timestamp"]],
  ["[.google.protobuf.Duration, .int, net.IP]", [".google.protobuf.Duration", ".int", "net.IP"]],
  ["1.5 in [math.ceil(R.attr.x), .math.floor(1.5), ( math ).abs(R.attr.y)]", ["math.ceil(R.attr.x)", "R.attr.x"]],
  ["2 == .math.abs( 1 ) || (math).abs(3) == 3", [".math.abs( 1 )", "(math).abs(3)", "1", "3"]],
])("checked, names of types and of functions are one: %s", (source, parts) => {
  const spans = new Spans(source);
  const texts = (expr: Expr): readonly string[] => [spans.textOf(expr), ...children(expr).flatMap(texts)];
  const found = texts(checkedTree(source, undefined));
  expect(found).toEqual(expect.arrayContaining([source, ...parts]));
  expect(found).not.toContain("google");
  expect(found).not.toContain("math");
});
