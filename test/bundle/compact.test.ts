/** A checked tree that is written into a bundle and read back is equal, and evaluates to the same values. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { CompactWriter, readCompact } from "../../src/bundle/compact.js";
import type { Expr } from "../../src/cel/ast.js";
import { checkExpression } from "../../src/cel/check.js";
import { SpiffeMatcher } from "../../src/cel/functions/spiffe-value.js";
import { parseExpression } from "../../src/cel/parse.js";
import type { CelValue, JsonMap } from "../../src/cel/values.js";
import { expressionsOf } from "../../src/policy/policy-expressions.js";
import language from "../cel/language-answers.json" with { type: "json" };
import functions from "../cel/server-answers.json" with { type: "json" };
import { checkedTree, compiled, evaluationOf } from "../cel/support.js";
import { ATTR } from "../cel/value.js";
import { Random } from "../differential/random.js";
import { randomExpression } from "../fuzz/expressions.js";
import { policySet } from "../property/arbitraries/index.js";
import { compiledDocuments, shipped } from "../support/policies.js";
import "../support/seed.js";
import { sized } from "../support/size.js";

// A matcher of identities holds a function, and two functions are never equal.
expect.addEqualityTesters([(a, b) => (a instanceof SpiffeMatcher && b instanceof SpiffeMatcher ? true : undefined)]);

function writtenAndRead(expr: Expr): Expr {
  const writer = new CompactWriter();
  const text = writer.text(expr);
  return readCompact(text, JSON.parse(JSON.stringify(writer.shapes)), () => {
    throw new Error("there is nothing to refer to");
  });
}

/** The value, or the error and its position. */
function outcome(expr: Parameters<typeof compiled>[0], attr: JsonMap): unknown {
  const ev = evaluationOf(attr);
  const value = compiled(expr)(ev);
  return value === undefined ? { error: ev.fault, at: ev.faultAt } : { value };
}

/** Checks the law for an expression; returns false if the text is not one. */
function holds(source: string, attr: JsonMap): boolean {
  const parsed = parseExpression(source);
  const checked = parsed.ok
    ? checkExpression(parsed.syntax, { variables: new Set(), constants: new Set() }, "0.55")
    : undefined;
  if (!checked?.ok) return false;
  const read = writtenAndRead(checked.expr);
  expect(read, source).toEqual(checked.expr);
  expect(outcome(read, attr), source).toEqual(outcome(checked.expr, attr));
  return true;
}

test("every expression that the server was asked about", { tags: "long" }, () => {
  const sources = [...functions.cases, ...language.cases].map(({ expr }) => expr);
  expect(sources.filter((source) => holds(source, functions.attr)).length).toBeGreaterThan(1_000);
});

test("random expressions", () => {
  const random = new Random(11);
  let count = 0;
  for (let i = 0; i < sized(3_000); i++) if (holds(randomExpression(random), functions.attr)) count++;
  expect(count).toBeGreaterThan(sized(1_000));
});

test("the expressions of policies", () => {
  const holdsOf = (policies: typeof shipped): void => {
    for (const { expr } of policies.model.resourcePolicies.flatMap(expressionsOf)) {
      expect(writtenAndRead(expr)).toEqual(expr);
    }
  };
  holdsOf(shipped);
  fc.assert(
    fc.property(policySet({ profile: "any" }), (documents) => {
      holdsOf(compiledDocuments(documents));
    }),
    { numRuns: sized(30) },
  );
});

const error = (message: string) => ({ error: expect.stringContaining(message) });

test.each<[string, unknown]>([
  // A dynamic value can be converted only if an overload accepts it.
  ['int(R.attr.map["a"])', { value: 1n }],
  ['string(R.attr.map["a"])', { value: "1" }],
  ['timestamp(R.attr.map["a"])', error("no such overload")],
  ['duration(R.attr.map["a"])', error("no such overload")],
  ["int(R.attr.n)", { value: 1n }],
  // The server checks these expressions but cannot plan them.
  ["cel.bind(t, int, true)", error("reference to undefined type: t")],
  ["R.attr.x || cel.bind(t, int, t == int)", error("reference to undefined type: t")],
  ["type(R.attr.n) == double && google.protobuf.Timestamp != int", { value: true }],
  ["optional_type == type(R.attr.?n) && net.IP != optional_type", { value: true }],
  ["R.attr.?zz.orValue(R.attr.?n.or(optional.none()).orValue(2.0))", { value: 1 }],
  ["R.attr.?map.optMap(m, m.a + 1.0).orValue(0.0)", { value: 2 }],
  ["R.attr.teams.filter(R, R.startsWith('com')).map(x, size(x))", { value: [14n, 10n] }],
  ["cel.bind(math, 2.5, math.ceil(math))", { value: 3 }],
  ["P.policyVersion == P.policy_version && cel.bind(p, P, p.policyVersion) == ''", { value: true }],
  ["sets.contains([9223372036854775807, -9223372036854775808], [9223372036854775807])", { value: true }],
  ["18446744073709551615u", { value: expect.objectContaining({ value: 18446744073709551615n }) }],
  ["1.0 / -0.0", { value: Number.NEGATIVE_INFINITY }],
  ["4.9e-324", { value: 5e-324 }],
  ["b'\\xff\\x00'", { value: Uint8Array.of(255, 0) }],
  ["{'__proto__': 'constructor'}['__proto__']", { value: "constructor" }],
])("%s", (source, expected) => {
  const tree = checkedTree(source, undefined);
  const read = writtenAndRead(tree);
  expect(read).toEqual(tree);
  expect(outcome(read, ATTR)).toEqual(outcome(tree, ATTR));
  expect(outcome(read, ATTR)).toMatchObject(expected as object);
});

test("any text is a constant that survives, half a character too", { tags: "long" }, () => {
  const value = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string().map((text) => `${text}\ud800`),
  );
  fc.assert(
    fc.property(value, (text: CelValue) => {
      const tree = { kind: "literal", at: 0, value: text } as const;
      expect(writtenAndRead(tree)).toEqual(tree);
    }),
  );
});
