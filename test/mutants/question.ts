/** Chooses and orders the tests for a mutant. */

import { basename, dirname } from "node:path";
import type { Request, Test } from "./messages.js";
import type { Asked, AskedTest } from "./recordings.js";
import type { Place } from "./subject.js";

export type Question = Omit<Extract<Request, { type: "judge" }>, "type">;

/**
 * The budget for a mutant's tests in the kept evaluation (`quick`) and in a fresh one (`fresh`): CPU milliseconds, as
 * measured without a mutant. Tests beyond the budget do not run, so a mutant may survive although such a test would
 * kill it.
 */
const BUDGET = { quick: 8_000, fresh: 6_000 };

/** The budget for survivors that run again. */
const THOROUGH = { quick: 20_000, fresh: 12_000 };

/** The time after which a mutant counts as endless. Milliseconds. Few mutants need it, since repeated code is counted. */
export function patienceWith(isThorough: boolean): number {
  const { quick, fresh } = isThorough ? THOROUGH : BUDGET;
  return 2 * (quick + fresh);
}

/** The initial likelihood that a test notices a mutant of a source, by their names and the test's imports. */
function nearness(source: string, test: string, imports: ReadonlySet<string>): number {
  if (basename(source, ".ts") === basename(test, ".test.ts")) return 0.5;
  if (imports.has(source)) return 0.3;
  return dirname(source).replace("src", "test") === dirname(test) ? 0.1 : 0.02;
}

/**
 * Counts failures. For a mutated file, how often each test ran and failed. For a folder, the share of killed mutants
 * that each test file noticed first.
 */
export class Experience {
  private readonly asked = new Map<string, number>();
  private readonly failed = new Map<string, number>();
  private readonly noticed = new Map<string, number>();

  learn(place: Pick<Place, "file">, file: string, test: number, hasFailed: boolean): void {
    const id = `${place.file} ${file} ${test}`;
    this.asked.set(id, (this.asked.get(id) ?? 0) + 1);
    if (!hasFailed) return;
    const folder = dirname(place.file);
    for (const [counts, what] of [
      [this.failed, id],
      [this.noticed, folder],
      [this.noticed, `${folder} ${file}`],
    ] as const) {
      counts.set(what, (counts.get(what) ?? 0) + 1);
    }
  }

  likelihood(place: Place, { file, test, imports }: Pick<AskedTest, "file" | "test" | "imports">): number {
    const id = `${place.file} ${file} ${test}`;
    const folder = dirname(place.file);
    const share = (this.noticed.get(`${folder} ${file}`) ?? 0) / ((this.noticed.get(folder) ?? 0) + 1);
    return ((this.failed.get(id) ?? 0) + nearness(place.file, file, imports) + share) / ((this.asked.get(id) ?? 0) + 1);
  }
}

/**
 * The question for a mutant: the tests that reach it, the most promising first. Quick tests notice most faults. They
 * miss faults in values that the evaluation cached earlier, or that a file computed while loading. So a fresh
 * evaluation also runs the files that reach the mutant while they load, and all files if `isThorough`.
 */
export function question(
  mutant: number,
  place: Place,
  all: readonly Asked[],
  experience: Experience,
  isThorough: boolean,
): Question {
  const worths = new Map<AskedTest, number>();
  const worthOf = (one: AskedTest): number => {
    const known = worths.get(one) ?? experience.likelihood(place, one) / (1 + one.warm);
    worths.set(one, known);
    return known;
  };
  const budget = isThorough ? THOROUGH : BUDGET;
  const quick: AskedTest[] = [];
  const fresh: AskedTest[] = [];
  const loads = new Map<string, number>();
  const isReached = all.some(({ tests }) => tests.some(({ reached }) => reached.has(mutant)));
  const isUsed = all.some(({ tests }) => tests.some(({ sources }) => sources.has(place.file)));
  let most = 200_000;
  for (const { file, load, loaded, tests } of all) {
    const isLoaded = loaded.has(mutant);
    const reaching = tests.filter(({ reached }) => reached.has(mutant));
    quick.push(...reaching);
    // The mutant affects values that are computed while the file loads. Any test that runs code of the same source may
    // notice it.
    const asked = isLoaded ? tests.filter(({ sources }) => !isUsed || sources.has(place.file)) : reaching;
    if (asked.length === 0 && !isLoaded) continue;
    most = Math.max(most, 20 * load.steps, ...asked.map(({ steps }) => 20 * steps));
    if (isReached && !isLoaded && !isThorough) continue;
    // The measured load is a first one, before optimisation; later loads take about a tenth of it.
    loads.set(file, load.milliseconds / 10);
    fresh.push(...asked);
  }
  const runs = new Map<string, number[]>();
  const costOf = ({ file, warm }: AskedTest) => warm + (runs.has(file) ? 0 : (loads.get(file) ?? 0));
  within(budget.fresh, spread(fresh, worthOf), costOf, ({ file, test }) => {
    runs.set(file, [...(runs.get(file) ?? []), test]);
  });
  // At last, the remaining files are only loaded: their tests would notice a changed value, but loading may fail.
  const others = [...loads].filter(([file]) => !runs.has(file)).sort(([, a], [, b]) => a - b);
  within(
    budget.fresh / 4,
    others,
    ([, load]) => load,
    ([file]) => runs.set(file, []),
  );
  const asked: Test[] = [];
  within(
    budget.quick,
    spread(quick, worthOf),
    ({ warm }) => warm,
    ({ file, test }) => asked.push({ file, test }),
  );
  return { mutant, quick: asked, runs: [...runs].map(([file, tests]) => ({ file, tests })), most };
}

/**
 * Sorts by worth, the best first. Tests of one file are similar, so each chosen test lowers the worth of the file's
 * next one. Otherwise a file of a thousand short tests would use the whole budget.
 */
function spread(all: readonly AskedTest[], worthOf: (one: AskedTest) => number): readonly AskedTest[] {
  const before = new Map<string, number>();
  const sorted = [...all].sort((a, b) => worthOf(b) - worthOf(a));
  const worths = sorted.map((one) => {
    const count = before.get(one.file) ?? 0;
    before.set(one.file, count + 1);
    return { one, worth: worthOf(one) / (1 + count) };
  });
  return worths.sort((a, b) => b.worth - a.worth).map(({ one }) => one);
}

/** Takes items in order, and skips those that exceed the rest of the budget `most`. */
function within<T>(most: number, all: readonly T[], costOf: (one: T) => number, take: (one: T) => void): void {
  let left = most;
  for (const one of all) {
    const cost = costOf(one);
    if (cost > left) continue;
    left -= cost;
    take(one);
  }
}
