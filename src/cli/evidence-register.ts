/** A register of evidence: a directory with the evidence of one review a quarter, and an index of all of them. */

import { createHash } from "node:crypto";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { jsonText } from "../policy/escape.js";
import { evidenceIn } from "./evidence-file.js";
import { messageOf, UsageError } from "./exit.js";
import { isFile, readGiven } from "./load-set.js";
import { writeOutput } from "./output-file.js";

const QUARTER_FILE = /^(\d{4}-Q[1-4])\.json$/;

/** The path of the evidence for the quarter of a date (in UTC): `DIRECTORY/2026-Q1.json`. */
export function registerFile(directory: string, date: Date): string {
  const year = String(date.getUTCFullYear()).padStart(4, "0");
  return join(directory, `${year}-Q${Math.floor(date.getUTCMonth() / 3) + 1}.json`);
}

/** The path of the index of a register. */
export function indexFile(directory: string): string {
  return join(directory, "index.json");
}

/** Creates the directory of a register, unless it exists. */
export async function openRegister(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
  } catch (error) {
    throw new UsageError(`cannot make the directory ${directory}: ${messageOf(error)}`);
  }
}

/**
 * Writes the index of a register: each quarter with its file, the SHA-256 of the file, the hash of the policies and the
 * conclusion, the oldest quarter first. Throws a {@link UsageError} that names a file without evidence.
 */
export async function writeIndex(directory: string): Promise<void> {
  const entries: object[] = [];
  for (const file of (await readdir(directory)).sort()) {
    const quarter = QUARTER_FILE.exec(file)?.[1];
    if (quarter === undefined) continue;
    const path = join(directory, file);
    const bytes = await readGiven(path);
    const { policies, conclusion } = evidenceIn(path, bytes.toString("utf8"));
    entries.push({
      ...{ quarter, file, sha256: createHash("sha256").update(bytes).digest("hex") },
      ...{ signed: await isFile(`${path}.sig`), policies: policies.hash },
      ...{ result: conclusion.result, headline: conclusion.headline },
    });
  }
  await writeOutput(indexFile(directory), `${jsonText({ format: "keyward-register/1", entries }, 2)}\n`);
}
