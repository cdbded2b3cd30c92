/** Long reports are written in pieces, as the JSON of the whole would be. */

import { expect, test } from "vitest";
import { writeLongJson } from "../../src/cli/long-json.js";
import { jsonText } from "../../src/policy/escape.js";

async function written(fields: object) {
  const pieces: string[] = [];
  let waited = 0;
  await writeLongJson(fields, {
    out: (text) => pieces.push(text),
    drained: async () => {
      waited += 1;
    },
  });
  return { text: pieces.join(""), pieces, waited };
}

const items = (count: number) =>
  Array.from({ length: count }, (_, line) => ({ line, before: { "a\nb": "\u202e" }, reads: [], nested: [[1], {}] }));

test.each([
  ["no field", {}],
  ["short lists", { lines: 1, none: [], one: items(1), left: undefined, text: "a\nb\u202e", last: { of: [1, 2] } }],
  ["long lists", { lines: 3, long: items(2_500), "longer\u0000": items(3_000), last: null }],
  ["a long list at the end", { long: items(1_001) }],
])("%s", async (_, fields) => {
  const { text, pieces, waited } = await written(fields);
  expect(text).toBe(`${jsonText(fields, 2)}\n`);
  expect(waited).toBe(pieces.length);
});
