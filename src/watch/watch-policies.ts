/** The policies in force, in one call. */

import type { PermissionOnly, PermissionSet, PolicySet } from "../decisions/policy-set.js";
import type { PolicyTypes } from "../decisions/policy-types.js";
import { rightOrThrow } from "../policy/policies-error.js";
import { type LiveEvent, type LiveOptions, LivePolicies, type WatchOptions } from "./live-policies.js";

export interface WatchPoliciesOptions extends LiveOptions, WatchOptions {
  /** Is told of everything that becomes of a change: a set that is refused would otherwise go unnoticed. */
  readonly onEvent: (event: LiveEvent) => void;
}

export interface WatchedPolicies<Set extends PolicySet = PolicySet> {
  /** The set in force: for each decision, ask for it anew. */
  readonly set: Set;
  /** Its hash, and what is held and refused; to reload, and to confirm. */
  readonly live: LivePolicies;
  /** Ends the watch. The set in force stays. */
  stop(): Promise<void>;
}

/**
 * Loads the policies of a directory and follows it: `decide(policies.set, request)` is always by the last set that was
 * valid and complete. Rejects with a `PoliciesError` if there is none to begin with.
 *
 * It is {@link LivePolicies} with {@link LivePolicies.watch}; what becomes of a change is said there.
 */
export function watchPolicies<T extends PolicyTypes = PolicyTypes>(
  directory: string,
  options: WatchPoliciesOptions & PermissionOnly,
): Promise<WatchedPolicies<PermissionSet<T>>>;
export function watchPolicies<T extends PolicyTypes = PolicyTypes>(
  directory: string,
  options: WatchPoliciesOptions,
): Promise<WatchedPolicies<PolicySet<T>>>;
export async function watchPolicies(directory: string, options: WatchPoliciesOptions): Promise<WatchedPolicies> {
  const live = rightOrThrow(await LivePolicies.load(directory, options)());
  const stop = live.watch(options);
  return {
    get set() {
      return live.current.set;
    },
    live,
    stop,
  };
}
