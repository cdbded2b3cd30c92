/** What a review comes to: the line that every format begins with, everything that fails, and what is not proved. */

import { overriddenWords } from "../../decisions/configuration-notes.js";
import { positionText } from "../../policy/issue.js";
import { NO_SOLVER } from "../../proof/question-prover.js";
import { capital } from "../capital.js";
import { OPEN_QUESTIONS } from "../diff/text.js";
import type { ChangeClass } from "../diff/types.js";
import { findingCounts, findingText } from "../findings/finding.js";
import { plural } from "../plural.js";
import { type Phrase, phrase, text } from "../words/phrase.js";
import type { ChangeReview } from "./change/types.js";
import { decisionsWords, pairWord, questionWords } from "./change/words.js";
import type { ReviewedClaim } from "./claim-types.js";
import { counted, inOrder, shortWhy, standingWords } from "./claim-words.js";
import type { Review, TestFacts } from "./types.js";

/**
 * - `failures`: a test fails or cannot be run, or a claim or a law is broken.
 * - `changes`: nothing fails, and a decision changes.
 * - `unproven`: neither was found, and not all is proved.
 * - `fine`: none of these.
 *
 * Withdrawn claims and findings are for people to judge: they count for none of these.
 */
export type Conclusion = "failures" | "changes" | "unproven" | "fine";

export interface ReviewConclusion {
  readonly result: Conclusion;
  /** One line: decisions, tests, claims, laws, coverage, findings, and how much is not proved. */
  readonly headline: string;
  /** Each test, claim, law and finding that is certainly wrong, in a sentence with its position. */
  readonly failing: readonly string[];
  /** Each statement that is not proved. */
  readonly unproven: readonly string[];
}

/** The parts of a review. */
export interface ConcludedReview {
  readonly review: Review;
  /** Undefined: no claim was proved. */
  readonly claims: readonly ReviewedClaim[] | undefined;
  /** Undefined for the review of one set. */
  readonly change: ChangeReview | undefined;
}

/** The parts of the page of a review, or of a change. */
export function partsOf(review: Review, change: ChangeReview | undefined): ConcludedReview {
  return { review, claims: change?.claims ?? review.claims, change };
}

export function reviewConclusion(of: ConcludedReview): ReviewConclusion {
  const result = conclusionOf(of);
  const open = unprovenWords(of);
  return {
    result,
    headline: verdictOf(of)
      .map(({ text }) => text)
      .join(" "),
    failing: failingWords(of),
    unproven: open.map((words) => words.map(({ kind, text }) => (kind === "text" ? text : `\`${text}\``)).join("")),
  };
}

/** A sentence of the conclusion. `good`: nothing is left to do; `open`: somebody must look at it; `bad`: it fails. */
export interface Statement {
  readonly text: string;
  readonly state: "good" | "open" | "bad" | "plain";
}

/** The conclusion, sentence by sentence: the verdict first. */
export function verdictOf(of: ConcludedReview): readonly [verdict: Statement, ...statements: Statement[]] {
  const result = conclusionOf(of);
  return [{ text: titleOf(result, of), state: VERDICTS[result] }, ...statementsOf(of, unprovenWords(of).length)];
}

const VERDICTS: { readonly [result in Conclusion]: Statement["state"] } = {
  failures: "bad",
  changes: "open",
  unproven: "open",
  fine: "good",
};

export function conclusionOf({ review, claims = [], change }: ConcludedReview): Conclusion {
  const results = new Set(claims.flatMap(({ listed, after }) => (listed === "withdrawn" ? [] : [after.result])));
  const hasFailedTest = (review.tests?.suites ?? []).some(({ result }) => result === "failed" || result === "errored");
  if (results.has("broken") || hasFailedTest) return "failures";
  if (change?.decisions.result === "changes") return "changes";
  return results.has("unproven") || change?.decisions.result === "unproven" ? "unproven" : "fine";
}

function titleOf(result: Conclusion, { review: { tests }, claims, change }: ConcludedReview): string {
  if (result === "failures" || result === "changes") {
    return `A person must judge ${change === undefined ? "these policies" : "this change"}.`;
  }
  if (result === "unproven") return "No problem was found, but not everything is proved.";
  const isTested = tests !== undefined && testCounts(tests).ran > 0;
  if (claims === undefined) return isTested ? "No test fails." : "No problem was found.";
  const isClaimed = claims.some(({ position }) => position !== "");
  const held = isClaimed ? "all claims and laws hold" : "all laws hold";
  return isTested ? `No test fails, and ${held}.` : `${held.replace(/^a/, "A")}.`;
}

function statementsOf({ review, claims, change }: ConcludedReview, open: number): readonly Statement[] {
  const { findings, tests } = review;
  const news = change === undefined ? "" : `; ${change.findings.new.length} new, ${change.findings.gone.length} gone`;
  return [
    ...(change === undefined ? [] : changeStatements(change)),
    ...testStatements(tests),
    ...(claims === undefined
      ? uncheckedStatements(review)
      : [claimStatement(claims, false), claimStatement(claims, true)]),
    ...(change === undefined ? [] : [{ text: ruleSentence(change), state: "plain" } as const]),
    { text: `Findings: ${findingCounts(findings)}${news}.`, state: findingState(findings) },
    ...(claims === undefined ? [] : [openStatement(open)]),
  ];
}

function changeStatements({ decisions }: ChangeReview): readonly Statement[] {
  const words = overriddenWords(decisions.configuration);
  return [
    { text: decisionsWords(decisions), state: decisions.result === "equal" ? "good" : "open" },
    ...(words === undefined ? [] : [{ text: `${capital(words)}.`, state: "open" } as const]),
  ];
}

function claimStatement(all: readonly ReviewedClaim[], isLaw: boolean): Statement {
  const claims = inOrder(all.filter(({ position }) => (position === "") === isLaw));
  const results = new Set(claims.flatMap(({ listed, after }) => (listed === "withdrawn" ? [] : [after.result])));
  const state = results.has("broken")
    ? "bad"
    : results.has("unproven")
      ? "open"
      : claims.length === 0
        ? "plain"
        : "good";
  return { text: `${isLaw ? "Laws" : "Claims"}: ${counted(claims.map(standingWords))}.`, state };
}

function uncheckedStatements({ laws = [], unchecked = [] }: Review): readonly Statement[] {
  const count = (isLaw: boolean) => unchecked.filter(({ position }) => (position === "") === isLaw).length;
  const [openClaims, openLaws] = [count(false), count(true)];
  const open = [
    ...(openClaims === 0 ? [] : [plural(openClaims, "claim")]),
    ...(openLaws === 0 ? [] : [plural(openLaws, "law")]),
  ];
  const were = openClaims + openLaws === 1 ? "was" : "were";
  const proved = `Laws: ${counted(laws.map(standingWords))}, by the text of the policies.`;
  if (laws.length + unchecked.length === 0) return [{ text: "Claims and laws were not checked.", state: "open" }];
  return [
    ...(laws.length === 0 ? [] : [{ text: proved, state: "good" } as const]),
    ...(open.length === 0
      ? []
      : [{ text: `No proof was asked: ${open.join(" and ")} ${were} not checked.`, state: "open" } as const]),
  ];
}

function findingState(findings: Review["findings"]): Statement["state"] {
  const severities = new Set(findings.map(({ severity }) => severity));
  if (severities.has("error")) return "bad";
  return severities.has("warning") ? "open" : "good";
}

function openStatement(open: number): Statement {
  return open === 0
    ? { text: "Nothing is left unproved.", state: "good" }
    : { text: `Not proved: ${plural(open, "statement")}.`, state: "open" };
}

function testCounts({ suites }: TestFacts) {
  const sum = (of: "passed" | "failed" | "errored" | "skipped") =>
    suites.reduce((total, suite) => total + suite.tests[of], 0);
  const [passed, failed, errored, skipped] = [sum("passed"), sum("failed"), sum("errored"), sum("skipped")];
  return { failed, errored, skipped, ran: passed + failed + errored };
}

function testStatements(tests: TestFacts | undefined): readonly Statement[] {
  if (tests === undefined) return [{ text: "Tests were not run.", state: "open" }];
  const { suites, coverage } = tests;
  const { failed, errored, skipped, ran } = testCounts(tests);
  if (suites.length === 0) return [{ text: "There are no tests.", state: "open" }];
  const broken = suites.filter((suite) => suite.result === "errored" && suite.tests.errored === 0).length;
  const bad = [
    ...(failed === 0 ? [] : [`${failed} of ${plural(ran, "test")} ${failed === 1 ? "fails" : "fail"}.`]),
    ...(errored === 0 ? [] : [`${errored} of ${plural(ran, "test")} cannot be run.`]),
    ...(broken === 0 ? [] : [`${plural(broken, "suite")} cannot be run.`]),
  ];
  const all: Statement =
    ran === 0
      ? { text: "No test was run.", state: "open" }
      : { text: ran === 1 ? "The test passes." : `All ${ran} tests pass.`, state: "good" };
  const skips = `${plural(skipped, "test")} ${skipped === 1 ? "is" : "are"} skipped.`;
  const reach = `The tests reach ${coverage} % of the policies.`;
  return [
    ...(bad.length > 0 ? bad.map((text) => ({ text, state: "bad" }) as const) : [all]),
    ...(skipped === 0 ? [] : [{ text: skips, state: "open" } as const]),
    ...(ran === 0 ? [] : [{ text: reach, state: coverage === 100 ? "good" : "open" } as const]),
  ];
}

function ruleSentence({ written: { rules, unchangedRules } }: ChangeReview): string {
  return `Rules: ${counted([...rules.map(pairWord), ...Array.from({ length: unchangedRules }, () => "unchanged")])}.`;
}

/** Everything that is certainly wrong: failed tests, broken claims and laws, findings that are errors. */
function failingWords({ review, claims = [] }: ConcludedReview): readonly string[] {
  return [
    ...(review.tests?.suites ?? []).flatMap(({ failures }) =>
      failures.map(({ at, message }) => `Test at ${at}: ${message}`),
    ),
    ...inOrder(claims).flatMap((one) => {
      if (one.listed === "withdrawn" || one.after.result !== "broken") return [];
      const what = one.position === "" ? "Law" : `Claim at ${one.position}`;
      return [`${what}, ${standingWords(one)}: ${one.claim}`];
    }),
    ...review.findings.flatMap(({ severity, code, message, hint, ...at }) =>
      severity === "error" ? [`Finding at ${positionText(at)}, ${code}: ${findingText({ message, hint })}`] : [],
    ),
  ];
}

/** The most failures in the head of a page: a suite can have a million tests. */
const MAX_SHOWN = 1_000;

/** The failures for the head of a page, and how many are left out. */
export function shownFailures(failing: readonly string[], most = MAX_SHOWN): readonly string[] {
  if (failing.length <= most) return failing;
  return [...failing.slice(0, most), `${failing.length - most} more are not listed here`];
}

/** Everything unproven: possible changes of decisions, by operation, and claims. */
export function unprovenWords({ claims = [], change }: ConcludedReview): readonly Phrase[] {
  const ways = new Map<string, { readonly of: Phrase; readonly why: string; readonly names: ChangeClass[] }>();
  for (const open of change?.decisions.unproven ?? []) {
    const of = questionWords(open);
    const key = JSON.stringify([of, open.message]);
    const known = ways.get(key) ?? { of, why: open.message, names: [] };
    known.names.push(open.class);
    ways.set(key, known);
  }
  return [
    ...[...ways.values()].map(({ of, why, names }) =>
      phrase(of, `: ${names.map((name) => OPEN_QUESTIONS[name]).join(", ")} (${shortWhy(why)})`),
    ),
    ...claims.flatMap(({ claim, position, after }) =>
      after.result === "unproven"
        ? [phrase(position === "" ? "the law “" : "the claim “", text(claim), `” (${shortWhy(after.why)})`)]
        : [],
    ),
  ];
}

/** Why no solver was asked, if that left something unproven; and what to do if none was found. */
export function solverWords({ claims = [], change }: Pick<ConcludedReview, "claims" | "change">): string | undefined {
  const whys = [
    ...(change?.decisions.unproven ?? []).map(({ message }) => message),
    ...claims.map(({ after }) => after.why),
  ];
  const [found] = whys.flatMap((why) => (why.includes(NO_SOLVER) ? [why.slice(why.indexOf(NO_SOLVER))] : []));
  return found && `${capital(found)}.`;
}
