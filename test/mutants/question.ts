/** Which tests are asked about a mutant, and in which order. */

import { basename, dirname } from "node:path";
import type { Request, Test } from "./messages.js";
import type { Asked, AskedTest } from "./recordings.js";
import type { Place } from "./subject.js";

export type Question = Omit<Extract<Request, { type: "judge" }>, "type">;

/**
 * How much the tests of a mutant may take, before which and after which it is put to a fresh evaluation. Milliseconds of
 * the processor, as they took without a mutant. What is beyond it is not asked, so that a mutant may live that it kills.
 */
const BUDGET = { quick: 8_000, fresh: 6_000 };

/** Where what lived is asked for again. */
const THOROUGH = { quick: 20_000, fresh: 12_000 };

/** A mutant that gives no answer for so long is endless. Milliseconds; what runs again and again is counted, so there are few. */
export function patienceWith(isThorough: boolean): number {
  const { quick, fresh } = isThorough ? THOROUGH : BUDGET;
  return 2 * (quick + fresh);
}

/** How likely a test is to notice a mutant of a source, before anything is known: by their names, and what it asks. */
function nearness(source: string, test: string, imports: ReadonlySet<string>): number {
  if (basename(source, ".ts") === basename(test, ".test.ts")) return 0.5;
  if (imports.has(source)) return 0.3;
  return dirname(source).replace("src", "test") === dirname(test) ? 0.1 : 0.02;
}

/**
 * How often each test has failed, for the mutants of a file that it was asked about; and what share of the mutants of a
 * folder that were noticed some test of its file was the first to notice.
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
 * The question about a mutant: the tests that reach it, those first that find it soonest, as far as one can tell. What they
 * reach, the quick tests see, but for what an evaluation keeps from before, or a file has made of the mutant while it was
 * loaded: a fresh one is asked as well of the files that reach it while they are loaded, and of all where `isThorough`.
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
    // Whatever is made of a mutant while a file is loaded, tests may notice that run something of its source.
    const asked = isLoaded ? tests.filter(({ sources }) => !isUsed || sources.has(place.file)) : reaching;
    if (asked.length === 0 && !isLoaded) continue;
    most = Math.max(most, 20 * load.steps, ...asked.map(({ steps }) => 20 * steps));
    if (isReached && !isLoaded && !isThorough) continue;
    // What was measured is a first evaluation, before anything was optimised; later ones take about a tenth of it.
    loads.set(file, load.milliseconds / 10);
    fresh.push(...asked);
  }
  const runs = new Map<string, number[]>();
  const costOf = ({ file, warm }: AskedTest) => warm + (runs.has(file) ? 0 : (loads.get(file) ?? 0));
  within(budget.fresh, spread(fresh, worthOf), costOf, ({ file, test }) => {
    runs.set(file, [...(runs.get(file) ?? []), test]);
  });
  // Of the others it is looked at last whether they can be loaded: what they make of a mutant, their tests would notice.
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
 * By their worth, the best first. Tests of a file are much alike, so that each that is asked makes the next of its file
 * worth less: otherwise a file of a thousand short tests would take what is granted to all.
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

/** Takes as many of `all`, from the first, as cost no more than `most`. */
function within<T>(most: number, all: readonly T[], costOf: (one: T) => number, take: (one: T) => void): void {
  let left = most;
  for (const one of all) {
    const cost = costOf(one);
    if (cost > left) continue;
    left -= cost;
    take(one);
  }
}
