/**
 * Random changes of one line. If requests show that decisions change, the comparison never says equal. Most changes are
 * either shown or proved to have no effect. Changes that leave all rules with the same text are also tested with
 * requests, and counted separately.
 *
 * @module-tag long
 */

import fc from "fast-check";
import { isLeft } from "fp-ts/lib/Either.js";
import { afterAll, expect, test, vi } from "vitest";
import { classOf } from "../../src/audit/diff/question-diff.js";
import { diffPolicies, type PolicyDiff } from "../../src/audit/index.js";
import { decideAny } from "../../src/decisions/decide.js";
import { setOfVersion } from "../../src/decisions/other-versions.js";
import {
  type CompileOptions,
  compilePolicies,
  type Decision,
  decide,
  type PolicyFile,
  type PolicySet,
} from "../../src/index.js";
import { UNNAMED } from "../../src/policy/glob-classes.js";
import { allQuestions } from "../../src/proof/questions.js";
import { findSolver } from "../../src/solver/solver.js";
import { TimedSolver, TimeLimit } from "../../src/solver/timed-solver.js";
import { requestOf } from "../../src/space/draft.js";
import { Random } from "../differential/random.js";
import {
  GLOBALS,
  mutatedRequest,
  OTHER_VERSIONS,
  type PlainRequest,
  type Profile,
  policySet,
  request,
  shippedRequest,
  toFiles,
} from "../property/arbitraries/index.js";
import { shippedFiles } from "../support/policies.js";
import { SEED, say } from "../support/seed.js";
import { IS_WHOLE, sized } from "../support/size.js";
import { nearby } from "./nearby.js";
import { ALL_SORTS, type OneLine, oneLineChanged, type Sort } from "./one-line.js";

/** The time for all questions about one change, in milliseconds. */
const TIME = 10_000;

const solver = findSolver({ timeLimit: 500 });
if (solver === undefined) throw new Error("there is no solver");
const asked = solver;
const asking = vi.spyOn(asked, "ask");
afterAll(() => asked.close());

/** The result for a change: `alike` means equal by the text of the rules alone. */
type Said = PolicyDiff["result"] | "alike";

class Counts {
  private readonly said = new Map<Said, number>();
  private readonly sorts = new Map<Sort, number>();
  private readonly questions: number[] = [];
  /** Changes that make the policies invalid. */
  invalid = 0;
  /** Changes with an effect that requests show, and how many of them the comparison shows. */
  seen = 0;
  shown = 0;
  /** Changed pairs of question and direction that requests show; none of them is proved unchanged. */
  ways = 0;

  note(said: Said, { sort }: OneLine, questions: number): void {
    this.said.set(said, this.of(said) + 1);
    if (said !== "alike") this.sorts.set(sort, this.ofSort(sort) + 1);
    this.questions.push(questions);
  }

  of(said: Said): number {
    return this.said.get(said) ?? 0;
  }

  ofSort(sort: Sort): number {
    return this.sorts.get(sort) ?? 0;
  }

  /** All changes that the text of the rules alone does not settle. */
  get all(): number {
    return this.of("equal") + this.of("changes") + this.of("unproven");
  }

  get decided(): number {
    return (this.of("equal") + this.of("changes")) / this.all;
  }

  toString(): string {
    const { said, sorts, invalid, seen, shown, ways } = this;
    const counts = { ...Object.fromEntries(said), invalid, seen, shown, ways };
    const most = Math.max(...this.questions);
    const by = JSON.stringify({ ...counts, ...Object.fromEntries(sorts) });
    return `${by}, ${(100 * this.decided).toFixed(1)} % decided, of up to ${most} questions`;
  }
}

/** A set to change, with requests and its decisions on them. */
class Original {
  readonly files: readonly PolicyFile[];
  private readonly set: PolicySet;
  private readonly options: CompileOptions;
  private readonly requests: readonly PlainRequest[];
  private readonly decisions: readonly Decision[];

  constructor(files: readonly PolicyFile[], options: CompileOptions, requests: readonly PlainRequest[]) {
    const compiled = compilePolicies(files, options);
    if (isLeft(compiled)) throw new Error(JSON.stringify(compiled.left));
    this.files = files;
    this.set = compiled.right;
    this.options = options;
    this.requests = requests;
    this.decisions = requests.map((one) => decide(this.set, one));
  }

  get questions(): number {
    return allQuestions([this.set]).questions.length;
  }

  /** Compares one change with decisions on requests. */
  async change(random: Random, counts: Counts): Promise<void> {
    const change = oneLineChanged(this.files, random);
    const compiled = compilePolicies(change.files, this.options);
    if (isLeft(compiled)) {
      counts.invalid++;
      return;
    }
    const after = compiled.right;
    asking.mockClear();
    const diff = await diffPolicies(this.set, after, new TimedSolver(asked, new TimeLimit(TIME)));
    const { result, changes, examined } = diff;
    const isAlike = result === "equal" && asking.mock.calls.length === 0 && examined.combinations === 0;
    counts.note(isAlike ? "alike" : result, change, examined.questions);
    const [shown] = this.differences(after, change, random, diff, counts);
    if (shown !== undefined) counts.seen++;
    if (shown !== undefined && result === "changes") counts.shown++;
    if (shown !== undefined) expect(result, `${change.what}: ${JSON.stringify(shown)}`).not.toBe("equal");
    for (const { request: one, from, to, version } of changes) {
      const outcomes = [this.set, after].map((set) => {
        const asked = version === undefined ? set : setOfVersion(set, version);
        return decideAny(asked, requestOf(one)).outcome;
      });
      expect(outcomes, change.what).toEqual([from, to]);
    }
  }

  /**
   * The requests that both sets decide differently. Expects none for a question and direction that is proved unchanged.
   */
  private differences(
    after: PolicySet,
    change: OneLine,
    random: Random,
    { changes, unproven }: PolicyDiff,
    counts: Counts,
  ): readonly PlainRequest[] {
    const questions = new Set(allQuestions([this.set, after]).questions.map((one) => wayOf(one.kind, one.operation)));
    const open = new Set([...changes, ...unproven].map((one) => wayOf(one.kind, one.operation, one.class)));
    const isWhole = unproven.every(({ kind }) => kind !== UNNAMED);
    const near = nearby(this.requests, change, random);
    const before = [...this.decisions, ...near.map((one) => decide(this.set, one))];
    const seen = new Set<string>();
    const differing = [...this.requests, ...near].filter((one, i) => {
      const from = before[i];
      const changed = from && classOf(from, decide(after, one));
      if (changed === undefined) return false;
      const { kind } = one.resource;
      const way = wayOf(kind, one.operation, changed);
      if (isWhole && questions.has(wayOf(kind, one.operation)) && !seen.has(way)) {
        seen.add(way);
        expect(open.has(way), `${change.what}: ${JSON.stringify(one)}`).toBe(true);
      }
      return true;
    });
    counts.ways += seen.size;
    return differing;
  }
}

function wayOf(...names: readonly string[]): string {
  return JSON.stringify(names);
}

/** Adds to each request a copy with an attribute of another type, or without it. */
function damagedToo(requests: readonly PlainRequest[]): readonly PlainRequest[] {
  return requests.flatMap((one, i) => [
    one,
    ...fc.sample(mutatedRequest(one), { numRuns: 1, seed: SEED + i }).map((made) => made.request),
  ]);
}

/** Prints a line every ten changes. */
function tell(what: string, counts: Counts, told: Set<number>): void {
  if (!IS_WHOLE || counts.all % 10 !== 0 || told.has(counts.all)) return;
  told.add(counts.all);
  say(`${what}: ${counts}`);
}

test("of the shipped policies", async () => {
  const random = new Random(SEED);
  const counts = new Counts();
  const told = new Set<number>([0]);
  const requests = damagedToo(fc.sample(shippedRequest(), { numRuns: 1_000, seed: SEED }));
  const original = new Original(shippedFiles, {}, requests);
  while (counts.all < sized(1_000, 12)) {
    await original.change(random, counts);
    tell("one line of the shipped policies", counts, told);
  }
  say(`one line of the shipped policies: ${counts}`);
  expect(counts.seen).toBeGreaterThan(counts.all / 4);
  expect(counts.decided).toBeGreaterThanOrEqual(0.95);
}, 7_200_000);

test("of generated policies", async () => {
  const random = new Random(SEED);
  const counts = new Counts();
  const told = new Set<number>([0]);
  const cases = fc
    .constantFrom<Profile>("any", "whole", "optionals", "typed")
    .chain((profile) => policySet({ profile }))
    .chain((documents) =>
      fc.tuple(fc.constant(documents), fc.array(request(documents), { minLength: 200, maxLength: 200 })),
    );
  const options = { globals: GLOBALS, otherVersions: OTHER_VERSIONS };
  const wanted = sized(1_000, 8);
  for (let n = 0; counts.all < wanted; n++) {
    const [[documents, requests] = [[], []]] = fc.sample(cases, { numRuns: 1, seed: SEED + n });
    const original = new Original(toFiles(documents), options, damagedToo(requests));
    // A change that every rule reads takes minutes in sets with a hundred questions.
    if (original.questions > sized(60, 15)) continue;
    const before = counts.all;
    for (let i = 0; i < 12 && counts.all < Math.min(wanted, before + 4); i++) {
      await original.change(random, counts);
      tell("one line of generated policies", counts, told);
    }
  }
  say(`one line of generated policies: ${counts}`);
  expect(counts.all).toBe(wanted);
  if (IS_WHOLE) for (const sort of ALL_SORTS) expect(counts.ofSort(sort), sort).toBeGreaterThan(wanted / 100);
  expect(counts.seen).toBeGreaterThan(counts.all / 10);
  expect(counts.decided).toBeGreaterThanOrEqual(0.8);
}, 7_200_000);
