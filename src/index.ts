/**
 * keyward: may this key perform this operation on this resource, and if not, could another key?
 *
 * This entry runs in Node and in browsers. `keyward/node` reads policy directories.
 */

export type { JsonValue } from "./cel/json.js";
export {
  type Coverage,
  type CoverRequest,
  covers,
  coversInSteps,
  type UncoveredRequest,
} from "./decisions/covers.js";
export { decide } from "./decisions/decide.js";
export { decideAll } from "./decisions/decide-all.js";
export { type ChainDecision, type ChainRequest, decideChain } from "./decisions/decide-chain.js";
export { type DecidedResource, decideEach } from "./decisions/decide-each.js";
export { type Decider, type DeciderRequest, deciderFor } from "./decisions/decider.js";
export { type ErrorBody, type ErrorBodyOptions, errorBody } from "./decisions/error-body.js";
export { type KeepOptions, type KeptDeciders, keepDeciders } from "./decisions/kept-deciders.js";
export { isAllowed, outcomeOf } from "./decisions/outcome.js";
export { type DecisionPlan, type PlanRequest, planDecisions } from "./decisions/plan-decisions.js";
export {
  type CompileOptions,
  compilePolicies,
  compilePoliciesOrThrow,
  type PermissionOnly,
  type PermissionSet,
  type PolicySet,
} from "./decisions/policy-set.js";
export { policySetHash } from "./decisions/policy-set-hash.js";
export type {
  AccountOf,
  Attributes,
  KeyOf,
  KindOf,
  OperationOf,
  PolicyTypes,
  ReasonOf,
  ResourceOf,
} from "./decisions/policy-types.js";
export { requestId } from "./decisions/request-id.js";
export { type RequestIssue, type RequestIssuesOptions, requestIssues } from "./decisions/request-issues.js";
export {
  type Shadow,
  type ShadowCounts,
  type ShadowDifference,
  type ShadowOptions,
  shadow,
} from "./decisions/shadow.js";
export { snapshot } from "./decisions/snapshot.js";
export type {
  Account,
  Decision,
  DecisionRequest,
  Outcome,
  PermissionRequest,
} from "./decisions/types.js";
export type { LayerVerdict, PolicyOutput, Reason, WiringFault } from "./engine/plan/verdict.js";
export type { Filter, FilterRow, FilterTerm, FilterTest } from "./engine/residual/filter.js";
export { matches } from "./engine/residual/matches.js";
export { type Hint, type HintOptions, hintsOf } from "./hints/hints-of.js";
export type { IssueCode, PolicyIssue, SourcePosition } from "./policy/issue.js";
export type { PolicyFile } from "./policy/parse.js";
export { PoliciesError } from "./policy/policies-error.js";
