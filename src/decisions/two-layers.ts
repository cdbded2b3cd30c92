/**
 * The two layers.
 *
 *     key, operation, resource      ->  permission layer  ->  allow | deny
 *     account, operation, resource  ->  platform layer    ->  allow | deny
 *
 * INVARIANT (two layers apart): the permission layer is not given the account, and the platform layer is not given the
 * key. The signatures below keep it. Every verdict of a decision comes from one of these two functions, or is a denial
 * that reads no attribute. That is so for sound and malformed requests, generated code and closures, single requests
 * and kept keys. A plan holds policies and nothing of a request. A frame holds one part of a request. So each verdict
 * depends on nothing else of the request.
 *
 * `test/decisions/two-layers.types.ts` fails if a signature gains a parameter. Each layer also denies a frame of the wrong
 * part that reaches it past the types (`test/decisions/two-layers.test.ts`).
 */

import type { Timestamp } from "../cel/values.js";
import type { CompiledPlan, LayerJudgement } from "../engine/evaluate/compiled-plan.js";
import type { PlanPair } from "../engine/evaluate/plan-pair.js";
import { refusedVerdict } from "../engine/evaluate/verdicts.js";
import type { AccountFrame, KeyFrame, ResourceFrame } from "../engine/frame/frame.js";

/** May a key with these attributes perform the plan's operation on the resource? Never throws. */
export function permission(
  plan: CompiledPlan,
  key: KeyFrame,
  resource: ResourceFrame,
  reading: PlanPair,
  now: Timestamp | undefined,
): LayerJudgement {
  if (key.part !== "key") return refused("the permission layer judges keys alone");
  return plan.judge(key, resource, 0, reading, now);
}

/** Does the platform support the plan's operation on the resource, for this account? Never throws. */
export function platform(
  plan: CompiledPlan,
  account: AccountFrame,
  resource: ResourceFrame,
  reading: PlanPair,
  now: Timestamp | undefined,
): LayerJudgement {
  if (account.part !== "account") return refused("the platform layer judges accounts alone");
  return plan.judge(account, resource, 1, reading, now);
}

/** The judgement of a frame that is of the wrong part. */
function refused(message: string): LayerJudgement {
  return { verdict: refusedVerdict(message), number: -1 };
}
