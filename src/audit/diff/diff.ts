/**
 * What a change of policies changes in decisions. For every operation, both sets decide all combinations of the values
 * that the conditions of either distinguish: boundaries and their neighbours, members of enums, present and absent,
 * equal and different, each role. Where the combinations are too many, a part is examined, and the result says so.
 */

import type { PolicySet } from "../../decisions/policy-set.js";
import { notAsked } from "../../proof/question-prover.js";
import { allQuestions } from "../../proof/questions.js";
import { isSolver, type NoSolver } from "../../solver/no-solver.js";
import type { Solver } from "../../solver/solver.js";
import { TimedSolver, TimeLimit } from "../../solver/timed.js";
import { startOf } from "../../space/base.js";
import type { Question } from "../../space/deciders.js";
import { LAYERS, type Layer } from "../../space/dimension.js";
import type { RequestJson } from "../../space/draft.js";
import { roleSets } from "../../space/question.js";
import { UNNAMED } from "../../space/questions.js";
import { choicesFor } from "../../space/values.js";
import { CLASSES, Comparison, changeBy, classOf, type Sets } from "./comparison.js";
import { BRIEF, compareLayer, type Effort, type Finding, THOROUGH } from "./layer.js";
import { areSame } from "./same.js";
import type { Change, ChangeClass, Gap, PolicyDiff, SilentChange, Unproven } from "./types.js";
import { type Side, type Witness, Witnesses } from "./witness.js";

export interface DiffOptions {
  /** Whether verdicts that have other reasons, with the same outcome, are looked for. Default: `false`. */
  readonly reasons?: boolean;
}

export interface ProvenDiffOptions extends DiffOptions {
  /** Milliseconds for all of it. What is not decided until then is `unproven`. Default: as long as it takes. */
  readonly timeLimit?: number;
  /** Told how many operations were compared by a search, and then of how many of those that are left a solver was asked. */
  readonly onProgress?: (what: "compared" | "asked", done: number, total: number) => void;
}

/**
 * Compares the decisions of two policy sets, by a search. That nothing changes is proved of operations whose rules say
 * the same in the same words; of others it is `unproven`: see {@link provenDiff}. Pure.
 */
export function diffPolicies(before: PolicySet, after: PolicySet, options: DiffOptions = {}): PolicyDiff {
  const found = new Found(notAsked(undefined));
  searched({ before, after }, found, THOROUGH, options);
  return found.result();
}

/**
 * {@link diffPolicies}, which asks a solver about all that the search leaves open. Each change that it finds was decided
 * by both sets. Without a solver, all of it stays unproven.
 */
export async function provenDiff(
  before: PolicySet,
  after: PolicySet,
  solver: Solver | NoSolver | undefined,
  options: ProvenDiffOptions = {},
): Promise<PolicyDiff> {
  const limit = new TimeLimit(options.timeLimit);
  const isAsked = isSolver(solver);
  const found = new Found(notAsked(isAsked ? undefined : solver));
  const open = searched({ before, after }, found, isAsked ? BRIEF : THOROUGH, { ...options, limit });
  if (!isAsked) return found.result();
  const timed = new TimedSolver(solver, limit);
  for (const [done, comparison] of open.entries()) {
    options.onProgress?.("asked", done, open.length);
    for (const name of found.missing(comparison)) {
      const witness = limit.isOver ? undefined : await comparison.find(name, timed);
      if (witness === undefined) found.leaveOpen(comparison, name, limit.why);
      else if (witness.kind === "none") found.prove(comparison, name);
      else if (witness.kind === "unproven") found.leaveOpen(comparison, name, witness.why);
      else found.show(comparison, name, witness.request);
    }
  }
  return found.result();
}

interface SearchOptions extends ProvenDiffOptions {
  readonly limit?: TimeLimit;
}

/** Searches for changes. Returns the questions of which not all is proved by the words of the rules alone. */
function searched(
  sets: Sets,
  found: Found,
  effort: Effort,
  { reasons = false, limit, onProgress }: SearchOptions,
): readonly Comparison[] {
  const { before, after } = sets;
  const open: Comparison[] = [];
  const { questions, proverOf, gaps } = allQuestions([before, after]);
  if (areSame(before, after)) {
    for (const question of questions) found.ask({ question, unsettled: [] });
    return open;
  }
  for (const gap of gaps) found.gap(gap);
  for (const [done, question] of questions.entries()) {
    onProgress?.("compared", done, questions.length);
    if (limit?.isOver === true) {
      found.ask({ question, unsettled: CLASSES }, limit.why);
      continue;
    }
    const comparison = new Comparison(sets, proverOf(question));
    found.ask(comparison);
    if (!comparison.isSettled) open.push(comparison);
    if (comparison.isSettled && !reasons) continue;
    compareQuestion(sets, question, reasons ? LAYERS : comparison.changed, reasons, effort, found);
  }
  return open;
}

function compareQuestion(
  sets: Sets,
  question: Question,
  changed: readonly Layer[],
  reasons: boolean,
  effort: Effort,
  found: Found,
): void {
  const { draft, asked } = startOf([sets.before, sets.after], question);
  const sideOf = (layer: Layer): Side => {
    const pair = { before: sets.before[layer], after: sets.after[layer] };
    const { roles } = asked[layer];
    const comparison = compareLayer(layer, pair, draft, choicesFor(asked[layer], draft), roleSets(roles), effort);
    return { layer, pair, comparison };
  };
  const sides = { permission: sideOf("permission"), platform: sideOf("platform") };
  const witnesses = new Witnesses(sets, draft);
  for (const layer of changed) {
    const side = sides[layer];
    const other = sides[layer === "permission" ? "platform" : "permission"];
    found.gaps.push(...gapsOf(question, side, asked[layer].space.opaque));
    found.combinations += side.comparison.examined;
    for (const finding of side.comparison.findings) report(question, finding, side, other, witnesses, found);
    if (reasons) for (const finding of side.comparison.reasons) found.silence("reasons", question, layer, finding);
  }
}

function report(
  question: Question,
  finding: Finding,
  side: Side,
  other: Side,
  witnesses: Witnesses,
  found: Found,
): void {
  for (const values of finding.examples) {
    const witness = witnesses.find(side, other, finding.roles, values);
    if (witness === undefined) continue;
    found.change(question, side.layer, finding, witness);
    return;
  }
  found.silence("masked", question, side.layer, finding);
}

function gapsOf(question: Question, { layer, comparison }: Side, opaque: ReadonlySet<string>): readonly Gap[] {
  const gaps: Gap[] = [];
  const { examined, total } = comparison;
  if (examined < total) {
    const message = `${examined} of ${total} combinations were examined: a difference in the others would be missed`;
    gaps.push({ ...question, layer, message });
  }
  for (const source of opaque) {
    gaps.push({ ...question, layer, message: `not every value that matters to this is known: ${source}` });
  }
  return gaps;
}

const ORDER = CLASSES;

class Found {
  questions = 0;
  combinations = 0;
  readonly gaps: Gap[] = [];
  private readonly changes = new Map<string, Change>();
  /** What is not proved yet, by question and class. */
  private readonly open = new Map<string, Unproven>();
  /** Why nothing is proved but by words. */
  private readonly why: string;

  constructor(why: string) {
    this.why = why;
  }

  /** Takes up a question: nothing is proved of it but what its words prove. */
  ask({ question, unsettled }: Pick<Comparison, "question" | "unsettled">, message = this.why): void {
    this.questions++;
    for (const name of unsettled) this.open.set(openKey(question, name), { ...question, class: name, message });
    this.asked.push(question);
  }

  private readonly asked: Question[] = [];

  /** Something that no question stands for. */
  gap(message: string): void {
    for (const name of CLASSES)
      this.open.set(openKey(EVERYTHING, name) + message, { ...EVERYTHING, class: name, message });
  }

  /** The ways of a question that are neither shown nor proved not to be. */
  missing({ question, unsettled }: Comparison): readonly ChangeClass[] {
    return unsettled.filter((name) => this.open.has(openKey(question, name)));
  }

  prove({ question }: Comparison, name: ChangeClass): void {
    this.open.delete(openKey(question, name));
  }

  leaveOpen({ question }: Comparison, name: ChangeClass, message: string): void {
    this.open.set(openKey(question, name), { ...question, class: name, message });
  }

  /** A change that a request shows by itself. */
  show({ sets, question }: Comparison, name: ChangeClass, request: RequestJson): void {
    this.open.delete(openKey(question, name));
    const change = changeBy(sets, question, request);
    this.changes.set(JSON.stringify([question, name, "shown"]), change);
  }
  private readonly silent = new Map<string, SilentChange>();

  change(question: Question, layer: Layer, finding: Finding, { draft, before, after, circumstances }: Witness): void {
    const [from, to] = [before.outcome, after.outcome];
    this.open.delete(openKey(question, classOf(from, to)));
    const key = JSON.stringify([question, from, to, circumstances, finding.broken]);
    const known = this.changes.get(key);
    const roles = [...draft.key.roles];
    if (known !== undefined) {
      // What one of the roles shows by itself, all of them together need not.
      const isNew = !known.roles.some((one) => one.every((role) => roles.includes(role)));
      this.changes.set(key, {
        ...known,
        roles: isNew ? [...known.roles, roles] : known.roles,
        situations: known.situations + finding.situations,
      });
      return;
    }
    this.changes.set(key, {
      class: classOf(from, to),
      ...question,
      roles: [roles],
      from,
      to,
      layer,
      circumstances,
      malformed: finding.broken,
      situations: finding.situations,
      before: { outcome: from, reasons: before[layer].reasons },
      after: { outcome: to, reasons: after[layer].reasons },
      request: draft.toJson(),
    });
  }

  silence(
    kind: SilentChange["class"],
    question: Question,
    layer: Layer,
    { roles, from, to, situations }: Finding,
  ): void {
    const words = (of: Finding["from"]) => [...new Set(of.reasons.map(({ reason }) => reason))].sort();
    const [before, after] = [words(from), words(to)];
    const key = JSON.stringify([kind, question, layer, before, after]);
    const known = this.silent.get(key);
    this.silent.set(key, {
      class: kind,
      ...question,
      layer,
      roles: [...(known?.roles ?? []), roles],
      situations: (known?.situations ?? 0) + situations,
      before,
      after,
    });
  }

  result(): PolicyDiff {
    const { questions, combinations, gaps } = this;
    const rank = (change: Change) => ORDER.indexOf(change.class) + (change.malformed ? ORDER.length : 0);
    const changes = [...this.changes.values()].sort((a, b) => rank(a) - rank(b));
    const unproven = [...this.open.values()];
    const touched = new Set([...changes, ...unproven].map(({ kind, operation }) => JSON.stringify([kind, operation])));
    const unchanged = this.asked.filter(
      ({ kind, operation }) => !touched.has(JSON.stringify([kind, operation])),
    ).length;
    return {
      result: changes.length > 0 ? "changes" : unproven.length > 0 ? "unproven" : "equal",
      changes,
      silent: [...this.silent.values()],
      gaps,
      unproven,
      examined: { questions, unchanged, combinations },
    };
  }
}

/** Stands for questions that were not asked. */
const EVERYTHING: Question = { kind: UNNAMED, operation: UNNAMED };

function openKey({ kind, operation }: Question, name: ChangeClass): string {
  return JSON.stringify([kind, operation, name]);
}
