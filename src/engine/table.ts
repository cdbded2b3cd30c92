/**
 * One layer, compiled: all policies of one version, indexed by resource kind and action, so that a decision
 * touches only the rules that can apply to it.
 */

import type { PolicyModel } from "../policy/model.js";
import { sanitise } from "../policy/names.js";
import { compilePolicy } from "./compile-policy.js";
import { GenerationLimit } from "./generate/limit.js";
import { NameIndex } from "./name-index.js";
import type { ActionPlan, CompiledPolicy } from "./plan.js";

export interface LayerTable {
  readonly version: string;
  readonly byKind: NameIndex<CompiledPolicy>;
  /** What the layer says where nothing decides: `not_granted`, `not_available`. */
  readonly defaultReason: string;
}

/**
 * Compiles the policies of `version`. The model is checked, so this cannot fail. `codegen`: whether functions may be
 * generated for rules in use.
 */
export function compileLayer(model: PolicyModel, version: string, defaultReason: string, codegen: boolean): LayerTable {
  const limit = codegen ? new GenerationLimit() : undefined;
  const byKind = new Map<string, CompiledPolicy>();
  for (const policy of model.resourcePolicies) {
    if (policy.version === version) byKind.set(policy.resource, compilePolicy(policy, limit));
  }
  return { version, byKind: new NameIndex(byKind), defaultReason };
}

/** The policy for a resource kind as a request gives it. */
export function policyFor(table: LayerTable, kind: string): CompiledPolicy | undefined {
  return table.byKind.get(kind) ?? table.byKind.get(sanitise(kind));
}

/** The plan for an action; undefined if no rule can apply. */
export function planFor(policy: CompiledPolicy, action: string): ActionPlan | undefined {
  return policy.byAction.get(action) ?? policy.otherActions;
}
