/** Compares two sets on one question: the classes of change that are possible, and a request for each. */

import { isList, isObject, type JsonValue } from "../../cel/json.js";
import { decideAny } from "../../decisions/decide.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { Decision } from "../../decisions/types.js";
import type { Formula, Formulas } from "../../engine/formula/formula.js";
import type { OperationQuestion } from "../../engine/plan/questions.js";
import type { Outcomes, QuestionProver } from "../../proof/question-prover.js";
import { type WayGoal, type Ways, waysTo } from "../../proof/ways/minimal-grants.js";
import { findWellFormed, isWellFormed, type WellFormedResult } from "../../proof/well-formed.js";
import type { Solver } from "../../solver/solver.js";
import type { TimedSolver } from "../../solver/timed-solver.js";
import { LAYERS, type SpaceLayer } from "../../space/dimension.js";
import { type RequestJson, requestOf } from "../../space/draft.js";
import { type ChangeExtent, EXAMPLE, extentOf, MAX_WAYS } from "./extent.js";
import type { ChangeCircumstance, ChangeClass, ChangeSide, DecisionChange } from "./types.js";

/** Two policy sets, the older one first. */
export interface PolicySets {
  readonly before: PolicySet;
  readonly after: PolicySet;
}

export const CLASSES: readonly ChangeClass[] = ["widening", "narrowing", "refusal", "fault"];

export class QuestionDiff {
  readonly sets: PolicySets;
  readonly question: OperationQuestion;
  /** The layers with rules of different text. */
  readonly changed: readonly SpaceLayer[];
  private readonly prover: QuestionProver;
  private readonly proverOf: () => QuestionProver;
  private readonly goals: ReadonlyMap<ChangeClass, Formula>;

  /** `proverOf` makes a prover for the question. */
  constructor(sets: PolicySets, proverOf: () => QuestionProver) {
    const prover = proverOf();
    this.proverOf = proverOf;
    this.sets = sets;
    this.question = prover.question;
    this.prover = prover;
    const [before, after] = [prover.outcomes(sets.before), prover.outcomes(sets.after)];
    const isFaultOpen = before.faulty !== after.faulty;
    this.changed = LAYERS.filter(
      (layer) =>
        isFaultOpen ||
        (layer === "permission" ? before.permitted !== after.permitted : before.supported !== after.supported),
    );
    this.goals = new Map(CLASSES.map((name) => [name, changeGoal(prover.world.formulas, name, before, after)]));
  }

  /** The classes of change that the text of the rules leaves open. */
  get unsettled(): readonly ChangeClass[] {
    return CLASSES.filter((name) => this.goals.get(name) !== this.prover.world.formulas.no);
  }

  /** Does the text of the rules prove that nothing changes? */
  get isSettled(): boolean {
    return this.unsettled.length === 0;
  }

  /**
   * Finds a small request that shows a class of change, or proves the class impossible. A request that the schemas
   * allow is looked for first.
   */
  async find(name: ChangeClass, solver: Solver): Promise<WellFormedResult> {
    const goal = this.goals.get(name) ?? this.prover.world.formulas.no;
    const sets = [this.sets.before, this.sets.after];
    return await findWellFormed(this.prover, solver, { goal, sets, replays: this.showing(name) });
  }

  private showing(name: ChangeClass): (request: RequestJson) => boolean {
    return (request) => classOf(...decisionsOf(this.sets, request)) === name;
  }

  /** The requests that change by a class. */
  async extent(name: ChangeClass, solver: TimedSolver): Promise<ChangeExtent> {
    return extentOf(await this.ways(name, solver));
  }

  /** The ways to a class of change, as far as they were found. */
  async ways(name: ChangeClass, solver: TimedSolver): Promise<Ways> {
    const prover = this.proverOf();
    const { formulas } = prover.world;
    const { before, after } = this.sets;
    const goal: WayGoal = {
      goalOf: (outcomesOf) => changeGoal(formulas, name, outcomesOf(before), outcomesOf(after)),
      errorsCount: true,
      needsAll: true,
      reaches: this.showing(name),
    };
    return await waysTo(goal, prover, solver, MAX_WAYS);
  }
}

function decisionsOf({ before, after }: PolicySets, request: RequestJson) {
  const asked = requestOf(request);
  return [decideAny(before, asked), decideAny(after, asked)] as const;
}

/** The class of a change; undefined if both decisions are the same. Reasons do not count. */
export function classOf(before: Decision, after: Decision): ChangeClass | undefined {
  const [from, to] = [before.outcome, after.outcome];
  if (from === to) return (before.fault === undefined) === (after.fault === undefined) ? undefined : "fault";
  if (to === "allow") return "widening";
  return from === "allow" ? "narrowing" : "refusal";
}

/** When the decisions of two sets differ by a class of change. */
function changeGoal(formulas: Formulas, name: ChangeClass, before: Outcomes, after: Outcomes): Formula {
  const eitherWay = (of: (from: Outcomes, to: Outcomes) => readonly Formula[]) =>
    formulas.or(formulas.and(...of(before, after)), formulas.and(...of(after, before)));
  switch (name) {
    case "widening":
      return formulas.and(after.allow, formulas.not(before.allow));
    case "narrowing":
      return formulas.and(before.allow, formulas.not(after.allow));
    case "refusal":
      return eitherWay((from, to) => [from.forbidden, to.insufficient]);
    case "fault":
      if (before.faulty === after.faulty) return formulas.no;
      return formulas.and(
        formulas.or(
          formulas.and(before.forbidden, after.forbidden),
          formulas.and(before.insufficient, after.insufficient),
        ),
        eitherWay((from, to) => [from.faulty, formulas.not(to.faulty)]),
      );
  }
}

/** A side of a change, as data. */
export function sideOf(decision: Decision, layer: SpaceLayer): ChangeSide {
  const { outcome, fault } = decision;
  const { reasons } = decision[layer];
  return { outcome, ...(fault === undefined ? {} : { fault: `${fault.kind}: ${fault.message}` }), reasons };
}

/** The change that a request shows; every value in the request matters. */
export function changeBy(
  sets: PolicySets,
  question: OperationQuestion,
  request: RequestJson,
  { class: name, onlyMalformed }: { readonly class: ChangeClass; readonly onlyMalformed: boolean },
): DecisionChange {
  const [before, after] = decisionsOf(sets, request);
  const [from, to] = [before.outcome, after.outcome];
  const isOfPlatform = before.platform.effect !== after.platform.effect || (from === to && from === "forbidden");
  const layer = isOfPlatform ? "platform" : "permission";
  return {
    class: name,
    ...question,
    roles: [request.key.roles],
    from,
    to,
    layer,
    circumstances: circumstancesOf(request),
    ...EXAMPLE,
    malformed: onlyMalformed,
    wellFormed: isWellFormed([sets.before, sets.after], request),
    situations: 1,
    before: sideOf(before, layer),
    after: sideOf(after, layer),
    request,
  };
}

function circumstancesOf({ key, account, resource, now }: RequestJson): readonly ChangeCircumstance[] {
  const attributes = [
    ...leavesOf("key.attr", key.attr),
    ...leavesOf("resource.attr", resource.attr),
    ...leavesOf("account.attr", account?.attr ?? {}),
  ];
  return [...attributes, ...(now === undefined ? [] : [{ path: "now", value: now }])];
}

function leavesOf(path: string, value: JsonValue): readonly ChangeCircumstance[] {
  if (!isObject(value) || isList(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(`${path}.${name}`, inner));
}
