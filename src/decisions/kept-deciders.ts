/** Deciders that are kept from one request to the next, by key: for services with returning callers. */

import type { JsonMap } from "../cel/values.js";
import { BoundedCache, LONGEST_KEPT } from "../engine/plan/bounded-cache.js";
import { CALLBACK, COUNT, checkOptions, type OptionTable, required } from "../policy/options.js";
import { decideAny } from "./decide.js";
import { type AnyDecider, deciderOfKey } from "./decider.js";
import type { PolicySet } from "./policy-set.js";
import type { KeyOf, KindOf, PolicyTypes } from "./policy-types.js";
import { snapshot } from "./snapshot.js";
import type { Decision, DecisionRequest, PermissionRequest } from "./types.js";
import { isAttributes, isPlain, type RequestFields } from "./well-formed.js";

export interface KeepOptions<T extends PolicyTypes = PolicyTypes> {
  /**
   * Must return a new text **whenever anything about the key changes**: the version of a row, the time of its last
   * change, a hash. Of the lists and maps among the key's attributes, 64 members are compared with the kept ones. As long
   * as the text is the same, the decider uses all others as it first saw them.
   *
   * Returns `undefined` for a key without a revision: nothing is kept of such a key. The same applies to an empty text,
   * and to one that contains the text of a missing value (`undefined`, `null`, `NaN`, `Invalid Date`,
   * `[object Object]`), as in `v${undefined}`.
   */
  readonly revision: (key: KeyOf<T, KindOf<T>>) => string | undefined;
  /**
   * The number of keys with a kept decider: at least this many of the most recent keys, at most twice as many. Default:
   * 1,000.
   */
  readonly limit?: number | undefined;
}

const KEEP_OPTIONS = { revision: required(CALLBACK), limit: COUNT } satisfies OptionTable<KeepOptions>;

/** Made by {@link keepDeciders}. */
export interface KeptDeciders<T extends PolicyTypes = PolicyTypes> {
  /** The decision of `decide`. Never throws. */
  decide(request: NoInfer<DecisionRequest<T>>): Decision<T>;
}

/**
 * Decides as `decide` does, but reads and indexes a key only once: see `deciderFor`. Its `decide` is for `guard` and
 * the middlewares. A decider is kept for the `id` and `scope` of a key and of an account, in the key's latest revision.
 * A key with other roles or attributes is another key, even with the same revision, as far as they are compared: see
 * `revision`.
 *
 * `policies`: a set, or a function that returns the one in force (`() => watched.set`). A new set drops all deciders.
 * Throws a `TypeError` for an unknown option or an invalid value.
 */
export function keepDeciders<T extends PolicyTypes = PolicyTypes>(
  policies: PolicySet<T> | (() => PolicySet<T>),
  options: NoInfer<KeepOptions<T>>,
): KeptDeciders<T>;
export function keepDeciders(policies: PolicySet | (() => PolicySet), options: KeepOptions): AnyKept {
  checkOptions(options, KEEP_OPTIONS);
  const { revision, limit = 1_000 } = options;
  return new Kept(typeof policies === "function" ? policies : () => policies, revision, limit);
}

/** {@link KeptDeciders} for sets of either kind. */
interface AnyKept {
  decide(request: PermissionRequest): Decision;
}

interface KeptDeciderEntry {
  readonly revision: string;
  /** The copy that the decider was made for. */
  readonly key: RequestFields;
  readonly attr: KeptAttributes | undefined;
  readonly attributes: KeptAttributes | undefined;
  readonly accountId: unknown;
  readonly accountScope: unknown;
  readonly decider: AnyDecider;
}

class Kept implements AnyKept {
  private readonly policies: () => PolicySet;
  private readonly revision: KeepOptions["revision"];
  private readonly limit: number;
  private latest: PolicySet | undefined = undefined;
  /** By {@link nameOf}. */
  private known: BoundedCache<string, KeptDeciderEntry>;
  /** The entry that was used last, by the key's id alone: unless ids collide, no name has to be made. */
  private recent: BoundedCache<string, KeptDeciderEntry>;

  constructor(policies: () => PolicySet, revision: KeepOptions["revision"], limit: number) {
    this.policies = policies;
    this.revision = revision;
    this.limit = limit;
    this.known = new BoundedCache(limit);
    this.recent = new BoundedCache(limit);
  }

  decide(request: PermissionRequest): Decision {
    const policies = this.policies();
    if (policies !== this.latest) {
      this.latest = policies;
      this.known = new BoundedCache(this.limit);
      this.recent = new BoundedCache(this.limit);
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
      const { id } = key;
      const revision = this.revision(key);
      if (typeof revision !== "string" || typeof id !== "string" || !Object.hasOwn(key, "id")) return undefined;
      const recent = this.recent.get(id);
      if (recent !== undefined && isFor(recent, revision, key, account)) return recent.decider;
      const name = nameOf(key, account);
      if (name.length > LONGEST_KEPT) return undefined;
      const known = this.known.get(name);
      const isKnown = known !== undefined && isFor(known, revision, key, account);
      const found = isKnown ? known : this.made(policies, request, name, revision);
      if (found !== undefined) this.recent.set(id, found);
      return found?.decider;
    } catch {
      // A part cannot be read: `decide` says so.
      return undefined;
    }
  }

  /**
   * Makes the decider for a copy. The copy must have this name and revision: getters may return other values the next
   * time.
   */
  private made(
    policies: PolicySet,
    { key, account }: PermissionRequest,
    name: string,
    revision: string,
  ): KeptDeciderEntry | undefined {
    if (isMissing(revision)) return undefined;
    const { key: copy } = snapshot({ key, operation: "none", resource: { kind: "none", id: "none" } });
    if (nameOf(copy, account) !== name || this.revision(copy) !== revision) return undefined;
    const decider = deciderOfKey(policies, copy);
    const made: KeptDeciderEntry = {
      revision,
      key: copy,
      attr: attributesOf(copy.attr),
      attributes: attributesOf(copy.attributes),
      accountId: account?.id,
      accountScope: account?.scope,
      decider,
    };
    this.known.set(name, made);
    return made;
  }
}

/**
 * The name by which a decider is kept: the key's id and scope, and those of the account. The length before each of them
 * ensures that different lists have different names.
 */
function nameOf({ id, scope }: PermissionRequest["key"], account: PermissionRequest["account"]): string {
  return measured(id) + measured(scope) + measured(account?.id) + measured(account?.scope);
}

function measured(value: unknown): string {
  return typeof value === "string" ? `${value.length}:${value}` : "-";
}

/**
 * The texts that `String()` and templates make of missing values: all keys without a revision would have the same one.
 * A revision that contains one by chance keeps nothing either, which is safe.
 */
const MISSING = /undefined|null|NaN|Invalid Date|\[object /;

function isMissing(revision: string): boolean {
  return revision.trim() === "" || MISSING.test(revision);
}

/** Whether a kept decider is for this revision of the key, and for this account. */
function isFor(
  known: KeptDeciderEntry,
  revision: string,
  key: PermissionRequest["key"],
  account: PermissionRequest["account"],
): boolean {
  return (
    known.revision === revision &&
    known.accountId === account?.id &&
    known.accountScope === account?.scope &&
    isSameKey(known, key)
  );
}

/** The most members of a key's lists and maps that are compared for a decision. */
const MOST_COMPARED = 64;

/**
 * Whether a key has the roles, the scope and the attributes of a copy. Two tenants may have the same ids and count their
 * revisions alike. The revision vouches for members of lists and maps beyond {@link MOST_COMPARED}.
 */
function isSameKey({ key: copy, attr, attributes }: KeptDeciderEntry, key: RequestFields): boolean {
  return (
    isSameList(copy.roles, key.roles) &&
    copy.scope === key.scope &&
    copy.policyVersion === key.policyVersion &&
    hasSameAttributes(attr, key.attr) &&
    hasSameAttributes(attributes, key.attributes)
  );
}

function isSameList(copy: unknown, list: unknown): boolean {
  if (!Array.isArray(copy) || !Array.isArray(list)) return false;
  if (copy.length !== list.length) return false;
  for (let i = 0; i < copy.length; i++) if (copy[i] !== list[i]) return false;
  return true;
}

/** The attributes of a copy, which is plain data without undefined values. */
interface KeptAttributes {
  readonly names: readonly string[];
  readonly values: readonly unknown[];
  readonly byName: ReadonlyMap<string, unknown>;
}

/** Undefined for attributes that are not a map. */
function attributesOf(copy: unknown): KeptAttributes | undefined {
  if (!isAttributes(copy)) return undefined;
  const byName = new Map(Object.entries(copy));
  return { names: [...byName.keys()], values: [...byName.values()], byName };
}

/** Attributes mostly come in the order in which they were kept. Then no name is looked up. */
function hasSameAttributes(kept: KeptAttributes | undefined, attributes: unknown): boolean {
  if (kept === undefined || !isAttributes(attributes)) return kept === undefined && attributes === undefined;
  const { names, values, byName } = kept;
  const compared: ComparedMembers = { left: MOST_COMPARED };
  let count = 0;
  for (const name of Object.keys(attributes)) {
    const value: unknown = attributes[name];
    if (value === undefined) continue;
    if (!isSameValue(names[count] === name ? values[count] : byName.get(name), value, compared)) return false;
    count++;
  }
  return count === names.length;
}

/** The number of members of lists and maps that may still be compared. */
interface ComparedMembers {
  left: number;
}

/** Given a value of a copy, is the other value the same, as far as there are members left to compare? */
function isSameValue(copy: unknown, value: unknown, compared: ComparedMembers): boolean {
  if (typeof copy !== "object" || copy === null) return Object.is(copy, value);
  if (Array.isArray(copy)) {
    if (!Array.isArray(value) || !isOrdinary(value) || copy.length !== value.length) return false;
    for (let i = 0; i < copy.length && compared.left-- > 0; i++) {
      if (!isSameValue(copy[i], value[i], compared)) return false;
    }
    return true;
  }
  return isData(copy) && isData(value) && hasSameMembers(copy, value, compared);
}

/** An instance of a class is not data, nor is the mark of a copy that stands for one. */
function isData(value: unknown): value is JsonMap {
  return isAttributes(value) && isPlain(value);
}

/** A list of another class is not data. */
function isOrdinary(list: readonly unknown[]): boolean {
  return Object.getPrototypeOf(list) === Array.prototype;
}

function hasSameMembers(copy: JsonMap, value: JsonMap, compared: ComparedMembers): boolean {
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  if (names.length !== Object.keys(copy).length) return false;
  for (let i = 0; i < names.length && compared.left-- > 0; i++) {
    const name = names[i] ?? "";
    if (!Object.hasOwn(copy, name) || !isSameValue(copy[name], value[name], compared)) return false;
  }
  return true;
}
