/**
 * Checks, as the Cerbos server does them (docs/cerbos-semantics.md §2.6): walks plans in the order in which the server
 * examines rules, and collects everything that the server reports.
 *
 * Where the server's answer depends on the order of a Go map, the order of the files decides here.
 */

import type { CerbosLevel } from "../../cel/levels.js";
import type { PolicyModel } from "../../policy/model.js";
import { policyKey, sanitise } from "../../policy/names.js";
import type { Plan } from "../plan/plan.js";
import { Plans } from "../plan/plans.js";
import { PolicyIndex } from "../plan/policy-index.js";
import { locatePolicies, type PolicyLocation, type QuestionScopes } from "../plan/policy-location.js";
import { attributionOf, decidingRules, walk } from "../plan/walk.js";
import { AttributeValidator, type ValidationError } from "./attribute-schemas.js";
import type { ActionResult, CheckInput, CheckOptions, CheckResult } from "./check-types.js";
import { Closures } from "./closures.js";
import type { Mode } from "./condition.js";
import type { Equipment } from "./equipment.js";
import type { Observer } from "./observer.js";
import { Session } from "./session.js";

/** Policies compiled for checks. */
export class CheckPolicies {
  readonly closures: Closures;
  readonly index: PolicyIndex;
  readonly schemas: AttributeValidator;
  readonly plans: Plans<Plan>;
  readonly level: CerbosLevel;

  /** `observer` is told of each part that checks reach. */
  constructor(model: PolicyModel, mode: Mode, { functions, validator }: Equipment, observer?: Observer) {
    this.level = model.level;
    this.closures = new Closures(functions, mode, observer);
    this.index = new PolicyIndex(model);
    this.schemas = new AttributeValidator(this.index, model, validator);
    this.plans = new Plans(this.index, "given", (plan) => plan);
  }
}

/** Checks every action of `input`. Never throws on JSON-like data. */
export function check(policies: CheckPolicies, input: CheckInput, options: CheckOptions): CheckResult {
  const { principal, resource } = input;
  const { closures } = policies;
  const place = locatePolicies(policies.index, whereOf(input, options), options);
  const kind = sanitise(resource.kind);
  const invalid =
    options.schemaEnforcement === "none"
      ? []
      : policies.schemas.faults(place, { ...input, kind, principal: principal.attr, resource: resource.attr });
  if (invalid.length > 0 && options.schemaEnforcement === "reject") return rejected(input, place, kind, invalid);
  const session = new Session(closures, input, options.globals);
  const plans = policies.plans.at(place);
  const actions = new Map<string, ActionResult>();
  for (const action of input.actions) {
    const plan = plans.find(principal.id, kind, action, principal.roles);
    session.action = action;
    if (plan.refusal !== undefined) session.refuse(plan.refusal);
    const walked = walk(plan, session, closures.mode === "strict");
    const rules = decidingRules(walked);
    actions.set(action, { effect: walked.effect, ...attributionOf(walked, plan), rules, walked });
  }
  return { actions, ...session.report(), validationErrors: invalid };
}

/** The parts of a check that name versions and scopes. */
interface CheckedParts {
  readonly principal: Pick<CheckInput["principal"], "policyVersion" | "scope">;
  readonly resource: Pick<CheckInput["resource"], "policyVersion" | "scope">;
}

export function whereOf({ principal, resource }: CheckedParts, { defaultPolicyVersion }: CheckOptions): QuestionScopes {
  return {
    version: resource.policyVersion || defaultPolicyVersion,
    principalVersion: principal.policyVersion || defaultPolicyVersion,
    principalScope: principal.scope,
    resourceScope: resource.scope,
  };
}

function rejected(
  { actions }: CheckInput,
  { version, resourceChain: [scope = ""] }: PolicyLocation,
  kind: string,
  validationErrors: readonly ValidationError[],
): CheckResult {
  const policy = policyKey("resource", kind, version, scope);
  const denied: ActionResult = { effect: "deny", policy, scope: "", rules: new Set(), walked: undefined };
  return {
    actions: new Map(actions.map((action) => [action, denied])),
    effectiveDerivedRoles: [],
    outputs: [],
    readsClock: false,
    errors: [],
    validationErrors,
  };
}
