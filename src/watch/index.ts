/** `keyward/watch`: keeps the policies in force up to date with their directory. Each update replaces the whole set. */

export {
  type HeldPolicies,
  type LiveEvent,
  type LiveOptions,
  LivePolicies,
  type WatchOptions,
} from "./live-policies.js";
export type { PoliciesInForce } from "./load-directory.js";
export { type WatchedPolicies, type WatchPoliciesOptions, watchPolicies } from "./watch-policies.js";
