/**
 * The part of a request that a decision can depend on, for records that are replayed.
 *
 * The plan of each layer names the attributes that its rules may read: conditions, variables, derived roles and outputs.
 * All of these are recorded, even if the evaluation ended before it read one. Where schemas are enforced, or a rule reads
 * the attributes as a whole, every attribute is recorded. Nothing else of a key, an account or a resource is.
 */

import { isList, isObject, type JsonObject, type JsonValue } from "../cel/json.js";
import { formatTimestamp } from "../cel/time.js";
import { NO_ACCOUNT_FRAME } from "../decisions/decide.js";
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

/** The attributes that the policies of a decision may read. */
export interface RecordedReads {
  readonly key: RecordedAttributes & { readonly roles: readonly string[] };
  readonly resource: RecordedAttributes;
  /** Absent if the set is permission-only. */
  readonly account?: RecordedAttributes;
  /** The decision's clock, in ISO 8601; absent if there was none. */
  readonly now?: string;
}

/** Undefined: the request is malformed, or its attributes cannot be read. Never throws. */
export function readsOf(policies: PolicySet, request: PermissionRequest, mask: ValueMask): RecordedReads | undefined {
  try {
    const { permission, platform } = policies;
    const taken = validated(snapshot(request), platform === undefined ? NO_ACCOUNT_FRAME : undefined);
    if (!taken.isSound) return undefined;
    const { key, resource, account, action, now } = taken;
    const [own, row, owner] = [
      copiedPrincipal(key, ALL_NAMES),
      copiedResource(resource, ALL_NAMES),
      copiedPrincipal(account, ALL_NAMES),
    ];
    if (own === undefined || row === undefined || owner === undefined) return undefined;
    const names = (plan: CompiledPlan): NamesRead => (permission.enforcesSchemas ? ANY_NAMES : plan.reads);
    const first = names(permission.planFor(own, row, action));
    const second = platform && names(platform.planFor(owner, row, action));
    const both = second === undefined ? first.resource : union(first.resource, second.resource);
    const recorded = (part: MaskedPart, { attr, scope }: AttributeOwnerInput, read: readonly string[] | undefined) =>
      attributesOf(part, { attr, scope }, read, mask);
    return {
      key: { roles: [...own.roles], ...recorded("key", own, first.principal) },
      resource: recorded("resource", row, both),
      ...(second === undefined ? {} : { account: recorded("account", owner, second.principal) }),
      ...(now === undefined ? {} : { now: formatTimestamp(now) }),
    };
  } catch {
    // The argument is not a policy set, or the request has more values than a request may have.
    return undefined;
  }
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
  return isObject(value) && isPlain(value) && Object.values(value).every(isJson);
}

/** The copy of an attribute has plain objects, and others in place of unreadable values. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
