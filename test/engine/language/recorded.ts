/**
 * The results of policy readers for the corpus are recorded in the files of this folder. `KEYWARD_WRITE=1 npx vitest
 * run test/engine/language` writes them anew.
 */

import { Recording } from "../../support/recording.js";
import { EXPRESSIONS } from "./corpus.js";

const SIZE = 6;

/** Expressions in small groups, each tested in one set together with its actions. */
export const PARTS = Array.from({ length: Math.ceil(EXPRESSIONS.length / SIZE) }, (_, part) => {
  const expressions = EXPRESSIONS.slice(part * SIZE, (part + 1) * SIZE);
  return [expressions[0] ?? "", expressions] as const;
});

export function recordingOf(name: string): Recording {
  return new Recording(`test/engine/language/${name}.json`);
}
