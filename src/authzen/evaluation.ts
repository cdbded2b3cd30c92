/** Answers of single evaluations. */

import { type Either, isLeft, right } from "fp-ts/lib/Either.js";
import type { JsonObject } from "../cel/json.js";
import { decideAny } from "../decisions/decide.js";
import { refusalDetail } from "../decisions/error-body.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { Decision, PermissionRequest } from "../decisions/types.js";
import type { LayerVerdict } from "../engine/plan/verdict.js";
import { hintsOfAny } from "../hints/hints-of.js";
import type { EvaluationRequest } from "./entities.js";
import type { AuthzenFault } from "./fault.js";
import type { QuestionReader } from "./question.js";
import type { AuthzenDecision } from "./recorded.js";

/** The decision point as one HTTP request sees it: one set of policies, one time. */
export interface DecisionPoint {
  readonly policies: PolicySet;
  readonly questions: QuestionReader;
  readonly now: Date;
  readonly requestId: string | undefined;
  /** True if the caller may read names of rules and texts of errors. */
  readonly isAdmin: boolean;
  readonly onDecision: ((decided: AuthzenDecision) => void) | undefined;
}

/** The answer to an evaluation. Left: the fault of the request. */
export function evaluated(point: DecisionPoint, request: EvaluationRequest): Either<AuthzenFault, JsonObject> {
  const { policies, questions, now, requestId, isAdmin, onDecision } = point;
  const asked = questions.read(policies, request, now);
  if (isLeft(asked)) return asked;
  if (asked.right === undefined) return right(refusal("insufficient_permissions"));
  const started = performance.now();
  const decision = decideAny(policies, asked.right);
  const durationMs = performance.now() - started;
  onDecision?.({ requestId, request: asked.right, decision, policies, durationMs });
  return right(answerOf(policies, asked.right, decision, isAdmin));
}

/** Right: true if an evaluation of the request would allow it. */
export function allowed(
  { policies, questions, now }: DecisionPoint,
  request: EvaluationRequest,
): Either<AuthzenFault, boolean> {
  const asked = questions.read(policies, request, now);
  if (isLeft(asked)) return asked;
  return right(asked.right !== undefined && decideAny(policies, asked.right).outcome === "allow");
}

type Refused = Exclude<Decision["outcome"], "allow">;

function refusal(reason: Refused, more: JsonObject = {}): JsonObject {
  return { decision: false, context: { reason, reason_user: { "403": refusalDetail(reason) }, ...more } };
}

function answerOf(policies: PolicySet, request: PermissionRequest, decision: Decision, isAdmin: boolean): JsonObject {
  if (decision.outcome === "allow") return { decision: true };
  return refusal(decision.outcome, {
    ...accessRequest(policies, request, decision),
    ...(isAdmin ? { reason_admin: { "403": adminText(decision) } } : {}),
  });
}

/**
 * The least that would be enough, for a request for access. Only a lack of permission can be requested away: a forbidden
 * operation has none.
 */
function accessRequest(policies: PolicySet, request: PermissionRequest, decision: Decision): JsonObject {
  const [hint] = hintsOfAny(policies, decision, request, { limit: 1 });
  return hint === undefined ? {} : { access_request: { ...hint } };
}

/** The reasons and errors of both layers, in a line for an administrator. */
function adminText({ permission, platform }: Decision): string {
  return `permission: ${verdictText(permission)}; platform: ${verdictText(platform)}`;
}

function verdictText({ effect, reasons, errors }: LayerVerdict): string {
  const names = [...new Set(reasons.map(({ reason }) => reason))].join(", ");
  const messages = errors.map(({ position, message }) => (position === "" ? message : `${position} ${message}`));
  return [`${effect} (${names})`, ...messages].join(", ");
}
