/**
 * 5,000 mutated files of Cerbos's own test data. Each is loaded, or refused with issues that have positions; loaded
 * policies answer requests. A sample goes to the server, half of it loaded here and half refused. Files that the server
 * refuses must be refused here. Files that it loads must load here unless the documents state the difference.
 * `KEYWARD_MUTANTS=n` makes n mutants, all sent to the server. Where a running server differs, its compiler has the
 * last word.
 *
 * @module-tag long
 */

import { type Either, isLeft, left } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { compilePolicies } from "../../src/index.js";
import { decodeText } from "../../src/node/text.js";
import { directoryRole, fileRole } from "../../src/policy/file-rules.js";
import type { PolicyIssue } from "../../src/policy/issue.js";
import { IssueLog } from "../../src/policy/issue-log.js";
import type { PolicyModel } from "../../src/policy/model.js";
import { type PolicyFile, parsePolicyFiles } from "../../src/policy/parse.js";
import { ABSENT } from "../conformance/corpus.js";
import { Random } from "../differential/random.js";
import { Compiler, NO_ANSWER, refusedByServer } from "../support/compile.js";
import { SEED, say } from "../support/seed.js";
import { NO_SERVER } from "../support/server.js";
import { ask } from "./ask.js";
import { MUTATIONS, type Mutant, mutantOf } from "./mutants.js";
import { mutableStores } from "./stores.js";

const ALL = process.env.KEYWARD_MUTANTS;
const COUNT = Number(ALL ?? 5_000);
const SAMPLE = ALL === undefined ? 25 : COUNT;

/** Codes of faults refused only here (docs/differences-from-cerbos.md, "Stricter at load" and "Expressions"). */
const STRICTER: ReadonlySet<string> = new Set([
  "unsupported",
  "too_large",
  "not_text",
  "scope_permissions",
  "schema",
  "no_policies",
]);

/** Messages of faults refused only here, with codes that other faults share. */
const STRICTER_FAULTS: readonly RegExp[] = [
  /^yaml Tabs are not allowed as indentation/,
  /^yaml Nested mappings are not allowed in compact mappings/,
  /^name "[^"]*\\t/,
  /^shape "scopePermissions" must be one of/,
  /^expression_type invalid matches argument/,
];

if (ABSENT !== undefined) say(`mutated corpus files ${ABSENT}`);

const stores = ABSENT === undefined ? mutableStores() : [];

/** A random sample of mutant seeds; the mutants themselves would fill the memory. */
class Picked {
  readonly seeds: number[] = [];
  #offered = 0;

  /** Reservoir sampling: every offered seed is kept with the same probability. */
  offer(seed: number, random: Random): void {
    const place = this.#offered < SAMPLE ? this.#offered : random.int(0, this.#offered);
    if (place < SAMPLE) this.seeds[place] = seed;
    this.#offered++;
  }

  get offered(): number {
    return this.#offered;
  }
}

const accepted = new Picked();
const refused = new Picked();

describe.skipIf(ABSENT !== undefined)(`mutated corpus files ${ABSENT ?? ""}`, () => {
  test("load, or are refused with positions; without a throw, and all within their time", {
    timeout: 240 * COUNT,
  }, () => {
    const random = new Random(SEED);
    const picks = new Random(SEED);
    const codes = new Map<string, number>();
    const mutations = new Map<string, number>();
    let [results, errors] = [0, 0];
    for (let i = 0; i < COUNT; i++) {
      const seed = random.seed();
      const mutant = mutantOf(seed, stores);
      for (const mutation of mutant.mutations) count(mutations, mutation);
      try {
        const loaded = load(mutant);
        if (isLeft(loaded)) {
          for (const code of codesOf(loaded.left, mutant)) count(codes, code);
          refused.offer(seed, picks);
          continue;
        }
        accepted.offer(seed, picks);
        const asked = ask(loaded.right);
        results += asked.length;
        for (const result of asked) errors += result.errors.length;
      } catch (error) {
        throw new Error(`KEYWARD_SEED=${SEED}, mutant ${i}: ${mutant.what}\n${shown(mutant)}`, { cause: error });
      }
    }
    const share = accepted.offered / COUNT;
    say(`${COUNT} mutants, ${(100 * share).toFixed(0)} % accepted`);
    say(`${results} checks with ${errors} errors`);
    say(`refused with ${[...codes].map(([code, number]) => `${code} ${number}`).join(", ")}`);
    expect(share).toBeGreaterThan(0.08);
    expect(share).toBeLessThan(0.6);
    expect(errors).toBeGreaterThan(50);
    expect(codes.size).toBeGreaterThanOrEqual(18);
    for (const mutation of MUTATIONS) expect(mutations.get(mutation) ?? 0, mutation).toBeGreaterThan(15);
  });

  test.skipIf(NO_SERVER !== undefined)(
    `are loaded by the server if they are loaded here, and otherwise only where the documents say so ${NO_SERVER ?? ""}`,
    { timeout: 1_200 * SAMPLE + 600_000 },
    async () => {
      let [agreed, unanswered] = [0, 0];
      const stricter = new Map<string, number>();
      const differences: string[] = [];
      const compiler = new Compiler();
      for (const seed of [...accepted.seeds, ...refused.seeds]) {
        const mutant = mutantOf(seed, stores);
        const ours = load(mutant);
        const refuses = await compiler.refuses(mutant.files);
        if (refuses === isLeft(ours) && ALL !== undefined) {
          agreed++;
          continue;
        }
        const theirs = await refusedByServer(mutant.files);
        if (theirs === NO_ANSWER || refuses === NO_ANSWER) unanswered++;
        else if (isLeft(ours) === (theirs !== undefined)) agreed++;
        else if (isLeft(ours) && ours.left.some(isStricter)) for (const { code } of ours.left) count(stricter, code);
        else differences.push(differenceOf(mutant, theirs, ours));
        // In a small sample the running server and the compiler must agree on every mutant.
        const isAnswered = theirs !== NO_ANSWER && refuses !== NO_ANSWER;
        if (ALL === undefined && isAnswered) expect(refuses, mutant.what).toBe(theirs !== undefined);
      }
      await compiler.stop();
      say(`${agreed} verdicts agree, ${unanswered} without an answer of the server`);
      say(`refused here alone: ${[...stricter].map(([code, number]) => `${code} ${number}`).join(", ")}`);
      expect(differences.join("\n\n")).toBe("");
      expect(unanswered).toBeLessThanOrEqual(Math.ceil((2 * SAMPLE) / 10));
      expect(agreed).toBeGreaterThan(0.8 * (accepted.seeds.length + refused.seeds.length));
    },
  );
});

function isStricter({ code, message }: PolicyIssue): boolean {
  return STRICTER.has(code) || STRICTER_FAULTS.some((fault) => fault.test(`${code} ${message}`));
}

function differenceOf(mutant: Mutant, theirs: string | undefined, ours: Either<readonly PolicyIssue[], PolicyModel>) {
  const here = isLeft(ours) ? ours.left.map(({ code, message, line }) => `${line} ${code} ${message}`) : ["loaded"];
  return `KEYWARD_SEED=${SEED}: ${mutant.what}\n  server: ${theirs ?? "loads it"}\n  here: ${here.join("\n    ")}\n${shown(mutant)}`;
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Loads the mutant's files as a directory is loaded. If they load, also compiles them as a policy set. */
function load(mutant: Mutant): Either<readonly PolicyIssue[], PolicyModel> {
  const log = new IssueLog();
  const files: PolicyFile[] = [];
  for (const [path, content] of mutant.files) {
    if (isIgnored(path.split("/"))) continue;
    const text = typeof content === "string" ? content : decodeText(content, path, log);
    if (text !== undefined) files.push({ path, text });
  }
  if (log.size > 0) return left(log.issues);
  const parsed = parsePolicyFiles(files);
  if (!isLeft(parsed)) {
    const compiled = compilePolicies(files);
    if (isLeft(compiled)) expectIssues(compiled.left, mutant);
  }
  return parsed;
}

function isIgnored(path: readonly string[]): boolean {
  const directories = path.slice(1).map((_, i) => path.slice(0, i + 1));
  return fileRole(path) === "ignored" || directories.some((one) => directoryRole(one) === "ignored");
}

function codesOf(issues: readonly PolicyIssue[], mutant: Mutant): ReadonlySet<string> {
  expectIssues(issues, mutant);
  const errors = issues.filter(({ severity }) => severity === "error");
  expect(errors).not.toEqual([]);
  return new Set(errors.map(({ code }) => code));
}

/**
 * Every issue has a file and a position. No `io` issues: no files are read here, so one would be a fault of the loader.
 */
function expectIssues(issues: readonly PolicyIssue[], { files }: Mutant): void {
  for (const { file, line, column, code, message } of issues) {
    const ofSet = code === "no_policies" || code === "no_platform_policies" || code === "no_permission_policies";
    if (!ofSet && !files.has(file)) throw new Error(`an issue of no file: ${code} ${message}`);
    if (!(line >= 1 && column >= 1)) throw new Error(`no position: ${code} ${line}:${column} ${message}`);
    if (code === "io" || message === "") throw new Error(`no issue: ${code} ${message}`);
  }
}

function shown({ files, target }: Mutant): string {
  const text = String(files.get(target));
  return `-- ${target} --\n${text.length > 4_000 ? `${text.slice(0, 4_000)}… (${text.length} characters)` : text}`;
}
