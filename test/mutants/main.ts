/**
 * Mutation testing of what decides: `npm run mutants -- [--sample N] [--seed N] [--near] [FILE …]`.
 *
 * Each mutant is a run of the tests on a source with one small fault: first of those nearest to it, and if none of them
 * fails, of all that ask the engine. Some mutants mean the same as the original; `survivors.json` lists those that live,
 * with the reason. The command fails if another does. All of them take hours: `--sample` takes as many at random,
 * and `--near` asks the nearest tests alone, of which more mutants live.
 */

import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Random } from "../differential/random.js";
import { type Mutant, mutantsOf } from "./mutations.js";

const ROOT = process.cwd();

const named = (folder: string, ...files: readonly string[]) => files.map((file) => `test/${folder}/${file}`);

/** What is mutated, with tests near to it that are soon done. */
const TARGETS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "src/decisions",
    [...named("decisions", "contract", "error-body", "policy-set-hash", "schema-", "wall"), "test/http/"],
  ],
  [
    "src/engine",
    [
      ...named("engine", "definitions", "effects", "evaluate/", "plan/walk", "plan/included-roles", "scoped"),
      ...named("reference", "semantics", "verdict"),
    ],
  ],
  ["src/schema", [...named("schema", "documents", "validator"), ...named("cerbos", "schema")]],
]);

/** All that ask the engine. */
const ALL = ["decisions", "engine", "reference", "schema", "property", "conformance", "cerbos", "http", "testing"].map(
  (folder) => `test/${folder}/`,
);

/** A fault can make a program run for ever. Milliseconds; the tests take a small part of it. */
const ENDLESS = 600_000;

interface Survivor {
  readonly file: string;
  readonly source: string;
  readonly what: string;
  readonly reason: string;
}

interface Place extends Mutant {
  readonly file: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    near: { type: "boolean", default: false },
  },
});

const known: readonly Survivor[] = JSON.parse(readFileSync("test/mutants/survivors.json", "utf8"));
const reasonOf = ({ file, source, what }: Place): string | undefined =>
  known.find((one) => one.file === file && one.source === source && one.what === what)?.reason;

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => `${folder}/${path}`);
}

function all(): Place[] {
  const files = [...TARGETS.keys()].flatMap((folder) => sourcesIn(folder)).sort();
  const wanted = files.filter((file) => positionals.length === 0 || positionals.some((one) => file.startsWith(one)));
  return wanted.flatMap((file) => mutantsOf(file, readFileSync(file, "utf8")).map((mutant) => ({ ...mutant, file })));
}

function sampleOf(places: readonly Place[], size: number): Place[] {
  const random = new Random(Number(values.seed));
  const left = [...places];
  return Array.from({ length: Math.min(size, left.length) }, () =>
    left.splice(random.int(0, left.length - 1), 1),
  ).flat();
}

/** Whether the tests pass, or what ended them. */
function tests(place: Place | undefined, which: readonly string[]): Promise<"passed" | "failed" | "endless"> {
  const mutant = place && { ...place, file: `${ROOT}/${place.file}` };
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      [
        "node_modules/vitest/vitest.mjs",
        "run",
        "--config",
        "test/mutants/vitest.config.ts",
        "--tags-filter=!long",
        "--reporter=dot",
        ...which,
      ],
      { env: { ...process.env, ...(mutant && { KEYWARD_MUTANT: JSON.stringify(mutant) }) }, stdio: "ignore" },
    );
    const timer = setTimeout(() => {
      resolve("endless");
      child.kill("SIGKILL");
    }, ENDLESS);
    child.once("exit", (code) => {
      clearTimeout(timer);
      resolve(code === 0 ? "passed" : "failed");
    });
  });
}

const sound = new Map<readonly string[], Promise<void>>();

/** Tests say something of a mutant only if they pass without one. */
function expectSound(which: readonly string[]): Promise<void> {
  const known =
    sound.get(which) ??
    tests(undefined, which).then((result) => {
      if (result !== "passed") throw new Error(`${which.join(" ")} fail without a mutant`);
    });
  sound.set(which, known);
  return known;
}

async function isKilled(place: Place): Promise<boolean> {
  const nearest = [...TARGETS].find(([folder]) => place.file.startsWith(folder))?.[1] ?? [];
  for (const which of values.near ? [nearest] : [nearest, ALL]) {
    await expectSound(which);
    if ((await tests(place, which)) !== "passed") return true;
  }
  return false;
}

const print = (text: string) => process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  const found = all();
  const places = values.sample === undefined ? found : sampleOf(found, Number(values.sample));
  print(`${places.length} of ${found.length} mutants`);
  const waiting = [...places];
  let [killed, explained] = [0, 0];
  const survivors: Place[] = [];
  const work = async () => {
    for (let place = waiting.shift(); place !== undefined; place = waiting.shift()) {
      if (await isKilled(place)) killed++;
      else if (reasonOf(place) !== undefined) explained++;
      else {
        survivors.push(place);
        print(`survived: ${place.file}:${place.line} ${place.what}   ${place.source}`);
      }
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const share = (100 * killed) / Math.max(1, places.length);
  print(`${killed} killed (${share.toFixed(1)} %), ${explained} survivors listed, ${survivors.length} not listed`);
  if (survivors.length > 0) process.exitCode = 1;
}

await main();
