/**
 * Recordings of results for a corpus, so that a review shows each change. With `KEYWARD_WRITE=1` tests write them anew.
 * Long texts are recorded as hashes. The folder `.build` beside the recording gets the full texts, for comparing two
 * versions; it is not committed.
 */

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { expect } from "vitest";

export const IS_WRITTEN = process.env.KEYWARD_WRITE !== undefined;

/** Longer texts are recorded by their length and hash. Characters. */
const LONGEST = 160;

/** The recorded form of a text: a short text stays readable. */
function told(text: string): string {
  return text.length <= LONGEST ? text : `${text.length} characters, ${digest(text)}`;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

export class Recording {
  private readonly path: string;
  private readonly all: { readonly [what: string]: string };
  private readonly made: { [what: string]: string } = {};
  private readonly whole: string[] = [];

  /** `path` of the file, such as `test/engine/language/formulas.json`. */
  constructor(path: string) {
    this.path = path;
    this.all = IS_WRITTEN ? {} : JSON.parse(readFileSync(this.path, "utf8"));
  }

  known(what: string): string | undefined {
    return this.all[what];
  }

  /** The recorded text for `what`; while recording, the present text. */
  of(what: string, now: string): string | undefined {
    if (!IS_WRITTEN) return this.all[what];
    this.made[what] = now;
    return now;
  }

  /** Records long texts: the first one by itself, and all others together. */
  ofTexts(what: string, now: readonly string[]): readonly [now: string, recorded: string | undefined] {
    const [first = "", ...rest] = now;
    const short = [told(first), ...(rest.length === 0 ? [] : [told(rest.join("\n"))])].join(" | ");
    if (IS_WRITTEN) this.whole.push(`## ${what}\n${now.join("\n\n")}\n`);
    return [short, this.of(what, short)];
  }

  /**
   * The greatest number, from 1 on, for which `isDone` holds. The test checks that the recorded number is still the
   * greatest. While recording, the number is searched for.
   */
  expectMost(what: string, isDone: (size: number) => boolean): void {
    const most = IS_WRITTEN ? searched(isDone) : Number(this.known(what));
    this.of(what, String(most));
    expect([isDone(most), isDone(most + 1)]).toEqual([true, false]);
  }

  close(): void {
    if (!IS_WRITTEN) return;
    writeFileSync(this.path, `${JSON.stringify(this.made, null, 2)}\n`);
    if (this.whole.length === 0) return;
    const folder = `${dirname(this.path)}/.build`;
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/${basename(this.path)}.txt`, this.whole.join("\n"));
  }
}

function searched(isDone: (size: number) => boolean): number {
  let [low, high] = [1, 2];
  while (isDone(high)) [low, high] = [high, high * 2];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isDone(middle)) low = middle;
    else high = middle;
  }
  return low;
}
