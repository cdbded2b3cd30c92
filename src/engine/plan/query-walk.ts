/**
 * The walk of query plans: combines the rows of a plan as statements about an unknown resource, as the server does for
 * PlanResources (docs/cerbos-semantics.md §2.14).
 *
 * It stands apart from the invariant "one walk", because the server's plans do not always agree with its checks: a DENY
 * rule that depends on the resource counts for all roles, and not only for its own.
 */

import type { Plan, PlanRow, PlanStep } from "./plan.js";

/** Statements about an unknown resource, and how to join them. */
export interface QueryLogic<N> {
  readonly never: N;
  /** The conjunction of two statements. A repeated statement appears once. */
  both(a: N, b: N): N;
  either(a: N, b: N): N;
  not(statement: N): N;
  /** The value of a statement if it is the same for every resource; undefined if it depends on the resource. */
  constant(statement: N): boolean | undefined;
}

/** The result of the walk. */
export interface QueryWalkResult<N> {
  /** When the plan allows; undefined: no rule is about the question. */
  readonly allows: N | undefined;
  /** The last scope that took part and does not ask its parents; `""` if there is none. */
  readonly scope: string;
}

/** When a row holds; undefined if it errs and errors deny, which ends the walk. */
export type RowStatement<N> = (row: PlanRow, step: PlanStep) => N | undefined;

export interface QueryWalkOptions {
  /** Whether a scope decides without its parents. A scope with role policies alone does not. */
  overrides(scope: string): boolean;
  /**
   * Whether the plan denies if a principal policy denies every resource. Cerbos 0.55 only leaves out the allowances of
   * these policies, although every check is denied.
   */
  readonly personalDenialsDeny: boolean;
  /** Whether the plan denies if a role errs for every resource, also a role that the server's plan does not reach. */
  readonly failsClosed: boolean;
}

export function queryOf<N>(
  plan: Plan,
  logic: QueryLogic<N>,
  holds: RowStatement<N>,
  options: QueryWalkOptions,
): QueryWalkResult<N> {
  const walk = new QueryWalk(logic, holds, options);
  const ofRoles = walk.policies(plan.roles.map(({ steps }) => steps));
  let root: N | undefined;
  let isAllowedSomewhere = false;
  for (const { allows, denies } of [ofRoles, walk.policies([plan.personal], options.personalDenialsDeny)]) {
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

interface QueryEffects<N> {
  readonly allows: N | undefined;
  readonly denies: N | undefined;
}

class QueryWalk<N> {
  scope = "";
  hasEnded = false;
  private readonly logic: QueryLogic<N>;
  private readonly holds: RowStatement<N>;
  private readonly options: QueryWalkOptions;

  constructor(logic: QueryLogic<N>, holds: RowStatement<N>, options: QueryWalkOptions) {
    this.logic = logic;
    this.holds = holds;
    this.options = options;
  }

  /**
   * Walks the policies for resources and roles, role by role, or the principal's own policies. `isFinal`: a denial of
   * every resource ends the walk.
   */
  policies(lists: readonly (readonly PlanStep[])[], isFinal = false): QueryEffects<N> {
    let allows: N | undefined;
    let denies: N | undefined;
    /** A role that allows every resource. */
    let every: QueryEffects<N> | undefined;
    for (const steps of lists) {
      // The other roles are walked only for their errors.
      if (this.hasEnded || (every !== undefined && !this.options.failsClosed)) break;
      const { allows: own, denies: refused } = this.role(steps, isFinal);
      if (refused === undefined && this.isAlways(own)) every = { allows: own, denies: undefined };
      allows = this.added(allows, own);
      denies = this.added(denies, refused);
    }
    return every ?? { allows, denies };
  }

  private role(steps: readonly PlanStep[], isFinal: boolean): QueryEffects<N> {
    const { logic } = this;
    let allows: N | undefined;
    let denies: N | undefined;
    /** The denials of role policies. */
    let lacks: N | undefined;
    let awaitsParents = false;
    /** The allowances of scopes that do not ask their parents: no scope above can deny them. */
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
      if (hasSay && this.options.overrides(step.scope)) this.scope = step.scope;
    }
    if (awaitsParents) allows = undefined;
    if (this.isAlways(denies) || this.isAlways(lacks)) {
      this.hasEnded ||= isFinal;
      return { allows: logic.never, denies: undefined };
    }
    if (lacks !== undefined && allows !== undefined) allows = logic.both(allows, logic.not(lacks));
    return { allows, denies };
  }

  private step(step: PlanStep): QueryEffects<N> & { readonly lacks: N | undefined } {
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

  /** Limits a denial to the resources that are not allowed yet. */
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
