/** What no text may have, whoever reads it: policies, schemas, suites, fixtures, claims, locks, globals. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { READERS } from "../support/readers.js";
import "../support/seed.js";

/** `line:column` of an offset. */
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
