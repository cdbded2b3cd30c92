/** `keyward/watch`: policies in force that follow their directory, a whole set at a time. */

export {
  type Held,
  type InForce,
  type LiveEvent,
  type LiveOptions,
  LivePolicies,
  type WatchOptions,
} from "./live-policies.js";
export { type WatchedPolicies, type WatchPoliciesOptions, watchPolicies } from "./watch-policies.js";
