/** Which tests are asked about a mutant, and in which order. */

import { basename, dirname } from "node:path";
import type { Request, Run } from "./messages.js";
import type { Asked, AskedTest } from "./recordings.js";
import type { Place } from "./subject.js";

export type Question = Omit<Extract<Request, { type: "judge" }>, "type">;

/**
 * How much the tests of a mutant may take, before which and after which it is put to a fresh evaluation. Milliseconds of
 * the processor, as they took without a mutant. What is beyond it is not asked, so that a mutant may live that it kills.
 */
const BUDGET = { quick: 1_000, fresh: 3_000 };

/** Where what lived is asked for again. */
const THOROUGH = { quick: 5_000, fresh: 6_000 };

/** How likely a test is to notice a mutant of a source, before anything is known: by their names. */
function nearness(source: string, test: string): number {
  if (basename(source, ".ts") === basename(test, ".test.ts")) return 0.5;
  return dirname(source).replace("src", "test") === dirname(test) ? 0.1 : 0.02;
}

/** How often each test has failed, for the mutants of a file that it was asked about. */
export class Experience {
  private readonly asked = new Map<string, number>();
  private readonly failed = new Map<string, number>();

  learn(place: Place, file: string, test: number, hasFailed: boolean): void {
    const id = `${place.file} ${file} ${test}`;
    this.asked.set(id, (this.asked.get(id) ?? 0) + 1);
    if (hasFailed) this.failed.set(id, (this.failed.get(id) ?? 0) + 1);
  }

  likelihood(place: Place, file: string, test: number): number {
    const id = `${place.file} ${file} ${test}`;
    return ((this.failed.get(id) ?? 0) + nearness(place.file, file)) / ((this.asked.get(id) ?? 0) + 1);
  }
}

/**
 * The question about a mutant: the tests that reach it, those first that find it soonest, as far as one can tell. What no
 * file has made of the mutant while it was loaded, the quick tests see, but for what an evaluation keeps from before: a
 * fresh one is asked as well only where `isThorough`.
 */
export function question(
  mutant: number,
  place: Place,
  all: readonly Asked[],
  experience: Experience,
  isThorough: boolean,
): Question {
  const worthOf = ({ file, test, warm }: AskedTest) => experience.likelihood(place, file, test) / (1 + warm);
  const budget = isThorough ? THOROUGH : BUDGET;
  const quick: AskedTest[] = [];
  const runs: { readonly run: Run; readonly cost: number; readonly worth: number }[] = [];
  let most = 200_000;
  for (const { file, load, loaded, tests } of all) {
    const isLoaded = loaded.has(mutant);
    const reaching = tests.filter(({ reached }) => reached.has(mutant));
    quick.push(...reaching);
    // Whatever a file makes of a mutant while it is loaded, any of its tests may notice.
    const asked = isLoaded ? tests : reaching;
    if (asked.length === 0 && !isLoaded) continue;
    most = Math.max(most, 20 * load.steps, ...asked.map(({ steps }) => 20 * steps));
    const sorted = [...asked].sort((a, b) => worthOf(b) - worthOf(a));
    if (!isLoaded && !isThorough) continue;
    // What was measured is a first evaluation, before anything was optimised; later ones take about a tenth of it.
    const cost = sorted.reduce((sum, { warm }) => sum + warm, load.milliseconds / 10);
    const likelihood = sorted.reduce((sum, { test }) => sum + experience.likelihood(place, file, test), 0.01);
    runs.push({ run: { file, tests: sorted.map(({ test }) => test) }, cost, worth: likelihood / (1 + cost) });
  }
  const sorted = quick.sort((a, b) => worthOf(b) - worthOf(a));
  return {
    mutant,
    quick: within(budget.quick, sorted, ({ warm }) => warm).map(({ file, test }) => ({ file, test })),
    runs: within(
      budget.fresh,
      runs.sort((a, b) => b.worth - a.worth),
      ({ cost }) => cost,
    ).map(({ run }) => run),
    most,
  };
}

/** As many of `all`, from the first, as cost no more than `most`. */
function within<T>(most: number, all: readonly T[], costOf: (one: T) => number): readonly T[] {
  let sum = 0;
  return all.filter((one) => {
    sum += costOf(one);
    return sum <= most;
  });
}
