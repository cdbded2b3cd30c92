/**
 * The ways in which an operation is allowed. A way is a set of statements: a request of which they hold is allowed. It is
 * minimal: without any one of them that is not so, as far as is proved. Ways are looked for until it is proved that a
 * request that is in none of them is refused, so that they are all there are.
 *
 * An error denies, and a rule that allows nothing can still err. So a way has two parts: what must be so, and what must
 * not err. Ways are told apart by the first alone.
 *
 * How decisions follow from statements is looked at without what these say: then a solver answers at once. What they say
 * is looked at for one way at a time: whether there is such a request, and which statements follow from others.
 */

import { decideAny } from "../../decisions/decide.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { Formula } from "../../engine/formula/formula.js";
import type { Three } from "../../engine/formula/terms.js";
import type { NoSolver } from "../../solver/no-solver.js";
import { TimedSolver } from "../../solver/timed.js";
import type { Question } from "../../space/deciders.js";
import { type RequestJson, requestOf } from "../../space/draft.js";
import { notAsked, type QuestionProver } from "../question-prover.js";
import { shrunk } from "../shrink.js";
import { type Requirement, Statements } from "./statements.js";
import { Truths } from "./truths.js";

export interface Way {
  readonly requires: readonly Requirement[];
  /** A request that is in it, and was replayed: as small as it could be made. */
  readonly request: RequestJson;
}

export interface UnshownWay {
  readonly requires: readonly Requirement[];
  /** Why no request shows it. */
  readonly why: string;
}

export interface Ways {
  readonly question: Question;
  readonly ways: readonly Way[];
  /** Ways of which it is not known whether a request is in them. */
  readonly unshown: readonly UnshownWay[];
  /** Why there may be others; undefined: it is proved that there are none. */
  readonly why: string | undefined;
  /** Whether any were looked for. */
  readonly isSearched: boolean;
}

/** Sets of statements that are looked at on one question, those included that no request meets. */
const MAX_TRIED = 1_000;

/** The ways in which a set allows what is asked, `limit` of them at most, and as long as the solver may be asked. */
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
  const search = new Search(set, prover, solver);
  const why = await search.run(limit);
  return { question, ways: search.ways, unshown: search.unshown, why, isSearched: true };
}

class Search {
  ways: readonly Way[] = [];
  readonly unshown: UnshownWay[] = [];
  private readonly set: PolicySet;
  private readonly prover: QuestionProver;
  private readonly solver: TimedSolver;
  private readonly statements: Statements;
  private readonly truths: Truths;

  constructor(set: PolicySet, prover: QuestionProver, solver: TimedSolver) {
    this.set = set;
    this.solver = solver;
    this.prover = prover;
    this.statements = new Statements(set, this.prover);
    this.truths = new Truths(set);
  }

  /** Finds ways; says why there may be more. */
  async run(limit: number): Promise<string | undefined> {
    const { formulas } = this.prover.world;
    let rest = this.statements.allow;
    for (let tried = 0; ; tried++) {
      const given = await this.next(rest);
      if (given === undefined) return undefined;
      if (typeof given === "string") return given;
      if (this.ways.length + this.unshown.length >= limit) return `there are more than ${limit}`;
      if (tried >= MAX_TRIED) return `more than ${MAX_TRIED} sets of statements would have to be looked at`;
      const way = await this.minimal(given);
      // What was not made as small as it can be is no way.
      if (this.solver.limit.isOver) return this.solver.limit.why;
      const found = await this.shown(way);
      // Of what cannot be nothing is known but that it cannot be.
      const met = found === undefined ? await this.conflict(way) : way.filter(({ is }) => is !== "either");
      rest = formulas.and(rest, formulas.not(this.signs(met)));
      if (typeof found === "string") this.unshown.push({ requires: way, why: found });
      else if (found !== undefined) await this.add({ requires: await this.simplified(way), request: found });
    }
  }

  /** What is so of some request that is allowed and in no way yet; undefined: there is none; or why that is not known. */
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

  /** As little of what suffices as still does. */
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

  /** Of requirements that are never met together, as few as are never met. */
  private async conflict(required: readonly Requirement[]): Promise<readonly Requirement[]> {
    return await without(
      required,
      () => true,
      async (fewer) =>
        (await this.prover.ask(this.meaning(fewer), this.solver, { texts: "symbols" })).kind === "unsatisfiable",
    );
  }

  /** A request that is in a way; undefined: there is none; or why that is not known. */
  private async shown(required: readonly Requirement[]): Promise<RequestJson | string | undefined> {
    const shows = (request: RequestJson) =>
      decideAny(this.set, requestOf(request)).outcome === "allow" && this.truths.meets(request, required);
    const found = await this.prover.find(this.meaning(required), this.solver, shows, { isLikely: true });
    if (found.kind === "none") return undefined;
    return found.kind === "unproven" ? found.why : shrunk(found.request, shows);
  }

  /** Without what follows from the rest, by what the statements say. */
  private async simplified(required: readonly Requirement[]): Promise<readonly Requirement[]> {
    return await without(
      required,
      () => true,
      async (fewer, one) => await this.entails(fewer, one),
    );
  }

  /** Adds a way, unless it is a part of another; and takes out what is a part of it. */
  private async add(way: Way): Promise<void> {
    for (const other of this.ways) if (await this.isWithin(way, other)) return;
    const kept: Way[] = [];
    for (const other of this.ways) if (!(await this.isWithin(other, way))) kept.push(other);
    this.ways = [...kept, way];
  }

  /** Whether all requests of a way are in another, what must be told aside. */
  private async isWithin({ requires, request }: Way, other: Way): Promise<boolean> {
    const wanted = other.requires.filter(({ is }) => is !== "either");
    if (!this.truths.meets(request, wanted)) return false;
    for (const one of wanted) if (!(await this.entails(requires, one))) return false;
    return true;
  }

  /** Whether it is proved that a requirement follows from others. Only what reads the same values is looked at. */
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

  private required({ holds, fails }: Three, is: Requirement["is"]): Formula {
    return is === "so" ? holds : is === "not so" ? fails : this.prover.world.formulas.or(holds, fails);
  }
}

/** What is left if each that `may` be left out is, one after the other, wherever that is `fine`. */
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

/** What is rather left out of a way: that the key does not have a role says less of who may. */
function weight({ statement: { about }, is }: Requirement): number {
  return (about.kind === "part" ? 1 : 0) + (is === "so" ? 2 : 0);
}
