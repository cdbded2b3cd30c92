/** The search for ways on several questions, each in every version of the policies. */

import { configurationNotes } from "../../decisions/configuration-notes.js";
import { setsToProve } from "../../decisions/other-versions.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { OperationQuestion } from "../../engine/plan/questions.js";
import { IssueLog } from "../../policy/issue-log.js";
import type { Expression } from "../../policy/model.js";
import { KnownNames } from "../../proof/claims/names.js";
import type { Claim } from "../../proof/claims/types.js";
import type { QuestionProver } from "../../proof/question-prover.js";
import { allQuestions } from "../../proof/questions.js";
import { Assumption } from "../../proof/ways/assumption.js";
import { type Ways, waysOf } from "../../proof/ways/minimal-grants.js";
import type { Requirement } from "../../proof/ways/statements.js";
import { isSolver, type NoSolver } from "../../solver/no-solver.js";
import type { Solver } from "../../solver/solver.js";
import { TimedSolver, TimeLimit } from "../../solver/timed-solver.js";
import { policiesOf } from "../../space/deciding-rules.js";
import { LAYERS } from "../../space/dimension.js";
import {
  type AskedRequests,
  assumptionFault,
  expressionsOf,
  firstIssue,
  kindExpressions,
  roleExpressions,
  unknownRole,
} from "./asked.js";
import type { AllowedWay, OperationWays, UnknownPart } from "./types.js";
import { requirementWords } from "./words.js";

export interface SearchLimits {
  /** How many ways are looked for on each kind. Default: 100. */
  readonly limit?: number;
  /** Milliseconds for the whole search. Ways found by then are reported, as possibly incomplete. Default: 120,000. */
  readonly timeLimit?: number;
  /** Called before the search on each question. */
  readonly onProgress?: (done: number, total: number, question: OperationQuestion) => void;
  /** Called with the ways on each question as soon as they are known, in order. */
  readonly onFound?: (ways: OperationWays) => void;
}

/** The questions of a search. */
export interface SearchedQuestions {
  readonly about: Pick<Claim, "operations" | "kinds">;
  /** Default: all that `about` names. */
  readonly isAsked?: (set: PolicySet, question: OperationQuestion) => boolean;
  /** More assumptions about requests to a set. */
  readonly expressionsFor?: (set: PolicySet) => readonly Expression[];
}

/** The ways on one question, with the means to ask more about it. */
export interface QuestionWays {
  readonly ways: OperationWays;
  readonly set: PolicySet;
  readonly prover: () => QuestionProver;
  readonly solver: TimedSolver | NoSolver | undefined;
  readonly assumption: Assumption;
  /** The expressions of the assumption, without those about the caller. */
  readonly expressions: readonly Expression[];
}

interface VersionSearch extends Omit<QuestionWays, "ways" | "solver"> {
  readonly version: string | undefined;
  readonly gaps: readonly string[];
}

/** The ways on each question; or why there is no answer. Without a solver, no ways are found. */
export async function searchWays(
  policies: PolicySet,
  solver: Solver | NoSolver | undefined,
  asked: AskedRequests & SearchLimits,
  questions: SearchedQuestions,
): Promise<readonly QuestionWays[] | UnknownPart> {
  const { limit = 100, timeLimit = 120_000 } = asked;
  const timed = isSolver(solver) ? new TimedSolver(solver, new TimeLimit(timeLimit)) : solver;
  const searches = searchesFor(policies, asked, questions);
  if ("kind" in searches) return searches;
  if (asked.assume !== undefined && !(await isPossible(searches, timed))) {
    return { kind: "unknown", message: "assume: no request satisfies it" };
  }
  const found: QuestionWays[] = [];
  for (const [done, search] of searches.entries()) {
    const { set, version, prover: make, assumption, gaps } = search;
    const { assumed } = configurationNotes([set]);
    const prover = make();
    asked.onProgress?.(done, searches.length, prover.question);
    const about = { ...(version === undefined ? {} : { version }), assumed };
    const ways = { ...worded(await waysOf(set, prover, timed, limit, assumption), gaps), ...about };
    asked.onFound?.(ways);
    found.push({ ...search, solver: timed, ways });
  }
  return found;
}

/** The searches in all versions that know the questions; or why no version does. */
function searchesFor(
  policies: PolicySet,
  asked: AskedRequests,
  questions: SearchedQuestions,
): readonly VersionSearch[] | UnknownPart {
  const versions = setsToProve(policies);
  const sets = versions.map(({ set }) => set);
  const refused = assumptionFault(asked) ?? roleFault(asked, sets);
  if (refused !== undefined) return refused;
  const searches: VersionSearch[] = [];
  let unknown: UnknownPart | undefined;
  for (const { version, set } of versions) {
    const found = searchesOf(set, sets, asked, questions);
    if ("kind" in found) unknown ??= found;
    else searches.push(...found.map((one) => ({ ...one, version })));
  }
  // Something is unknown if no version knows it.
  return searches.length === 0 && unknown !== undefined ? unknown : searches;
}

function roleFault({ role }: AskedRequests, sets: readonly PolicySet[]): UnknownPart | undefined {
  const faults = role === undefined ? [] : sets.map((set) => unknownRole(set, role));
  return faults.includes(undefined) ? undefined : faults[0];
}

function searchesOf(
  set: PolicySet,
  sets: readonly PolicySet[],
  { assume, ...caller }: AskedRequests,
  { about, isAsked = () => true, expressionsFor = () => [] }: SearchedQuestions,
): readonly Omit<VersionSearch, "version">[] | UnknownPart {
  const { questions, proverOf, gaps } = allQuestions([set]);
  const names = new KnownNames(set, questions, sets);
  const log = new IssueLog();
  const given = assume === undefined ? [] : expressionsOf([assume]);
  names.check(about, given, log);
  const fault = firstIssue(log);
  if (fault !== undefined) return fault;
  const isNamed = namedKinds(set, about);
  return names
    .questionsOf(about)
    .filter((question) => isAsked(set, question))
    .map((question) => {
      // A kind that stands for all kinds without a name has no name of its own.
      const isOfKind = given.length > 0 && isNamed.has(question.kind) ? kindExpressions(question.kind) : [];
      const expressions = [...given, ...isOfKind, ...expressionsFor(set)];
      return {
        ...{ set, prover: () => proverOf(question), gaps, expressions },
        assumption: assumptionOf(caller, set, expressions),
      };
    });
}

/** The assumption that a caller makes requests for which expressions are true. */
export function assumptionOf(
  { role, key }: Pick<AskedRequests, "role" | "key">,
  set: PolicySet,
  expressions: readonly Expression[],
): Assumption {
  if (key !== undefined) return new Assumption([...key.expressions(set), ...expressions], key);
  if (role === undefined) return new Assumption(expressions);
  return new Assumption([...roleExpressions(role), ...expressions], [role]);
}

/** The kinds that policies, or the question, name. */
function namedKinds(set: PolicySet, { kinds = [] }: SearchedQuestions["about"]): ReadonlySet<string> {
  const resources = LAYERS.flatMap((layer) => policiesOf(set, layer).resources);
  return new Set([...kinds, ...resources].map(({ name }) => name));
}

/** Can a request meet the assumption? If the solver does not know, it can. */
async function isPossible(
  searches: readonly VersionSearch[],
  solver: TimedSolver | NoSolver | undefined,
): Promise<boolean> {
  for (const { prover, assumption } of searches) {
    if (await isMeetable(prover(), assumption, solver)) return true;
  }
  return false;
}

async function isMeetable(prover: QuestionProver, assumption: Assumption, solver: TimedSolver | NoSolver | undefined) {
  const goal = prover.world.formulas.and(...assumption.formulasOf(prover));
  const found = await prover.find(goal, solver, (request) => assumption.isMetBy(assumption.withKnown(request)), {
    isLikely: true,
  });
  return found.kind !== "none";
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
