/** Directories of policies for tests. */

import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { onTestFinished } from "vitest";
import { SHIPPED_ROOT, shippedFiles } from "./policies.js";
import { SEED } from "./seed.js";

/** A temporary directory with the shipped policies, which is removed when the test ends. */
export function shippedCopy(): string {
  const directory = mkdtempSync(join(tmpdir(), "keyward-shipped-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  for (const name of readdirSync(SHIPPED_ROOT)) {
    if (name !== "testdata") cpSync(join(SHIPPED_ROOT, name), join(directory, name), { recursive: true });
  }
  return directory;
}

/** Paths of the policies and schemas in that directory. */
export const SHIPPED_PATHS: readonly string[] = shippedFiles.map(({ path }) => path);

/** Prefixes of a text: all that end at a line, and `others` that end anywhere. The whole text is excluded. */
export function beginnings(text: string, others: number): readonly string[] {
  const atLines = [...text.matchAll(/^/gm)].map(({ index }) => index).filter((end) => end < text.length);
  const anywhere = fc.sample(fc.nat(text.length - 1), { numRuns: others, seed: SEED });
  return [...atLines, ...anywhere].map((end) => text.slice(0, end));
}
