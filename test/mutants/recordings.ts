/** What tests do without a mutant: which mutants they reach, and what they take. */

import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DIRECTORY, filesIn } from "./files.js";
import { LEFT_OUT, type Record, type Recorded } from "./messages.js";
import type { Worker } from "./pool.js";
import type { Subject } from "./subject.js";

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

/** What takes longer is not asked, and so not recorded anew. Milliseconds of the processor. */
const TOO_LONG = 1_500;

/** Kept for as long as `key` is the same. */
export async function recorded(worker: Worker, file: string, key: string): Promise<Asked> {
  const path = `${DIRECTORY}/${file.replaceAll("/", "_")}.json`;
  const known: { readonly key?: string } & Partial<Recorded> = existsSync(path)
    ? JSON.parse(readFileSync(path, "utf8"))
    : {};
  const { load, tests = [], again = [] } = known;
  if (known.key === key && load !== undefined) return asked(file, { load, tests, again });
  const isTooLong = ({ milliseconds, failure }: Record) => milliseconds > TOO_LONG || failure === LEFT_OUT;
  const leftOut = again.flatMap((one, test) => (isTooLong(one) ? [test] : []));
  const answer = await worker.ask({ type: "record", file, leftOut }, 600_000);
  if (answer?.recorded === undefined)
    throw new Error(`${file} fails without a mutant: ${answer?.failure ?? "no answer"}`);
  writeFileSync(path, JSON.stringify({ key, ...answer.recorded }));
  return asked(file, answer.recorded);
}

/**
 * What the recordings of a file depend on: all that is mutated, for mutants are numbered, and what the file imports, with
 * the data that stand beside it.
 */
export class Keys {
  private readonly hashes = new Map<string, string>();
  private readonly importsOf: Subject["importsOf"];
  private readonly common: string;

  constructor(mutated: readonly string[], importsOf: Subject["importsOf"]) {
    this.importsOf = importsOf;
    const others = ["policies", "test/mutants"].flatMap((folder) => filesIn(folder, ""));
    const isOf = (path: string) =>
      !/\.test\.ts$|\.build|(?:main|pool|messages|question|results|recordings)\.ts|survivors/.test(path);
    this.common = this.hashed([...mutated, ...others.filter(isOf)]);
  }

  of(file: string): string {
    const all = new Set([file]);
    for (const one of all) for (const other of this.importsOf(one)) all.add(other);
    const data = [...new Set([...all].filter((one) => one.startsWith("test/")).map(dirname))].flatMap((folder) =>
      filesIn(folder, "").filter((path) => !/\.ts$|\.build/.test(path)),
    );
    return `${this.common} ${this.hashed([...all, ...data])}`;
  }

  private hashed(files: readonly string[]): string {
    const hash = createHash("sha256");
    for (const file of [...new Set(files)].sort()) {
      const known =
        this.hashes.get(file) ??
        (statSync(file).isFile() ? createHash("sha256").update(readFileSync(file)).digest("hex") : "");
      this.hashes.set(file, known);
      hash.update(file).update(known);
    }
    return hash.digest("hex");
  }
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
    if (failure !== LEFT_OUT)
      unsound.push(`not asked, for it fails in a bundle or by itself: ${file}, test ${test}: ${failure}`);
    return [];
  });
  return { file, load, loaded: new Set(load.reached), tests, unsound };
}
