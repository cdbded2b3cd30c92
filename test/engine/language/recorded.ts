/**
 * What readers of policies make of the corpus is put down in the files of this folder.
 * `KEYWARD_WRITE=1 npx vitest run test/engine/language` writes it anew.
 */

import { Recording } from "../../support/recording.js";
import { EXPRESSIONS } from "./corpus.js";

const SIZE = 6;

/** Expressions are asked about a few at a time, with their actions. */
export const PARTS = partsOf(EXPRESSIONS);

export function partsOf(all: readonly string[]): readonly (readonly [name: string, expressions: readonly string[]])[] {
  return Array.from({ length: Math.ceil(all.length / SIZE) }, (_, part) => {
    const expressions = all.slice(part * SIZE, (part + 1) * SIZE);
    return [expressions[0] ?? "", expressions];
  });
}

export function recordingOf(name: string): Recording {
  return new Recording(`test/engine/language/${name}.json`);
}
