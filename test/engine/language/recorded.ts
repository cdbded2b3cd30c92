/**
 * What the readers of policies make of the corpus, put down so that a change of it shows in review.
 * `KEYWARD_WRITE=1 npx vitest run test/engine/language` writes it anew.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { EXPRESSIONS } from "./corpus.js";

const SIZE = 6;

const IS_WRITTEN = process.env.KEYWARD_WRITE !== undefined;

/** Expressions are asked about a few at a time, with their actions. */
export const PARTS: readonly (readonly [name: string, expressions: readonly string[]])[] = Array.from(
  { length: Math.ceil(EXPRESSIONS.length / SIZE) },
  (_, part) => {
    const expressions = EXPRESSIONS.slice(part * SIZE, (part + 1) * SIZE);
    return [expressions[0] ?? "", expressions];
  },
);

export class Recording {
  private readonly path: string;
  private readonly known: { readonly [expression: string]: string };
  private readonly made: { [expression: string]: string } = {};

  constructor(name: string) {
    this.path = `test/engine/language/${name}.json`;
    this.known = IS_WRITTEN ? {} : JSON.parse(readFileSync(this.path, "utf8"));
  }

  /** What was put down of an expression; while it is written, what it is now. */
  of(expression: string, now: string): string | undefined {
    this.made[expression] = now;
    return IS_WRITTEN ? now : this.known[expression];
  }

  close(): void {
    if (IS_WRITTEN) writeFileSync(this.path, `${JSON.stringify(this.made, null, 2)}\n`);
  }
}
