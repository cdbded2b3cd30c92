/**
 * The libraries of later versions for sets, regular expressions and JSON, by cel-go's documentation and tests; no
 * available server has them.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileRegex } from "../../../src/cel/regex.js";
import { Searcher } from "../../../src/cel/regex-captures.js";
import { value } from "../value.js";
import { call, newEvaluation } from "./support.js";
import "../../support/seed.js";

describe("sets", () => {
  test.each([
    ["sets.contains([], [])", true],
    ["sets.contains([], [1])", false],
    ["sets.contains([1, 2, 3, 4], [2, 3])", true],
    ["sets.contains([1], [1, 1])", true],
    ["sets.contains([1, 2.0, 3u], [1.0, 2u, 3])", true],
    ["sets.contains([[1], [2, 3]], [[2, 3.0]])", true],
    ["sets.contains([1], ['1', 1])", false],
    ["sets.contains(R.attr.teams, ['design'])", true],
    ["sets.contains(R.attr.list, [1, 2])", true],
    ["sets.equivalent([], [])", true],
    ["sets.equivalent([1], [1, 1])", true],
    ["sets.equivalent([1], [1u, 1.0])", true],
    ["sets.equivalent([1, 2, 3], [3u, 2.0, 1])", true],
    ["sets.equivalent([2, 1], [1])", false],
    ["sets.equivalent(R.attr.teams, ['commercial', 'product', 'communications', 'design'])", true],
    ["sets.intersects([1], [])", false],
    ["sets.intersects([], [])", false],
    ["sets.intersects([1], [1, 2])", true],
    ["sets.intersects([[1], [2, 3]], [[1, 2], [2, 3.0]])", true],
    ["sets.intersects([1], [1.1, 2u])", false],
    ["sets.contains(1, [1])", "refused: found no matching overload for 'sets.contains' applied to '(int, list(int))'"],
    ["sets.contains([1], ['a'])", /^refused: found no matching overload/],
    ["sets.contains(R.attr.map, [1])", "error"],
    ["[1].contains([1])", /^refused: found no matching overload/],
  ])("%s", (source, expected) => {
    if (expected instanceof RegExp) expect(value(source)).toMatch(expected);
    else expect(value(source)).toEqual(expected);
  });

  test("are what they are of sets", () => {
    const list = fc.array(fc.constantFrom("a", "b", "c", "d", 1, 2, null, true), { maxLength: 6 });
    fc.assert(
      fc.property(list, list, (a, b) => {
        const [x, y] = [new Set(a), new Set(b)];
        const has = (s: Set<unknown>, t: Set<unknown>): boolean => [...t].every((one) => s.has(one));
        expect(call("sets.contains", "global", a, b)).toBe(has(x, y));
        expect(call("sets.equivalent", "global", a, b)).toBe(has(x, y) && has(y, x));
        expect(call("sets.intersects", "global", a, b)).toBe([...x].some((one) => y.has(one)));
      }),
    );
  });
});

describe("regular expressions", () => {
  test.each([
    ["regex.extract('hello world', 'hello(.*)')", { of: " world" }],
    ["regex.extract('item-A, item-B', r'item-(\\w+)')", { of: "A" }],
    ["regex.extract('The color is red', r'The color is \\w+')", { of: "The color is red" }],
    ["regex.extract('HELLO', 'hello')", "none"],
    ["regex.extract('', r'\\w+')", "none"],
    ["regex.extract('phone: 5551212', r'phone: (\\d{3}-)?')", "none"],
    ["regex.extract('abc', '')", { of: "" }],
    ["regex.extract('abc', '()')", "none"],
    ["regex.extract('testuser@testdomain', '(.*)@([^.]*)')", "error"],
    ["regex.extract('a', '(?:a)(a)?')", "none"],
    ["regex.extract('foo bar', '(')", "error"],
    ["regex.extract('a😀b', '.(.)')", { of: "😀" }],
    ["regex.extract(R.attr.s, 'b')", { of: "b" }],
    ["regex.extract(R.attr.n, 'b')", "error"],
    ["regex.extract('foo', 1)", "refused: found no matching overload for 'regex.extract' applied to '(string, int)'"],
    ["regex.extractAll('id:123, id:456', r'id:\\d+')", ["id:123", "id:456"]],
    ["regex.extractAll('id:123, id:456', r'id:(\\d+)')", ["123", "456"]],
    ["regex.extractAll('id:123, id:456', 'assa')", []],
    ["regex.extractAll('banananana', '(ana)')", ["ana", "ana"]],
    ["regex.extractAll('phone: 5551212', r'phone: (\\d{3}-)?')", []],
    ["regex.extractAll('ab', '')", ["", "", ""]],
    ["regex.extractAll('testuser@testdomain', '(.*)@([^.]*)')", "error"],
    ["regex.replace('hello world hello', 'hello', 'hi')", "hi world hi"],
    ["regex.replace('banana', 'a', 'x', 0)", "banana"],
    ["regex.replace('banana', 'a', 'x', 1)", "bxnana"],
    ["regex.replace('banana', 'a', 'x', 2)", "bxnxna"],
    ["regex.replace('banana', 'a', 'x', 100)", "bxnxnx"],
    ["regex.replace('banana', 'a', 'x', -12)", "bxnxnx"],
    ["regex.replace('banana', 'ana', 'x')", "bxna"],
    ["regex.replace('foo bar', '(fo)o (ba)r', r'\\2 \\1')", "ba fo"],
    ["regex.replace('foo bar', r'\\w+', r'(\\0)')", "(foo) (bar)"],
    ["regex.replace('a', 'a', r'\\\\1')", "\\1"],
    ["regex.replace('', 'a', 'b')", ""],
    ["regex.replace('abc', '', '-')", "-a-b-c-"],
    ["regex.replace('abc', 'x*', '-')", "-a-b-c-"],
    ["regex.replace('ab', '(a)|(b)', r'[\\1\\2]')", "[a][b]"],
    ["regex.replace('test', '(.)', r'\\2')", "error"],
    ["regex.replace('test', 'x', r'\\2')", "test"],
    ["regex.replace('id=123', r'id=(?P<value>\\d+)', r'value: \\values')", "error"],
    ["regex.replace('test', 't', r'\\')", "error"],
    ["regex.replace('foo bar', '(', 'x')", "error"],
    ["regex.replace('foo bar', '(', 'x', 0)", "foo bar"],
    ["regex.replace('a', 'a', 'b', 1.0)", /^refused: found no matching overload/],
  ])("%s", (source, expected) => {
    if (expected instanceof RegExp) expect(value(source)).toMatch(expected);
    else expect(value(source)).toEqual(expected);
  });

  test("patterns are bounded", () => {
    const long = "a".repeat(300);
    expect(value(`regex.extract('a', '${long}')`)).toBe("refused: this pattern is longer than 256 characters");
    expect(call("regex.extract", "global", "a", long)).toBeUndefined();
  });

  /** Patterns that match the same in JavaScript: no backreferences, and no empty loops. */
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => {
    const p = tie("pattern");
    const atom = fc.constantFrom("a", "b", "c", ".", "[ab]", "[^a]", "^", "$", "\\b", "\\w", "ab", "😀");
    return {
      pattern: fc.oneof(
        { depthSize: "small" },
        atom,
        fc.tuple(p, p).map(([a, b]) => a + b),
        fc.tuple(p, p).map(([a, b]) => `(?:${a}|${b})`),
        p.map((a) => `(${a})`),
        fc
          .tuple(
            fc.constantFrom("a", "b", ".", "[ab]", "(a)", "(?:ab)"),
            fc.constantFrom("*", "+", "?", "*?", "+?", "??"),
          )
          .map(([a, op]) => a + op),
        fc.tuple(fc.constantFrom("a", ".", "[ab]"), fc.constantFrom("{2}", "{1,2}", "{2,}?")).map(([a, op]) => a + op),
      ),
    };
  });
  const text = fc.array(fc.constantFrom("a", "b", "c", " ", "\n", "😀"), { maxLength: 8 }).map((list) => list.join(""));

  test("matches and groups are those of a backtracking search", { tags: "long" }, () => {
    let found = 0;
    fc.assert(
      fc.property(pattern, text, (source, target) => {
        const regex = compileRegex(source);
        if (regex === undefined) throw new Error(source);
        const matches = new Searcher(newEvaluation(), regex.program, target).all();
        const native = [...target.matchAll(new RegExp(source, "gu"))];
        // JavaScript accepts an empty match directly after another match, Go does not.
        const expected = native.filter((match, i) => {
          const before = native[i - 1];
          return match[0] !== "" || before === undefined || before.index + before[0].length !== match.index;
        });
        const groups = matches?.map((match) =>
          Array.from({ length: regex.groups + 1 }, (_, i) => {
            const [from = -1, to = -1] = match.slice(i * 2, i * 2 + 2);
            return from < 0 ? undefined : target.slice(from, to);
          }),
        );
        expect(groups).toEqual(expected.map((match) => [...match]));
        expect(regex.test(target)).toBe(expected.length > 0);
        found += expected.length;
      }),
      { numRuns: 3_000 },
    );
    expect(found).toBeGreaterThan(1_000);
  });
});

describe("json.encode", () => {
  test.each([
    ["json.encode({'hello': 'world'})", '{"hello":"world"}'],
    ["json.encode(R.attr.map)", '{"a":1,"b":{"c":"x"}}'],
    ["json.encode({'b': [1, 2.5, null, -0.0, true], 'a': 1e21})", '{"a":1e+21,"b":[1,2.5,null,-0,true]}'],
    ["json.encode(9007199254740993)", '"9007199254740993"'],
    ["json.encode('<a & \"b\">\\n')", '"\\u003ca \\u0026 \\"b\\"\\u003e\\n"'],
    ["json.encode({'<k>': 'a\\u2028b\\u2029\\u007fé'})", '{"\\u003ck\\u003e":"a\\u2028b\\u2029\u007fé"}'],
    ["json.encode(b'hello')", '"aGVsbG8="'],
    ["json.encode(duration('90m'))", '"5400s"'],
    ["json.encode([])", "[]"],
    ["json.encode({})", "{}"],
    ["json.encode(R.attr.?n)", "1"],
    ["json.encode(R.attr.?zz)", "error"],
    ["json.encode({1: 2})", "error"],
    ["json.encode(double('NaN'))", "error"],
    ["json.encode(hierarchy('a.b'))", "error"],
    ["json.encode(1, 2)", /^refused: found no matching overload/],
  ])("%s", (source, expected) => {
    if (expected instanceof RegExp) expect(value(source)).toMatch(expected);
    else expect(value(source)).toEqual(expected);
  });
});
