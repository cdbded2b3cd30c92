/**
 * The ways to a goal: that an operation is allowed, or that a change of policies changes its decision. A way is a set of
 * requirements, and every request that meets all of them reaches the goal. A way is minimal, as far as is proved: without
 * any one requirement it would not suffice. The search ends when it is proved that requests outside all ways do not reach
 * the goal, so the list is complete.
 * An error denies, and a rule that allows nothing can still err. So a way may also require that a statement does not err.
 * How decisions follow from statements is examined without their meaning, so that a solver answers at once. The meaning
 * is examined for one way at a time: is there such a request, and which statements follow from others?
 */

import { decideAny } from "../../decisions/decide.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { Formula } from "../../engine/formula/formula.js";
import type { OperationQuestion } from "../../engine/plan/questions.js";
import type { NoSolver } from "../../solver/no-solver.js";
import { TimedSolver } from "../../solver/timed-solver.js";
import { type RequestJson, requestOf } from "../../space/draft.js";
import { notAsked, type QuestionProver } from "../question-prover.js";
import { shrunk } from "../shrink.js";
import { Assumption } from "./assumption.js";
import { type GoalOf, type Requirement, requiredOf, Statements } from "./statements.js";
import { StatementEvaluator } from "./truths.js";

export interface Way {
  readonly requires: readonly Requirement[];
  /** A request in this way, replayed and as small as it could be made. */
  readonly request: RequestJson;
}

export interface UnconfirmedWay {
  readonly requires: readonly Requirement[];
  /** Why no request shows it. */
  readonly why: string;
}

export interface Ways {
  readonly question: OperationQuestion;
  readonly ways: readonly Way[];
  /** Ways that may contain no request: the solver does not know. */
  readonly unshown: readonly UnconfirmedWay[];
  /** Why there may be other ways; undefined: it is proved that there are none. */
  readonly why: string | undefined;
  /** Were any ways looked for? */
  readonly isSearched: boolean;
}

/** The number of statement sets examined for one question, including those that no request satisfies. */
const MAX_TRIED = 1_000;

/** A goal of requests. */
export interface WayGoal {
  readonly goalOf: GoalOf;
  /** Can a request reach the goal because a statement errs? An allowed request cannot: an error denies. */
  readonly errorsCount: boolean;
  /** Is a list without the ways that no request shows of no use? Then the search ends at the first of them. */
  readonly needsAll: boolean;
  /** Does a request reach the goal, by evaluation? */
  reaches(request: RequestJson): boolean;
  /** Only requests that meet it count. Default: all. */
  readonly assumption?: Assumption;
}

/**
 * The ways in which a set allows a question under an assumption: at most `limit`, and within the solver's time limit.
 */
export async function waysOf(
  set: PolicySet,
  prover: QuestionProver,
  solver: TimedSolver | NoSolver | undefined,
  limit: number,
  assumption = Assumption.NONE,
): Promise<Ways> {
  const goal: WayGoal = {
    goalOf: (outcomesOf) => outcomesOf(set).allow,
    errorsCount: false,
    needsAll: false,
    reaches: (request) => decideAny(set, requestOf(request)).outcome === "allow",
    assumption,
  };
  return await waysTo(goal, prover, solver, limit);
}

/** The ways to a goal: at most `limit`, and within the solver's time limit. */
export async function waysTo(
  goal: WayGoal,
  prover: QuestionProver,
  solver: TimedSolver | NoSolver | undefined,
  limit: number,
): Promise<Ways> {
  const { question } = prover;
  const unsearched = (why: string) => ({ question, ways: [], unshown: [], why, isSearched: false });
  if (!(solver instanceof TimedSolver)) return unsearched(notAsked(solver));
  if (solver.limit.isOver) return unsearched(solver.limit.why);
  const search = new WaySearch(goal, prover, solver);
  const why = await search.run(limit);
  return { question, ways: search.ways, unshown: search.unshown, why, isSearched: true };
}

class WaySearch {
  ways: readonly Way[] = [];
  readonly unshown: UnconfirmedWay[] = [];
  private readonly goal: WayGoal;
  private readonly prover: QuestionProver;
  private readonly solver: TimedSolver;
  private readonly statements: Statements;
  private readonly truths = new StatementEvaluator();
  private readonly assumption: Assumption;
  /** The assumption, as formulas over requests. */
  private readonly assumed: readonly Formula[];
  /** The facts about signs, with those that follow from the assumption. */
  private facts: readonly Formula[];

  constructor(goal: WayGoal, prover: QuestionProver, solver: TimedSolver) {
    this.goal = goal;
    this.solver = solver;
    this.prover = prover;
    this.assumption = goal.assumption ?? Assumption.NONE;
    this.statements = new Statements(goal.goalOf, prover, this.assumption.key);
    this.assumed = this.assumption.formulasOf(prover);
    this.facts = this.statements.facts;
  }

  /** Finds ways; returns why there may be more. */
  async run(limit: number): Promise<string | undefined> {
    const { formulas } = this.prover.world;
    let rest = this.statements.goal;
    if (this.assumed.length > 0) this.facts = [...this.facts, ...(await this.implied())];
    for (let tried = 0; ; tried++) {
      const given = await this.next(rest);
      if (given === undefined) return undefined;
      if (typeof given === "string") return given;
      if (this.ways.length + this.unshown.length >= limit) return `there are more than ${limit}`;
      if (tried >= MAX_TRIED) return `more than ${MAX_TRIED} combinations of conditions would have to be examined`;
      const way = await this.minimal(given);
      // A set of statements that could not be minimized within the time limit does not count as a way.
      if (this.solver.limit.isOver) return this.solver.limit.why;
      const found = await this.shown(way);
      // An impossible set of statements only rules out itself.
      const met = found === undefined ? await this.conflict(way) : way;
      // All requirements count: a request that meets only some of them may reach the goal in another way.
      rest = formulas.and(rest, formulas.not(this.signs(met)));
      if (typeof found === "string") {
        this.unshown.push({ requires: way, why: found });
        if (this.goal.needsAll) return found;
      }
      if (typeof found === "object") await this.add({ requires: await this.simplified(way), request: found });
    }
  }

  /**
   * The statements of an allowed request outside all ways found. Undefined: there is none. A string: why this is
   * unknown.
   */
  private async next(rest: Formula): Promise<readonly Requirement[] | string | undefined> {
    const { all } = this.statements;
    const signs = all.flatMap(({ sign }) => [sign.holds, sign.fails]);
    const wanted = [...new Set(signs)].filter(({ op }) => op !== "constant");
    const answer = await this.prover.ask(rest, this.solver, { others: this.facts, wanted, texts: "symbols" });
    if (answer.kind === "unsatisfiable") return undefined;
    if (answer.kind === "unknown") return answer.why;
    const { yes } = this.prover.world.formulas;
    const isSo = (sign: Formula) => sign === yes || answer.values.get(sign) === true;
    return all.flatMap((statement): readonly Requirement[] => {
      if (isSo(statement.sign.holds)) return [{ statement, is: "so" }];
      return [{ statement, is: isSo(statement.sign.fails) ? "not so" : "errs" }];
    });
  }

  /** What the assumption says about single statements, over their signs. */
  private async implied(): Promise<readonly Formula[]> {
    const { formulas } = this.prover.world;
    const found: Formula[] = [];
    this.prover.close();
    for (const statement of this.statements.all) {
      const { about, sign } = statement;
      const { roles } = this.assumption;
      if (about.kind === "role" && roles !== undefined) {
        found.push(roles.some((role) => about.role.has(role)) ? sign.holds : sign.fails);
        continue;
      }
      if (!this.isAboutAssumed(formulas.or(statement.holds, statement.fails))) continue;
      for (const is of ["so", "not so", "errs", "either"] as const) {
        if (!(await this.isExcluded(formulas.not(requiredOf(formulas, statement, is))))) continue;
        found.push(requiredOf(formulas, sign, is));
        break;
      }
    }
    return found;
  }

  /** Does the assumption bear on a formula, directly or through facts? */
  private isAboutAssumed(formula: Formula): boolean {
    const { holds } = this.prover.about(formula, [...this.prover.world.facts, ...this.assumed]);
    return this.assumed.some((one) => holds.includes(one));
  }

  /** Is it proved, without the contents of texts, that the assumption excludes a formula? */
  private async isExcluded(formula: Formula): Promise<boolean> {
    const answer = await this.prover.ask(formula, this.solver, { others: this.assumed, texts: "symbols" });
    return answer.kind === "unsatisfiable";
  }

  /** The requirements, each as weak as it can be if the rest is to suffice. */
  private async minimal(given: readonly Requirement[]): Promise<readonly Requirement[]> {
    const { errorsCount } = this.goal;
    let left: readonly Requirement[] = errorsCount ? given : given.filter(({ is }) => is !== "errs");
    for (const one of left.toSorted((a, b) => weight(a) - weight(b))) {
      if (this.solver.limit.isOver) return given;
      for (const weaker of weakened(one, left, errorsCount)) {
        if (!(await this.suffices(weaker))) continue;
        left = weaker;
        break;
      }
    }
    const strong = left.filter(({ is }) => is !== "either");
    return (await this.suffices(strong))
      ? strong
      : await without(
          left,
          ({ is }) => is === "either",
          (fewer) => this.suffices(fewer),
        );
  }

  private async suffices(required: readonly Requirement[]): Promise<boolean> {
    const { formulas } = this.prover.world;
    const { goal } = this.statements;
    const missed = formulas.and(this.signs(required), formulas.not(goal));
    const answer = await this.prover.ask(missed, this.solver, { others: this.facts, texts: "symbols" });
    return answer.kind === "unsatisfiable";
  }

  /** A smallest subset of the requirements that no request meets together. */
  private async conflict(required: readonly Requirement[]): Promise<readonly Requirement[]> {
    return await without(
      required,
      () => true,
      (fewer) => this.isExcluded(this.meaning(fewer)),
    );
  }

  /** A request in a way. Undefined: there is none. A string: why this is unknown. */
  private async shown(required: readonly Requirement[]): Promise<RequestJson | string | undefined> {
    const { assumption, assumed } = this;
    const shows = (request: RequestJson) =>
      assumption.isMetBy(request) && this.goal.reaches(request) && this.truths.meets(request, required);
    const goal = this.prover.world.formulas.and(this.meaning(required), ...assumed);
    const variants = (request: RequestJson) => this.prover.completed(assumption.withKnown(request));
    const found = await this.prover.find(goal, this.solver, shows, { isLikely: true, variants });
    if (found.kind === "none") return undefined;
    if (found.kind === "unproven") return found.why;
    return shrunk(found.request, shows);
  }

  /** Removes requirements, and possible errors, that the rest excludes by the meaning of the statements. */
  private async simplified(required: readonly Requirement[]): Promise<readonly Requirement[]> {
    const left = await without(
      required,
      () => true,
      async (fewer, one) => await this.entails(fewer, one),
    );
    const simple: Requirement[] = [...left];
    for (const [i, one] of left.entries()) {
      if (one.is !== "so or errs" && one.is !== "not so or errs") continue;
      const others = simple.filter((_, other) => other !== i);
      if (!(await this.entails(others, { ...one, is: "either" }))) continue;
      simple[i] = { ...one, is: one.is === "so or errs" ? "so" : "not so" };
    }
    return simple;
  }

  /** Adds a way unless another contains it, and removes the ways that it contains. */
  private async add(way: Way): Promise<void> {
    for (const other of this.ways) if (await this.isWithin(way, other)) return;
    const kept: Way[] = [];
    for (const other of this.ways) if (!(await this.isWithin(other, way))) kept.push(other);
    this.ways = [...kept, way];
  }

  /** Are all requests of a way in another? */
  private async isWithin({ requires, request }: Way, other: Way): Promise<boolean> {
    if (!this.truths.meets(request, other.requires)) return false;
    for (const one of other.requires) if (!(await this.entails(requires, one))) return false;
    return true;
  }

  /** Is it proved that a requirement follows from others? Only requirements that read the same values are examined. */
  private async entails(given: readonly Requirement[], wanted: Requirement): Promise<boolean> {
    const { formulas } = this.prover.world;
    const target = this.meaning([wanted]);
    const parts = given.map((one) => this.meaning([one]));
    if (parts.includes(target)) return true;
    const { holds } = this.prover.about(formulas.not(target), [...parts, ...this.assumed]);
    // That a statement does not err can be true of every request.
    if (holds.length === 1 && wanted.is !== "either") return false;
    return await this.prover.excludes(formulas.and(...holds), this.solver);
  }

  private signs(required: readonly Requirement[]): Formula {
    const { formulas } = this.prover.world;
    return formulas.and(...required.map(({ statement, is }) => requiredOf(formulas, statement.sign, is)));
  }

  private meaning(required: readonly Requirement[]): Formula {
    const { formulas } = this.prover.world;
    return formulas.and(...required.map(({ statement, is }) => requiredOf(formulas, statement, is)));
  }
}

/** The requirements with `one` in its weaker forms, the weakest first; of those that are not to err, dropping comes later. */
function* weakened(
  one: Requirement,
  all: readonly Requirement[],
  errorsCount: boolean,
): Generator<readonly Requirement[]> {
  const withOne = (is: Requirement["is"]) => all.map((other): Requirement => (other === one ? { ...one, is } : other));
  if (one.is === "errs") {
    yield all.filter((other) => other !== one);
    yield withOne("so or errs");
    yield withOne("not so or errs");
  } else {
    yield withOne("either");
    if (errorsCount && one.statement.about.kind === "part")
      yield withOne(one.is === "so" ? "so or errs" : "not so or errs");
  }
}

/** Drops each element that `may` be dropped, one after the other, wherever the rest is still `fine`. */
async function without(
  all: readonly Requirement[],
  may: (one: Requirement) => boolean,
  fine: (fewer: readonly Requirement[], one: Requirement) => Promise<boolean>,
): Promise<readonly Requirement[]> {
  let left = all;
  for (const one of all.filter(may)) {
    const fewer = left.filter((other) => other !== one);
    if (await fine(fewer, one)) left = fewer;
  }
  return left;
}

/** Orders the statements to drop first: that the key lacks a role says less about who may. */
function weight({ statement: { about }, is }: Requirement): number {
  return (about.kind === "part" ? 1 : 0) + (is === "so" ? 2 : 0);
}
