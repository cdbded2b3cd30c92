/**
 * The functions that are generated for expressions are put down as they are written: what they read, and which conditions
 * they leave to closures. Another text of the same meaning is only to be put down anew.
 */

import { afterAll, expect, test } from "vitest";
import { generate, generateStaged } from "../../../src/engine/generate/generate.js";
import type { Part } from "../../../src/engine/generate/written.js";
import { corpus, KEY } from "./corpus.js";
import { PARTS, Recording } from "./recorded.js";
import { functionText } from "./texts.js";

const recording = new Recording("generated-texts");
afterAll(() => recording.close());

const KEY_ALONE: ReadonlySet<Part> = new Set(["principal"]);

const PRINCIPAL = { ...KEY, scope: "" };
const RESOURCE = { kind: "doc", id: "d1", scope: "", attr: {} };

test.each(PARTS)("%s and the like", (_, expressions) => {
  const sets = [corpus(expressions, true), corpus(expressions, true, true)];
  const found = expressions.map((expression, action) => {
    const texts = sets.flatMap(({ permission }) => {
      const { wanted } = permission.planned(PRINCIPAL, RESOURCE, `a${action}`).jointWith(undefined);
      const { layers } = wanted;
      return [generate(layers, wanted.keepsReads), generate(layers, true), generateStaged(layers, KEY_ALONE)].map(
        functionText,
      );
    });
    return [expression, ...recording.ofTexts(expression, texts)] as const;
  });
  expect(found.map(([expression, now]) => [expression, now])).toEqual(
    found.map(([expression, , then]) => [expression, then]),
  );
});
