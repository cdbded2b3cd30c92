/**
 * Records the texts that policy readers produce for the corpus: formulas, filters and query plans. A diff shows when a
 * reader decides less than before, or takes more steps. A text with the same meaning in another form is recorded anew.
 *
 * @module-tag long
 */

import { afterAll, describe, expect, test } from "vitest";
import { READERS } from "./readers.js";
import { PARTS, recordingOf } from "./recorded.js";

describe.each([...READERS.keys()])("%s", (name) => {
  const read = READERS.get(name) ?? (() => []);
  const recording = recordingOf(`texts-of-${name}`);
  afterAll(() => recording.close());

  test.each(PARTS)("%s and the like", (_, expressions) => {
    const texts = read(expressions);
    const found = expressions.map((one, i) => [one, ...recording.ofTexts(one, texts[i] ?? [])] as const);
    expect(found.map(([one, now]) => [one, now])).toEqual(found.map(([one, , then]) => [one, then]));
  });
});
