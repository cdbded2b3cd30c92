/**
 * Decision records of this library: the lines that `decisionRecord` makes. Version 2 has the attributes that the rules
 * may read, so that the decision can be made again. Version 1 has none.
 */

import { isList, isObject, type JsonObject, type JsonValue } from "../cel/json.js";
import { OUTCOMES, type Outcome } from "../decisions/types.js";

/** A recorded decision. */
export interface RecordedDecision {
  readonly request: RecordedRequest;
  readonly outcome: Outcome;
  /** Undefined in version 1. */
  readonly reads: RecordedReads | undefined;
}

/** The recorded request, in the form of `keyward decide` and `explain`. Version 1 has names alone. */
export type RecordedRequest = {
  readonly key: { readonly id: string; readonly roles: readonly string[]; readonly attr: JsonObject };
  readonly operation: string;
  readonly resource: { readonly kind: string; readonly id: string; readonly attr: JsonObject };
  readonly account?: { readonly id: string; readonly attr: JsonObject };
  /** In ISO 8601. */
  readonly now?: string;
};

export interface RecordedReads {
  readonly key: RecordedPart;
  /** The keys above it, the parent first. Undefined: a key that could not be used, so that nothing was allowed. */
  readonly ancestors: readonly (RecordedKey | undefined)[];
  readonly resource: RecordedPart;
  /** Undefined: no platform layer was asked. */
  readonly account: RecordedPart | undefined;
}

/** A key of a chain. */
export interface RecordedKey {
  readonly key: RecordedRequest["key"];
  readonly recorded: RecordedPart;
}

interface PartFields {
  /** Without masked attributes. */
  readonly attr: JsonObject;
  readonly absent: readonly string[];
  readonly hidden: readonly string[];
  readonly isWhole: boolean;
  readonly scope: string;
}

/** The attributes of a part that a record has. */
export class RecordedPart {
  readonly attr: JsonObject;
  private readonly absent: readonly string[];
  /** The attributes that the request had, with values that the record does not tell. */
  private readonly hidden: readonly string[];
  private readonly isWhole: boolean;
  readonly scope: string;

  constructor({ attr, absent, hidden, isWhole, scope }: PartFields) {
    this.attr = attr;
    this.absent = absent;
    this.hidden = hidden;
    this.isWhole = isWhole;
    this.scope = scope;
  }

  /** The recorded attributes and the scope, as fields of a request. */
  get fields(): { readonly attr: JsonObject; readonly scope?: string } {
    return { attr: this.attr, ...(this.scope === "" ? {} : { scope: this.scope }) };
  }

  /** The part with other attributes: these are then known. */
  withAttributes(attr: JsonObject): RecordedPart {
    const { absent, hidden, isWhole, scope } = this;
    const stillHidden = hidden.filter((name) => !Object.hasOwn(attr, name));
    return new RecordedPart({ attr, absent, hidden: stillHidden, isWhole, scope });
  }

  /** True if the record does not tell the value of an attribute, or whether it was there. Undefined: of any attribute. */
  lacks(name: string | undefined): boolean {
    if (name === undefined) return !this.isWhole || this.hidden.length > 0;
    return this.hides(name) || !(this.isWhole || Object.hasOwn(this.attr, name) || this.absent.includes(name));
  }

  /** True if the request had an attribute that the record lacks. */
  hides(name: string): boolean {
    return this.hidden.includes(name);
  }
}

/** Why a decision record is not replayed. */
export type RecordFault = "the decision is about another key" | "decision record of another shape";

/** Undefined: the object is not a decision record. Never throws. */
export function readOwnRecord(line: JsonObject): RecordedDecision | RecordFault | undefined {
  const { permissionEffect, policySetHash } = line;
  const outcome = OUTCOMES.find((one) => one === line.outcome);
  if (outcome === undefined || permissionEffect === undefined || policySetHash === undefined) return undefined;
  // Services refuse for other powers, too: those are not in the record.
  if (line.exceeding !== undefined) return ABOUT_ANOTHER;
  if (line.refusedBy !== undefined && !(isObject(line.reads) && isList(line.reads.ancestors))) return ABOUT_ANOTHER;
  const names = namesOf(line);
  if (names === undefined) return DAMAGED;
  if (line.version === undefined && line.reads === undefined)
    return { outcome, request: bareRequest(names), reads: undefined };
  const found = line.version === 2 && isObject(line.reads) ? readsOf(names, line.reads) : undefined;
  return found === undefined ? DAMAGED : { outcome, ...found };
}

const ABOUT_ANOTHER = "the decision is about another key";
const DAMAGED = "decision record of another shape";

interface RecordedNames {
  readonly keyId: string;
  readonly operation: string;
  readonly resourceKind: string;
  readonly resourceId: string;
  readonly accountId: string;
}

function namesOf({ keyId, operation, resourceKind, resourceId, accountId }: JsonObject): RecordedNames | undefined {
  return typeof keyId === "string" &&
    typeof operation === "string" &&
    typeof resourceKind === "string" &&
    typeof resourceId === "string" &&
    typeof accountId === "string"
    ? { keyId, operation, resourceKind, resourceId, accountId }
    : undefined;
}

function bareRequest({ keyId, operation, resourceKind, resourceId, accountId }: RecordedNames): RecordedRequest {
  return {
    key: { id: keyId, roles: [], attr: {} },
    operation,
    resource: { kind: resourceKind, id: resourceId, attr: {} },
    account: { id: accountId, attr: {} },
  };
}

function readsOf(
  names: RecordedNames,
  { key, resource, account, now, ancestors = [] }: JsonObject,
): Omit<RecordedDecision, "outcome"> | undefined {
  const [own, row, owner] = [partOf(key), partOf(resource), account === undefined ? undefined : partOf(account)];
  const roles = rolesOf(key);
  const above = ancestorsOf(ancestors);
  const isSound = (account === undefined) === (owner === undefined) && (now === undefined || typeof now === "string");
  if (own === undefined || row === undefined || roles === undefined || above === undefined || !isSound)
    return undefined;
  const bare = bareRequest(names);
  return {
    request: {
      key: { id: names.keyId, roles, ...own.fields },
      operation: names.operation,
      resource: { ...bare.resource, ...row.fields },
      ...(owner === undefined ? {} : { account: { id: names.accountId, ...owner.fields } }),
      ...(now === undefined ? {} : { now }),
    },
    reads: { key: own, ancestors: above, resource: row, account: owner },
  };
}

/** Undefined: the value is not a list of keys of that shape. */
function ancestorsOf(links: JsonValue): RecordedReads["ancestors"] | undefined {
  if (!isList(links)) return undefined;
  const read = links.map((link) => (link === null ? undefined : (ancestorOf(link) ?? DAMAGED)));
  return read.every((link) => link !== DAMAGED) ? read : undefined;
}

function ancestorOf(link: JsonValue): RecordedKey | undefined {
  const [recorded, roles] = [partOf(link), rolesOf(link)];
  if (!isObject(link) || typeof link.id !== "string" || recorded === undefined || roles === undefined) return undefined;
  return { key: { id: link.id, roles, ...recorded.fields }, recorded };
}

/** Undefined: the part of a record has no roles. */
function rolesOf(part: JsonValue | undefined): readonly string[] | undefined {
  const roles = isObject(part) ? textsOf(part.roles) : undefined;
  return roles?.length === 0 ? undefined : roles;
}

function partOf(part: JsonValue | undefined): RecordedPart | undefined {
  if (!isObject(part)) return undefined;
  const { attr, scope = "", whole = false } = part;
  const [absent, masked, unreadable] = [part.absent, part.masked ?? [], part.unreadable ?? []].map(textsOf);
  if (!isObject(attr) || typeof scope !== "string" || typeof whole !== "boolean") return undefined;
  if (absent === undefined || masked === undefined || unreadable === undefined) return undefined;
  const isKnown = ([name]: [string, JsonValue]) => !masked.includes(name);
  const known = masked.length === 0 ? attr : Object.fromEntries(Object.entries(attr).filter(isKnown));
  return new RecordedPart({ attr: known, absent, hidden: [...masked, ...unreadable], isWhole: whole, scope });
}

/** Undefined: the value is not a list of texts. */
export function textsOf(value: JsonValue | undefined): readonly string[] | undefined {
  return isList(value) && value.every((one) => typeof one === "string") ? value : undefined;
}
