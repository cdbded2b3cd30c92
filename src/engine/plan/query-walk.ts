/**
 * The walk of query plans: what follows from the rows of a plan where they are not known to hold, as the server has it for
 * PlanResources (docs/cerbos-semantics.md §2.14).
 *
 * It is apart from the invariant "one walk", for the server's plans are not always what its checks say: a DENY rule that
 * depends on the resource counts for all roles and not only for the one that it is for.
 */

import type { Plan, Row, Step } from "./plan.js";

/** Statements about a resource that is not known, and how they are joined. */
export interface QueryLogic<N> {
  readonly never: N;
  /** Both of two: what is said twice is said once. */
  both(a: N, b: N): N;
  either(a: N, b: N): N;
  not(statement: N): N;
  /** What a statement is of every resource; undefined if it depends on it. */
  constant(statement: N): boolean | undefined;
}

/** What a plan comes to. */
export interface Queried<N> {
  /** When it allows; undefined: no rule is about the question. */
  readonly allows: N | undefined;
  /** The last scope that had a say without asking its parents; `""` if there is none. */
  readonly scope: string;
}

/** When a row holds; undefined if it errs and that is to deny, which ends the walk. */
export type Holds<N> = (row: Row, step: Step) => N | undefined;

/** `overrides`: whether what policies of a scope say holds without its parents. Of role policies alone it does not. */
export function queryOf<N>(
  plan: Plan,
  logic: QueryLogic<N>,
  holds: Holds<N>,
  overrides: (scope: string) => boolean,
): Queried<N> {
  const walk = new QueryWalk(logic, holds, overrides);
  const lists = [plan.roles.map(({ steps }) => steps), [plan.personal]];
  let root: N | undefined;
  let isAllowedSomewhere = false;
  for (const list of lists) {
    const { allows, denies } = walk.policies(list);
    if (allows !== undefined) {
      isAllowedSomewhere = true;
      root = root === undefined ? allows : logic.either(allows, root);
    }
    if (denies !== undefined) {
      const spared = logic.not(denies);
      root = root === undefined ? spared : logic.both(spared, root);
    }
  }
  const isDenied = walk.hasEnded || (root !== undefined && !isAllowedSomewhere);
  return { allows: isDenied ? logic.never : root, scope: walk.scope };
}

interface Said<N> {
  readonly allows: N | undefined;
  readonly denies: N | undefined;
}

class QueryWalk<N> {
  scope = "";
  hasEnded = false;
  private readonly logic: QueryLogic<N>;
  private readonly holds: Holds<N>;
  private readonly overrides: (scope: string) => boolean;

  constructor(logic: QueryLogic<N>, holds: Holds<N>, overrides: (scope: string) => boolean) {
    this.logic = logic;
    this.holds = holds;
    this.overrides = overrides;
  }

  /** The policies for resources and roles, role by role, or the principal's own ones. */
  policies(lists: readonly (readonly Step[])[]): Said<N> {
    let allows: N | undefined;
    let denies: N | undefined;
    for (const steps of lists) {
      if (this.hasEnded) break;
      const { allows: own, denies: refused } = this.role(steps);
      if (refused === undefined && this.isAlways(own)) return { allows: own, denies: undefined };
      allows = this.added(allows, own);
      denies = this.added(denies, refused);
    }
    return { allows, denies };
  }

  private role(steps: readonly Step[]): Said<N> {
    const { logic } = this;
    let allows: N | undefined;
    let denies: N | undefined;
    /** What role policies take away. */
    let lacks: N | undefined;
    let awaitsParents = false;
    /** What scopes allow that do not ask their parents: no scope above them can deny it. */
    let settled: N | undefined;
    for (const step of steps) {
      if (this.isAlways(settled)) break;
      const found = this.step(step);
      if (this.hasEnded) break;
      const denied = this.outside(settled, found.denies);
      const lacking = this.outside(settled, found.lacks);
      denies = this.added(denies, denied);
      lacks = this.added(lacks, lacking);
      const own = found.allows;
      if (own !== undefined) {
        if (allows === undefined) allows = own;
        else if (awaitsParents) {
          allows = logic.both(allows, own);
          awaitsParents = false;
        } else allows = logic.either(allows, own);
        if (step.asksParents) awaitsParents = true;
        else settled = this.added(settled, own);
      }
      const hasSay = own !== undefined || denied !== undefined || lacking !== undefined;
      if (hasSay && this.overrides(step.scope)) this.scope = step.scope;
    }
    if (awaitsParents) allows = undefined;
    if (this.isAlways(denies) || this.isAlways(lacks)) return { allows: logic.never, denies: undefined };
    if (lacks !== undefined && allows !== undefined) allows = logic.both(allows, logic.not(lacks));
    return { allows, denies };
  }

  private step(step: Step): Said<N> & { readonly lacks: N | undefined } {
    let allows: N | undefined;
    let denies: N | undefined;
    let lacks: N | undefined;
    for (const row of step.rows) {
      const holds = this.holds(row, step);
      if (holds === undefined) {
        this.hasEnded = true;
        break;
      }
      if (row.rule.effect === "allow") allows = this.added(allows, holds);
      else if (this.logic.constant(holds) !== false) {
        if (row.rule.kind === "role") lacks = this.added(lacks, holds);
        else denies = this.added(denies, holds);
      }
    }
    return { allows, denies, lacks };
  }

  /** A denial where nothing is allowed yet. */
  private outside(settled: N | undefined, denial: N | undefined): N | undefined {
    if (settled === undefined || denial === undefined) return denial;
    const spared = this.logic.not(settled);
    return this.isAlways(denial) ? spared : this.logic.both(spared, denial);
  }

  private added(some: N | undefined, more: N | undefined): N | undefined {
    if (some === undefined || more === undefined) return some ?? more;
    return this.logic.either(some, more);
  }

  private isAlways(statement: N | undefined): boolean {
    return statement !== undefined && this.logic.constant(statement) === true;
  }
}
