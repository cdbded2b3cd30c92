/** Expressions in plain words: tables test the wording; the corpus tests that words always exist and never vary. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { conditionWords } from "../../../src/audit/words/condition.js";
import { valueWordsOf, wordsOf } from "../../../src/audit/words/expression.js";
import { inline, plain } from "../../../src/audit/words/phrase.js";
import { checkExpression } from "../../../src/cel/check.js";
import type { JsonValue } from "../../../src/cel/json.js";
import { parseExpression } from "../../../src/cel/parse.js";
import type { Condition, Expression } from "../../../src/policy/model.js";
import { expressionsOfCondition } from "../../../src/policy/policy-expressions.js";
import answers from "../../cel/language-answers.json" with { type: "json" };
import server from "../../cel/server-answers.json" with { type: "json" };
import { checkedTree } from "../../cel/support.js";
import { policySet } from "../../property/arbitraries/index.js";
import { compiledDocuments, shipped } from "../../support/policies.js";
import "../../support/seed.js";
import { sized } from "../../support/size.js";

function expression(source: string): Expression {
  return {
    source,
    expr: checkedTree(source, undefined),
    position: (offset) => ({ file: "", line: 1, column: offset + 1 }),
  };
}

const subjects = { principal: "the key", constants: new Map<string, JsonValue>([["max", 100]]) };

function worded(source: string): string {
  return plain(wordsOf(expression(source), subjects));
}

test.each([
  ["R.attr.state == 'draft'", 'the resource\'s `state` is `"draft"`'],
  ["R.attr.state != 'draft'", 'the resource\'s `state` is not `"draft"`'],
  ["!(R.attr.state == 'draft')", 'the resource\'s `state` is not `"draft"`'],
  ["R.attr.n < 3", "the resource's `n` is less than `3`"],
  ["R.attr.n <= 3", "the resource's `n` is at most `3`"],
  ["R.attr.n > 3.5", "the resource's `n` is more than `3.5`"],
  ["3 >= R.attr.n", "`3` is at least the resource's `n`"],
  ["!(R.attr.n >= 3)", "the resource's `n` is not at least `3`"],
  ["R.attr.open", "the resource's `open` is true"],
  ["!R.attr.open", "the resource's `open` is false"],
  ["true", "always"],
  ["!true", "never"],
  ["P.id == R.attr.owner", "the key's id is the resource's `owner`"],
  ["request.principal.attr.team == R.id", "the key's `team` is the resource's id"],
  [
    "P.attr.limits.apis - P.attr.usage.apis > 0.0",
    "(the key's `limits.apis` minus the key's `usage.apis`) is more than `0.0`",
  ],
  ["-R.attr.size < 0.0", "minus the resource's `size` is less than `0.0`"],
  ["R.attr['odd name'] == 1", "the resource's `odd name` is `1`"],
  ["R.attr.state in ['a', 'b', 'c']", 'the resource\'s `state` is one of `"a"`, `"b"` or `"c"`'],
  ["!(R.attr.state in ['a', 'b'])", 'the resource\'s `state` is not one of `"a"` or `"b"`'],
  ["'x' in P.attr.tags", '`"x"` is in the key\'s `tags`'],
  ["P.attr.holds == []", "the key's `holds` is an empty list"],
  ["has(R.attr.owner)", "the resource's `owner` is given"],
  ["!has(R.attr.owner)", "the resource's `owner` is not given"],
  ["size(P.attr.tags) > 2", "the size of the key's `tags` is more than `2`"],
  ["P.attr.tags.size() == 0", "the size of the key's `tags` is `0`"],
  ["hasIntersection(P.roles, R.attr.roles)", "the key's roles and the resource's `roles` have an element in common"],
  [
    "hasIntersection(P.attr.p, ['a', 'b.' + R.id])",
    'the key\'s `p` has at least one of `"a"` or the text `"b."` + the resource\'s id',
  ],
  ["!hasIntersection(['a'], P.attr.p)", 'the key\'s `p` has none of `"a"`'],
  ["P.attr.a.isSubset(R.attr.b)", "every element of the key's `a` is in the resource's `b`"],
  ["P.attr.a.hasOnly(R.attr.b)", "every element of the key's `a` is in the resource's `b`"],
  ["P.attr.a.hasAll(R.attr.b)", "every element of the resource's `b` is in the key's `a`"],
  ["!P.attr.a.hasAll(R.attr.b)", "not every element of the resource's `b` is in the key's `a`"],
  ["P.attr.a.hasExactly(R.attr.b)", "the key's `a` and the resource's `b` have the same elements"],
  ["P.attr.a.hasAny(['x', 'y'])", 'the key\'s `a` has at least one of `"x"` or `"y"`'],
  ["R.id.startsWith('x')", 'the resource\'s id starts with `"x"`'],
  ["!R.id.matches('^x')", 'no part of the resource\'s id matches the pattern `"^x"`'],
  ["R.attr.a == '' + P.attr.b", "the resource's `a` is the key's `b` (a text)"],
  ["R.attr.a && R.attr.b", "the resource's `a` is true, and the resource's `b` is true"],
  ["!(R.attr.a && R.attr.b)", "the resource's `a` is false, or the resource's `b` is false"],
  [
    "R.attr.a && (R.attr.b || R.attr.c)",
    "the resource's `a` is true, and (the resource's `b` is true, or the resource's `c` is true)",
  ],
  [
    "(R.attr.a && R.attr.b) && R.attr.c",
    "the resource's `a` is true, and the resource's `b` is true, and the resource's `c` is true",
  ],
  [
    "R.attr.a ? R.attr.b : !R.attr.c",
    "if the resource's `a` is true, then the resource's `b` is true; otherwise the resource's `c` is false",
  ],
  ["V.in_reach", "`in_reach` holds"],
  ["!variables.in_reach", "`in_reach` does not hold"],
  ["V.left > C.max", "`left` is more than `max` (`100`)"],
  ["R.attr.items.exists(i, i.n > 1)", "for at least one `i` of the resource's `items`: `i.n` is more than `1`"],
  ["!R.attr.items.all(i, i == P.id)", "for at least one `i` of the resource's `items`: `i` is not the key's id"],
  ["R.attr.items.exists(R, R.attr)", "for at least one `R` of the resource's `items`: `R.attr` is true"],
  ["timestamp(R.attr.until) > now()", "the time the resource's `until` is more than the time of the decision"],
  ["G.region == 'eu'", 'the setting `region` is `"eu"`'],
  ["request.auxData.jwt.aud == 'x'", 'the token\'s `aud` is `"x"`'],
  ["(R.attr.a == 1) == (R.attr.b == 2)", "whether (the resource's `a` is `1`) is whether (the resource's `b` is `2`)"],
  // An expression without a wording is quoted as code.
  ["R.attr.items.exists_one(i, i > 1)", "`R.attr.items.exists_one(i, i > 1)` is true"],
  ["P.attr.name.format([1]) == 'x'", '`P.attr.name.format([1])` is `"x"`'],
  ["R.attr.items.filter(i,\n  i > 1) == []", "`R.attr.items.filter(i, i > 1)` is an empty list"],
])("%s", (source, words) => {
  expect(worded(source)).toBe(words);
});

test("what a value is", () => {
  const value = (source: string) => plain(valueWordsOf(expression(source), subjects));
  expect(value("P.attr.a * 2 + 1")).toBe("(the key's `a` times `2`) plus `1`");
  expect(value("R.attr.m[P.id]")).toBe("the entry the key's id of the resource's `m`");
  expect(value("[1, 2]")).toBe("the list of `1` and `2`");
});

test("lists of conditions", () => {
  const leaf = (source: string): Condition => ({ kind: "expr", expr: expression(source) });
  const words = (condition: Condition) => conditionWords(condition, subjects);
  expect(plain(words({ kind: "none", of: [leaf("R.attr.a"), leaf("R.attr.b")] }))).toBe(
    "none of these is true: the resource's `a` is true; the resource's `b` is true",
  );
  expect(plain(words({ kind: "none", of: [leaf("R.attr.a")] }))).toBe("it is not true that the resource's `a` is true");
  expect(plain(words({ kind: "all", of: [leaf("R.attr.a"), { kind: "any", of: [leaf("R.attr.b")] }] }))).toBe(
    "the resource's `a` is true, and the resource's `b` is true",
  );
});

/** Expects words that are the same each time, without an empty part. */
function expectWords(of: Expression): void {
  for (const words of [
    () => wordsOf(of, subjects),
    () => ({ kind: "phrase", phrase: valueWordsOf(of, subjects) }) as const,
  ]) {
    const text = plain(words());
    expect(text).not.toBe("");
    expect(text).not.toMatch(/undefined|\{\d\}/);
    expect(plain(words())).toBe(text);
  }
}

function isExpression(source: string): boolean {
  const parsed = parseExpression(source);
  return parsed.ok && checkExpression(parsed.syntax, undefined, "0.58").ok;
}

test("every expression that the server was asked about has words", { tags: "long" }, () => {
  const sources = new Set<string>([...Object.keys(answers), ...Object.keys(server)]);
  JSON.stringify([answers, server], (_, value) => {
    if (typeof value === "string") sources.add(value);
    return value;
  });
  let count = 0;
  for (const source of sources) {
    if (!isExpression(source) || /undefined|\{\d\}/.test(source)) continue;
    expectWords(expression(source));
    count++;
  }
  expect(count).toBeGreaterThan(500);
});

test("every condition of generated policies has words", () => {
  fc.assert(
    fc.property(policySet({ profile: "any" }), (documents) => {
      for (const policy of compiledDocuments(documents).model.resourcePolicies) {
        for (const { condition } of policy.rules) {
          if (condition !== undefined) expect(plain(conditionWords(condition, subjects))).not.toBe("");
        }
        for (const expr of policy.definitions.variables.values()) expectWords(expr);
      }
    }),
    { numRuns: sized(25) },
  );
});

test("no condition of the shipped policies is left as code", () => {
  let count = 0;
  for (const policy of shipped.model.resourcePolicies) {
    const expressions = [
      ...policy.rules.flatMap(({ condition }) => expressionsOfCondition(condition)),
      ...policy.definitions.variables.values(),
    ];
    for (const each of expressions) {
      const codes = inline(wordsOf(each, subjects)).filter(({ kind }) => kind === "code");
      // A code part is an attribute's name, or a constant.
      for (const { text } of codes) expect(text).toMatch(/^([a-z.]+|"[^"]*"|[\d.]+)$/i);
      count++;
    }
  }
  expect(count).toBeGreaterThan(30);
});
