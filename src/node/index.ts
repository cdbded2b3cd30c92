/** `keyward/node`: functions that need a file system. As an entry of the package, it may export from any folder. */

export type { NoSolver } from "../solver/no-solver.js";
export { findSolver, type Solver, type SolverLimits } from "../solver/solver.js";
export type {
  HeldPolicies,
  LiveEvent,
  LiveOptions,
  LivePolicies,
  WatchOptions,
} from "../watch/live-policies.js";
export type { PoliciesInForce } from "../watch/load-directory.js";
export { type WatchedPolicies, type WatchPoliciesOptions, watchPolicies } from "../watch/watch-policies.js";
export { readPolicyDirectory } from "./directory.js";
export {
  type FetchListenerOptions,
  fetchListener,
  type IncomingRequest,
  type OutgoingResponse,
} from "./fetch-listener.js";
export { type LoadOptions, loadPolicies, loadPoliciesOrThrow } from "./load.js";
export { loadCheckEngine, loadCheckEngineOrThrow } from "./load-check-engine.js";
export type { ReadOptions } from "./read-options.js";
export { reviewPanel } from "./review-panel.js";
export { shippedPolicies } from "./shipped.js";
