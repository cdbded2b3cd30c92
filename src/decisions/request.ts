/**
 * Requests as the engine reads them. Whatever a caller passes is looked at as data of unknown shape: what is not a
 * request is refused with a message, and only own properties count, so nothing inherited is ever a role or an id.
 */

import { type CelMap, type CelValue, Timestamp } from "../cel/values.js";
import type { PrincipalInput, ResourceInput } from "../engine/activation.js";

/** What is wrong with a request, and where: `key.roles[0]`. */
export interface RequestIssue {
  readonly path: string;
  readonly message: string;
}

/** Longest id, kind, operation or role, in UTF-16 code units. */
export const MAX_NAME_LENGTH = 4_096;

export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly issue: RequestIssue };

const NO_ATTR: CelMap = Object.freeze(Object.create(null));
const ACCOUNT_ROLES: readonly string[] = Object.freeze(["account"]);

/** What a getter or proxy throws on the way is not looked at: it may itself be hostile. */
function guarded<T>(path: string, read: (value: unknown) => Read<T>): (value: unknown) => Read<T> {
  return (value) => {
    try {
      return read(value);
    } catch {
      return refused(path, "cannot be read");
    }
  };
}

/** The parts of a request, each read once. */
export const readParts = guarded("", (request): Read<RequestParts> => {
  if (!isObject(request)) return refused("", "must be an object");
  const value = {
    key: own(request, "key"),
    operation: own(request, "operation"),
    resource: own(request, "resource"),
    account: own(request, "account"),
    now: own(request, "now"),
  };
  return { ok: true, value };
});

/** The parts of a request, not yet looked at. */
export interface RequestParts {
  readonly key: unknown;
  readonly operation: unknown;
  readonly resource: unknown;
  readonly account: unknown;
  readonly now: unknown;
}

/** The key of a request. It must not choose a policy version: the layer is the version. */
export const readKey = guarded("key", (key): Read<PrincipalInput> => {
  if (!isObject(key)) return refused("key", "must be an object");
  const roles = own(key, "roles");
  if (!isNames(roles)) return refused("key.roles", "must be a list of one or more role names");
  const id = own(key, "id");
  if (!isName(id)) return nameIssue("key.id");
  const attr = attributes(key);
  if (attr === undefined) return refused("key.attr", "must be an object");
  return foreign(key, "key") ?? { ok: true, value: { id, roles, attr } };
});

/** The account of a request: the platform layer's principal, of the single role `account`. */
export const readAccount = guarded("account", (account): Read<PrincipalInput> => {
  if (!isObject(account)) return refused("account", "must be an object");
  const id = own(account, "id");
  if (!isName(id)) return nameIssue("account.id");
  const attr = attributes(account);
  if (attr === undefined) return refused("account.attr", "must be an object");
  return foreign(account, "account") ?? { ok: true, value: { id, roles: ACCOUNT_ROLES, attr } };
});

export const readResource = guarded("resource", (resource): Read<ResourceInput> => {
  if (!isObject(resource)) return refused("resource", "must be an object");
  const kind = own(resource, "kind");
  if (!isName(kind)) return nameIssue("resource.kind");
  const id = own(resource, "id");
  if (!isName(id)) return nameIssue("resource.id");
  const attr = attributes(resource);
  if (attr === undefined) return refused("resource.attr", "must be an object");
  return foreign(resource, "resource") ?? { ok: true, value: { kind, id, attr } };
});

export function readOperation(operation: unknown): Read<string> {
  return isName(operation) ? { ok: true, value: operation } : nameIssue("operation");
}

/** The decision's clock: absent, or a valid `Date`. */
export const readNow = guarded("now", (now): Read<Timestamp | undefined> => {
  if (now === undefined) return { ok: true, value: undefined };
  if (!(now instanceof Date)) return refused("now", "must be a Date");
  const millis = now.getTime();
  if (Number.isNaN(millis)) return refused("now", "must be a valid Date");
  const seconds = Math.floor(millis / 1000);
  return { ok: true, value: new Timestamp(seconds, (millis - seconds * 1000) * 1_000_000) };
});

/** Policy versions and scopes are not a request's to choose; silently ignoring one would answer another question. */
function foreign(value: { readonly [key: string]: unknown }, path: string): Read<never> | undefined {
  if (isSet(own(value, "policyVersion"))) {
    return refused(`${path}.policyVersion`, "must be absent: the layer is the policy version");
  }
  if (isSet(own(value, "scope"))) return refused(`${path}.scope`, "must be absent: scopes are not supported");
  return undefined;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== "";
}

/** `attr`, or `attributes`, its older name; none is an empty map. Undefined if it is not a map. */
function attributes(value: { readonly [key: string]: unknown }): CelMap | undefined {
  const attr = own(value, "attr") ?? own(value, "attributes");
  if (attr === undefined) return NO_ATTR;
  return isAttributes(attr) ? attr : undefined;
}

function isAttributes(value: unknown): value is { readonly [key: string]: CelValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null;
}

function own(value: { readonly [key: string]: unknown }, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= MAX_NAME_LENGTH;
}

function isNames(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  for (let i = 0; i < value.length; i++) if (!isName(value[i])) return false;
  return true;
}

function nameIssue(path: string): Read<never> {
  return refused(path, `must be a string of 1 to ${MAX_NAME_LENGTH} characters`);
}

function refused(path: string, message: string): Read<never> {
  return { ok: false, issue: { path, message } };
}
