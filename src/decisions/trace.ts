/** Traces of decisions: both layers, step by step. */

import { refusedVerdict, unreadableVerdict } from "../engine/evaluate/verdicts.js";
import {
  type AccountFrame,
  ALL_NAMES,
  copiedPrincipal,
  copiedResource,
  isReadable,
  type KeyFrame,
  type ResourceFrame,
} from "../engine/frame/frame.js";
import { LayerTracer, untraced } from "../engine/observe/trace.js";
import type { LayerTrace } from "../engine/observe/types.js";
import { denyWithoutPolicies } from "./no-policies.js";
import { NOT_ASKED } from "./not-asked.js";
import { decisionOf } from "./outcome.js";
import type { PolicySet } from "./policy-set.js";
import { questionOf, type UnsoundRequest } from "./request.js";
import { invalidRequest, RequestIssue } from "./request-issue.js";
import { validated } from "./request-validation.js";
import type { Decision, PermissionRequest, PlatformVerdict } from "./types.js";

/** The tracers of a policy set. Making them takes longer than a decision: keep one for each policy set. */
export interface DecisionTracer {
  readonly policies: PolicySet;
  readonly permission: LayerTracer;
  /** Undefined: the set is permission-only. */
  readonly platform: LayerTracer | undefined;
}

/** The outcome of `decide` and its fault, if any. The traces of the layers have its verdicts. */
export interface DecisionTrace extends Pick<Decision, "outcome" | "fault"> {
  readonly permission: LayerTrace;
  /** For a permission-only set, the verdict that no platform layer was asked, with the `version` `""`. */
  readonly platform: LayerTrace & { readonly verdict: PlatformVerdict };
}

/** Compiles a policy set for tracing. */
export function decisionTracer(policies: PolicySet): DecisionTracer {
  const { permission, platform } = policies;
  return {
    policies,
    permission: new LayerTracer(permission),
    platform: platform === undefined ? undefined : new LayerTracer(platform),
  };
}

/** Decides on a request, with the trace of each layer. Like `decide`, it never throws, for any request. */
export function traceDecision(tracer: DecisionTracer, request: PermissionRequest): DecisionTrace {
  const { key, account, action, now, resource } = validated(request);
  const target = { action, now, resource: readable(resource, "resource") };
  const permission = traced(tracer.permission, readable(key, "key"), target);
  const platform =
    tracer.platform === undefined
      ? untraced("", NOT_ASKED)
      : traced(tracer.platform, readable(account, "account"), target);
  const { outcome, fault } = decisionOf(
    tracer.policies,
    target.action,
    target.resource,
    permission.verdict,
    platform.verdict,
  );
  return { outcome, permission, platform, ...(fault === undefined ? {} : { fault }) };
}

/** Returns the frame, or an issue if its attributes cannot be copied. Both layers read one copy. */
function readable<T extends KeyFrame | AccountFrame | ResourceFrame>(
  part: T | RequestIssue,
  path: string,
): T | RequestIssue {
  if (part instanceof RequestIssue || isReadable(part)) return part;
  return new RequestIssue(path, "cannot be read");
}

/** The trace where the argument is not a policy set: it shows only the verdicts. */
export function traceWithout(given: unknown): DecisionTrace {
  const decision = denyWithoutPolicies(given);
  return { ...decision, permission: untraced("", decision.permission), platform: untraced("", decision.platform) };
}

function traced(
  tracer: LayerTracer,
  principal: UnsoundRequest["key"] | UnsoundRequest["account"],
  target: Pick<UnsoundRequest, "action" | "resource" | "now">,
): LayerTrace {
  const { version } = tracer;
  const asked = questionOf<KeyFrame | AccountFrame>(principal, target);
  if (asked instanceof RequestIssue) return untraced(version, refusedVerdict(invalidRequest(asked), asked.path));
  const { action, resource, now } = asked;
  const [key, row] = [copiedPrincipal(asked.principal, ALL_NAMES), copiedResource(resource, ALL_NAMES)];
  if (key === undefined || row === undefined) return untraced(version, unreadableVerdict());
  try {
    return tracer.trace(key, row, action, now);
  } catch {
    // The data is nested deeper than the stack. The error is not read.
    return untraced(version, unreadableVerdict());
  }
}
