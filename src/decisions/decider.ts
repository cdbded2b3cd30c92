/** Decisions for one key, or for one key and account, which are read and indexed once. */

import type { CompiledPlan } from "../engine/evaluate/compiled-plan.js";
import {
  type AccountFrame,
  type KeyFrame,
  keptFrame,
  type PrincipalFrame,
  type ResourceFrame,
} from "../engine/frame/frame.js";
import type { PrincipalReader } from "../engine/generate/written.js";
import type { RecentCache } from "../engine/plan/recent-cache.js";
import { decideRead, decideUnsound, decideWithinBound, NO_ACCOUNT } from "./decide.js";
import type { DecisionTable } from "./decision-tables.js";
import { isPolicySet } from "./no-policies.js";
import type { PolicySet } from "./policy-set.js";
import type { By, KeyOf, KindOf, OperationOf, PolicyTypes, ResourceOf } from "./policy-types.js";
import { hasOtherKey, type KnownSubjects, OTHER_KEY, readOnce } from "./request.js";
import { validated, validatedTarget } from "./request-validation.js";
import { snapshot } from "./snapshot.js";
import type { Decision, DecisionRequest, PermissionRequest, RequestPart } from "./types.js";
import { isObject } from "./well-formed.js";

/** The key, and perhaps the account, that a decider decides for. */
export type DeciderSubjects<T extends PolicyTypes = PolicyTypes> = {
  readonly key: KeyOf<T, KindOf<T>>;
  /** If it is left out, each request brings its own. */
  readonly account?: RequestPart<T, KindOf<T>>["account"] | undefined;
};

/** A request to a {@link Decider}: it has no key. Its account, if it has one, replaces the bound account. */
export type DeciderRequest<T extends PolicyTypes = PolicyTypes> = By<T> &
  {
    readonly [K in KindOf<T>]: {
      readonly operation: OperationOf<T, K>;
      readonly resource: ResourceOf<T, K>;
      readonly account?: RequestPart<T, K>["account"] | undefined;
      readonly now?: Date | undefined;
      /** The decider has the key. A request with a key of its own is at fault. */
      readonly key?: undefined;
    };
  }[KindOf<T>];

/** Made by {@link deciderFor}. */
export interface Decider<T extends PolicyTypes = PolicyTypes> {
  /** The decision of `decide` on the whole request. Never throws. */
  decide(request: NoInfer<DeciderRequest<T>>): Decision<T>;
}

/**
 * Makes a decider for one key, or for one key and account. Its decisions are those of `decide`. It reads and indexes
 * the key once, which saves more time the more permissions the key has. Use it for a page of a list, a connection or a
 * job.
 *
 * The key and the account are copied, as `snapshot` copies them. Later changes of the caller's objects have no effect:
 * a key with changed permissions needs another decider.
 */
export function deciderFor<T extends PolicyTypes = PolicyTypes>(
  policies: PolicySet<T>,
  subjects: NoInfer<DeciderSubjects<T>>,
): Decider<T>;
export function deciderFor(policies: PolicySet, subjects: Partial<DeciderSubjects>): Decider {
  return deciderOf(policies, subjects);
}

/** {@link deciderFor} for tools, which have sets of either kind. */
export function deciderOf(policies: PolicySet, subjects: Partial<DeciderSubjects>): AnyDecider {
  return new KeptDecider(policies, subjects, false);
}

/** {@link deciderOf} for whole requests. The caller has made sure that each brings this key. */
export function deciderOfKey(policies: PolicySet, key: PermissionRequest["key"]): AnyDecider {
  return new KeptDecider(policies, { key }, true);
}

/** A {@link Decider} for sets of either kind. */
export interface AnyDecider {
  decide(request: Omit<PermissionRequest, "key">): Decision;
}

/** Placeholders for parts of a request that nobody reads. */
export const NO_KEY: DecisionRequest["key"] = Object.freeze({ id: "none", roles: Object.freeze(["none"]), attr: {} });
export const NO_RESOURCE: DecisionRequest["resource"] = Object.freeze({ kind: "none", id: "none", attr: {} });

/** Frames of one part that a decider keeps. */
const MAX_FRAMES = 16;

const NO_ROLES: readonly string[] = [];

/** Decides on a kept key, and perhaps a kept account. Each plan reads them and indexes their lists once. */
class KeptDecider implements AnyDecider {
  private readonly policies: PolicySet;
  /** A copy of the caller's objects. */
  private readonly subjects: Partial<DeciderSubjects> & KnownSubjects;
  /** Undefined if each request must be validated as a whole: a bound part is malformed, or schemas are enforced. */
  private readonly key: KeptFrames<"key"> | undefined;
  private readonly account: KeptFrames<"account"> | undefined;
  private readonly tables: RecentCache<DecisionTable> | undefined;

  constructor(policies: PolicySet, subjects: Partial<DeciderSubjects>, isOfKey: boolean) {
    this.policies = policies;
    const absent = isPermissionOnly(policies) ? { account: NO_ACCOUNT } : {};
    // Without a prototype: nothing that all objects inherit is a key or an account.
    this.subjects = Object.assign(Object.create(null), absent, copyOf(subjects), { isOfKey });
    const kept = framesOf(policies, this.subjects);
    this.key = kept && new KeptFrames(kept.key);
    this.account = kept?.account && new KeptFrames(kept.account);
    this.tables = kept?.tables;
  }

  decide(request: Omit<PermissionRequest, "key">): Decision {
    return decideWithinBound(this.policies, decideKept, request, this);
  }

  /** Called by {@link decide}, within its bound. */
  decideOn(request: Omit<PermissionRequest, "key">): Decision {
    const { policies, subjects, key, account: kept } = this;
    if (key === undefined || this.tables === undefined) return decideWholeOf(policies, request, subjects);
    const taken = validatedTarget(request, kept?.unread, subjects);
    if (!taken.isSound) return decideUnsound(policies, taken);
    const { action, resource, account, now } = taken;
    const isKept = kept !== undefined && account === kept.unread;
    const isOurs = isKept || (kept === undefined && this.choosesNoPlans(account));
    const table = isOurs
      ? this.tableOf(key.unread, account, resource, action)
      : policies.tables.find(key.unread, account, resource, action);
    const { permission, platform } = table.plans;
    if (!isKept) platform?.readPrincipal(account);
    const accountFrame = isKept && platform !== undefined ? kept.readFor(platform) : account;
    return table.decideRead(key.readFor(permission), accountFrame, resource, now);
  }

  /** Whether no platform policy is for the account's id, and its scope is the root. */
  private choosesNoPlans({ id, scope }: AccountFrame): boolean {
    return scope === "" && this.policies.platform?.isPersonal(id) !== true;
  }

  private tableOf(key: KeyFrame, account: AccountFrame, resource: ResourceFrame, action: string): DecisionTable {
    const { kind, scope } = resource;
    const known = this.tables?.get(kind, action, NO_ROLES, "", scope);
    if (known !== undefined) return known;
    const made = this.policies.tables.find(key, account, resource, action);
    this.tables?.set(kind, action, NO_ROLES, made, "", scope);
    return made;
  }
}

function decideKept(_: PolicySet, request: Omit<PermissionRequest, "key">, decider: KeptDecider): Decision {
  return decider.decideOn(request);
}

/** The frames of a kept key or account: one for each reader, since plans that read the same attributes share one. */
class KeptFrames<P extends "key" | "account"> {
  /** For plans that closures decide. */
  readonly unread: PrincipalFrame<P>;
  private readers: PrincipalReader[] = [];
  private frames: PrincipalFrame<P>[] = [];

  constructor(unread: PrincipalFrame<P>) {
    this.unread = unread;
  }

  readFor(plan: CompiledPlan): PrincipalFrame<P> {
    const reader = plan.principalReader();
    if (reader === undefined) return this.unread;
    const { readers } = this;
    for (let i = 0; i < readers.length; i++) {
      const known = this.frames[i];
      if (readers[i] === reader && known !== undefined) return known;
    }
    return this.add(plan, reader);
  }

  private add(plan: CompiledPlan, reader: PrincipalReader): PrincipalFrame<P> {
    if (this.readers.length >= MAX_FRAMES) {
      this.readers = [];
      this.frames = [];
    }
    const frame = keptFrame(this.unread);
    plan.readPrincipal(frame);
    this.readers.push(reader);
    this.frames.push(frame);
    return frame;
  }
}

/** Whether the set has no platform layer. False for an argument that is not a policy set: `decide` reports it. */
function isPermissionOnly(policies: PolicySet): boolean {
  return isPolicySet(policies) && policies.platform === undefined;
}

/**
 * The frames of the key and of the account, if there is one, with the tables for their questions. Undefined if one is
 * malformed, or if the argument is not a policy set: each decision reports it.
 */
function framesOf(policies: PolicySet, { key, account }: Partial<DeciderSubjects>) {
  try {
    if (key === undefined || policies.permission.enforcesSchemas) return undefined;
    const asked = account === undefined ? NO_ACCOUNT : account;
    const taken = validated({ key, operation: "none", resource: NO_RESOURCE, account: asked });
    if (!taken.isSound) return undefined;
    const frames = { key: keptFrame(taken.key), account: account === undefined ? undefined : keptFrame(taken.account) };
    return { ...frames, tables: policies.tables.of(frames.key, frames.account) };
  } catch {
    return undefined;
  }
}

/** A copy of the key and the account, each value read once. A part that is not given is left out. */
function copyOf(subjects: Partial<DeciderSubjects>): Partial<DeciderSubjects> {
  try {
    const { key = NO_KEY, account = NO_ACCOUNT } = readOnce(subjects);
    const copy = snapshot({ key: fieldsOf(key), account: fieldsOf(account), operation: "none", resource: NO_RESOURCE });
    return {
      ...(key === NO_KEY ? {} : { key: copy.key }),
      ...(account === NO_ACCOUNT ? {} : { account: copy.account }),
    };
  } catch {
    return {};
  }
}

/** A list becomes an object with its own fields, so that validation reports the same missing fields as `decide` does. */
function fieldsOf<P extends object>(part: P): P {
  return Array.isArray(part) ? Object.assign(Object.create(null), part) : part;
}

/** Decides on the request as a whole, with the bound key and account. Each of its own fields is read once. */
function decideWholeOf(
  policies: PolicySet,
  request: Omit<PermissionRequest, "key"> & { readonly key?: unknown },
  subjects: Partial<DeciderSubjects> & KnownSubjects,
): Decision {
  const own = readOnce(request);
  const account = own.account === undefined ? subjects.account : own.account;
  const whole = Object.assign(Object.create(null), own, { key: subjects.key, account });
  if (!isObject(request) || !hasOtherKey(own.key, subjects)) return decideRead(policies, whole);
  const taken = validated(snapshot(whole));
  return decideUnsound(policies, { ...taken, isSound: false, key: OTHER_KEY, whole: undefined });
}
