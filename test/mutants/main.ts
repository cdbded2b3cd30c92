/**
 * Mutation testing of the code that decides: `npm run mutants -- [--sample N] [--seed N] [--anew] [--again] [--rest]
 * [--listed] [--workers N] [FILE …]`.
 *
 * A mutant is the source with one small fault. Source and tests are bundled once, with all mutants. Workers evaluate
 * the bundle anew for each mutant, and run the tests that reach the fault until one fails. Tests that are likely to
 * fail for their cost run first. Some mutants are equivalent to the original; `survivors.json` lists those that
 * survive, with the reason. Its entries that match no mutant are printed. The command fails if another mutant survives.
 * `--again` runs only survivors of the latest run, `--listed` also the listed ones. `--rest` runs mutants that no run
 * has covered. `--anew` records again the mutants that tests reach, and the cost of tests.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { Random } from "../differential/random.js";
import { DIRECTORY, filesIn } from "./files.js";
import { Worker } from "./pool.js";
import { Experience, patienceWith, question } from "./question.js";
import { type Asked, Recordings } from "./recordings.js";
import { idOf, keep, latest, listedSurvivors, lives, type Result, report } from "./results.js";
import { type Place, subjectOf } from "./subject.js";

/** Sources to mutate. */
const TARGETS = ["src/bundle", "src/decisions", "src/engine", "src/schema"];

/** Folders with tests of these sources that need neither a server nor the built package. */
const TESTS = [
  ...["bundle", "decisions", "engine", "reference", "schema", "recorded", "query", "property"],
  ...["cerbos", "http", "replay"],
];

/** Excluded test files: they are slow, or do not test these sources. */
const NOT_ASKED = /property\/(?:arbitraries|readers|review)|http\/(?:express|fastify)|cerbos\/key-sets/;

/** Test files that wait for connections while they load are excluded too. */
const WAITING = /^(?:const [^"`\n]*)?\[?await |= \[await /m;

/** In test files that use other processes, long tests are excluded, because those tests use the processes. */
const PROCESSES = /support\/(?:server|built|browser)\.js|child_process|findSolver/;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    anew: { type: "boolean", default: false },
    again: { type: "boolean", default: false },
    rest: { type: "boolean", default: false },
    listed: { type: "boolean", default: false },
    workers: { type: "string" },
  },
});

const explained = listedSurvivors();

const print = (text: string) => process.stdout.write(`${text}\n`);

function chosen(places: readonly Place[]): readonly number[] {
  const before = new Map(latest().map((one) => [idOf(one), one.result]));
  const all = [...places.keys()].filter((number) => {
    const place = places[number];
    if (place === undefined) return false;
    const result = before.get(idOf(place));
    if (values.again && (result === undefined || result === "killed")) return false;
    if (values.rest && result !== undefined) return false;
    return positionals.length === 0 || positionals.some((one) => place.file.startsWith(one));
  });
  if (values.sample === undefined) return all;
  const random = new Random(Number(values.seed));
  const size = Math.min(Number(values.sample), all.length);
  return Array.from({ length: size }, () => all.splice(random.int(0, all.length - 1), 1)).flat();
}

async function main(): Promise<void> {
  const began = performance.now();
  const mutated = TARGETS.flatMap((folder) => filesIn(folder, ".ts"));
  const all = TESTS.flatMap((folder) => filesIn(`test/${folder}`, ".test.ts")).filter((file) => !NOT_ASKED.test(file));
  const texts = new Map(all.map((file) => [file, readFileSync(file, "utf8")]));
  const isIn = (file: string, what: RegExp) => what.test(texts.get(file) ?? "");
  const short = all.filter((file) => isIn(file, PROCESSES));
  const tests = all.filter((file) => !isIn(file, WAITING) && !(short.includes(file) && isIn(file, /@module-tag long/)));
  const subject = await subjectOf(mutated, tests);
  const { places, code, outside } = subject;
  mkdirSync(DIRECTORY, { recursive: true });
  writeFileSync(`${DIRECTORY}/subject.cjs`, code);
  const options = { bundle: true, format: "esm", platform: "node", packages: "external", logLevel: "warning" } as const;
  await build({ ...options, entryPoints: ["test/mutants/worker.ts"], outfile: `${DIRECTORY}/worker.mjs` });
  const start = { code: `${process.cwd()}/${DIRECTORY}/subject.cjs`, outside, mutants: places.length, short };
  const workers = Array.from(
    { length: Number(values.workers ?? availableParallelism()) },
    () => new Worker(`${DIRECTORY}/worker.mjs`, start),
  );
  try {
    const recordings: Asked[] = [];
    const known = new Recordings(subject);
    const files = [...tests];
    await Promise.all(
      workers.map(async (worker) => {
        for (let file = files.shift(); file !== undefined; file = files.shift())
          recordings.push(await known.of(file, worker, values.anew));
      }),
    );
    const present = new Set(places.map(idOf));
    for (const id of explained) if (!present.has(id)) print(`listed, but not in the source: ${id}`);
    const numbers = chosen(places);
    const cost = () => workers.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1000;
    for (const { unsound } of recordings) for (const one of unsound) print(one);
    print(
      `${numbers.length} of ${places.length} mutants; ${tests.length} files of tests; ${cost().toFixed(0)} s to read them`,
    );
    const results = await judged(workers, numbers, places, recordings);
    keep(results, places);
    for (const line of report(results)) print(line);
    if (results.some(lives)) process.exitCode = 1;
    print(`${cost().toFixed(0)} s of the processor, ${((performance.now() - began) / 1000).toFixed(0)} s`);
  } finally {
    for (const worker of workers) worker.stop();
  }
}

async function judged(
  workers: readonly Worker[],
  numbers: readonly number[],
  places: readonly Place[],
  all: readonly Asked[],
): Promise<readonly Result[]> {
  const experience = new Experience();
  for (const { file, by } of latest()) {
    const [, other, test] = /^(?:quick )?(\S+\.test\.ts) (\d+) /.exec(by) ?? [];
    if (other !== undefined) experience.learn({ file }, other, Number(test), true);
  }
  const patience = patienceWith(values.again);
  const results: Result[] = [];
  // Mutants that are reached while a test file loads come last: they are the slowest, and by then the tests that notice
  // mutants are known.
  const isLoaded = (number: number) => all.some(({ loaded }) => loaded.has(number));
  const waiting = [...numbers.filter((number) => !isLoaded(number)), ...numbers.filter(isLoaded)];
  const judge = async (worker: Worker, number: number, place: Place): Promise<Pick<Result, "result" | "by">> => {
    if (explained.has(idOf(place)) && !values.listed) return { result: "listed", by: "" };
    const { quick, runs, ...rest } = question(number, place, all, experience, values.again);
    if (quick.length + runs.length === 0) return { result: "unreached", by: "" };
    const answer = await worker.ask({ type: "judge", ...rest, quick, runs }, patience);
    if (answer === undefined) return { result: "killed", by: "endless" };
    if (answer.verdict === undefined) throw new Error(answer.failure);
    const { by, why, isQuick } = answer.verdict;
    for (const { file, test } of quick) {
      const hasFailed = isQuick && by?.file === file && by.test === test;
      experience.learn(place, file, test, hasFailed);
      if (hasFailed) break;
    }
    if (by === undefined) return { result: "survived", by: "" };
    if (!isQuick) experience.learn(place, by.file, by.test, true);
    return { result: "killed", by: `${isQuick ? "quick " : ""}${by.file} ${by.test} ${why}` };
  };
  await Promise.all(
    workers.map(async (worker) => {
      for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
        const place = places[number];
        if (place === undefined) continue;
        const { result, by } = await judge(worker, number, place);
        const { file, source, what, line } = place;
        results.push({ file, source, what, line, result, by });
        if (results.length % 50 === 0) {
          process.stderr.write(`${results.length} of ${numbers.length}\n`);
          keep(results, places);
        }
        if (lives({ result })) print(`${result}: ${file}:${line} ${what}   ${source}`);
      }
    }),
  );
  return results;
}

await main();
