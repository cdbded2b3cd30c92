/**
 * The results of policy readers for families of expressions: records the parts in which the texts of a family differ.
 *
 * @module-tag long
 */

import { isRight } from "fp-ts/lib/Either.js";
import { afterAll, describe, expect, test } from "vitest";
import { compilePolicies } from "../../../src/index.js";
import { digest, IS_WRITTEN } from "../../support/recording.js";
import { corpusFiles } from "./corpus.js";
import { FAMILIES } from "./families.js";
import { READERS } from "./readers.js";
import { partsOf, recordingOf } from "./recorded.js";

const recording = recordingOf("families");
afterAll(() => recording.close());

/** Operands that the checker refuses to combine do not load. */
const isSound = (expression: string) =>
  isRight(compilePolicies(corpusFiles([expression], true), { platform: "none", globals: { limit: 3 } }));

/** Recorded expressions are known to load. */
const EXPRESSIONS = IS_WRITTEN
  ? FAMILIES.filter(isSound)
  : FAMILIES.filter((one) => recording.known(one) !== undefined);

describe.each([...READERS])("%s", (name, read) => {
  test.each(partsOf(EXPRESSIONS))("%s and the like", (_, expressions) => {
    const texts = read(expressions);
    const found = expressions.map((one, i) => [one, digest((texts[i] ?? []).join("\n\n"))] as const);
    expect(found).toEqual(found.map(([one, now]) => [one, recording.wordOf(one, name, now)]));
  });
});
