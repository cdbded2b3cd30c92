/**
 * Filters joined from a few tests of one attribute, in every way. They select the rows that their parts imply, and the
 * simplified filters are recorded. `KEYWARD_WRITE=1 npx vitest run test/engine/residual` writes them anew.
 */

import { afterAll, expect, test } from "vitest";
import { complement } from "../../../src/engine/residual/complement.js";
import {
  type Filter,
  type FilterRow,
  type FilterScalar,
  type FilterTest,
  type JsonType,
  MAYBE,
} from "../../../src/engine/residual/filter.js";
import { all, any } from "../../../src/engine/residual/join.js";
import { KnownValues } from "../../../src/engine/residual/known-values.js";
import { matches } from "../../../src/engine/residual/matches.js";
import { isTest, not, type Outline, type OutlineTest } from "../../../src/engine/residual/outline.js";
import { QuestionLog } from "../../../src/engine/residual/question-log.js";
import { literal } from "../../../src/engine/residual/residual-expression.js";
import { TestValues } from "../../../src/engine/residual/test-values.js";
import { Recording } from "../../support/recording.js";

const recording = new Recording("test/engine/residual/joins.json");
afterAll(() => recording.close());

const inquiry = new QuestionLog(new KnownValues([]));
const values = (...list: FilterScalar[]) => TestValues.of(inquiry, list);
const term = { of: "attr", path: ["a"] } as const;
const other = { of: "attr", path: ["b"] } as const;

const among = (...list: FilterScalar[]): OutlineTest => ({ op: "in", term, values: values(...list) });
const isOf = (...types: JsonType[]): OutlineTest => ({ op: "type", term, types });
const expr = literal("e");
const says = (is: boolean): OutlineTest => ({ op: "expression", is, reads: ["R.attr.e"], layer: 0, expr });

const TESTS: readonly OutlineTest[] = [
  ...[
    { op: "present", term } as const,
    { op: "present", term, isJson: true } as const,
    among(1),
    among(1, 2),
    among("x", 2, null),
    isOf("number"),
    isOf("string", "null"),
  ],
  ...[
    says(true),
    says(false),
    { op: "present", term: other } as const,
    { op: "in", term: other, values: values(1) } as const,
  ],
  { op: "order", term, symbol: "<", value: values(2) },
];

const PARTS: readonly Outline[] = [...TESTS, ...TESTS.map((one) => not(one))];

const ABSENT = Symbol("absent");

const ROWS: readonly FilterRow[] = [ABSENT, null, 0, 1, 2, "x", true, Number.NaN].flatMap((a) =>
  [ABSENT, 1].flatMap((b) =>
    [true, false, undefined].map((e) => ({
      attr: { ...(a === ABSENT ? {} : { a }), ...(b === ABSENT ? {} : { b }), e },
    })),
  ),
);

/** A filter with its values inserted. */
function filterOf(outline: Outline): Filter {
  if (outline.op === "all" || outline.op === "any") return { op: outline.op, of: outline.of.map(filterOf) };
  if (outline.op === "not") return { op: "not", of: testOf(outline.of) };
  return isTest(outline) ? testOf(outline) : { op: "unknown" };
}

function testOf(outline: OutlineTest): FilterTest {
  switch (outline.op) {
    case "in":
      return { ...outline, values: outline.values.constant ?? [] };
    case "order":
      return { op: "order", term, symbol: outline.symbol, value: 2 };
    case "expression":
      return { ...outline, value: ({ attr }) => (typeof attr?.e === "boolean" ? attr.e : undefined) };
    case "present":
    case "type":
      return outline;
    default:
      throw new Error(outline.op);
  }
}

/** The rows that an outline selects, one bit each. */
function bitsOf(outline: Outline): bigint {
  const filter = filterOf(outline);
  return ROWS.reduce((bits, row, i) => (matches(filter, row) ? bits | (1n << BigInt(i)) : bits), 0n);
}

const EVERY_ROW = (1n << BigInt(ROWS.length)) - 1n;

const told = (outline: Outline): string =>
  JSON.stringify(outline, (name, value) => {
    if (name === "expr" || name === "reads" || name === "layer") return undefined;
    return value instanceof TestValues ? value.constant : value;
  });

const bits = new Map(PARTS.map((part) => [part, bitsOf(part)]));
const of = (part: Outline) => bits.get(part) ?? 0n;

test.each(PARTS.map((part) => [told(part), part] as const))("%s, with each two others", (name, first) => {
  const wrong: string[] = [];
  const found: string[] = [];
  const check = (made: Outline, expected: bigint) => {
    found.push(told(made));
    if (bitsOf(made) !== expected) wrong.push(told(made));
  };
  for (const [i, second] of PARTS.entries()) {
    check(all([first, second]), of(first) & of(second));
    check(any([first, second]), of(first) | of(second));
    check(complement(all([first, second])), EVERY_ROW & ~(of(first) & of(second)));
    check(complement(any([first, second])), EVERY_ROW & ~(of(first) | of(second)));
    for (const third of PARTS.filter((_, j) => (i + j) % 2 === 0)) {
      check(all([first, any([second, third])]), of(first) & (of(second) | of(third)));
      check(any([all([first, second]), third, all([second, first, third])]), (of(first) & of(second)) | of(third));
      check(any([all([first, second]), all([first, third])]), of(first) & (of(second) | of(third)));
    }
  }
  expect(wrong).toEqual([]);
  const [now, then] = recording.ofTexts(name, found);
  expect(now).toBe(then);
});

test("of what is not known, the other rows are not known either", () => {
  const open: OutlineTest = { op: "some", term, over: "items", where: MAYBE };
  const known: OutlineTest = { op: "some", term, over: "items", where: among(1) };
  expect([open, not(open), MAYBE, known, not(known)].map(complement)).toEqual([MAYBE, MAYBE, MAYBE, not(known), known]);
});
