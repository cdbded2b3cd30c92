/** Traces of decisions: both layers, step by step. */

import { refusedVerdict } from "../engine/evaluate/verdicts.js";
import { LayerTracer, untraced } from "../engine/observe/trace.js";
import type { LayerTrace } from "../engine/observe/types.js";
import { outcomeOf } from "./decide.js";
import { NOT_ASKED } from "./not-asked.js";
import type { PolicySet } from "./policy-set.js";
import { invalidRequest, questionOf, RequestIssue, type Target, takeUp, type Unsound } from "./request.js";
import type { Outcome, PermissionRequest, PlatformVerdict } from "./types.js";

/** What decisions are traced with. It takes longer to make than a decision: make one for a policy set. */
export interface DecisionTracer {
  readonly permission: LayerTracer;
  /** Undefined: the set is permission-only. */
  readonly platform: LayerTracer | undefined;
}

export interface DecisionTrace {
  /** The outcome of `decide`, and in the layers its verdicts. */
  readonly outcome: Outcome;
  readonly permission: LayerTrace;
  /** Of a permission-only set, the verdict that no platform layer was asked; its `version` is `""`. */
  readonly platform: LayerTrace & { readonly verdict: PlatformVerdict };
}

/** Compiles a policy set for tracing. */
export function decisionTracer({ permission, platform }: PolicySet): DecisionTracer {
  return {
    permission: new LayerTracer(permission),
    platform: platform === undefined ? undefined : new LayerTracer(platform),
  };
}

/** Decides a request and says how. Like `decide`, it never throws. */
export function traceDecision(tracer: DecisionTracer, request: PermissionRequest): DecisionTrace {
  const { key, account, ...target } = takeUp(request);
  const permission = traced(tracer.permission, key, target);
  const platform = tracer.platform === undefined ? untraced("", NOT_ASKED) : traced(tracer.platform, account, target);
  return { outcome: outcomeOf(permission.verdict, platform.verdict), permission, platform };
}

function traced(tracer: LayerTracer, principal: Unsound["key"], target: Target): LayerTrace {
  const { version } = tracer;
  const question = questionOf(principal, target);
  if (question instanceof RequestIssue) return untraced(version, refusedVerdict(invalidRequest(question)));
  try {
    return tracer.trace(question.principal, question.resource, question.action, question.now);
  } catch {
    // A getter that throws, or data nested deeper than the stack: what was thrown is not looked at.
    return untraced(version, refusedVerdict("the request cannot be read to its end, or is nested too deep"));
  }
}
