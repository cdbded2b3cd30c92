/** Deciders that are kept from one request to the next, by key: for services, whose callers come again. */

import { Bounded, LONGEST_KEPT } from "../engine/plan/bounded.js";
import { decideAny } from "./decide.js";
import { type AnyDecider, deciderOfKey } from "./decider.js";
import type { PolicySet } from "./policy-set.js";
import type { KeyOf, KindOf, PolicyTypes } from "./policy-types.js";
import { snapshot } from "./snapshot.js";
import type { Decision, DecisionRequest, PermissionRequest } from "./types.js";
import { type Fields, isAttributes } from "./well-formed.js";

export interface KeepOptions<T extends PolicyTypes = PolicyTypes> {
  /**
   * Returns a new text **whenever anything about the key changes**: the version of a row, the time of its last change, a
   * hash. As long as the text is the same, the lists and maps among the key's attributes are those that were first seen.
   *
   * Returns `undefined` for a key without a revision: nothing is kept of it. So it is with an empty text, and with one in
   * which a missing value was written out (`undefined`, `null`, `NaN`, `Invalid Date`, `[object Object]`).
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
 * as their `decide`. A decider is kept for a key's `id` and `scope` and the account's, in its latest revision. A key with other
 * roles or with another text, number, boolean or null among its attributes is another key, whatever its revision.
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
  /** The copy that the decider was made for. */
  readonly key: Fields;
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

  /** Undefined for a malformed key, and for one that cannot be kept. */
  private deciderFor(policies: PolicySet, request: PermissionRequest): AnyDecider | undefined {
    try {
      // An inherited key does not count.
      if (!Object.hasOwn(request, "key")) return undefined;
      const { key, account } = request;
      const revision = this.revision(key);
      const name = nameOf(key, account);
      if (typeof revision !== "string" || name === undefined) return undefined;
      const known = this.known.get(name);
      const isKnown = known?.revision === revision && isSameKey(known.key, key);
      return isKnown ? known.decider : this.made(policies, request, name, revision);
    } catch {
      // A part cannot be read: `decide` says so.
      return undefined;
    }
  }

  /** Makes the decider of a copy that has this name and revision, since getters may answer otherwise the next time. */
  private made(
    policies: PolicySet,
    { key, account }: PermissionRequest,
    name: string,
    revision: string,
  ): AnyDecider | undefined {
    if (isMissing(revision)) return undefined;
    const { key: copy } = snapshot({ key, operation: "none", resource: { kind: "none", id: "none" } });
    if (nameOf(copy, account) !== name || this.revision(copy) !== revision) return undefined;
    const decider = deciderOfKey(policies, copy);
    this.known.set(name, { revision, key: copy, decider });
    return decider;
  }
}

/**
 * The name by which a decider is kept: the key's id and scope, and those of the account. Each is preceded by its length, so
 * that no two different lists have the same name. Undefined for a key without a text as its id, and for long names.
 */
function nameOf(key: PermissionRequest["key"], account: PermissionRequest["account"]): string | undefined {
  const { id, scope } = key;
  if (!Object.hasOwn(key, "id") || typeof id !== "string") return undefined;
  const name = measured(id) + measured(scope) + measured(account?.id) + measured(account?.scope);
  return name.length <= LONGEST_KEPT ? name : undefined;
}

function measured(value: unknown): string {
  return typeof value === "string" ? `${value.length}:${value}` : "-";
}

/** What `String()` and templates make of values that are missing: every key without a revision would have the same. */
const MISSING = /(?:^|[^a-zA-Z\d])(?:undefined|null|NaN|Invalid Date|\[object \w+\])(?:$|[^a-zA-Z\d])/;

function isMissing(revision: string): boolean {
  return revision.trim() === "" || MISSING.test(revision);
}

/**
 * Whether a key has the roles, the scope and the scalar attributes of a copy: two tenants may have the same ids and count
 * their revisions alike. The revision vouches for the content of lists and maps, which is what takes long to compare.
 */
function isSameKey(copy: Fields, key: Fields): boolean {
  return (
    isSameList(copy.roles, key.roles) &&
    copy.scope === key.scope &&
    copy.policyVersion === key.policyVersion &&
    hasSameScalars(copy.attr, key.attr) &&
    hasSameScalars(copy.attributes, key.attributes)
  );
}

function isSameList(copy: unknown, list: unknown): boolean {
  if (!Array.isArray(copy) || !Array.isArray(list)) return false;
  return copy.length === list.length && copy.every((item, i) => item === list[i]);
}

function hasSameScalars(copy: unknown, attributes: unknown): boolean {
  if (!isAttributes(copy) || !isAttributes(attributes)) return copy === attributes;
  let count = 0;
  for (const name of Object.getOwnPropertyNames(attributes)) {
    const value = attributes[name];
    if (value === undefined) continue;
    const known = copy[name];
    if (isComposite(value) ? !isComposite(known) : known !== value) return false;
    count++;
  }
  return count === Object.getOwnPropertyNames(copy).length;
}

function isComposite(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
