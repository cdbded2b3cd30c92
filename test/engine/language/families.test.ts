/**
 * What readers of policies make of families of expressions: of each is put down what tells its texts from others.
 *
 * @module-tag long
 */

import { isRight } from "fp-ts/lib/Either.js";
import { afterAll, describe, expect, test } from "vitest";
import { compilePolicies } from "../../../src/index.js";
import { corpusFiles } from "./corpus.js";
import { FAMILIES } from "./families.js";
import { READERS } from "./readers.js";
import { digest, IS_WRITTEN, partsOf, Recording } from "./recorded.js";

const recording = new Recording("families");
afterAll(() => recording.close());

/** Operands of which the checker knows that they do not fit together make no policy. */
const isSound = (expression: string) =>
  isRight(compilePolicies(corpusFiles([expression], true), { platform: "none", globals: { limit: 3 } }));

/** Those of which something was put down are sound. */
const EXPRESSIONS = IS_WRITTEN ? FAMILIES.filter(isSound) : FAMILIES.filter((one) => recording.has(one));

describe.each([...READERS])("%s", (name, read) => {
  test.each(partsOf(EXPRESSIONS))("%s and the like", (_, expressions) => {
    const texts = read(expressions);
    const found = expressions.map((one, i) => [one, digest((texts[i] ?? []).join("\n\n"))] as const);
    expect(found).toEqual(found.map(([one, now]) => [one, recording.wordOf(one, name, now)]));
  });
});
