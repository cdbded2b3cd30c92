/**
 * The part of a request that a decision can depend on, for records that are replayed.
 *
 * The plan of each layer names the attributes that its rules may read: conditions, variables, derived roles and outputs.
 * All of these are recorded, even if the evaluation ended before it read one. Where schemas are enforced, or a rule reads
 * the attributes as a whole, every attribute is recorded. Nothing else of a key, an account or a resource is.
 */

import { isPlainObject } from "../cel/data.js";
import { isList, isObject, type JsonObject, type JsonValue } from "../cel/json.js";
import { formatTimestamp } from "../cel/time.js";
import { NO_ACCOUNT_FRAME } from "../decisions/decide.js";
import { MAX_LINKS } from "../decisions/decide-chain.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { validated } from "../decisions/request-validation.js";
import { snapshot } from "../decisions/snapshot.js";
import type { PermissionRequest } from "../decisions/types.js";
import type { CompiledPlan } from "../engine/evaluate/compiled-plan.js";
import { ANY_NAMES, type NamesRead } from "../engine/evaluate/names-read.js";
import { put } from "../engine/frame/copies.js";
import { ALL_NAMES, copiedPrincipal, copiedResource } from "../engine/frame/frame.js";
import type { MaskedPart, ValueMask } from "./value-mask.js";

/** The attributes of one part of a request. Each attribute that the rules may read is in exactly one of the lists. */
export interface RecordedAttributes {
  /** The attributes that the request has. A masked one is the text `hmac-sha256:` and 64 hexadecimal digits. */
  readonly attr: JsonObject;
  /** The names of the attributes that the request does not have. */
  readonly absent: readonly string[];
  /** The names in `attr` with masked values. Absent: none. */
  readonly masked?: readonly string[];
  /** The names of attributes with values that are not JSON, which `attr` does not have. Absent: none. */
  readonly unreadable?: readonly string[];
  /** True if every attribute was recorded: all others are absent, too. */
  readonly whole?: true;
  /** The scope; absent if it has none. */
  readonly scope?: string;
}

/** A key above the key of a request. */
export interface RecordedAncestor extends RecordedAttributes {
  readonly id: string;
  readonly roles: readonly string[];
}

/** The attributes that the policies of a decision may read. */
export interface RecordedReads {
  readonly key: RecordedAttributes & { readonly roles: readonly string[] };
  /**
   * The keys above it, the parent first. `null`: a key that could not be used, so that nothing was allowed. Absent: the
   * decision is about the key alone.
   */
  readonly ancestors?: readonly (RecordedAncestor | null)[];
  readonly resource: RecordedAttributes;
  /** Absent if the set is permission-only. */
  readonly account?: RecordedAttributes;
  /** The decision's clock, in ISO 8601; absent if there was none. */
  readonly now?: string;
}

/** The keys above the key of a request, the parent first. Undefined: a key that cannot be used. */
export type Ancestors = readonly (PermissionRequest["key"] | undefined)[];

/**
 * Undefined: the request is malformed, its attributes cannot be read, or the chain is too long. `ancestors`: undefined if
 * the decision is about the key alone. Never throws.
 */
export function readsOf(
  policies: PolicySet,
  request: PermissionRequest,
  ancestors: Ancestors | undefined,
  mask: ValueMask,
): RecordedReads | undefined {
  try {
    if (ancestors !== undefined && ancestors.length >= MAX_LINKS) return undefined;
    const copy = snapshot(request);
    const own = linkOf(policies, copy);
    if (own === undefined) return undefined;
    const above = ancestors?.map((key) => key && linkOf(policies, { ...copy, key: snapshot({ ...copy, key }).key }));
    const links = [own, ...(above ?? []).filter((link) => link !== undefined)];
    const { row, owner, now } = own;
    const second = policies.platform && namesOf(policies, policies.platform.planFor(owner, row, own.action));
    const both = [...links.map(({ reads }) => reads.resource), ...(second === undefined ? [] : [second.resource])];
    const recorded = (part: MaskedPart, { attr, scope }: AttributeOwnerInput, read: readonly string[] | undefined) =>
      attributesOf(part, { attr, scope }, read, mask);
    const keyOf = ({ key, reads }: Link) => ({ roles: [...key.roles], ...recorded("key", key, reads.principal) });
    return {
      key: keyOf(own),
      ...(above && {
        ancestors: above.map((link) => (link === undefined ? null : { id: link.key.id, ...keyOf(link) })),
      }),
      resource: recorded("resource", row, both.reduce(union)),
      ...(second === undefined ? {} : { account: recorded("account", owner, second.principal) }),
      ...(now === undefined ? {} : { now: formatTimestamp(now) }),
    };
  } catch {
    // An argument is not a policy set or a list, or the request has more values than a request may have.
    return undefined;
  }
}

/** A request by one key of a chain, and the names that the permission layer may read. */
type Link = NonNullable<ReturnType<typeof linkOf>>;

/** Undefined: the request is malformed, or its attributes cannot be read. */
function linkOf(policies: PolicySet, request: PermissionRequest) {
  const { permission, platform } = policies;
  const taken = validated(request, platform === undefined ? NO_ACCOUNT_FRAME : undefined);
  if (!taken.isSound) return undefined;
  const { action, now } = taken;
  const [key, row, owner] = [
    copiedPrincipal(taken.key, ALL_NAMES),
    copiedResource(taken.resource, ALL_NAMES),
    copiedPrincipal(taken.account, ALL_NAMES),
  ];
  if (key === undefined || row === undefined || owner === undefined) return undefined;
  return { key, row, owner, action, now, reads: namesOf(policies, permission.planFor(key, row, action)) };
}

function namesOf({ permission }: PolicySet, plan: CompiledPlan): NamesRead {
  return permission.enforcesSchemas ? ANY_NAMES : plan.reads;
}

function union(a: readonly string[] | undefined, b: readonly string[] | undefined): readonly string[] | undefined {
  return a && b && [...new Set([...a, ...b])];
}

interface AttributeOwnerInput {
  readonly attr: object;
  readonly scope: string;
}

function attributesOf(
  part: MaskedPart,
  { attr, scope }: AttributeOwnerInput,
  read: readonly string[] | undefined,
  mask: ValueMask,
): RecordedAttributes {
  const made: { [name: string]: JsonValue } = {};
  const [absent, masked, unreadable]: [string[], string[], string[]] = [[], [], []];
  for (const name of [...(read ?? Object.keys(attr))].sort()) {
    if (!Object.hasOwn(attr, name)) {
      absent.push(name);
      continue;
    }
    const value: unknown = Reflect.get(attr, name);
    const hidden = isJson(value) ? mask.of(part, name, value) : undefined;
    if (hidden !== undefined) masked.push(name);
    if (!isJson(value)) unreadable.push(name);
    else put(made, name, hidden ?? value);
  }
  return {
    attr: made,
    absent,
    ...(masked.length === 0 ? {} : { masked }),
    ...(unreadable.length === 0 ? {} : { unreadable }),
    ...(read === undefined ? { whole: true } : {}),
    ...(scope === "" ? {} : { scope }),
  };
}

/** True if JSON has exactly this value: it has no negative zero. */
function isJson(value: unknown): value is JsonValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (isList(value)) return value.every(isJson);
  // The copy of an attribute has plain objects, and others in place of unreadable values.
  return isObject(value) && isPlainObject(value) && Object.values(value).every(isJson);
}
