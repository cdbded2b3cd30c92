/**
 * The conformance tests of the CEL specification (`@bufbuild/cel-spec`) that need no protobuf messages, against the
 * whole expression pipeline. The variables of a test are bound around its expression, as `cel.bind` does.
 */

import { getConformanceSuite, type IncrementalTestSuite } from "@bufbuild/cel-spec/testdata/tests.js";
import { afterAll, describe, expect, test } from "vitest";
import type { Syntax } from "../../src/cel/ast.js";
import { checkExpression } from "../../src/cel/check.js";
import { equals, typeOf } from "../../src/cel/equality.js";
import type { Evaluation, EvaluationResult } from "../../src/cel/evaluation.js";
import { parseExpression } from "../../src/cel/parse.js";
import type { CelValue } from "../../src/cel/values.js";
import { celValue, needsMessages } from "./conformance-data.js";
import { CONFORMANCE_DEVIATIONS } from "./conformance-deviations.js";
import { compiled, evaluationOf } from "./support.js";

const FILES = [
  "basic",
  "comparisons",
  "lists",
  "logic",
  "macros",
  "conversions",
  "fields",
  "fp_math",
  "integer_math",
  "parse",
  "string",
  "timestamps",
  "namespace",
  "plumbing",
  "string_ext",
  "math_ext",
  "encoders_ext",
  "bindings_ext",
  "macros2",
  "optionals",
];

type Case = IncrementalTestSuite["tests"][number]["original"];

/** Every test below a suite, with its path. */
function casesOf(
  suite: IncrementalTestSuite,
  place: string,
): readonly { readonly name: string; readonly test: Case }[] {
  return [
    ...suite.tests.map(({ name, original }) => ({ name: `${place}/${name}`, test: original })),
    ...suite.suites.flatMap((inner) => casesOf(inner, `${place}/${inner.name}`)),
  ];
}

const NO_NAMES = { variables: new Set<string>(), constants: new Set<string>() };

type Outcome = { readonly refused: string } | { readonly ev: Evaluation; readonly result: EvaluationResult };

function run({ expr, bindings, disableCheck }: Case): Outcome {
  const parsed = parseExpression(expr);
  if (!parsed.ok) return { refused: parsed.message };
  let tree: Syntax = disableCheck ? loosened(parsed.syntax) : parsed.syntax;
  for (const [name, bound] of Object.entries(bindings)) {
    const value = bound.kind.case === "value" ? celValue(bound.kind.value) : undefined;
    if (value === undefined) throw new Error(`no value for ${name}`);
    tree = { kind: "bind", at: 0, name, init: dynamic(value), body: tree };
  }
  const checked = checkExpression(tree, NO_NAMES, "0.55");
  if (!checked.ok) return { refused: checked.issues[0]?.message ?? "" };
  const ev = evaluationOf({});
  return { ev, result: compiled(checked.expr)(ev) };
}

function dynamic(value: CelValue): Syntax {
  return dyn({ kind: "literal", at: 0, value });
}

function dyn(syntax: Syntax): Syntax {
  return { kind: "call", at: 0, fn: "dyn", args: [syntax] };
}

/** Expressions are always checked here; for a test that disables checking, the checker gets no types. */
function loosened(syntax: Syntax): Syntax {
  switch (syntax.kind) {
    case "literal":
      return dyn(syntax);
    case "list":
      return dyn({ ...syntax, elements: syntax.elements.map(loosened) });
    case "map": {
      const entries = syntax.entries.map(({ key, value }) => ({ key: loosened(key), value: loosened(value) }));
      return dyn({ ...syntax, entries });
    }
    case "select":
      return { ...syntax, operand: loosened(syntax.operand) };
    case "call":
      return { ...syntax, args: syntax.args.map(loosened) };
    case "member":
      return { ...syntax, target: loosened(syntax.target), args: syntax.args.map(loosened) };
    default:
      return syntax;
  }
}

/** Why the outcome differs from the expected one; undefined if it does not. */
function wrong({ resultMatcher }: Case, outcome: Outcome): string | undefined {
  const isFailure = "refused" in outcome || outcome.result === undefined;
  const shown = "refused" in outcome ? `refused: ${outcome.refused}` : `error: ${outcome.ev.fault}`;
  if (resultMatcher.case === "evalError") return isFailure ? undefined : "expected an error";
  if ("refused" in outcome || outcome.result === undefined) return shown;
  const { result, ev } = outcome;
  const expected =
    resultMatcher.case === "value"
      ? celValue(resultMatcher.value)
      : resultMatcher.case === "typedResult" && resultMatcher.value.result !== undefined
        ? celValue(resultMatcher.value.result)
        : true;
  if (expected === undefined) return "the expected value is no value";
  if (typeOf(result) !== typeOf(expected)) return `expected a ${typeOf(expected)}, found a ${typeOf(result)}`;
  const areNaN = Number.isNaN(result) && Number.isNaN(expected);
  return areNaN || equals(ev, result, expected) ? undefined : "another value";
}

const table: {
  file: string;
  cases: number;
  passed: number;
  excepted: number;
  messages: number;
}[] = [];

describe.each(FILES)("%s", (file) => {
  const suite = getConformanceSuite().suites.find(({ name }) => name === file);
  const all = suite === undefined ? [] : casesOf(suite, file);
  const cases = all.filter(({ test }) => !needsMessages(test));
  const held = cases.filter(({ name }) => !CONFORMANCE_DEVIATIONS.has(name));
  const row = {
    file,
    cases: cases.length,
    passed: 0,
    excepted: cases.length - held.length,
    messages: all.length - cases.length,
  };
  table.push(row);

  test.each(held)("$name: $test.expr", ({ test }) => {
    expect(wrong(test, run(test))).toBeUndefined();
    row.passed++;
  });

  test("every deviation is one", () => {
    const stale = cases.filter(
      ({ name, test }) => CONFORMANCE_DEVIATIONS.has(name) && wrong(test, run(test)) === undefined,
    );
    expect(stale.map(({ name }) => name)).toEqual([]);
  });
});

test("every deviation names a case", () => {
  const names = new Set(
    getConformanceSuite()
      .suites.flatMap((suite) => casesOf(suite, suite.name))
      .map(({ name }) => name),
  );
  expect([...CONFORMANCE_DEVIATIONS.keys()].filter((name) => !names.has(name))).toEqual([]);
});

afterAll(() => {
  const lines = table.map(
    (row) =>
      `${row.file.padEnd(14)}${[row.cases, row.passed, row.excepted, row.messages].map((n) => String(n).padStart(10)).join("")}`,
  );
  process.stdout.write(`\nfile               cases    passed  excepted  messages\n${lines.join("\n")}\n`);
});
