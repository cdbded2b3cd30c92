/**
 * 5,000 mutated files of Cerbos's own test data: each is loaded or refused with issues that say where, and what
 * is loaded answers requests. A sample of those that are loaded goes to the server, which must load them as well:
 * whatever it refuses is refused here. `KEYWARD_COMPILE_SAMPLE=n` makes the sample larger.
 *
 * @module-tag long
 */

import { type Either, isLeft, left } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { compilePolicies } from "../../src/index.js";
import { decodeText } from "../../src/node/text.js";
import { fileRole } from "../../src/policy/file-rules.js";
import type { PolicyIssue } from "../../src/policy/issue.js";
import { IssueLog } from "../../src/policy/issue-log.js";
import type { PolicyModel } from "../../src/policy/model.js";
import { type PolicyFile, parsePolicyFiles } from "../../src/policy/parse.js";
import { ABSENT } from "../conformance/corpus.js";
import { Random } from "../differential/random.js";
import { NO_ANSWER, refusedByServer } from "../support/compile.js";
import { SEED, say } from "../support/seed.js";
import { NO_SERVER } from "../support/server.js";
import { ask } from "./ask.js";
import { MUTATIONS, type Mutant, mutantOf } from "./mutants.js";
import { mutableStores } from "./stores.js";

const COUNT = 5_000;

const SAMPLE = Number(process.env.KEYWARD_COMPILE_SAMPLE ?? 25);

if (ABSENT !== undefined) say(`mutated corpus files ${ABSENT}`);

const stores = ABSENT === undefined ? mutableStores() : [];

/** A fair sample of the mutants that are accepted. All of them would fill the memory. */
const sample: Mutant[] = [];
let accepted = 0;

function accept(mutant: Mutant, random: Random): void {
  const place = accepted < SAMPLE ? accepted : random.int(0, accepted);
  if (place < SAMPLE) sample[place] = mutant;
  accepted++;
}

describe.skipIf(ABSENT !== undefined)(`mutated corpus files ${ABSENT ?? ""}`, () => {
  test("load, or are refused with positions; without a throw, and all within twenty minutes", {
    timeout: 1_200_000,
  }, () => {
    const random = new Random(SEED);
    const picks = new Random(SEED);
    const codes = new Map<string, number>();
    const mutations = new Map<string, number>();
    let [results, errors] = [0, 0];
    for (let i = 0; i < COUNT; i++) {
      const mutant = mutantOf(random.seed(), stores);
      for (const mutation of mutant.mutations) count(mutations, mutation);
      try {
        const loaded = load(mutant);
        if (isLeft(loaded)) {
          for (const code of codesOf(loaded.left, mutant)) count(codes, code);
          continue;
        }
        accept(mutant, picks);
        const asked = ask(loaded.right);
        results += asked.length;
        for (const result of asked) errors += result.errors.length;
      } catch (error) {
        throw new Error(`KEYWARD_SEED=${SEED}, mutant ${i}: ${mutant.what}\n${shown(mutant)}`, { cause: error });
      }
    }
    const share = accepted / COUNT;
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
    `those accepted are accepted by the server ${NO_SERVER ?? ""}`,
    { timeout: 3_600_000 },
    async () => {
      let unanswered = 0;
      for (const mutant of sample) {
        const refusal = await refusedByServer(mutant.files);
        if (refusal === NO_ANSWER) {
          expect(++unanswered, shown(mutant)).toBeLessThanOrEqual(Math.ceil(sample.length / 50));
          continue;
        }
        expect(refusal, `KEYWARD_SEED=${SEED}: ${mutant.what}\n${shown(mutant)}`).toBeUndefined();
      }
    },
  );
});

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** As a directory is loaded, and (every tenth) as a policy set is. */
function load(mutant: Mutant): Either<readonly PolicyIssue[], PolicyModel> {
  const log = new IssueLog();
  const files: PolicyFile[] = [];
  for (const [path, content] of mutant.files) {
    if (fileRole(path.split("/")) === "ignored") continue;
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

function codesOf(issues: readonly PolicyIssue[], mutant: Mutant): ReadonlySet<string> {
  expectIssues(issues, mutant);
  const errors = issues.filter(({ severity }) => severity === "error");
  expect(errors).not.toEqual([]);
  return new Set(errors.map(({ code }) => code));
}

/** No issue is about the reading of files, which there is none of: that stands for a fault of the loader. */
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
