import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { duplicateKey } from "../../src/cel/duplicate-keys.js";
import "../support/seed.js";

test.each([
  ['{"a": 1, "a": 2}', "a", "a", 9],
  ['{"a": 1, "\\u0061": 2}', "a", "a", 9],
  ['{"a": {"b": [1, {"c": 1}, {"c": 1, "d": 2, "c": 3}]}}', "a.b[2].c", "c", 43],
  ['[[1, 2], [{"x": {}}, {"x": [], "x": []}]]', "[1][1].x", "x", 31],
  ['{"a": "{\\"b\\": 1, \\"b\\": 2", "c": ",:[", "c": 1}', "c", "c", 41],
  ['{"a\\\\": 1, "a\\\\": 2}', "a\\", "a\\", 11],
  ['{"__proto__": 1, "__proto__": 2}', "__proto__", "__proto__", 17],
  ['{"": 1, "": 2}', "", "", 8],
  ['{"a": {"x": 1}, "b": {"x": 1}, "a": 3}', "a", "a", 31],
])("%s", (text, path, key, start) => {
  expect(() => JSON.parse(text)).not.toThrow();
  expect(duplicateKey(text)).toEqual({ path, key, start });
});

describe("nothing is there twice", () => {
  test("in what JSON.stringify writes", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(3), (text, indent) => {
        expect(duplicateKey(JSON.stringify(JSON.parse(text), null, indent))).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });

  test("in a repeated member, unless it is repeated", () => {
    const named = fc.record({ object: fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), at: fc.nat() });
    fc.assert(
      fc.property(named, ({ object, at }) => {
        const names = Object.keys(object);
        const name = names[at % names.length] ?? "";
        const before = JSON.stringify(object);
        const text = `${before.slice(0, -1)},${JSON.stringify(name)}:null}`;
        expect(duplicateKey(text)).toEqual({ path: name, key: name, start: before.length });
      }),
    );
  });
});

test("deep nesting and long lists take no stack", () => {
  expect(duplicateKey(`${"[".repeat(500_000)}${"]".repeat(500_000)}`)).toBeUndefined();
  expect(duplicateKey(`${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`)).toBeUndefined();
});

test("long texts take no stack, whatever is escaped in them", { tags: "long" }, () => {
  for (const text of ["x".repeat(20_000_000), '\\"'.repeat(2_000_000), "\\\\".repeat(2_000_000)]) {
    expect(duplicateKey(`{"a": "${text}", "b": "${text}"}`)).toBeUndefined();
    const start = text.length + 12;
    expect(duplicateKey(`{"a": ["${text}"], "a": 1}`)).toEqual({ path: "a", key: "a", start });
  }
});
