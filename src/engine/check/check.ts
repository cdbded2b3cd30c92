/**
 * A check, as the Cerbos server does it (reference §2.6): for each action the principal's own policies, then for each
 * role the resource's, scope by scope from the most specific one up.
 *
 * Where the server's answer depends on the order of a Go map, this one takes the order of the files.
 */

import { sanitise } from "../../policy/names.js";
import type { Place } from "./place.js";
import { type Ruling, walkPrincipal } from "./principal-walk.js";
import { ResourceWalk } from "./resource-walk.js";
import { effectiveScope, scopeChain } from "./scopes.js";
import { Session } from "./session.js";
import { hasPrincipalPolicy, hasResourcePolicy, type RuleTable } from "./table.js";
import type { ActionResult, CheckInput, CheckOptions, CheckResult } from "./types.js";

const NO_MATCH = "NO_MATCH";

/** Checks every action of `input`. Never throws on JSON-like data. */
export function check(table: RuleTable, input: CheckInput, options: CheckOptions): CheckResult {
  const { principal, resource } = input;
  const { defaultPolicyVersion, defaultScope, lenientScopeSearch } = options;
  const resourceScope = effectiveScope(resource.scope, defaultScope);
  const principalScope = effectiveScope(principal.scope, defaultScope);
  const place = {
    kind: sanitise(resource.kind),
    version: resource.policyVersion || defaultPolicyVersion,
    principalVersion: principal.policyVersion || defaultPolicyVersion,
    resourceScope,
    principalChain: scopeChain(table.principalScopes, principalScope, lenientScopeSearch),
    resourceChain: scopeChain(table.resourceScopes, resourceScope, lenientScopeSearch),
  };
  const session = new Session(table, input, options, place);
  const invalid = session.validate();
  if (invalid.length > 0 && options.schemaEnforcement === "reject") return rejected(input.actions, place, invalid);
  const known = {
    principal: hasPrincipalPolicy(table, place.principalVersion, place.principalChain),
    resource: hasResourcePolicy(table, place.version, place.resourceChain, place.kind),
  };
  const walk = new ResourceWalk(session);
  const actions = new Map<string, ActionResult>();
  for (const action of input.actions) {
    actions.set(action, known.principal || known.resource ? decide(session, walk, known, action) : denied(NO_MATCH));
  }
  return {
    actions,
    effectiveDerivedRoles: session.sortedDerivedRoles(),
    outputs: session.outputs,
    failedOutputs: session.failedOutputs,
    readsClock: session.readsClock,
    failures: session.failures,
    errors: session.errors,
    validationErrors: invalid,
  };
}

function rejected(
  actions: readonly string[],
  place: Place,
  validationErrors: CheckResult["validationErrors"],
): CheckResult {
  const results = new Map(actions.map((action) => [action, denied(resourceKey(place))]));
  return {
    actions: results,
    effectiveDerivedRoles: [],
    outputs: [],
    failedOutputs: new Set(),
    readsClock: false,
    failures: [],
    errors: [],
    validationErrors,
  };
}

interface Known {
  readonly principal: boolean;
  readonly resource: boolean;
}

function denied(policy: string): ActionResult {
  return { effect: "deny", policy, scope: "", rules: [] };
}

function decide(session: Session, walk: ResourceWalk, known: Known, action: string): ActionResult {
  const { place, input, options } = session;
  // Rows are found by the resource's version, so there can be a ruling although the principal's has no policy.
  const personal = walkPrincipal(session, action);
  if (personal !== undefined) {
    return settled(personal, known.principal ? principalKey(input.principal.id, place) : NO_MATCH);
  }
  const key = known.resource ? resourceKey(place) : NO_MATCH;
  let permission: Ruling | undefined;
  let refusal: Ruling | undefined;
  let failure: Ruling | undefined;
  for (const role of input.principal.roles) {
    const ruling = walk.role(role, action);
    if (ruling === undefined) continue;
    if (ruling.error === true) failure = joined(failure, ruling);
    else if (ruling.effect === "allow") permission = joined(permission, ruling);
    else refusal = joined(refusal, ruling);
    if (permission !== undefined && !options.strict) break;
  }
  // Strictly, an error in any role denies, so that the order of roles makes no difference.
  const failed = failure === undefined || refusal === undefined ? failure : joined(failure, refusal);
  const ruling = failed ?? permission ?? refusal;
  return ruling === undefined ? denied(key) : settled(ruling, key);
}

/** The first ruling, with the rules of both. */
function joined(first: Ruling | undefined, next: Ruling): Ruling {
  return first === undefined ? next : { ...first, rows: [...new Set([...first.rows, ...next.rows])] };
}

function settled(ruling: Ruling, key: string): ActionResult {
  const { effect, policy = key, scope, rows } = ruling;
  return { effect, policy, scope, rules: rows };
}

function principalKey(id: string, { principalVersion, principalChain }: Place): string {
  return scoped(`principal.${sanitise(id)}.v${principalVersion}`, principalChain[0]);
}

function resourceKey({ kind, version, resourceChain }: Place): string {
  return scoped(`resource.${kind}.v${version}`, resourceChain[0]);
}

function scoped(key: string, scope: string | undefined): string {
  return scope === undefined || scope === "" ? key : `${key}/${scope}`;
}
