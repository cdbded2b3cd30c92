/**
 * Makes the plan of a question: the scopes to visit, and at each scope the rules that apply to each role
 * (docs/cerbos-semantics.md §2.6, §2.9, §2.13).
 */

import { MAX_ROWS } from "../../limits.js";
import { policyKey } from "../../policy/names.js";
import { countEntries, matchedRoles } from "./actions.js";
import type { IncludedRoles } from "./included-roles.js";
import { TOO_MANY_ROWS } from "./limits.js";
import {
  ANY_ROLE,
  NO_MATCH,
  NO_SCHEMAS,
  type Plan,
  type PlannedRole,
  type PlannedRule,
  type PlanRow,
  type PlanStep,
  type RoleSteps,
  refusedPlan,
} from "./plan.js";
import type { IndexedRolePolicy, PlacePolicies, PolicyIndex } from "./policy-index.js";
import type { PolicyLocation } from "./policy-location.js";
import type { GuardingRole } from "./rules.js";

export interface PlanQuestion {
  /** Sanitised, as policies are indexed. */
  readonly kind: string;
  readonly action: string;
  readonly principalId: string;
  readonly roles: readonly string[];
}

const NONE: readonly never[] = Object.freeze([]);

export function makePlan(index: PolicyIndex, place: PolicyLocation, question: PlanQuestion): Plan {
  const { version, principalVersion, principalChain, resourceChain } = place;
  const { kind, principalId } = question;
  const [personalScope = ""] = principalChain;
  const [scope = ""] = resourceChain;
  const hasPersonal = principalChain.some((scope) => (index.at(principalVersion, scope)?.principals.size ?? 0) > 0);
  const hasPolicy = resourceChain.some((scope) => isAbout(index.at(version, scope), kind));
  const isKnown = hasPersonal || hasPolicy;
  const personal = isKnown ? personalSteps(index, place, question) : NONE;
  const roles = isKnown ? new RolePlanner(index, place, question).all() : NONE;
  if (roles === undefined) return refusedPlan(TOO_MANY_ROWS);
  return {
    isKnown,
    refusal: undefined,
    personal,
    roles,
    rules: [...personal.flatMap((step) => rulesIn([step])), ...rulesByScope(roles)],
    personalPolicy: hasPersonal ? policyKey("principal", principalId, principalVersion, personalScope) : NO_MATCH,
    policy: hasPolicy ? policyKey("resource", kind, version, scope) : NO_MATCH,
    schemas: index.schemas(version, resourceChain, kind, [question.action]) ?? NO_SCHEMAS,
  };
}

function rulesByScope(roles: readonly RoleSteps[]): readonly PlannedRule[] {
  const [first] = roles;
  return (first?.steps ?? NONE).flatMap((_, depth) => rulesIn(roles.flatMap(({ steps }) => steps[depth] ?? NONE)));
}

/**
 * The rules of the steps of one scope, each once: those of role policies first, the others in the order of the file.
 */
function rulesIn(steps: readonly PlanStep[]): readonly PlannedRule[] {
  const rules = [...new Set(steps.flatMap(({ rows }) => rows.map(({ rule }) => rule)))];
  const [restricting, others] = [rules.filter(isOfRole), rules.filter((rule) => !isOfRole(rule))];
  return [...restricting, ...others.sort((a, b) => a.order - b.order)];
}

function isOfRole({ kind }: PlannedRule): boolean {
  return kind === "role";
}

/** Whether a resource policy or a role policy is about a kind. */
function isAbout(policies: PlacePolicies | undefined, kind: string): boolean {
  return policies !== undefined && (policies.resources.has(kind) || policies.hasRoleRuleAbout(kind));
}

function personalSteps(
  index: PolicyIndex,
  place: PolicyLocation,
  { kind, action, principalId }: PlanQuestion,
): readonly PlanStep[] {
  return place.principalChain.flatMap((scope, depth) => {
    const policy = index.at(place.version, scope)?.principals.get(principalId);
    if (policy === undefined) return [];
    const rows = policy.about(kind, action).map(({ rule }): PlanRow => ({ role: ANY_ROLE, rule, guard: undefined }));
    return [{ scope, depth, rows, asksParents: index.asksParents(scope), derivedRoles: NONE }];
  });
}

class RolePlanner {
  private readonly index: PolicyIndex;
  private readonly place: PolicyLocation;
  private readonly question: PlanQuestion;
  private readonly included: IncludedRoles;
  /** The principal's roles, and the roles that they include. */
  private readonly held: ReadonlySet<string>;
  /** By scope, and the same for every role: the indexes of the rules about the action, and the derived roles. */
  private readonly aboutAction: readonly (readonly number[])[];
  private readonly derivedRoles: readonly (readonly PlannedRole[])[];
  private rowCount = 0;

  constructor(index: PolicyIndex, place: PolicyLocation, question: PlanQuestion) {
    this.index = index;
    this.place = place;
    this.question = question;
    this.included = index.included(place.version, place.resourceScope);
    this.held = new Set(question.roles.flatMap((role) => [role, ...(this.included.get(role) ?? NONE)]));
    const policies = place.resourceChain.map((scope) => index.at(place.version, scope)?.resources.get(question.kind));
    this.aboutAction = policies.map((policy) => policy?.byAction.indexesOf([question.action]) ?? NONE);
    this.derivedRoles = policies.map((policy) => this.heldRoles(policy?.derivedRoles.values() ?? NONE));
  }

  /** Undefined if there are more than {@link MAX_ROWS} rows. */
  all(): readonly RoleSteps[] | undefined {
    const all: RoleSteps[] = [];
    for (const role of this.question.roles) {
      const includes = this.included.get(role) ?? NONE;
      all.push({ role, includes, steps: this.steps([role, ...includes]) });
      if (this.rowCount > MAX_ROWS) return undefined;
    }
    return all;
  }

  private steps(names: readonly string[]): readonly PlanStep[] {
    const { index, place } = this;
    return place.resourceChain.map((scope, depth): PlanStep => {
      const policies = index.at(place.version, scope);
      const rows = policies === undefined ? NONE : this.rows(policies, this.aboutAction[depth] ?? NONE, names);
      this.rowCount += rows.length;
      const derivedRoles = this.derivedRoles[depth] ?? NONE;
      return { scope, depth, rows, asksParents: index.asksParents(scope), derivedRoles };
    });
  }

  /**
   * The rows for a role under all its `names`: its own and those of the roles that it includes. The rows of its role
   * policies come first, then the rules that name one of them. `about`: the indexes of the rules about the action. Ends
   * once there are more than {@link MAX_ROWS}: the plan is then refused.
   */
  private rows(policies: PlacePolicies, about: readonly number[], names: readonly string[]): readonly PlanRow[] {
    const { kind, action } = this.question;
    if (!policies.isAbout(kind, names)) return NONE;
    const rows: PlanRow[] = [];
    for (const name of names) {
      const restriction = policies.roles.get(name);
      if (restriction !== undefined) this.restrict(name, restriction, rows);
    }
    for (const { rule, actions, roles, guards } of policies.resources.get(kind)?.forRoles(about, names) ?? NONE) {
      const ways: readonly PlanRow[] = [
        ...matchedRoles(roles, names).map((role): PlanRow => ({ role, rule, guard: undefined })),
        ...guards.flatMap(({ role: guard, parentRoles }) =>
          matchedRoles(parentRoles, names).map((role): PlanRow => ({ role, rule, guard })),
        ),
      ];
      for (let entries = countEntries(actions, action); entries > 0; entries--) {
        if (this.rowCount + rows.length > MAX_ROWS) return rows;
        rows.push(...ways);
      }
    }
    return rows;
  }

  /** A role with a role policy may do only the actions that the policy lists, under their conditions. */
  private restrict(role: string, policy: IndexedRolePolicy, rows: PlanRow[]): void {
    const listed = policy.about(this.question.kind, this.question.action);
    for (const { rule } of listed) rows.push({ role, rule, guard: undefined });
    if (listed.length === 0) rows.push({ role, rule: policy.unlisted, guard: undefined });
  }

  private heldRoles(guards: Iterable<GuardingRole>): readonly PlannedRole[] {
    const { held } = this;
    return [...guards].flatMap(({ role, activeFor }) => {
      const isHeld = [...activeFor].some((parent) => parent === ANY_ROLE || held.has(parent));
      return isHeld ? [role] : [];
    });
  }
}
