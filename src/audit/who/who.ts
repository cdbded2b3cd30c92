/** Who may do something: all ways in which an operation is allowed. */

import { configurationNotes } from "../../decisions/configuration-notes.js";
import { setsToProve } from "../../decisions/other-versions.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { IssueLog } from "../../policy/issue-log.js";
import { KnownNames } from "../../proof/claims/names.js";
import { allQuestions, type Questions } from "../../proof/questions.js";
import { type Ways, waysOf } from "../../proof/ways/minimal-grants.js";
import type { Requirement } from "../../proof/ways/statements.js";
import { isSolver, type NoSolver } from "../../solver/no-solver.js";
import type { Solver } from "../../solver/solver.js";
import { TimedSolver, TimeLimit } from "../../solver/timed-solver.js";
import type { AllowedWay, OperationWays, WhoMay } from "./types.js";
import { requirementWords } from "./words.js";

export interface WhoOptions {
  /** The kind of resource. Without it, every kind for which the policies know the operation. */
  readonly kind?: string;
  /** How many ways are looked for on each kind. Default: 100. */
  readonly limit?: number;
  /** Milliseconds for the whole search. Ways found by then are reported, as possibly incomplete. Default: 120,000. */
  readonly timeLimit?: number;
}

/** The position of a name that comes from no file. */
const NOWHERE = { file: "", line: 1, column: 1 };

/**
 * The minimal ways in which an operation is allowed, each with a replayed request. If the solver does not prove the
 * list complete, the result says why. Without a solver, no ways are found.
 */
export async function whoMay(
  policies: PolicySet,
  operation: string,
  solver: Solver | NoSolver | undefined,
  { kind, limit = 100, timeLimit = 120_000 }: WhoOptions = {},
): Promise<WhoMay> {
  const timed = isSolver(solver) ? new TimedSolver(solver, new TimeLimit(timeLimit)) : solver;
  const operations: OperationWays[] = [];
  let unknown: WhoMay | undefined;
  for (const { version, set } of setsToProve(policies)) {
    const asked = questionsAbout(set, operation, kind);
    if ("kind" in asked) {
      unknown ??= asked;
      continue;
    }
    const about = { ...(version === undefined ? {} : { version }), assumed: configurationNotes([set]).assumed };
    for (const question of asked.questions) {
      const ways = await waysOf(set, asked.proverOf(question), timed, limit);
      operations.push({ ...worded(ways, asked.gaps), ...about });
    }
  }
  // An operation is unknown if no version knows it.
  return operations.length === 0 && unknown !== undefined ? unknown : { kind: "answered", operations };
}

/** The questions about an operation that a set distinguishes; or why the set knows none. */
function questionsAbout(set: PolicySet, operation: string, kind: string | undefined): Questions | WhoMay {
  const { questions, proverOf, gaps } = allQuestions([set]);
  const names = new KnownNames(set, questions);
  const named = (name: string) => [{ name, at: NOWHERE }];
  const asked = { operations: named(operation), kinds: kind === undefined ? undefined : named(kind), assume: [] };
  const log = new IssueLog();
  names.check(asked, log);
  const [issue] = log.issues;
  if (issue === undefined) return { questions: names.questionsOf(asked), proverOf, gaps };
  const { message, hint } = issue;
  return { kind: "unknown", message, ...(hint === undefined ? {} : { hint }) };
}

function worded(
  { question, ways, unshown, why, isSearched }: Ways,
  gaps: readonly string[],
): Omit<OperationWays, "assumed"> {
  const reasons = [...(why === undefined ? [] : [why]), ...gaps];
  return {
    ...question,
    searched: isSearched,
    result: reasons.length === 0 && unshown.length === 0 ? "proved" : "unproven",
    ways: ways.map(({ requires, request }) => ({ ...inWords(requires), request })),
    unshown: unshown.map(({ requires, why }) => ({ ...inWords(requires), why })),
    ...(reasons.length === 0 ? {} : { why: reasons.join("; ") }),
  };
}

function inWords(requires: readonly Requirement[]): Pick<AllowedWay, "when" | "told"> {
  return {
    when: requires.filter(({ is }) => is !== "either").map(requirementWords),
    told: requires.filter(({ is }) => is === "either").map(requirementWords),
  };
}
