/** `json.parse`, `yaml.parse` and `yaml.encode` of level 0.58. No available server has them: the test is their meaning. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { Evaluation } from "../../../src/cel/evaluation.js";
import { STEP_BUDGET } from "../../../src/limits.js";
import { sized } from "../../support/size.js";
import { toJson } from "../support.js";
import { call, callIn } from "./support.js";
import "../../support/seed.js";

function result(name: string, argument: Parameters<typeof call>[2]): unknown {
  const value = call(name, "global", argument);
  return value === undefined ? "error" : toJson(value);
}

describe("json.parse", () => {
  test.each([
    ['{"a": [1, 2.5, null, true, "x"], "b": {}}', { a: [1, 2.5, null, true, "x"], b: {} }],
    [' "\\u00e9\\n" ', "é\n"],
    ["-0", 0],
    ["9007199254740993", 9007199254740992],
    ['{"__proto__": 1}', JSON.parse('{"__proto__": 1}')],
  ])("%s", (text, expected) => expect(result("json.parse", text)).toEqual(expected));

  test.each([
    "",
    "{a: 1}",
    "[1,]",
    "1 2",
    "NaN",
    "1e999",
    '{"a": 1, "a": 1}',
    '[{"a": {"b": 1, "\\u0062": 2}}]',
    '"\\ud800"',
    '{"\\udc00": 1}',
    `${"[".repeat(300)}${"]".repeat(300)}`,
    "[".repeat(100_000),
  ])("%.40s is an error", (text) => expect(result("json.parse", text)).toBe("error"));

  test("inverts json.encode", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.parse(JSON.stringify(value).replaceAll("-0", "0"));
        expect(result("json.parse", String(result("json.encode", json)))).toEqual(json);
      }),
      { numRuns: sized(2_000) },
    );
  });
});

describe("yaml.parse", () => {
  test.each([
    ["a: 1\nb: [x, 'y', \"z\"]\nc:\n  - null\n  - ~\n  - true\n", { a: 1, b: ["x", "y", "z"], c: [null, null, true] }],
    ["0x10", 16],
    ["yes", "yes"],
    ["2024-01-01", "2024-01-01"],
    ["", null],
    ["# only a comment", null],
    ["a:", { a: null }],
    ["[a: b, {c: d}]", [{ a: "b" }, { c: "d" }]],
    ["|\n a\n b\n", "a\nb\n"],
    ["a: &x [1]\nb: *x\n", { a: [1], b: [1] }],
    ["---\na\n...\n", "a"],
  ])("%j", (text, expected) => expect(result("yaml.parse", text)).toEqual(expected));

  test.each([
    "a: 1\na: 2",
    "a\n---\nb",
    "!!str 1",
    "!own 1",
    "1: a",
    "? [a]\n: b",
    "<<: {a: 1}",
    ".inf",
    ".nan",
    "*missing",
    "&a [*a]",
    "a: [",
    "\ta: b: c",
    `"\\ud800"`,
    "[".repeat(5_000),
    "- ".repeat(400),
    // Each list repeats the one before it ten times.
    Array.from(
      { length: 12 },
      (_, i) =>
        `- &a${i} [${
          i === 0
            ? "x"
            : Array(10)
                .fill(`*a${i - 1}`)
                .join(", ")
        }]`,
    ).join("\n"),
  ])("%.40j is an error", (text) => expect(result("yaml.parse", text)).toBe("error"));

  test("gives the value that the yaml package gives", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(result("yaml.parse", text)).toEqual(parseYaml(text));
      }),
      { numRuns: sized(2_000) },
    );
  });

  test("reads any text, and never throws", () => {
    const pieces = fc.constantFrom(
      "a",
      "1",
      ": ",
      "- ",
      "\n",
      "  ",
      "[",
      "]",
      "{",
      "}",
      ",",
      "&x ",
      "*x",
      "'",
      '"',
      "#",
      "|",
      "?",
      "!t ",
      "<<",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 24 }), (list) => {
        const text = list.join("");
        const read = result("yaml.parse", text);
        if (read === "error") return;
        expect(read).toEqual(parseYaml(text, { schema: "core" }));
      }),
      { numRuns: sized(20_000) },
    );
  });
});

describe("yaml.encode", () => {
  test.each([
    [
      { b: [1, "1", null, "null", ""], a: { y: true, x: "true" } },
      'a:\n  x: "true"\n  y: true\nb:\n  - 1\n  - "1"\n  - null\n  - "null"\n  - ""\n',
    ],
    ["a: b", '"a: b"\n'],
    [[], "[]\n"],
    [2n ** 62n, '"4611686018427387904"\n'],
  ])("%# as %s", (value, expected) => expect(result("yaml.encode", value)).toBe(expected));

  test("errs where json.encode does", () => {
    expect(result("yaml.encode", Number.NaN)).toBe("error");
    expect(result("yaml.encode", new Map())).toBe(result("json.encode", new Map()));
  });

  test("is read back by yaml.parse", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.parse(JSON.stringify(value).replaceAll("-0", "0"));
        expect(result("yaml.parse", String(result("yaml.encode", json)))).toEqual(json);
      }),
      { numRuns: sized(2_000) },
    );
  });
});

test.each([
  ["json.parse", `[${"1,".repeat(1_000_000)}1]`],
  ["yaml.parse", `[${"1,".repeat(1_000_000)}1]`],
  ["yaml.encode", Array.from({ length: 100_000 }, (_, i) => i)],
  ["yaml.encode", "a\n".repeat(1_000_000)],
])("%s of a long value ends the budget", (name, value) => {
  const ev = new Evaluation();
  expect(callIn(ev, name, "global", value)).toBeUndefined();
  expect([ev.fault, ev.steps < STEP_BUDGET]).toEqual(["step budget exhausted", true]);
});
