/** What tests do without a mutant: which mutants they reach, and what they take. */

import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { DIRECTORY, filesIn } from "./files.js";
import type { Record, Recorded } from "./messages.js";
import type { Worker } from "./pool.js";

/** What the tests of a file reach and take without a mutant. */
export interface Asked {
  readonly file: string;
  readonly load: Record;
  readonly loaded: ReadonlySet<number>;
  readonly tests: readonly AskedTest[];
  /** The tests that say nothing of a mutant, since they fail without one. */
  readonly unsound: readonly string[];
}

export interface AskedTest {
  readonly file: string;
  readonly test: number;
  readonly reached: ReadonlySet<number>;
  readonly steps: number;
  /** For the first time, and later. */
  readonly cold: number;
  readonly warm: number;
}

/** Kept for as long as neither the source, nor what stands beside the tests, nor the file itself changes. */
export async function recorded(worker: Worker, file: string, common: string): Promise<Asked> {
  const key = createHash("sha256").update(common).update(readFileSync(file)).digest("hex");
  const path = `${DIRECTORY}/${file.replaceAll("/", "_")}.json`;
  const known: { readonly key?: string } & Recorded = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  if (known.key === key) return asked(file, known);
  const answer = await worker.ask({ type: "record", file }, 600_000);
  if (answer?.recorded === undefined)
    throw new Error(`${file} fails without a mutant: ${answer?.failure ?? "no answer"}`);
  writeFileSync(path, JSON.stringify({ key, ...answer.recorded }));
  return asked(file, answer.recorded);
}

/** What recordings depend on, but for the file of tests itself. */
export function commonKey(): string {
  const files = ["src", "test", "policies"]
    .flatMap((folder) => filesIn(folder, ""))
    .filter(
      (path) =>
        !/\.test\.ts$|\.build|mutants\/(?:main|pool|worker|messages|question|results|recordings|files)\.ts|survivors/.test(
          path,
        ),
    );
  const hash = createHash("sha256");
  for (const file of files) if (statSync(file).isFile()) hash.update(file).update(readFileSync(file));
  return hash.digest("hex");
}

function asked(file: string, { load, tests: first, again }: Recorded): Asked {
  const unsound: string[] = [];
  const tests = first.flatMap((one, test): AskedTest[] => {
    const other = again[test] ?? one;
    const failure = one.failure ?? other.failure;
    if (failure === undefined) {
      const reached = new Set([...one.reached, ...other.reached]);
      return [{ file, test, reached, steps: one.steps, cold: one.milliseconds, warm: other.milliseconds }];
    }
    unsound.push(`not asked, for it fails in a bundle or by itself: ${file}, test ${test}: ${failure}`);
    return [];
  });
  return { file, load, loaded: new Set(load.reached), tests, unsound };
}
