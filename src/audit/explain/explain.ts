/** Explains a decision, and finds changes of the request that would change it. */

import { isPolicySet } from "../../decisions/no-policies.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { requestIssues } from "../../decisions/request-issues.js";
import {
  type DecisionTrace,
  type DecisionTracer,
  decisionTracer,
  traceDecision,
  traceWithout,
} from "../../decisions/trace.js";
import type { PermissionRequest } from "../../decisions/types.js";
import { alternativesTo, type RequestAlternatives } from "./changes.js";

export interface Explanation extends DecisionTrace {
  /** The request in short. */
  readonly question: { readonly key: string; readonly operation: string; readonly kind: string; readonly id: string };
  /** Edits that would change the outcome, the smallest sets first; absent for a malformed request. */
  readonly alternatives: RequestAlternatives | undefined;
}

const tracers = new WeakMap<PolicySet, DecisionTracer>();

function tracerOf(policies: PolicySet): DecisionTracer {
  const known = tracers.get(policies);
  if (known !== undefined) return known;
  const tracer = decisionTracer(policies);
  tracers.set(policies, tracer);
  return tracer;
}

/**
 * Decides a request and gives an account of it: for each layer the rules considered, in order, each condition with the
 * values of its parts, what was missing, which rules decided; and the smallest changes to the request that would change
 * the outcome, each checked by deciding the changed request.
 *
 * Pure, and like `decide` it never throws, for any argument. The result contains values of the request, shortened: show
 * it to operators and auditors, not to callers of an API.
 */
export function explain(policies: PolicySet, request: PermissionRequest): Explanation {
  if (!isPolicySet(policies)) {
    return { ...traceWithout(policies), question: questionOf(request), alternatives: undefined };
  }
  const trace = traceDecision(tracerOf(policies), request);
  return { ...trace, question: questionOf(request), alternatives: alternativesOr(policies, request) };
}

function alternativesOr(policies: PolicySet, request: PermissionRequest): RequestAlternatives | undefined {
  const permissionOnly = policies.platform === undefined;
  try {
    return requestIssues(request, { permissionOnly }).length > 0 ? undefined : alternativesTo(policies, request);
  } catch {
    // Attributes that are not JSON, or cannot be read: there is nothing to vary.
    return undefined;
  }
}

const MAX_NAME = 160;

function questionOf(request: PermissionRequest): Explanation["question"] {
  try {
    const { key, operation, resource } = request;
    return { key: named(key.id), operation: named(operation), kind: named(resource.kind), id: named(resource.id) };
  } catch {
    return { key: "", operation: "", kind: "", id: "" };
  }
}

function named(value: unknown): string {
  if (typeof value !== "string") return "";
  return value.length <= MAX_NAME ? value : `${value.slice(0, MAX_NAME)}…`;
}
