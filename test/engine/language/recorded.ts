/**
 * What the readers of policies make of the corpus, put down so that a change of it shows in review.
 * `KEYWARD_WRITE=1 npx vitest run test/engine/language` writes it anew: of long texts what tells them from others, and in
 * `.build`, which is not kept, all of them.
 */

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { EXPRESSIONS } from "./corpus.js";

const SIZE = 6;

export const IS_WRITTEN = process.env.KEYWARD_WRITE !== undefined;

/** Expressions are asked about a few at a time, with their actions. */
export const PARTS = partsOf(EXPRESSIONS);

export function partsOf(all: readonly string[]): readonly (readonly [name: string, expressions: readonly string[]])[] {
  return Array.from({ length: Math.ceil(all.length / SIZE) }, (_, part) => {
    const expressions = all.slice(part * SIZE, (part + 1) * SIZE);
    return [expressions[0] ?? "", expressions];
  });
}

/** Longer texts are put down by what tells them from others. Characters. */
const LONGEST = 160;

/** A text, as it is put down: itself if it is short, so that a change of it can be read. */
function told(text: string): string {
  return text.length <= LONGEST ? text : `${text.length} characters, ${digest(text)}`;
}

export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

export class Recording {
  private readonly name: string;
  private readonly path: string;
  private readonly known: { readonly [expression: string]: string };
  private readonly made: { [expression: string]: string } = {};
  private readonly whole: string[] = [];

  constructor(name: string) {
    this.name = name;
    this.path = `test/engine/language/${name}.json`;
    this.known = IS_WRITTEN ? {} : JSON.parse(readFileSync(this.path, "utf8"));
  }

  has(expression: string): boolean {
    return Object.hasOwn(this.known, expression);
  }

  /** What was put down of an expression; while it is written, what it is now. */
  of(expression: string, now: string): string | undefined {
    this.made[expression] = now;
    return IS_WRITTEN ? now : this.known[expression];
  }

  /** The same of one of several things that are put down, a word each. */
  wordOf(expression: string, what: string, now: string): string | undefined {
    const word = `${what}:${now}`;
    const { [expression]: made } = this.made;
    this.made[expression] = made === undefined ? word : `${made} ${word}`;
    if (IS_WRITTEN) return now;
    const known = this.known[expression]?.split(" ").find((one) => one.startsWith(`${what}:`));
    return known?.slice(what.length + 1);
  }

  /** The same of long texts: of the first, and of all the others together. They are written as a whole beside what is put down, for whoever compares two versions. */
  ofTexts(expression: string, now: readonly string[]): readonly [now: string, recorded: string | undefined] {
    const [first = "", ...rest] = now;
    const short = [told(first), ...(rest.length === 0 ? [] : [told(rest.join("\n"))])].join(" | ");
    this.whole.push(`## ${expression}\n${now.join("\n\n")}\n`);
    return [short, this.of(expression, short)];
  }

  close(): void {
    if (!IS_WRITTEN) return;
    writeFileSync(this.path, `${JSON.stringify(this.made, null, 2)}\n`);
    if (this.whole.length === 0) return;
    mkdirSync("test/engine/language/.build", { recursive: true });
    writeFileSync(`test/engine/language/.build/${this.name}.txt`, this.whole.join("\n"));
  }
}
