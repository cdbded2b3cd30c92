/**
 * One layer, compiled: all policies of one version, indexed by resource kind and action, so that a decision
 * touches only the rules that can apply to it.
 */

import { factsOf } from "../cel/facts.js";
import type { JsonValue } from "../cel/json.js";
import type { PolicyModel } from "../policy/model.js";
import { sanitise } from "../policy/names.js";
import { expressionsOf } from "../policy/walk.js";
import { AttributeSchemas } from "./attribute-schemas.js";
import type { ScopedLayer } from "./check/layer.js";
import { compileTable } from "./check/table.js";
import { compilePolicy } from "./compile-policy.js";
import { GenerationLimit } from "./generate/limit.js";
import { NameTables } from "./name-table.js";
import type { CompiledPolicy } from "./plan.js";

export interface LayerTable {
  readonly version: string;
  readonly byKind: ReadonlyMap<string, CompiledPolicy>;
  /** What the layer says where nothing decides: `not_granted`, `not_available`. */
  readonly defaultReason: string;
  /** The layer for the whole policy language, where the policies need it; it then answers in place of this table. */
  readonly scoped: ScopedLayer | undefined;
  /** What attributes are held to; undefined where schemas are not enforced. */
  readonly schemas: AttributeSchemas | undefined;
}

export interface LayerOptions {
  /** Whether functions may be generated for rules in use. */
  readonly codegen: boolean;
  /** Values that expressions read as `G.name`. */
  readonly globals: { readonly [name: string]: JsonValue };
  /** Whether attributes must satisfy the policies' JSON Schemas. */
  readonly enforceSchemas: boolean;
}

/** Compiles the policies of `version`. The model is checked, so this cannot fail. */
export function compileLayer(
  model: PolicyModel,
  version: string,
  defaultReason: string,
  { codegen, globals, enforceSchemas }: LayerOptions,
): LayerTable {
  const limit = codegen ? new GenerationLimit() : undefined;
  const names = new NameTables();
  const byKind = new Map<string, CompiledPolicy>();
  for (const policy of model.resourcePolicies) {
    if (policy.version !== version || policy.scope !== "") continue;
    byKind.set(policy.resource, compilePolicy(policy, limit, names));
  }
  const scoped = needsScopes(model, version)
    ? { table: compileTable(model, "error"), version, defaultReason, globals }
    : undefined;
  const schemas = enforceSchemas ? new AttributeSchemas(model, version) : undefined;
  return { version, byKind, defaultReason, scoped, schemas };
}

/** Whether the policies of a version use what a table of resource policies in the root scope does not have. */
function needsScopes({ resourcePolicies, principalPolicies, rolePolicies }: PolicyModel, version: string): boolean {
  const policies = resourcePolicies.filter((policy) => policy.version === version);
  return (
    resourcePolicies.some((policy) => policy.scope !== "") ||
    principalPolicies.some((policy) => policy.version === version) ||
    rolePolicies.length > 0 ||
    policies.some((policy) => policy.scopePermissions !== "override_parent") ||
    policies.flatMap(expressionsOf).some(({ expr }) => factsOf(expr).reads.some(({ root }) => SERVER_ROOTS.has(root)))
  );
}

const SERVER_ROOTS: ReadonlySet<string> = new Set(["G", "runtime.effectiveDerivedRoles"]);

/** The policy for a resource kind as a request gives it. */
export function policyFor(table: LayerTable, kind: string): CompiledPolicy | undefined {
  return table.byKind.get(kind) ?? table.byKind.get(sanitise(kind));
}
