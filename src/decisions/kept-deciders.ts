/** Deciders that are kept from one request to the next, by key: for services, whose callers come again. */

import { Bounded } from "../engine/plan/bounded.js";
import { decideAny } from "./decide.js";
import { type AnyDecider, deciderOf } from "./decider.js";
import type { PolicySet } from "./policy-set.js";
import type { KeyOf, KindOf, PolicyTypes } from "./policy-types.js";
import { snapshot } from "./snapshot.js";
import type { Decision, DecisionRequest, PermissionRequest } from "./types.js";

export interface KeepOptions<T extends PolicyTypes = PolicyTypes> {
  /**
   * A text that is another one **whenever anything of the key is another**: its roles, an attribute, its scope. The version
   * of a row, the time of its last change, a hash. A key of which it is the same is decided on as it was when it was first
   * seen. `undefined`: nothing is kept of this key.
   */
  readonly revision: (key: KeyOf<T, KindOf<T>>) => string | undefined;
  /** Of so many keys a decider is kept, those that were asked about lately, and of no more than twice as many. Default: 1,000. */
  readonly limit?: number | undefined;
}

/** Made by {@link keepDeciders}. */
export interface KeptDeciders<T extends PolicyTypes = PolicyTypes> {
  /** The decision of `decide`. Never throws. */
  decide(request: NoInfer<DecisionRequest<T>>): Decision<T>;
}

/**
 * Decides as `decide` does, and finds out only once what a key comes to: see `deciderFor`. For `guard` and the middlewares,
 * as their `decide`. A key is known by its `id` and its revision; of each id the latest revision is kept.
 *
 * `policies`: a set, or a function that gives the one in force (`() => watched.set`). With another set all is found out
 * anew. Throws a `TypeError` for a `limit` that is no positive integer.
 */
export function keepDeciders<T extends PolicyTypes = PolicyTypes>(
  policies: PolicySet<T> | (() => PolicySet<T>),
  options: NoInfer<KeepOptions<T>>,
): KeptDeciders<T>;
export function keepDeciders(policies: PolicySet | (() => PolicySet), options: KeepOptions): AnyKept {
  const { revision, limit = 1_000 } = options;
  if (!Number.isSafeInteger(limit) || limit < 1) throw new TypeError("limit must be a positive integer");
  return new Kept(typeof policies === "function" ? policies : () => policies, revision, limit);
}

/** {@link KeptDeciders} of sets of either kind. */
interface AnyKept {
  decide(request: PermissionRequest): Decision;
}

interface Known {
  readonly revision: string;
  readonly decider: AnyDecider;
}

class Kept implements AnyKept {
  private readonly policies: () => PolicySet;
  private readonly revision: KeepOptions["revision"];
  private readonly limit: number;
  private latest: PolicySet | undefined = undefined;
  private known: Bounded<string, Known>;

  constructor(policies: () => PolicySet, revision: KeepOptions["revision"], limit: number) {
    this.policies = policies;
    this.revision = revision;
    this.limit = limit;
    this.known = new Bounded(limit);
  }

  decide(request: PermissionRequest): Decision {
    const policies = this.policies();
    if (policies !== this.latest) {
      this.latest = policies;
      this.known = new Bounded(this.limit);
    }
    const decider = this.deciderFor(policies, request);
    return decider === undefined ? decideAny(policies, request) : decider.decide(request);
  }

  /** Undefined where the key is none, or none that can be kept. */
  private deciderFor(policies: PolicySet, request: PermissionRequest): AnyDecider | undefined {
    try {
      // What is inherited is no key.
      if (!Object.hasOwn(request, "key")) return undefined;
      const { key } = request;
      const { id } = key;
      const revision = this.revision(key);
      if (!Object.hasOwn(key, "id") || typeof id !== "string" || typeof revision !== "string") return undefined;
      const known = this.known.get(id);
      return known?.revision === revision ? known.decider : this.made(policies, key, id, revision);
    } catch {
      // It cannot be read: `decide` says so.
      return undefined;
    }
  }

  /** Of a copy, so that what is kept is for the very values that have this id and revision, whatever else is read later. */
  private made(
    policies: PolicySet,
    key: PermissionRequest["key"],
    id: string,
    revision: string,
  ): AnyDecider | undefined {
    const { key: copy } = snapshot({ key, operation: "none", resource: { kind: "none", id: "none" } });
    if (copy.id !== id || this.revision(copy) !== revision) return undefined;
    const decider = deciderOf(policies, { key: copy });
    this.known.set(id, { revision, decider });
    return decider;
  }
}
