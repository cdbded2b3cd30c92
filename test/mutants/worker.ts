/**
 * Runs tests on mutants, in an evaluation of a bundle with the source, the tests and all mutants.
 *
 * A mutant first runs in a kept evaluation: the files are loaded already, so a test costs only its body. Values cached
 * from other mutants, or from the original source, could hide a fault or imitate one. So a test that fails must pass
 * without the mutant; otherwise the evaluation is discarded, and the mutant runs in a fresh one. A mutant that no test
 * noticed also runs in a fresh one.
 */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Script } from "node:vm";
import fc from "fast-check";
import { VARIABLES } from "./instrument.js";
import {
  type Answer,
  LEFT_OUT,
  type Record,
  type Recorded,
  type Request,
  type Run,
  type Start,
  type Test,
  type Verdict,
} from "./messages.js";
import { OUTSIDE, sharedModule } from "./subject.js";
import { type Collected, collected, type Suite } from "./vitest-shim.js";

/** The time limit for a test that waits for an event that never comes. Milliseconds; tests hardly wait. */
const IDLE = 20_000;

/** An evaluation is kept for this many mutants. */
const KEPT = 400;

class Endless extends Error {}

/** Counts runs of loop and function bodies, and ends them at the limit. */
const steps = { count: 0, most: Number.POSITIVE_INFINITY, endless: () => new Endless("runs without end") };

interface Evaluation {
  choose(mutant: number): void;
  load(file: string): Promise<unknown>;
}

let evaluate: () => Evaluation;
let short: ReadonlySet<string> = new Set();

const testsOf = (evaluation: Evaluation, file: string) => collected(() => evaluation.load(file), short.has(file));

let reached = new Uint8Array(0);

async function start({ code, outside, mutants, short: files }: Start): Promise<void> {
  short = new Set(files);
  // Minimizing a counterexample would waste time.
  fc.configureGlobal({ endOnFailure: true });
  const shared = new Map<string, object>();
  for (const path of outside) shared.set(path, await sharedModule(path));
  const { mutant, reached: hits, steps: stepped } = VARIABLES;
  const text = `(function (${hits}, ${stepped}, ${OUTSIDE}, exports, module, require) {
    let ${mutant} = -1;
    ${readFileSync(code, "utf8")}
    return { choose: (number) => { ${mutant} = number; }, load: (file) => module.exports.load(file) };
  })`;
  const script = new Script(text, { filename: code });
  const require = createRequire(code);
  reached = new Uint8Array(mutants);
  evaluate = () => {
    const module = { exports: {} };
    return script.runInThisContext()(
      reached,
      steps,
      (path: string) => shared.get(path),
      module.exports,
      module,
      require,
    );
  };
}

const outerOf = (suite: Suite): readonly Suite[] =>
  suite.outer === undefined ? [suite] : [...outerOf(suite.outer), suite];

/** Runs a test with its hooks; the `beforeAll` hooks of suites in `begun` do not run again. */
async function runTest({ body, suite }: Collected, begun: Set<Suite>): Promise<void> {
  const suites = outerOf(suite);
  for (const one of suites) {
    if (begun.has(one)) continue;
    begun.add(one);
    for (const hook of one.before) await ended(hook());
  }
  for (const one of suites) for (const hook of one.beforeEach) await ended(hook());
  try {
    await ended(body());
  } finally {
    for (const one of [...suites].reverse()) for (const hook of one.afterEach) await ended(hook());
  }
  if (steps.count > steps.most) throw steps.endless();
}

async function end(begun: Set<Suite>): Promise<void> {
  for (const suite of [...begun].reverse()) for (const hook of suite.after) await ended(hook());
}

/** Awaits `given` within the time limit. */
async function ended(given: unknown): Promise<void> {
  if (!(given instanceof Promise)) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(steps.endless()), IDLE);
  });
  await Promise.race([given, late]).finally(() => clearTimeout(timer));
}

function limit(most: number): void {
  steps.count = 0;
  steps.most = most;
}

const reasonOf = (error: unknown): string => String(error instanceof Error ? error.message : "").slice(0, 200);

/** The failure of a test on its own; undefined if it passes. */
async function failureOf(test: Collected): Promise<string | undefined> {
  try {
    const begun = new Set<Suite>();
    await runTest(test, begun);
    await end(begun);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** A kept evaluation, with the tests of the files that it has loaded. */
class Kept {
  private readonly evaluation = evaluate();
  private readonly files = new Map<string, readonly Collected[]>();
  readonly mutants = new Set<number>();

  /** A verdict; or the test that failed both with and without the mutant, and so proves nothing. */
  async judge(mutant: number, quick: readonly Test[], most: number): Promise<Verdict | Test | undefined> {
    for (const { file, test } of quick) {
      limit(Number.POSITIVE_INFINITY);
      this.evaluation.choose(-1);
      const tests = this.files.get(file) ?? (await testsOf(this.evaluation, file));
      this.files.set(file, tests);
      const one = tests[test];
      if (one === undefined) continue;
      limit(most);
      this.evaluation.choose(mutant);
      const why = await failureOf(one);
      if (why === undefined) continue;
      limit(most);
      this.evaluation.choose(-1);
      return (await failureOf(one)) === undefined ? { by: { file, test }, why, isQuick: true } : { file, test };
    }
    return undefined;
  }
}

let kept: Kept | undefined;

async function judge(mutant: number, quick: readonly Test[], runs: readonly Run[], most: number): Promise<Verdict> {
  if (kept === undefined || kept.mutants.size >= KEPT) kept = new Kept();
  kept.mutants.add(mutant);
  const found = await kept.judge(mutant, quick, most);
  if (found !== undefined && "why" in found) return found;
  if (found !== undefined) kept = undefined;
  const first = found === undefined ? [] : [{ file: found.file, tests: [found.test] }];
  if (first.length + runs.length === 0) return LIVES;
  const evaluation = evaluate();
  evaluation.choose(mutant);
  const files = new Map<string, readonly Collected[]>();
  for (const { file, tests: which } of [...first, ...runs]) {
    let test = -1;
    try {
      limit(most);
      const tests = files.get(file) ?? (await testsOf(evaluation, file));
      files.set(file, tests);
      const begun = new Set<Suite>();
      for (const index of which) {
        const one = tests[index];
        if (one === undefined) continue;
        test = index;
        limit(most);
        await runTest(one, begun);
      }
      await end(begun);
    } catch (error) {
      return { by: { file, test }, why: reasonOf(error), isQuick: false };
    }
  }
  return LIVES;
}

const LIVES: Verdict = { by: undefined, why: "", isQuick: false };

const used = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Runs each test of a file twice, in reverse order and in order, since it must pass after any other test. */
async function record(file: string, leftOut: readonly number[]): Promise<Recorded> {
  let began = used();
  limit(Number.POSITIVE_INFINITY);
  reached.fill(0);
  const taken = (failure: string | undefined): Record => {
    const milliseconds = used() - began;
    const numbers = [...reached.keys()].filter((number) => reached[number] === 1);
    const found = { reached: numbers, steps: steps.count, milliseconds, ...(failure !== undefined && { failure }) };
    reached.fill(0);
    limit(Number.POSITIVE_INFINITY);
    began = used();
    return found;
  };
  const evaluation = evaluate();
  const tests = await testsOf(evaluation, file);
  const load = taken(undefined);
  const back: Record[] = [];
  const run = async (test: Collected, i: number) => taken(leftOut.includes(i) ? LEFT_OUT : await failureOf(test));
  for (const [i, test] of [...tests.entries()].reverse()) back.unshift(await run(test, i));
  const there: Record[] = [];
  for (const [i, test] of tests.entries()) there.push(await run(test, i));
  return { load, tests: back, again: there };
}

let before = used();

/**
 * Garbage is collected before memory is reported, once the heap has grown by this much. Otherwise processes would be
 * replaced too often, and a new process is slow for long. Bytes.
 */
const GROWTH = 800_000_000;
let heldBefore = 0;

function held(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function memory(): number {
  if (held() > heldBefore + GROWTH) {
    globalThis.gc?.();
    heldBefore = held();
  }
  return heldBefore;
}

function answer(content: Partial<Answer>): void {
  const now = used();
  process.send?.({ ...content, milliseconds: now - before, memory: memory() });
  before = now;
}

/** As in vitest, an error outside of tests counts as a failure of the running test. */
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error: unknown) => {
    answer({
      verdict: { by: { file: "", test: -1 }, why: `outside of tests: ${error}`, isQuick: false },
      failure: String(error),
    });
    process.exit();
  });
}

process.on("disconnect", () => process.exit());

process.on("message", async (message: Request | ({ readonly type: "start" } & Start)) => {
  try {
    if (message.type === "start") {
      await start(message);
      answer({});
    } else if (message.type === "record") {
      answer({ recorded: await record(message.file, message.leftOut) });
    } else answer({ verdict: await judge(message.mutant, message.quick, message.runs, message.most) });
  } catch (error) {
    answer({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
