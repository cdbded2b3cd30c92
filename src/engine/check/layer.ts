/**
 * One layer's verdict from the whole policy language: principal policies, role policies, scopes. Strict, and every
 * applicable row of every role is examined (compare `../evaluate.ts`, which serves the sets that need none of it).
 */

import type { JsonMap, Timestamp } from "../../cel/values.js";
import type { LayerVerdict, Reason } from "../verdict.js";
import { check } from "./check.js";
import type { CompiledRow } from "./rows.js";
import type { RuleTable } from "./table.js";
import type { ActionResult, CheckOptions, CheckPrincipal, CheckResource, CheckResult } from "./types.js";

export interface ScopedLayer {
  readonly table: RuleTable;
  readonly version: string;
  /** The reason for a denial that no rule decided. */
  readonly defaultReason: string;
  readonly globals: CheckOptions["globals"];
}

const NO_CLAIMS: JsonMap = Object.freeze(Object.create(null));

/** The check that a layer's verdict is made of. May throw on data that is not JSON-like: the caller denies then. */
export function scopedCheck(
  { table, version, globals }: Pick<ScopedLayer, "table" | "version" | "globals">,
  principal: Omit<CheckPrincipal, "policyVersion">,
  resource: Omit<CheckResource, "policyVersion">,
  action: string,
  now: Timestamp | undefined,
): CheckResult {
  const options: CheckOptions = {
    defaultPolicyVersion: version,
    defaultScope: "",
    lenientScopeSearch: false,
    strict: true,
    schemaEnforcement: "none",
    globals,
  };
  // Only what a check reads: spreading costs more than the rest of this function.
  const { id, roles, attr, scope } = principal;
  const input = {
    principal: { id, roles, attr, scope, policyVersion: "" },
    resource: {
      kind: resource.kind,
      id: resource.id,
      attr: resource.attr,
      scope: resource.scope,
      policyVersion: "",
    },
    actions: [action],
    jwt: NO_CLAIMS,
    now,
  };
  return check(table, input, options);
}

/** May throw, as {@link scopedCheck} does. */
export function scopedVerdict(
  layer: ScopedLayer,
  principal: Omit<CheckPrincipal, "policyVersion">,
  resource: Omit<CheckResource, "policyVersion">,
  action: string,
  now: Timestamp | undefined,
): LayerVerdict {
  const checked = scopedCheck(layer, principal, resource, action, now);
  const { actions, failures, errors, outputs, effectiveDerivedRoles } = checked;
  const result = actions.get(action);
  if (result === undefined) throw new Error("keyward: a check without a result");
  const reasons = [...result.rules.map(ruleReason), ...failures];
  const { effect, policy, scope } = result;
  return {
    effect,
    policy,
    scope,
    reasons: reasons.length > 0 ? reasons : [defaultFor(result, layer.defaultReason)],
    errors,
    outputs,
    derivedRoles: effectiveDerivedRoles,
  };
}

function ruleReason({ reason, rule, policy }: CompiledRow): Reason {
  return { kind: "rule", reason, rule, policy };
}

/** Nothing allowed, or a role policy does not list the action. */
function defaultFor({ policy }: ActionResult, reason: string): Reason {
  return { kind: "default", reason, rule: "", policy: policy === "NO_MATCH" ? "" : policy };
}
