/** Parse errors with their messages and positions, and the time limits of parsing. */

import { describe, expect, test } from "vitest";
import { checkExpression } from "../../src/cel/check.js";
import { parseExpression } from "../../src/cel/parse.js";
import { MAX_EXPRESSION_DEPTH, MAX_EXPRESSION_LENGTH } from "../../src/limits.js";
import { sized } from "../support/size.js";
import { callsOf, countThroughout } from "../support/work.js";

function refusal(source: string): string {
  const parsed = parseExpression(source);
  return parsed.ok ? "accepted" : `${parsed.at}: ${parsed.message}`;
}

describe("refusals", () => {
  test.each([
    ["", "0: syntax error: the expression ends too early"],
    ["1 +", '2: syntax error: unexpected "+"'],
    ["(1", '0: syntax error: this "(" is never closed'],
    ["P.id == 'x", "8: syntax error: this string is never closed"],
    ["P.id == 'x\ny'", "8: syntax error: this string is never closed"],
    ["[1)", '2: syntax error: unexpected ")"'],
    ["1)", '1: syntax error: unexpected ")"'],
    ["1   // (\n  $", '11: syntax error: unexpected "$"'],
    ["'a\\q'", "2: syntax error: invalid escape sequence \\q"],
    ["b'\\u00ff'", "2: syntax error: invalid escape sequence \\u"],
    ["'\\ud800'", "1: syntax error: invalid escape sequence \\u"],
    ['"a\\U00110000"', "2: syntax error: invalid escape sequence \\U"],
    ["R.``", '2: syntax error: unexpected "`"'],
    ["R.`a\tb`", '2: syntax error: unexpected "`"'],
    ["`R`.attr", '0: syntax error: unexpected "`R`"'],
    ["R.attr.`a`(1)", '10: syntax error: unexpected "("'],
    ["f(1,)", '4: syntax error: unexpected ")"'],
    ["1 /* c */", '3: syntax error: unexpected "*"'],
    ["R.attr.a 😀", '9: syntax error: unexpected "😀"'],
    ["R.", '1: syntax error: unexpected "."'],
    ["[1, 2", '0: syntax error: this "[" is never closed'],
    ["has(R.attr.?x)", "0: invalid argument to has() macro: it takes a field selection"],
    ["has(R.attr.x, 1)", "0: invalid argument to has() macro: it takes a field selection"],
    ["1 + if", "4: syntax error: reserved identifier"],
    ["package(1)", "0: syntax error: reserved identifier"],
    ["9223372036854775808", "0: invalid int literal: out of range"],
    ["18446744073709551616u", "0: invalid uint literal: out of range"],
    ["1e999", "0: invalid double literal: out of range"],
    ["has(R)", "0: invalid argument to has() macro: it takes a field selection"],
    ["[1].all(x.y, true)", "9: a macro's variable must be a simple name"],
    ["[1].all(i, i, true)", "11: duplicate variable name: i"],
    ["[1].map(__result__, 1)", "8: iteration variable overwrites accumulator variable"],
    ["[1].existsOne(x, true)", "3: there is no macro existsOne of one variable: use exists_one"],
    ["cel.bind(x.y, 1, 2)", "10: a macro's variable must be a simple name"],
    ["cel.bind(.x, 1, 2)", "9: a macro's variable must be a simple name"],
    ["math.greatest()", "4: math.greatest() requires at least one argument"],
    ["math.least(1, 'a')", "14: math.least() simple literal arguments must be numeric"],
    ["a.B{c: 1}", "0: message literals (a.B{…}) are not supported"],
  ])("%j", (source, expected) => {
    expect(refusal(source)).toBe(expected);
  });
});

test.each([
  "as",
  "break",
  "const",
  "continue",
  "else",
  "for",
  "function",
  "if",
  "import",
  "in",
  "let",
  "loop",
  "package",
  "namespace",
  "return",
  "var",
  "void",
  "while",
])("%s is no name, and as a field only what is no keyword", (word) => {
  for (const source of [word, `.${word}`, `${word}(1)`, `[1].all(${word}, true)`, `1 + ${word}.x`]) {
    expect(refusal(source), source).not.toBe("accepted");
  }
  const isKeyword = word === "in";
  expect(refusal(`R.attr.${word}`) === "accepted").toBe(!isKeyword);
});

describe("nesting", () => {
  const nested = (depth: number, inner: string) => "(".repeat(depth) + inner + ")".repeat(depth);

  test("brackets", () => {
    expect(refusal(nested(MAX_EXPRESSION_DEPTH, "1"))).toBe("accepted");
    expect(refusal(nested(MAX_EXPRESSION_DEPTH + 1, "1"))).toMatch(/^200: .*nested/);
  });

  test("brackets in strings and comments are none", () => {
    expect(refusal(`"${"(".repeat(10_000)}" == '${"[".repeat(10_000)}' // ${"{".repeat(10_000)}`)).toBe("accepted");
  });

  test("conditionals", () => {
    expect(refusal(`${"true ? 1 : ".repeat(150)}2`)).toBe("accepted");
    expect(refusal(`${"true ? 1 : ".repeat(2_500)}2`)).toMatch(/nested/);
    expect(refusal(`[${"true ? 1 : 2, ".repeat(1_000)}3]`)).toBe("accepted");
  });
});

describe("operators side by side cancel, and those between which a bracket stands do not, as on the server", () => {
  test.each([
    "!(!(P.id))",
    "!((!(P.id)))",
    "! // why\n ( !(P.id) )",
    "!!!(!(P.id))",
    "-(-(P.id))",
    "1 - (-(P.id))",
    "[1].exists(a, !(!(a)))",
  ])("%s is of the wrong type", (source) => {
    const parsed = parseExpression(source);
    if (!parsed.ok) throw new Error(parsed.message);
    expect(checkExpression(parsed.syntax, undefined, "0.55")).toMatchObject({ ok: false });
  });

  test.each([
    ["!!(P.id)", "P.id"],
    ["--(P.id)", "P.id"],
    ["!(!P.attr.a)[0]", "!((!P.attr.a)[0])"],
  ])("%s is %s", (source, same) => {
    expect(shape(source)).toEqual(shape(same));
  });

  test("a group is one expression", () => {
    expect(parseExpression("!(!P.attr.a, P.attr.b)")).toMatchObject({
      ok: false,
      message: expect.stringContaining('","'),
    });
    const parsed = parseExpression("!(!P.attr.a)");
    expect(parsed).toMatchObject({ ok: true, syntax: { at: 0, args: [{ at: 2, fn: "!_", args: [{ at: 9 }] }] } });
  });

  test("a function of that name is none", () => {
    expect(parseExpression("_(!P.attr.a)")).toMatchObject({ ok: true, syntax: { fn: "_" } });
  });
});

/** The tree without its offsets. */
function shape(source: string): unknown {
  return JSON.parse(
    JSON.stringify(parseExpression(source), (key, value) =>
      key === "at" ? undefined : typeof value === "bigint" ? `${value}` : value,
    ),
  );
}

describe("offsets count white space and comments", () => {
  test.each([
    ["1 +    nope", 7],
    ["1 //  comment\n\n\t+ nope", 18],
    ["  /* ", 2],
    ["'  //  ' + \n\n nope", 14],
    ["[1,   2,\n\n   nope, 3]", 13],
  ])("%j", (source, at) => {
    const parsed = parseExpression(source);
    if (!parsed.ok) {
      expect(parsed.at).toBe(at);
      return;
    }
    expect(checkExpression(parsed.syntax, undefined, "0.55")).toMatchObject({ ok: false, issues: [{ at }] });
  });
});

/** A short run stays below the limit: superlinear work would show at a part of it, too. */
const LENGTH = sized(MAX_EXPRESSION_LENGTH, MAX_EXPRESSION_LENGTH / 4);

/** Text of that length: repeats of `unit` between `start` and `end`. */
function filled(unit: string, start = "", end = ""): string {
  const times = Math.floor((LENGTH - start.length - end.length) / unit.length);
  return start + unit.repeat(times) + end;
}

countThroughout();

/** Most forms take fewer than 100 calls, doubling types 530. Quadratic or exponential work takes thousands. */
const CALLS_PER_CHARACTER = 1_000;

describe("long texts are parsed or refused, and checked, in work that grows with them", { tags: "long" }, () => {
  test.each([
    ["white space behind", filled(" ", "true")],
    ["line ends behind", filled("\n", "true")],
    ["white space before", filled(" ", "", "true")],
    ["white space within", filled(" ", "1", "+ 1")],
    ["comments", filled("//\n", "1", "+ 1")],
    ["a comment", filled("/", "1")],
    ["an unclosed bracket", filled("(")],
    ["unclosed brackets of all kinds", filled("f([{1:")],
    ["deep but refused at the end", `${"(".repeat(200)}1 $${")".repeat(200)}`],
    ["deep maps, refused at the end", `${"{1:".repeat(200)}1 $${"}".repeat(200)}`],
    ["deep conditionals", `${"(true ? 1 : ".repeat(100)}1 $${")".repeat(100)}`],
    ["conditionals", filled("true ? 1 : ", "", "1")],
    ["a sum", filled("1+", "", "1")],
    ["a sum of strings", filled("''+", "", "''")],
    ["a conjunction", filled("true&&", "", "true")],
    ["a disjunction of comparisons", filled("1==1||", "", "true")],
    ["a list", filled("1,", "[", "1]")],
    ["a list of lists", filled("[],", "[", "[]]")],
    ["a list of maps", filled("{1:[]},", "[", "{}]")],
    ["a map", filled("1:2,", "{", "1:2}")],
    ["selections", filled(".b", "a")],
    ["indexes", filled("[0]", "a")],
    ["calls", filled(".f(1)", "a")],
    ["macros", filled("[1].all(x,x>0)&&", "", "true")],
    ["nested macros", `${"[1].map(x,".repeat(190)}x${")".repeat(190)}`],
    ["a string", filled("b", '"', '"')],
    ["escapes", filled("\\n", '"', '"')],
    ["an unclosed string", filled("b", '"')],
    ["quotes", filled('"')],
    ["signs", filled("-", "", "1")],
    ["negations", filled("!", "", "true")],
    ["digits", filled("1")],
    ["dots", filled("a.")],
    ["operators", filled("+")],
    ["no tokens", filled("$")],
    ["types that double", `${Array.from({ length: 60 }, (_, i) => `cel.bind(v${i + 1}, {v${i}: v${i}}, `).join("")}v0`],
  ])("%s", (_name, text) => {
    const source = text.startsWith("cel.bind(v1") ? `cel.bind(v0, [], ${text} == v60${")".repeat(61)}` : text;
    expect(source.length).toBeLessThanOrEqual(MAX_EXPRESSION_LENGTH);
    const calls = callsOf(() => {
      const parsed = parseExpression(source);
      if (parsed.ok) checkExpression(parsed.syntax, undefined, "0.55");
    });
    expect(calls / source.length).toBeLessThan(CALLS_PER_CHARACTER);
  });
});
