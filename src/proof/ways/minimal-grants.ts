/**
 * The ways in which an operation is allowed. A way is a set of statements, and every request that satisfies all of them
 * is allowed. A way is minimal, as far as is proved: without any one statement it would not suffice. The search ends
 * when it is proved that requests outside all ways are refused, so the list is complete.
 * An error denies, and a rule that allows nothing can still err. So a way has two parts: statements that must hold, and
 * statements that must not err. Ways are distinguished by the first part alone.
 * How decisions follow from statements is examined without their meaning, so that a solver answers at once. The meaning
 * is examined for one way at a time: is there such a request, and which statements follow from others?
 */

import { decideAny } from "../../decisions/decide.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { Formula } from "../../engine/formula/formula.js";
import type { TruthFormulas } from "../../engine/formula/terms.js";
import type { NoSolver } from "../../solver/no-solver.js";
import { TimedSolver } from "../../solver/timed-solver.js";
import type { OperationQuestion } from "../../space/deciding-rules.js";
import { type RequestJson, requestOf } from "../../space/draft.js";
import { notAsked, type QuestionProver } from "../question-prover.js";
import { shrunk } from "../shrink.js";
import { type Requirement, Statements } from "./statements.js";
import { StatementEvaluator } from "./truths.js";

export interface Way {
  readonly requires: readonly Requirement[];
  /** An allowed request in this way, replayed and as small as it could be made. */
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

/** The ways in which a set allows a question: at most `limit`, and within the solver's time limit. */
export async function waysOf(
  set: PolicySet,
  prover: QuestionProver,
  solver: TimedSolver | NoSolver | undefined,
  limit: number,
): Promise<Ways> {
  const { question } = prover;
  const unsearched = (why: string) => ({ question, ways: [], unshown: [], why, isSearched: false });
  if (!(solver instanceof TimedSolver)) return unsearched(notAsked(solver));
  if (solver.limit.isOver) return unsearched(solver.limit.why);
  const search = new WaySearch(set, prover, solver);
  const why = await search.run(limit);
  return { question, ways: search.ways, unshown: search.unshown, why, isSearched: true };
}

class WaySearch {
  ways: readonly Way[] = [];
  readonly unshown: UnconfirmedWay[] = [];
  private readonly set: PolicySet;
  private readonly prover: QuestionProver;
  private readonly solver: TimedSolver;
  private readonly statements: Statements;
  private readonly truths: StatementEvaluator;

  constructor(set: PolicySet, prover: QuestionProver, solver: TimedSolver) {
    this.set = set;
    this.solver = solver;
    this.prover = prover;
    this.statements = new Statements(set, this.prover);
    this.truths = new StatementEvaluator(set);
  }

  /** Finds ways; returns why there may be more. */
  async run(limit: number): Promise<string | undefined> {
    const { formulas } = this.prover.world;
    let rest = this.statements.allow;
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
      const met = found === undefined ? await this.conflict(way) : way.filter(({ is }) => is !== "either");
      rest = formulas.and(rest, formulas.not(this.signs(met)));
      if (typeof found === "string") this.unshown.push({ requires: way, why: found });
      else if (found !== undefined) await this.add({ requires: await this.simplified(way), request: found });
    }
  }

  /**
   * The statements of an allowed request outside all ways found. Undefined: there is none. A string: why this is
   * unknown.
   */
  private async next(rest: Formula): Promise<readonly Requirement[] | string | undefined> {
    const { all, facts } = this.statements;
    const signs = all.flatMap(({ sign }) => [sign.holds, sign.fails]);
    const wanted = [...new Set(signs)].filter(({ op }) => op !== "constant");
    const answer = await this.prover.ask(rest, this.solver, { others: facts, wanted, texts: "symbols" });
    if (answer.kind === "unsatisfiable") return undefined;
    if (answer.kind === "unknown") return answer.why;
    const { yes } = this.prover.world.formulas;
    const isSo = (sign: Formula) => sign === yes || answer.values.get(sign) === true;
    return all.flatMap((statement): readonly Requirement[] => {
      if (isSo(statement.sign.holds)) return [{ statement, is: "so" }];
      return isSo(statement.sign.fails) ? [{ statement, is: "not so" }] : [];
    });
  }

  /** The smallest subset of the requirements that still suffices. */
  private async minimal(given: readonly Requirement[]): Promise<readonly Requirement[]> {
    let left = given;
    for (const one of given.toSorted((a, b) => weight(a) - weight(b))) {
      if (this.solver.limit.isOver) return given;
      const weaker = left.map((other): Requirement => (other === one ? { ...one, is: "either" } : other));
      if (await this.suffices(weaker)) left = weaker;
    }
    const so = left.filter(({ is }) => is !== "either");
    return (await this.suffices(so))
      ? so
      : await without(
          left,
          ({ is }) => is === "either",
          (fewer) => this.suffices(fewer),
        );
  }

  private async suffices(required: readonly Requirement[]): Promise<boolean> {
    const { formulas } = this.prover.world;
    const { allow, facts } = this.statements;
    const goal = formulas.and(this.signs(required), formulas.not(allow));
    const answer = await this.prover.ask(goal, this.solver, { others: facts, texts: "symbols" });
    return answer.kind === "unsatisfiable";
  }

  /** A smallest subset of the requirements that no request meets together. */
  private async conflict(required: readonly Requirement[]): Promise<readonly Requirement[]> {
    return await without(
      required,
      () => true,
      async (fewer) =>
        (await this.prover.ask(this.meaning(fewer), this.solver, { texts: "symbols" })).kind === "unsatisfiable",
    );
  }

  /** A request in a way. Undefined: there is none. A string: why this is unknown. */
  private async shown(required: readonly Requirement[]): Promise<RequestJson | string | undefined> {
    const shows = (request: RequestJson) =>
      decideAny(this.set, requestOf(request)).outcome === "allow" && this.truths.meets(request, required);
    const found = await this.prover.find(this.meaning(required), this.solver, shows, { isLikely: true });
    if (found.kind === "none") return undefined;
    return found.kind === "unproven" ? found.why : shrunk(found.request, shows);
  }

  /** Removes requirements that follow from the rest, by the meaning of the statements. */
  private async simplified(required: readonly Requirement[]): Promise<readonly Requirement[]> {
    return await without(
      required,
      () => true,
      async (fewer, one) => await this.entails(fewer, one),
    );
  }

  /** Adds a way unless another contains it, and removes the ways that it contains. */
  private async add(way: Way): Promise<void> {
    for (const other of this.ways) if (await this.isWithin(way, other)) return;
    const kept: Way[] = [];
    for (const other of this.ways) if (!(await this.isWithin(other, way))) kept.push(other);
    this.ways = [...kept, way];
  }

  /** Are all requests of a way in another? Statements that only must not err are ignored. */
  private async isWithin({ requires, request }: Way, other: Way): Promise<boolean> {
    const wanted = other.requires.filter(({ is }) => is !== "either");
    if (!this.truths.meets(request, wanted)) return false;
    for (const one of wanted) if (!(await this.entails(requires, one))) return false;
    return true;
  }

  /** Is it proved that a requirement follows from others? Only requirements that read the same values are examined. */
  private async entails(given: readonly Requirement[], wanted: Requirement): Promise<boolean> {
    const { formulas } = this.prover.world;
    const target = this.meaning([wanted]);
    const parts = given.map((one) => this.meaning([one]));
    if (parts.includes(target)) return true;
    const { holds } = this.prover.about(formulas.not(target), parts);
    if (holds.length === 1) return false;
    return await this.prover.excludes(formulas.and(...holds), this.solver);
  }

  private signs(required: readonly Requirement[]): Formula {
    const { formulas } = this.prover.world;
    return formulas.and(...required.map(({ statement, is }) => this.required(statement.sign, is)));
  }

  private meaning(required: readonly Requirement[]): Formula {
    const { formulas } = this.prover.world;
    return formulas.and(...required.map(({ statement, is }) => this.required(statement, is)));
  }

  private required({ holds, fails }: TruthFormulas, is: Requirement["is"]): Formula {
    return is === "so" ? holds : is === "not so" ? fails : this.prover.world.formulas.or(holds, fails);
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
