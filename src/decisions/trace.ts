/** Traces of decisions: both layers, step by step. */

import { Copies } from "../cel/copies.js";
import type { JsonMap } from "../cel/values.js";
import { refusedVerdict, unreadableVerdict } from "../engine/evaluate/verdicts.js";
import { LayerTracer, untraced } from "../engine/observe/trace.js";
import type { LayerTrace } from "../engine/observe/types.js";
import { decidedWithout } from "./no-policies.js";
import { NOT_ASKED } from "./not-asked.js";
import { decisionOf } from "./outcome.js";
import type { PolicySet } from "./policy-set.js";
import { questionOf, type Target, type Unsound } from "./request.js";
import { invalidRequest, RequestIssue } from "./request-issue.js";
import { takeUp } from "./take-up.js";
import type { Decision, PermissionRequest, PlatformVerdict } from "./types.js";

/** What decisions are traced with. It takes longer to make than a decision: make one for a policy set. */
export interface DecisionTracer {
  readonly policies: PolicySet;
  readonly permission: LayerTracer;
  /** Undefined: the set is permission-only. */
  readonly platform: LayerTracer | undefined;
}

/** The outcome of `decide` and its fault, if any, and in the layers its verdicts. */
export interface DecisionTrace extends Pick<Decision, "outcome" | "fault"> {
  readonly permission: LayerTrace;
  /** Of a permission-only set, the verdict that no platform layer was asked; its `version` is `""`. */
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

/** Decides a request and says how. Like `decide`, it never throws, whatever the request. */
export function traceDecision(tracer: DecisionTracer, request: PermissionRequest): DecisionTrace {
  const { key, account, action, now, resource } = takeUp(request);
  const target = { action, now, resource: copied(resource, "resource") };
  const permission = traced(tracer.permission, copied(key, "key"), target);
  const platform =
    tracer.platform === undefined
      ? untraced("", NOT_ASKED)
      : traced(tracer.platform, copied(account, "account"), target);
  const { outcome, fault } = decisionOf(
    tracer.policies,
    target.action,
    target.resource,
    permission.verdict,
    platform.verdict,
  );
  return { outcome, permission, platform, ...(fault === undefined ? {} : { fault }) };
}

/** A part with a copy of its attributes: both layers read one, and each value is read once. */
function copied<T extends { readonly attr: JsonMap }>(part: T | RequestIssue, path: string): T | RequestIssue {
  if (part instanceof RequestIssue) return part;
  try {
    return { ...part, attr: new Copies().attributes(part.attr) };
  } catch {
    return new RequestIssue(path, "cannot be read");
  }
}

/** The trace of a decision by what is no policies: there is nothing to show but the verdicts. */
export function traceWithout(given: unknown): DecisionTrace {
  const decision = decidedWithout(given);
  return { ...decision, permission: untraced("", decision.permission), platform: untraced("", decision.platform) };
}

function traced(tracer: LayerTracer, principal: Unsound["key"], target: Target): LayerTrace {
  const { version } = tracer;
  const question = questionOf(principal, target);
  if (question instanceof RequestIssue)
    return untraced(version, refusedVerdict(invalidRequest(question), question.path));
  try {
    return tracer.trace(question.principal, question.resource, question.action, question.now);
  } catch {
    // A getter that throws, or data nested deeper than the stack: what was thrown is not looked at.
    return untraced(version, unreadableVerdict());
  }
}
