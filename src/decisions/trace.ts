/** Traces of decisions: both layers, step by step. */

import { refusedVerdict } from "../engine/evaluate/verdicts.js";
import { LayerTracer, untraced } from "../engine/observe/trace.js";
import type { LayerTrace } from "../engine/observe/types.js";
import { outcomeOf } from "./decide.js";
import type { PolicySet } from "./policy-set.js";
import { invalidRequest, questionOf, RequestIssue, type Target, takeUp, type Unsound } from "./request.js";
import type { DecisionRequest, Outcome } from "./types.js";

/** What decisions are traced with. It takes longer to make than a decision: make one for a policy set. */
export interface DecisionTracer {
  readonly permission: LayerTracer;
  readonly platform: LayerTracer;
}

export interface DecisionTrace {
  /** The outcome of `decide`, and in the layers its verdicts. */
  readonly outcome: Outcome;
  readonly permission: LayerTrace;
  readonly platform: LayerTrace;
}

/** Compiles a policy set for tracing. */
export function decisionTracer({ permission, platform }: PolicySet): DecisionTracer {
  return { permission: new LayerTracer(permission), platform: new LayerTracer(platform) };
}

/** Decides a request and says how. Like `decide`, it never throws. */
export function traceDecision(tracer: DecisionTracer, request: DecisionRequest): DecisionTrace {
  const { key, account, ...target } = takeUp(request);
  const permission = traced(tracer.permission, key, target);
  const platform = traced(tracer.platform, account, target);
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
