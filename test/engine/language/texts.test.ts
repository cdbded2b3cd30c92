/**
 * The texts of what readers of policies make of the corpus are recorded: formulas, filters and query plans. A change shows if
 * a reader says less than before, or takes a longer way. Another text of the same meaning is recorded anew.
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
