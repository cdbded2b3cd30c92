/**
 * `keyward/runtime`: decides by policies that were built ahead of time (`keyward build`). It contains no policy parser.
 *
 * It runs in Node, in browsers and in edge workers, also where code may not be made from strings.
 */

export {
  type Coverage,
  type CoverRequest,
  covers,
  coversInSteps,
  type UncoveredRequest,
} from "../decisions/covers.js";
export { decide } from "../decisions/decide.js";
export { decideAll } from "../decisions/decide-all.js";
export { type ChainDecision, type ChainRequest, decideChain } from "../decisions/decide-chain.js";
export { type DecidedResource, decideEach } from "../decisions/decide-each.js";
export {
  type Decider,
  type DeciderRequest,
  type DeciderSubjects,
  deciderFor,
} from "../decisions/decider.js";
export { type ErrorBody, type ErrorBodyOptions, errorBody } from "../decisions/error-body.js";
export { type KeepOptions, type KeptDeciders, keepDeciders } from "../decisions/kept-deciders.js";
export { isAllowed, outcomeOf } from "../decisions/outcome.js";
export { type DecisionPlan, type PlanRequest, planDecisions } from "../decisions/plan-decisions.js";
export type { PermissionSet, PolicySet } from "../decisions/policy-set.js";
export { policySetHash } from "../decisions/policy-set-hash.js";
export type { PolicyTypes } from "../decisions/policy-types.js";
export { requestId } from "../decisions/request-id.js";
export { snapshot } from "../decisions/snapshot.js";
export type { Decision, DecisionRequest, Outcome, PermissionRequest, RequestPart } from "../decisions/types.js";
export { type Hint, type HintOptions, hintsOf } from "../hints/hints-of.js";
export type { Bundle, BundleFault } from "./bundle.js";
export {
  BundleError,
  type BundleOptions,
  loadBundle,
  loadBundleOrThrow,
  type PermissionBundle,
} from "./load.js";
