/**
 * Query plans, as the Cerbos server makes them (docs/cerbos-semantics.md §2.14): the resources of a kind on which a
 * principal may perform an action, as a condition on them.
 */

import { ATTRIBUTES, ROOT } from "../../cel/roots.js";
import type { JsonMap, Timestamp } from "../../cel/values.js";
import { STEP_BUDGET } from "../../limits.js";
import type { Definitions } from "../../policy/model.js";
import { sanitise } from "../../policy/names.js";
import { Activation, NO_TYPES } from "../evaluate/activation.js";
import type { ValidationError } from "../evaluate/attribute-schemas.js";
import { type CheckPolicies, whereOf } from "../evaluate/check.js";
import type { CheckOptions, CheckPrincipal, CheckResource } from "../evaluate/check-types.js";
import type { Plan, PlanRow, PlanStep } from "../plan/plan.js";
import { locatePolicies, type PolicyLocation } from "../plan/policy-location.js";
import { type QueryWalkOptions, queryOf } from "../plan/query-walk.js";
import { KnownCode, KnownRequest } from "../residual/known-request.js";
import { QueryConditions } from "./conditions.js";
import { allFilters, DENIED, filterOf, filterText, isFiniteFilter, type QueryFilter } from "./operand.js";
import { logicOf, operandOf, type QueryStatement } from "./statement.js";
import { VariableInliner } from "./variable-inliner.js";
import { type PresenceWording, QueryWording } from "./wording.js";

export interface QueryInput {
  readonly principal: CheckPrincipal;
  /** The known part of the resources. */
  readonly resource: Omit<CheckResource, "id">;
  readonly actions: readonly string[];
  /** The claims of the request's token. */
  readonly jwt: JsonMap;
  /** The claims of the request's named tokens: `{ name: { claims } }`. */
  readonly jwts?: JsonMap;
  readonly now: Timestamp | undefined;
}

export interface QueryPlan {
  readonly filter: QueryFilter;
  /** The filter as text, or `NO_MATCH` if no policy is about the question. */
  readonly text: string;
  /** By action; undefined if no policy was examined. */
  readonly scopes: ReadonlyMap<string, string> | undefined;
  readonly validationErrors: readonly ValidationError[];
}

/** The reason why there is no plan: the server would not answer either, or not in time. */
export interface NoPlan {
  readonly fault: string;
}

const NO_MATCH = "NO_MATCH";

/**
 * The plan for all actions of `input`: resources on which every one of them is allowed. Never throws on JSON-like data.
 */
export function planQuery(policies: CheckPolicies, input: QueryInput, options: CheckOptions): QueryPlan | NoPlan {
  const { principal, resource, actions } = input;
  // The server finds a principal's own policies by the version that the resource names.
  const where = whereOf({ ...input, principal: { ...principal, policyVersion: resource.policyVersion } }, options);
  const place = locatePolicies(policies.index, where, options);
  if (place.principalChain.length === 0 && place.resourceChain.length === 0) {
    // Since Cerbos 0.58, each action has an empty scope then.
    const scopes = policies.level === "0.55" ? undefined : new Map(actions.map((action) => [action, ""]));
    return { filter: DENIED, text: NO_MATCH, scopes, validationErrors: [] };
  }
  const kind = sanitise(resource.kind);
  const validationErrors = faultsOf(policies, place, kind, input, options);
  if (validationErrors.length > 0 && options.schemaEnforcement === "reject") {
    return { filter: DENIED, text: filterText(DENIED), scopes: undefined, validationErrors };
  }
  const planner = new QueryPlanner(policies, input, options);
  const plans = policies.plans.at(place);
  const scopes = new Map<string, string>();
  const filters: QueryFilter[] = [];
  let isMatched = false;
  for (const action of actions) {
    const found = planner.filter(plans.find(principal.id, kind, action, principal.roles));
    if ("fault" in found) return found;
    scopes.set(action, found.scope);
    filters.push(found.filter);
    isMatched ||= found.isMatched;
  }
  const filter = allFilters(filters);
  if (!isFiniteFilter(filter)) return { fault: "a number of the filter is not finite" };
  return { filter, text: isMatched ? filterText(filter) : NO_MATCH, scopes, validationErrors };
}

/** Validates the known attributes by the policies' schemas. Attributes of the resource may always be missing. */
function faultsOf(
  policies: CheckPolicies,
  place: PolicyLocation,
  kind: string,
  { principal, resource, actions }: QueryInput,
  { schemaEnforcement }: CheckOptions,
): readonly ValidationError[] {
  if (schemaEnforcement === "none") return [];
  const attributes = { kind, principal: principal.attr, resource: resource.attr, actions };
  const faults = policies.schemas.faults(place, attributes);
  return faults.filter(({ source, message }) => source === "principal" || !message.startsWith("missing properties: "));
}

/** Code and expressions that are the same for every question, kept for each set of policies. */
class PreparedQueries {
  readonly code: KnownCode;
  private readonly inlined = new WeakMap<Definitions, VariableInliner>();

  constructor({ closures }: CheckPolicies) {
    this.code = new KnownCode(closures.functions);
  }

  of(definitions: Definitions): VariableInliner {
    const made = this.inlined.get(definitions) ?? new VariableInliner(definitions, this.code.functions);
    this.inlined.set(definitions, made);
    return made;
  }
}

const prepared = new WeakMap<CheckPolicies, PreparedQueries>();

class QueryPlanner {
  private readonly conditions: QueryConditions;
  private readonly isStrict: boolean;
  private readonly presence: PresenceWording;
  private readonly walkOptions: QueryWalkOptions;

  constructor(policies: CheckPolicies, { principal, resource, jwt, jwts, now }: QueryInput, options: CheckOptions) {
    const known = prepared.get(policies) ?? new PreparedQueries(policies);
    prepared.set(policies, known);
    const { globals } = options;
    const evaluator = { code: known.code, activation: new Activation(), globals, types: NO_TYPES, steps: STEP_BUDGET };
    const is055 = policies.level === "0.55";
    const knowledge = new KnownRequest(
      principal,
      { resource: { ...resource, id: "" }, knowsId: false, knowsVersion: !is055, now },
      evaluator,
    );
    const { activation } = knowledge;
    // Cerbos 0.55 plans with an empty version of the principal, and an unknown one of the resource.
    if (!is055) {
      activation.roots[ROOT.principalPolicyVersion] = principal.policyVersion;
      activation.roots[ROOT.resourcePolicyVersion] = resource.policyVersion;
    }
    this.presence = is055 ? "assumed" : "kept";
    activation.attributes[ATTRIBUTES.jwt] = jwt;
    activation.attributes[ATTRIBUTES.jwts] = jwts ?? {};
    this.conditions = new QueryConditions(knowledge, (definitions) => known.of(definitions));
    const { index, closures } = policies;
    const failsClosed = closures.mode === "strict";
    this.walkOptions = {
      overrides: (scope) => index.overridesParents(scope),
      personalDenialsDeny: failsClosed || !is055,
      failsClosed,
    };
    this.isStrict = closures.mode !== "lenient";
  }

  /** The filter for one action. */
  filter(plan: Plan): { readonly filter: QueryFilter; readonly scope: string; readonly isMatched: boolean } | NoPlan {
    const wording = new QueryWording(this.presence);
    const logic = logicOf();
    const holds = ({ rule, guard }: PlanRow, step: PlanStep): QueryStatement | undefined => {
      const own = this.conditions.statement(rule, step);
      const active = guard?.condition && this.conditions.statement(guard, step);
      // In strict mode, a condition that errs denies.
      if (this.isStrict && (own.errs || active?.errs === true)) return undefined;
      const stated = active === undefined ? own.statement : joined(rule, own.statement, active.statement);
      // An error of a condition without words would deny, even if the answer does not need the condition.
      if (this.isStrict) operandOf(stated, wording);
      return stated;
    };
    const { allows, scope } = queryOf(plan, logic, holds, this.walkOptions);
    const tree = allows && operandOf(allows, wording);
    const fault = this.conditions.fault ?? wording.fault;
    if (fault !== undefined) return { fault };
    return { filter: tree === undefined ? DENIED : filterOf(tree), scope, isMatched: tree !== undefined };
  }
}

function joined({ condition }: PlanRow["rule"], own: QueryStatement, active: QueryStatement): QueryStatement {
  return condition === undefined ? active : { kind: "and", of: [own, active] };
}
