/** Loads and watches policies in one call. */

import type { PermissionOnly, PermissionSet, PolicySet } from "../decisions/policy-set.js";
import type { PolicyTypes } from "../decisions/policy-types.js";
import { CALLBACK, checkOptions, type OptionTable, required } from "../policy/options.js";
import { rightOrThrow } from "../policy/policies-error.js";
import {
  LIVE_OPTIONS,
  type LiveEvent,
  type LiveOptions,
  LivePolicies,
  WATCH_OPTIONS,
  type WatchOptions,
} from "./live-policies.js";

export interface WatchPoliciesOptions extends LiveOptions, WatchOptions {
  /** Called when a change is taken over, held or refused. Required, because a refused set would otherwise go unnoticed. */
  readonly onEvent: (event: LiveEvent) => void;
}

const WATCH_POLICIES_OPTIONS = {
  ...LIVE_OPTIONS,
  ...WATCH_OPTIONS,
  onEvent: required(CALLBACK),
} satisfies OptionTable<WatchPoliciesOptions>;

export interface WatchedPolicies<Set extends PolicySet = PolicySet> {
  /** The set in force. Read this anew for each decision. */
  readonly set: Set;
  /** Gives the hash of the set and the set that is held, and reloads and confirms. */
  readonly live: LivePolicies;
  /** Ends the watch. The set in force stays. */
  stop(): Promise<void>;
}

/**
 * Loads the policies of a directory and follows its changes. `decide(policies.set, request)` always uses the last valid
 * and complete set. Rejects with a `PoliciesError` if the first load fails, and with a `TypeError` for an unknown
 * option or an invalid value.
 *
 * It combines {@link LivePolicies} with {@link LivePolicies.watch}, which say how changes are treated.
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
  checkOptions(options, WATCH_POLICIES_OPTIONS);
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
