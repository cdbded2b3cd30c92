/**
 * What a comparison says of random one-line changes, against decisions on requests, under each configuration: no changed
 * decision passes as equal, no change is called malformed that a well-formed request shows, and an extent that is called
 * exact holds the requests that change, and no others.
 *
 * @module-tag long
 */

import { afterAll, expect, test, vi } from "vitest";
import { extentOf } from "../../src/audit/diff/extent.js";
import { classOf, type PolicySets, QuestionDiff } from "../../src/audit/diff/question-diff.js";
import type { ChangeClass } from "../../src/audit/diff/types.js";
import { diffPolicies, type PolicyDiff } from "../../src/audit/index.js";
import { decideAny } from "../../src/decisions/decide.js";
import { otherVersionsOf, setOfVersion } from "../../src/decisions/other-versions.js";
import type { OperationQuestion } from "../../src/engine/plan/questions.js";
import { UNNAMED } from "../../src/policy/glob-classes.js";
import { allQuestions } from "../../src/proof/questions.js";
import type { Way, Ways } from "../../src/proof/ways/minimal-grants.js";
import { StatementEvaluator } from "../../src/proof/ways/truths.js";
import { isWellFormed } from "../../src/proof/well-formed.js";
import { findSolver } from "../../src/solver/solver.js";
import { TimedSolver, TimeLimit } from "../../src/solver/timed-solver.js";
import { type RequestJson, requestOf } from "../../src/space/draft.js";
import { nearby } from "../audit/nearby.js";
import { Random } from "../differential/random.js";
import { policy, when } from "../support/compose.js";
import { compiled } from "../support/policies.js";
import { SEED, say } from "../support/seed.js";
import { IS_WHOLE, sized } from "../support/size.js";
import { type Changed, changed, generatedOriginal, type Original, shippedOriginals } from "./changed-sets.js";
import { fitting, isNone, nearQuestion } from "./near-questions.js";

/** The requests for one change. */
const REQUESTS = sized(1_000, 300);
/** The time for all questions about one change, in milliseconds. */
const TIME = 10_000;

const solver = findSolver({ timeLimit: 500 });
if (solver === undefined) throw new Error("there is no solver");
const asked = solver;
const finding = vi.spyOn(QuestionDiff.prototype, "find");
const ways = vi.spyOn(QuestionDiff.prototype, "ways");
afterAll(() => {
  vi.restoreAllMocks();
  asked.close();
});

/** The layers of two sets, or one of their versions. */
interface Pair {
  readonly sets: PolicySets;
  readonly version?: string;
}

/** An extent that is called exact. */
interface Exact {
  readonly class: ChangeClass;
  readonly ways: readonly Way[];
  /** Can all requirements be evaluated? */
  readonly isWhole: boolean;
}

class Counts {
  readonly results = new Map<string, number>();
  readonly by = new Map<string, number>();
  readonly wrong: string[] = [];
  mutations = 0;
  requests = 0;
  /** Changed decisions. */
  seen = 0;
  exact = 0;
  /** Extents with a requirement that cannot be evaluated by itself: requests may meet them and not change. */
  partly = 0;
  examples = 0;
  /** Requests compared with an exact extent that change, and that do not. */
  inside = 0;
  outside = 0;
  malformed = 0;

  note(result: string, configuration: string): void {
    this.mutations++;
    this.results.set(result, (this.results.get(result) ?? 0) + 1);
    this.by.set(configuration, (this.by.get(configuration) ?? 0) + 1);
  }

  fail(message: string): void {
    say(`WRONG ${message}`);
    this.wrong.push(message);
  }

  toString(): string {
    const { results, by, wrong, ...counts } = this;
    return JSON.stringify({
      ...Object.fromEntries(results),
      ...counts,
      wrong: wrong.length,
      ...Object.fromEntries(by),
    });
  }
}

const nameOf = ({ kind, operation }: OperationQuestion, ...more: readonly (string | undefined)[]) =>
  JSON.stringify([kind, operation, ...more]);

class Comparison {
  private readonly change: Changed;
  private readonly original: Original;
  private readonly diff: PolicyDiff;
  private readonly random: Random;
  private readonly counts: Counts;
  private readonly evaluator = new StatementEvaluator();

  constructor(original: Original, change: Changed, diff: PolicyDiff, random: Random, counts: Counts) {
    this.original = original;
    this.change = change;
    this.diff = diff;
    this.random = random;
    this.counts = counts;
  }

  async run(): Promise<void> {
    const { before, after } = this.change;
    const versions = [...new Set([...otherVersionsOf(before), ...otherVersionsOf(after)])];
    const found: readonly Ways[] = await Promise.all(ways.mock.results.map(({ value }) => value));
    const asked = ways.mock.calls.map(([name], i) => ({ name, one: ways.mock.contexts[i], found: found[i] }));
    const pairs: readonly Pair[] = [
      { sets: { before, after } },
      ...versions.map((version) => ({
        version,
        sets: { before: setOfVersion(before, version), after: setOfVersion(after, version) },
      })),
    ];
    let exact = 0;
    for (const pair of pairs) {
      const isOf = (one: unknown): one is QuestionDiff =>
        one instanceof QuestionDiff && isPair(one.sets, pair.sets, pair.version);
      const extents = new Map<string, Exact[]>();
      for (const { name, one, found: all } of asked) {
        if (!isOf(one) || all === undefined || extentOf(all).extent !== "exact") continue;
        exact++;
        const requires = all.ways.flatMap((way) => way.requires);
        const isWhole = requires.every(({ statement }) => this.evaluator.isByItself(statement.about));
        const key = nameOf(one.question);
        extents.set(key, [...(extents.get(key) ?? []), { class: name, ways: all.ways, isWhole }]);
        this.counts[isWhole ? "exact" : "partly"]++;
      }
      const open = new Map<string, OperationQuestion>();
      for (const one of [...finding.mock.contexts, ...ways.mock.contexts].filter(isOf)) {
        open.set(nameOf(one.question), one.question);
      }
      this.compare(pair, [...open.values()], extents);
    }
    // Every extent that is said was compared.
    const said = this.diff.changes.filter(({ extent }) => extent === "exact").length;
    if (said !== exact)
      this.counts.fail(`${this.change.line.what}: ${said} exact extents, of which ${exact} are known`);
    this.counts.examples += this.diff.changes.length - said;
    this.counts.malformed += this.diff.changes.filter(({ malformed }) => malformed).length;
  }

  private requests({ sets }: Pair, open: readonly OperationQuestion[], extents: ReadonlyMap<string, readonly Exact[]>) {
    const { random } = this;
    const { requests } = this.original;
    const near = nearby(requests, this.change.line, random);
    const drawn = near.length === 0 ? requests : random.some([...requests, ...near], requests.length, requests.length);
    const half = Math.ceil(REQUESTS / 2);
    const each = Math.max(25, Math.ceil(half / Math.max(1, open.length)));
    return [
      ...drawn.slice(0, Math.max(half, REQUESTS - each * open.length)).map((one) => fitting(sets.after, one, random)),
      ...open.flatMap((question) => {
        const of = (extents.get(nameOf(question)) ?? []).flatMap((one) => one.ways.map((way) => way.request));
        const shown = this.diff.changes.filter((one) => nameOf(one) === nameOf(question)).map((one) => one.request);
        return nearQuestion(sets, question, [...of, ...shown], each, random);
      }),
    ];
  }

  private compare(
    pair: Pair,
    open: readonly OperationQuestion[],
    extents: ReadonlyMap<string, readonly Exact[]>,
  ): void {
    const { diff, change, counts, original } = this;
    const { before, after } = pair.sets;
    const { questions } = allQuestions([before, after]);
    const known = new Set(questions.map((one) => nameOf(one)));
    const ofPair = <T extends { readonly version?: string }>(all: readonly T[]) =>
      all.filter(({ version }) => version === pair.version);
    const said = new Set([...ofPair(diff.changes), ...ofPair(diff.unproven)].map((one) => nameOf(one, one.class)));
    const refused = new Set(
      ofPair(diff.changes)
        .filter(({ malformed }) => malformed)
        .map((one) => nameOf(one, one.class)),
    );
    const isWhole = ofPair(diff.unproven).every(({ kind }) => kind !== UNNAMED);
    for (const request of this.requests(pair, open, extents)) {
      const fail = (what: string) =>
        counts.fail(`${original.name} ${change.line.what} ${pair.version ?? ""}: ${what}: ${JSON.stringify(request)}`);
      const one = { kind: request.resource.kind, operation: request.operation };
      const [older, newer] = [before, after].map((set) => decideAny(set, requestOf(request)));
      // No policies are asked about a request that is none, such as one with an empty id.
      if (older === undefined || newer === undefined || isNone(older) || isNone(newer)) continue;
      const name = classOf(older, newer);
      counts.requests++;
      if (name !== undefined) {
        counts.seen++;
        if (diff.result === "equal") fail(`${name} passed as equal`);
        if (isWhole && known.has(nameOf(one)) && !said.has(nameOf(one, name))) fail(`${name} passed as proved absent`);
        if (refused.has(nameOf(one, name)) && isWellFormed([before, after], request)) fail(`${name} called malformed`);
      }
      for (const exact of extents.get(nameOf(one)) ?? []) this.measure(exact, name, request, fail);
    }
  }

  private measure(exact: Exact, name: ChangeClass | undefined, request: RequestJson, fail: (what: string) => void) {
    const isMet = exact.ways.some(({ requires }) => this.evaluator.meets(request, requires));
    const shows = name === exact.class;
    if (shows) this.counts.inside++;
    else this.counts.outside++;
    if (shows && !isMet) fail(`the extent of ${exact.class} leaves it out`);
    if (!shows && isMet && exact.isWhole) fail(`the extent of ${exact.class} holds it`);
  }
}

/** Are these the sets of a pair? Those of a version are made anew for each use. */
function isPair(sets: PolicySets, of: PolicySets, version: string | undefined): boolean {
  if (version === undefined) return sets.before === of.before && sets.after === of.after;
  return (
    sets.before.configuration.permissionVersion === version &&
    sets.before.platform === undefined &&
    sets.before !== of.before
  );
}

async function compareOne(original: Original, change: Changed, limit: TimeLimit, random: Random, counts: Counts) {
  finding.mockClear();
  ways.mockClear();
  const diff = await diffPolicies(change.before, change.after, new TimedSolver(asked, limit));
  counts.note(diff.result, original.name);
  await new Comparison(original, change, diff, random, counts).run();
}

/** Compares up to `most` changes of a set. */
async function compareSome(original: Original, most: number, random: Random, counts: Counts): Promise<void> {
  const before = compiled(original.files, original.options);
  for (let tried = 0, left = most; left > 0 && tried < 3 * most; tried++) {
    const change = changed(original, before, random);
    if (change === undefined) continue;
    left--;
    await compareOne(original, change, new TimeLimit(TIME), random, counts);
    if (IS_WHOLE && counts.mutations % 10 === 0) say(`so far: ${counts}`);
  }
}

/** The sums that show that something was measured. */
function expectMeasured(counts: Counts): void {
  expect(counts.seen).toBeGreaterThan(counts.mutations);
  if (IS_WHOLE) expect(counts.exact).toBeGreaterThan(0);
  expect(counts.wrong).toEqual([]);
}

test("a bound that is moved: requests on both sides of it", async () => {
  const [older = [], newer = []] = ["R.attr.count == 0", "R.attr.count <= 3.0"].map((bound) => {
    const rule = `actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(bound)}`;
    return [{ path: "doc.yaml", text: policy({ rules: [rule] }) }];
  });
  const options = { platform: "none" } as const;
  const line = { files: newer, sort: "comparison", written: "0", changed: "3.0", what: "a bound" } as const;
  const change = { line, before: compiled(older, options), after: compiled(newer, options) };
  const counts = new Counts();
  const original = { name: "bound", files: older, options, requests: [] };
  await compareOne(original, change, new TimeLimit(undefined), new Random(SEED), counts);
  // More is allowed, and a count of another type is a fault in place of a refusal.
  expect(counts).toMatchObject({ exact: 2, wrong: [] });
  expect(Math.min(counts.inside, counts.outside)).toBeGreaterThan(10);
});

test("a role that becomes a pattern: requests with roles that it matches, and that it does not", async () => {
  const [older = [], newer = []] = ["*", "team.*"].map((role) => {
    const rule = `actions: [read], roles: ["${role}"], effect: EFFECT_ALLOW`;
    return [{ path: "doc.yaml", text: policy({ rules: [rule] }) }];
  });
  const options = { platform: "none" } as const;
  const line = { files: newer, sort: "text", written: "*", changed: "team.*", what: "a role" } as const;
  const change = { line, before: compiled(older, options), after: compiled(newer, options) };
  const counts = new Counts();
  const requests = [["team.a"], ["team.*"], ["team"], ["a", "team."], ["a", "unnamed"]].map((roles) => ({
    key: { id: "key_1", roles, attr: {} },
    operation: "read",
    resource: { kind: "doc", id: "doc_1", attr: {} },
    account: { id: "", attr: {} },
  }));
  await compareOne(
    { name: "role", files: older, options, requests },
    change,
    new TimeLimit(undefined),
    new Random(SEED),
    counts,
  );
  expect(counts).toMatchObject({ exact: 1, wrong: [] });
  expect(Math.min(counts.inside, counts.outside)).toBeGreaterThan(1);
});

test("of the shipped policies", async () => {
  const random = new Random(SEED);
  const counts = new Counts();
  const originals = shippedOriginals(REQUESTS, SEED);
  const wanted = sized(2_000, 6);
  while (counts.mutations < wanted) {
    for (const original of originals) await compareSome(original, 1, random, counts);
  }
  say(`said of changes of the shipped policies: ${counts}`);
  expectMeasured(counts);
}, 36_000_000);

test("of generated policies", async () => {
  const random = new Random(SEED);
  const counts = new Counts();
  const wanted = sized(500, 5);
  for (let n = 0; counts.mutations < wanted; n++) {
    const original = generatedOriginal(n, REQUESTS, SEED);
    // In larger sets, few extents are found in the time for a change.
    if (allQuestions([compiled(original.files, original.options)]).questions.length > 15) continue;
    await compareSome(original, sized(4, 1), random, counts);
  }
  say(`said of changes of generated policies: ${counts}`);
  expectMeasured(counts);
}, 36_000_000);
