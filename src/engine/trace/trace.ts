/**
 * Traces: what a layer's evaluation of a request looked at, and what it found there. The verdict in a trace is the
 * engine's own; what stands around it is worked out beside the engine, from the same policies, part by part.
 */

import { ATTRIBUTES, ROOT } from "../../cel/roots.js";
import type { Timestamp } from "../../cel/values.js";
import type { PolicyModel } from "../../policy/model.js";
import { sanitise } from "../../policy/names.js";
import { Activation, type PrincipalInput, type ResourceInput } from "../activation.js";
import { isInvalidAttributes } from "../attribute-schemas.js";
import { placeKey } from "../check/place.js";
import { effectiveScope, scopeChain } from "../check/scopes.js";
import { layerVerdict } from "../layer-verdict.js";
import type { LayerTable } from "../table.js";
import type { LayerEffect, LayerVerdict } from "../verdict.js";
import { Points } from "./points.js";
import { type TracedPolicy, tracePolicy } from "./policies.js";
import { PolicyRun, type Question } from "./run.js";
import type { LayerTrace, Point } from "./types.js";
import { type Consulted, includedRoles, walk } from "./walk.js";

export interface TraceOptions {
  /** Whether the values of the parts of operations are in the trace. Default: `true`. */
  readonly values?: boolean;
}

/** What can be traced in one layer; made once for a policy set, by {@link compileTracer}. */
export interface LayerTracer {
  readonly table: LayerTable;
  /** Everything that an evaluation can reach; the index of each is its id. */
  readonly points: readonly Point[];
  /** By kind of policy and place: see `placeKey`. */
  readonly policies: ReadonlyMap<string, TracedPolicy>;
}

/** Compiles the policies of a layer for tracing. `table` is the layer compiled from `model`. */
export function compileTracer(model: PolicyModel, table: LayerTable): LayerTracer {
  const points = new Points();
  const policies = new Map<string, TracedPolicy>();
  const { version, scoped } = table;
  for (const policy of model.resourcePolicies) {
    if (policy.version !== version || (scoped === undefined && policy.scope !== "")) continue;
    policies.set(tracedKey("resource", version, policy.scope, policy.resource), tracePolicy(policy, points));
  }
  for (const policy of scoped === undefined ? [] : model.principalPolicies) {
    if (policy.version !== version) continue;
    policies.set(tracedKey("principal", version, policy.scope, policy.name), tracePolicy(policy, points));
  }
  for (const policy of scoped === undefined ? [] : model.rolePolicies) {
    if (policy.version !== version || policy.rules.length === 0) continue;
    policies.set(tracedKey("role", version, policy.scope, policy.role), tracePolicy(policy, points));
  }
  return {
    table,
    policies,
    get points() {
      return points.all;
    },
  };
}

function tracedKey(kind: string, version: string, scope: string, name: string): string {
  return `${kind}\0${placeKey(version, scope, name)}`;
}

/** Traces a request, which the engine evaluates as well. Throws what reading the request throws. */
export function traceLayer(
  tracer: LayerTracer,
  principal: PrincipalInput,
  resource: ResourceInput,
  action: string,
  now: Timestamp | undefined,
  { values = true }: TraceOptions = {},
): LayerTrace {
  const { table, policies } = tracer;
  const verdict = layerVerdict(table, principal, resource, action, now);
  const runs = new Map<string, PolicyRun>();
  const resourceScope = effectiveScope(resource.scope, "");
  const chains = chainsOf(table, effectiveScope(principal.scope, ""), resourceScope);
  const kind = kindIn(tracer, resource.kind);
  const included = principal.roles.flatMap((role) => includedRoles(table, resourceScope, role));
  const question: Question = { kind, action, held: [...new Set([...principal.roles, ...included])] };
  const consulted: Consulted = {
    table,
    kind,
    principal,
    resourceScope,
    ...chains,
    run: (what, scope, name) => {
      const key = tracedKey(what, table.version, scope, name);
      const policy = policies.get(key);
      if (policy === undefined) return undefined;
      const known = runs.get(key);
      if (known !== undefined) return known;
      const activation = activationOf(table, policy, principal, resource, now);
      const run = new PolicyRun(policy, question, activation, values);
      runs.set(key, run);
      if (table.scoped !== undefined && what === "resource") run.activateAll();
      return run;
    },
  };
  const { effect, roles } = walk(consulted);
  return {
    version: table.version,
    verdict,
    effect: isInvalidAttributes(verdict) ? "deny" : effect,
    policies: [...runs.values()].map((run) => run.trace(verdict)),
    roles,
  };
}

/** A trace of what is no request: there is nothing to show but the verdict. */
export function untraced(version: string, verdict: LayerVerdict): LayerTrace {
  const effect: LayerEffect = verdict.effect;
  return { version, verdict, effect, policies: [], roles: [] };
}

function chainsOf({ scoped }: LayerTable, principalScope: string, resourceScope: string) {
  if (scoped === undefined) return { principalChain: [], resourceChain: resourceScope === "" ? [""] : [] };
  const { table } = scoped;
  return {
    principalChain: scopeChain(table.principalScopes, principalScope, false),
    resourceChain: scopeChain(table.resourceScopes, resourceScope, false),
  };
}

/** The kind as policies are indexed by it. */
function kindIn({ table, policies }: LayerTracer, kind: string): string {
  const known = table.scoped === undefined && policies.has(tracedKey("resource", table.version, "", kind));
  return known ? kind : sanitise(kind);
}

function activationOf(
  table: LayerTable,
  policy: TracedPolicy,
  principal: PrincipalInput,
  resource: ResourceInput,
  now: Timestamp | undefined,
): Activation {
  const activation = new Activation();
  activation.begin(principal, resource, now, policy.slots);
  activation.roots[ROOT.principalPolicyVersion] = "";
  activation.roots[ROOT.resourcePolicyVersion] = "";
  activation.roots[ROOT.principalScope] = effectiveScope(principal.scope, "");
  activation.roots[ROOT.resourceScope] = effectiveScope(resource.scope, "");
  activation.roots[ROOT.effectiveDerivedRoles] = [];
  if (table.scoped !== undefined) activation.attributes[ATTRIBUTES.globals] = table.scoped.globals;
  return activation;
}
