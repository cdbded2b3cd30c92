/** Records the tests without a mutant: which mutants they reach, and their cost. */

import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DIRECTORY, filesIn } from "./files.js";
import { LEFT_OUT, type Record, type Recorded } from "./messages.js";
import type { Worker } from "./pool.js";
import { idOf } from "./results.js";
import type { Place, Subject } from "./subject.js";

/** The mutants that a file's tests reach without a mutant, and their cost. */
export interface Asked {
  readonly file: string;
  readonly load: Record;
  readonly loaded: ReadonlySet<number>;
  readonly tests: readonly AskedTest[];
  /** Tests that fail without a mutant, and so prove nothing. */
  readonly unsound: readonly string[];
}

export interface AskedTest {
  readonly file: string;
  /** Direct imports of the file. */
  readonly imports: ReadonlySet<string>;
  readonly test: number;
  readonly reached: ReadonlySet<number>;
  /** Source files with reached code. */
  readonly sources: ReadonlySet<string>;
  readonly steps: number;
  /** The cost of the first run, and of later runs. */
  readonly cold: number;
  readonly warm: number;
}

/** Slower tests do not run, and are not recorded again. CPU milliseconds. */
const TOO_LONG = 1_500;

/** The recording of a test file. Its mutants refer to a list of mutants by the list's name. */
interface Known extends Partial<Recorded> {
  readonly key?: string;
  readonly places?: string;
}

/**
 * Recordings of the tests of each file. A recording depends only on the test files that a file imports, not on the
 * source. Mutants are matched by their content. A new mutant counts as reached where other mutants of its file are
 * reached.
 */
export class Recordings {
  private readonly places: readonly Place[];
  private readonly importsOf: Subject["importsOf"];
  private readonly name: string;
  private readonly hashes = new Map<string, string>();
  private readonly renumbered = new Map<string, Renumbered>();

  constructor({ places, importsOf }: Subject) {
    this.places = places;
    this.importsOf = importsOf;
    const text = JSON.stringify(namesOf(places));
    this.name = `places-${hashOf(text).slice(0, 12)}.json`;
    if (!existsSync(`${DIRECTORY}/${this.name}`)) writeFileSync(`${DIRECTORY}/${this.name}`, text);
  }

  async of(file: string, worker: Worker, isAnew: boolean): Promise<Asked> {
    const path = `${DIRECTORY}/${file.replaceAll("/", "_")}.json`;
    const known: Known = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
    const key = this.keyOf(file);
    const { load, tests = [], again = [], places } = known;
    if (!isAnew && known.key === key && load !== undefined && places !== undefined) {
      const renumber = this.renumber(places);
      return this.asked(file, { load: renumber(load), tests: tests.map(renumber), again: again.map(renumber) });
    }
    const isTooLong = ({ milliseconds, failure }: Record) => milliseconds > TOO_LONG || failure === LEFT_OUT;
    const leftOut = again.flatMap((one, test) => (isTooLong(one) ? [test] : []));
    const answer = await worker.ask({ type: "record", file, leftOut }, 600_000);
    if (answer?.recorded === undefined)
      throw new Error(`${file} fails without a mutant: ${answer?.failure ?? "no answer"}`);
    writeFileSync(path, JSON.stringify({ key, places: this.name, ...answer.recorded }));
    return this.asked(file, answer.recorded);
  }

  private asked(file: string, { load, tests: first, again }: Recorded): Asked {
    const unsound: string[] = [];
    const imports = new Set(this.importsOf(file));
    const tests = first.flatMap((one, test): AskedTest[] => {
      const { milliseconds: warm, reached: others, failure: other } = again[test] ?? one;
      const failure = one.failure ?? other;
      if (failure === undefined) {
        const reached = new Set([...one.reached, ...others]);
        const sources = new Set([...reached].flatMap((number) => this.places[number]?.file ?? []));
        return [{ file, imports, test, reached, sources, steps: one.steps, cold: one.milliseconds, warm }];
      }
      if (failure !== LEFT_OUT)
        unsound.push(`not asked, for it fails in a bundle or by itself: ${file}, test ${test}: ${failure}`);
      return [];
    });
    return { file, load, loaded: new Set(load.reached), tests, unsound };
  }

  private renumber(name: string): (record: Record) => Record {
    if (name === this.name) return (record) => record;
    const known = this.renumbered.get(name) ?? renumberedFrom(name, this.places);
    this.renumbered.set(name, known);
    return (record) => ({ ...record, reached: known(record.reached) });
  }

  /** The hash of the test files that a file imports, of the data beside them, and of the policies. */
  private keyOf(file: string): string {
    const all = new Set([file]);
    for (const one of all) {
      for (const other of this.importsOf(one)) if (!other.startsWith("src/")) all.add(other);
    }
    const folders = [...new Set([...all].filter((one) => one.startsWith("test/")).map(dirname)), "policies"];
    const data = folders.flatMap((folder) => filesIn(folder, "").filter((path) => !/\.ts$|\.build/.test(path)));
    return hashOf(
      [...new Set([...all, ...data])]
        .sort()
        .map((path) => `${path} ${this.hashed(path)}`)
        .join(),
    );
  }

  private hashed(path: string): string {
    const known = this.hashes.get(path) ?? (statSync(path).isFile() ? hashOf(readFileSync(path)) : "");
    this.hashes.set(path, known);
    return known;
  }
}

function hashOf(what: string | Uint8Array): string {
  return createHash("sha256").update(what).digest("hex");
}

/** A unique name for each mutant; repeated names get a number. */
function namesOf(places: readonly Place[]): readonly string[] {
  const counts = new Map<string, number>();
  return places.map((place) => {
    const id = idOf(place);
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    return `${id} ${count}`;
  });
}

type Renumbered = (reached: readonly number[]) => readonly number[];

function renumberedFrom(name: string, places: readonly Place[]): Renumbered {
  const before: readonly string[] = JSON.parse(readFileSync(`${DIRECTORY}/${name}`, "utf8"));
  const names = namesOf(places);
  const numbers = new Map(names.map((one, number) => [one, number]));
  const old = new Set(before);
  const added = [...names.keys()].filter((number) => !old.has(names[number] ?? ""));
  return (reached) => {
    const found = reached.flatMap((number) => numbers.get(before[number] ?? "") ?? []);
    const files = new Set(found.map((number) => places[number]?.file));
    return [...found, ...added.filter((number) => files.has(places[number]?.file))];
  };
}
