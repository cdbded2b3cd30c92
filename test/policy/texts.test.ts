/** Characters that every reader refuses: of policies, schemas, suites, fixtures, claims, locks and globals. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { READERS, YAML_READERS } from "../support/readers.js";
import "../support/seed.js";

/** The `line:column` of an offset. */
function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

describe.each(READERS)("$name", ({ text, problems }) => {
  test("are read", async () => {
    expect(await problems(text)).toEqual([]);
  });

  test("a carriage return without a line feed is refused wherever it stands", async () => {
    const offset = fc.nat({ max: text.length }).filter((at) => text[at] !== "\n");
    await fc.assert(
      fc.asyncProperty(offset, async (at) => {
        const problem = `${placeOf(text, at)} a carriage return without a line feed`;
        expect(await problems(`${text.slice(0, at)}\r${text.slice(at)}`)).toEqual([problem]);
      }),
      { numRuns: 30 },
    );
  });
});

const KEYS_TWICE: readonly (readonly [text: string, problem: string])[] = [
  ["a: 1\na: 2\n", '2:1 the key "a" is there twice'],
  ["a: 1\n'a': 2\n", '2:1 the key "a" is there twice'],
  ['{"a": 1, "\\u0061": 2}\n', '1:10 the key "a" is there twice'],
  ["a: [{b: {c: 1, c: 1}}]\n", '1:16 the key "c" is there twice'],
  ["<<: {a: 1}\n<<: {b: 1}\n", '2:1 the key "<<" is there twice'],
  ["a: [{<<: {a: 1}, b: 1, <<: {c: 1}}]\n", '1:24 the key "<<" is there twice'],
  ["a: {<<: {<<: {a: 1}, <<: {a: 1}}}\n", '1:22 the key "<<" is there twice'],
  ["a: {'<<': 1, <<: {a: 1}}\n", '1:14 the key "<<" is there twice'],
  ["a: {<<: {a: 1}, '<<': 1}\n", '1:17 the key "<<" is there twice'],
];

describe.each(YAML_READERS)("$name", ({ problems }) => {
  test.each(KEYS_TWICE)("a key twice is refused: %j", async (text, problem) => {
    expect(await problems(text)).toContain(problem);
  });
});

test("a key twice in a schema is refused", async () => {
  const schemas = READERS.find(({ name }) => name === "schemas");
  expect(await schemas?.problems('{"type": "object",\n"properties": {"a": {}, "a": {}}}')).toEqual([
    '2:25 the key "a" is there twice',
  ]);
});
