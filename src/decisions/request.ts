/**
 * Requests as the engine reads them. Whatever a caller passes is looked at as data of unknown shape: what is not a
 * request is refused with a message, and the invariant "own properties" holds of it, too: nothing inherited is ever a
 * role or an id.
 */

import { type JsonMap, Timestamp } from "../cel/values.js";
import type { JointRequest, PrincipalInput, ResourceInput } from "../engine/plan/subjects.js";

/** What is wrong with a request, and where: `key.roles`. */
export class RequestIssue {
  readonly path: string;
  readonly message: string;
  constructor(path: string, message: string) {
    this.path = path;
    this.message = message;
  }
}

/** An issue in words, with its place if it has one. */
export function issueText({ path, message }: RequestIssue): string {
  return path === "" ? message : `${path} ${message}`;
}

/** How a verdict names an issue. */
export function invalidRequest(issue: RequestIssue): string {
  return `invalid request: ${issueText(issue)}`;
}

/** Longest id, kind, operation or role, in UTF-16 code units. */
const MAX_NAME_LENGTH = 4_096;

/**
 * A request of which every part is well-formed, as the engine takes it up. The key must not choose a policy version: the
 * layer is the version. The account is of the single role `account`.
 */
export interface Sound extends JointRequest {
  readonly isSound: true;
}

/** Any other request: each part, or what is wrong with it. */
export interface Unsound {
  readonly isSound: false;
  readonly key: Sound["key"] | RequestIssue;
  readonly action: Sound["action"] | RequestIssue;
  readonly resource: Sound["resource"] | RequestIssue;
  readonly account: Sound["account"] | RequestIssue;
  readonly now: Sound["now"] | RequestIssue;
  /** What is wrong with the request as a whole, so that no part could be read. */
  readonly whole: RequestIssue | undefined;
}

export type Taken = Sound | Unsound;

/** What both layers are asked about. */
export type Target = Pick<Unsound, "action" | "resource" | "now">;

/** What one layer is asked. */
export interface Question extends Pick<Sound, "action" | "resource" | "now"> {
  readonly principal: PrincipalInput;
}

/** What a layer is asked, or the first issue that keeps it from being asked. */
export function questionOf(
  principal: PrincipalInput | RequestIssue,
  { action, resource, now }: Target,
): Question | RequestIssue {
  if (principal instanceof RequestIssue) return principal;
  if (action instanceof RequestIssue) return action;
  if (resource instanceof RequestIssue) return resource;
  if (now instanceof RequestIssue) return now;
  return { principal, action, resource, now };
}

/**
 * Takes up a request. Never throws. Each field is read once, so what was looked at is what counts, whatever getters and
 * proxies there are; only where one of them throws, the parts are read anew, each by itself.
 *
 * `absent` stands for an account that is not given.
 *
 * What is usual is taken up in one function, written out: it is most of what a decision costs.
 */
export function takeUp(request: unknown, absent?: Fields): Taken {
  try {
    if (!isObject(request)) return takeParts(request, undefined);
    const { key, operation, resource, account = absent, now } = request;
    if (!isObject(key) || !isObject(resource) || !isObject(account)) {
      return takeParts(request, undefined, { key, operation, resource, account, now });
    }
    const { id: keyId, roles, attr: keyAttr, attributes: keyOlder } = key;
    const { policyVersion: keyVersion, scope: keyScope } = key;
    const isOwnKey = isOwnPart(key);
    const names = namesOf(roles);
    const { id: resourceId, kind, attr: resourceAttr, attributes: resourceOlder } = resource;
    const { policyVersion: resourceVersion, scope: resourceScope } = resource;
    const isOwnResource = isOwnPart(resource);
    const { id: accountId, attr: accountAttr, attributes: accountOlder } = account;
    const { policyVersion: accountVersion, scope: accountScope } = account;
    const isUsual =
      isOwnPart(account) &&
      isOwnResource &&
      isOwnKey &&
      isPlain(request) &&
      !isPolluted() &&
      keyOlder === undefined &&
      keyVersion === undefined &&
      resourceOlder === undefined &&
      resourceVersion === undefined &&
      accountOlder === undefined &&
      accountVersion === undefined;
    if (
      isUsual &&
      isName(keyId) &&
      isNoneOrAttributes(keyAttr) &&
      isScope(keyScope) &&
      isName(operation) &&
      isName(kind) &&
      isName(resourceId) &&
      isNoneOrAttributes(resourceAttr) &&
      isScope(resourceScope) &&
      isName(accountId) &&
      isNoneOrAttributes(accountAttr) &&
      isScope(accountScope) &&
      names !== undefined
    ) {
      const clock = now === undefined ? undefined : clockOf(now);
      if (!(clock instanceof RequestIssue)) {
        return {
          isSound: true,
          key: { id: keyId, roles: names, attr: keyAttr ?? NO_ATTR, scope: keyScope ?? "" },
          action: operation,
          resource: { kind, id: resourceId, attr: resourceAttr ?? NO_ATTR, scope: resourceScope ?? "" },
          account: { id: accountId, roles: ACCOUNT_ROLES, attr: accountAttr ?? NO_ATTR, scope: accountScope ?? "" },
          now: clock,
        };
      }
    }
    return takeParts(
      request,
      undefined,
      { key, operation, resource, account, now },
      // What is no list of names is not read again, and is not missing.
      fields(keyId, undefined, names ?? (roles === undefined ? roles : null), keyAttr, keyOlder, keyVersion, keyScope),
      fields(resourceId, kind, undefined, resourceAttr, resourceOlder, resourceVersion, resourceScope),
      fields(accountId, undefined, undefined, accountAttr, accountOlder, accountVersion, accountScope),
    );
  } catch {
    // Some part cannot be read: which one is found out part by part.
    return takeParts(request, undefined);
  }
}

function fields(
  id: unknown,
  kind: unknown,
  roles: unknown,
  attr: unknown,
  attributes: unknown,
  policyVersion: unknown,
  scope: unknown,
): Fields {
  return { id, kind, roles, attr, attributes, policyVersion, scope };
}

/** The key, and perhaps the account, that a request goes without. */
export interface KnownSubjects {
  readonly key?: unknown;
  readonly account?: unknown;
}

/**
 * A request without its key, and perhaps without its account: what stands for these is taken. Whatever is unusual is taken up
 * part by part, with the subjects as they were given; so is a request without an account, where `account` is undefined.
 */
export function takeUpTarget(
  request: unknown,
  key: PrincipalInput,
  account: PrincipalInput | undefined,
  subjects: KnownSubjects,
): Taken {
  try {
    if (!isObject(request)) return takeParts(request, subjects);
    const { operation, resource, account: own, now } = request;
    return isPlain(request) && !isPolluted()
      ? takeUpOn(operation, resource, own, now, key, account, subjects)
      : takeParts(request, subjects, { operation, resource, account: own, now });
  } catch {
    return takeParts(request, subjects);
  }
}

/** The same for the parts of a request. */
export function takeUpOn(
  operation: unknown,
  resource: unknown,
  own: unknown,
  now: unknown,
  key: PrincipalInput,
  account: PrincipalInput | undefined,
  subjects: KnownSubjects,
): Taken {
  try {
    if (!isObject(resource) || (own !== undefined && !isObject(own))) {
      return takeRead({ operation, resource, account: own, now }, subjects);
    }
    const { id, kind, attr, attributes, policyVersion, scope } = resource;
    const isOwnResource = isOwnPart(resource);
    let taken = account;
    let accountRead: Fields | undefined;
    if (own !== undefined) {
      const { id: accountId, attr: accountAttr, attributes: accountOlder } = own;
      const { policyVersion: accountVersion, scope: accountScope } = own;
      const isUsual = isOwnPart(own) && accountOlder === undefined && accountVersion === undefined;
      taken =
        isUsual && isName(accountId) && isNoneOrAttributes(accountAttr) && isScope(accountScope)
          ? { id: accountId, roles: ACCOUNT_ROLES, attr: accountAttr ?? NO_ATTR, scope: accountScope ?? "" }
          : undefined;
      if (taken === undefined)
        accountRead = fields(accountId, undefined, undefined, accountAttr, accountOlder, accountVersion, accountScope);
    }
    const isUsual = isOwnResource && !isPolluted() && attributes === undefined && policyVersion === undefined;
    if (
      taken !== undefined &&
      isUsual &&
      isScope(scope) &&
      isName(operation) &&
      isName(kind) &&
      isName(id) &&
      isNoneOrAttributes(attr)
    ) {
      const clock = now === undefined ? undefined : clockOf(now);
      if (!(clock instanceof RequestIssue)) {
        const target = { kind, id, attr: attr ?? NO_ATTR, scope: scope ?? "" };
        return { isSound: true, key, action: operation, resource: target, now: clock, account: taken };
      }
    }
    if (own !== undefined) {
      accountRead ??= taken && fields(taken.id, undefined, undefined, taken.attr, undefined, undefined, taken.scope);
    }
    const resourceRead = fields(id, kind, undefined, attr, attributes, policyVersion, scope);
    return takeRead({ operation, resource, account: own, now }, subjects, resourceRead, accountRead);
  } catch {
    return takeRead({ operation, resource, account: own, now }, subjects);
  }
}

/** {@link takeParts} of a request whose own fields were read. */
function takeRead(read: Fields, subjects: KnownSubjects, resourceRead?: Fields, accountRead?: Fields): Taken {
  return takeParts(NOTHING, subjects, read, undefined, resourceRead, accountRead);
}

/** The own parts of a request. In place of one that cannot be read stands what is no such part. */
export function readOnce<T extends object>(request: T): T {
  const parts: { [name: string]: unknown } = Object.create(null);
  for (const name of ["key", "operation", "resource", "account", "now"]) {
    try {
      parts[name] = Object.hasOwn(request, name) ? Reflect.get(request, name) : undefined;
    } catch {
      parts[name] = null;
    }
  }
  return Object.assign(Object.create(null), parts);
}

/** {@link takeUp}, part by part. What is not given as read already is read here. `subjects`: of a request that goes without. */
function takeParts(
  request: unknown,
  subjects: KnownSubjects | undefined,
  read?: Fields,
  keyRead?: Fields,
  resourceRead?: Fields,
  accountRead?: Fields,
): Taken {
  const parts = attempt("", () => wholeOf(request, read));
  const whole = parts instanceof RequestIssue ? parts : undefined;
  const own: Fields = parts instanceof RequestIssue ? NOTHING : parts;
  const { operation, resource, now } = own;
  const key = subjects === undefined ? own.key : subjects.key;
  const isOwnAccount = subjects === undefined || own.account !== undefined;
  const account = isOwnAccount ? own.account : subjects.account;
  return taken(
    attempt("key", () => keyOf(key, keyRead)),
    operation,
    attempt("resource", () => resourceOf(resource, resourceRead)),
    attempt("account", () => accountOf(account, isOwnAccount ? accountRead : undefined)),
    attempt("now", () => clockOf(now)),
    whole,
  );
}

function taken(
  key: Unsound["key"],
  operation: unknown,
  resource: Unsound["resource"],
  account: Unsound["account"],
  now: Unsound["now"],
  whole: RequestIssue | undefined,
): Taken {
  const action = isName(operation) ? operation : nameIssue("operation", operation);
  if (
    key instanceof RequestIssue ||
    action instanceof RequestIssue ||
    resource instanceof RequestIssue ||
    account instanceof RequestIssue ||
    now instanceof RequestIssue
  ) {
    return { isSound: false, key, action, resource, account, now, whole };
  }
  return { isSound: true, key, action, resource, account, now };
}

const NOTHING: Fields = {};

/** What a getter or proxy throws on the way is not looked at: it may itself be hostile. */
function attempt<T>(path: string, read: () => T): T | RequestIssue {
  try {
    return read();
  } catch {
    return new RequestIssue(path, "cannot be read");
  }
}

const NO_ATTR: JsonMap = Object.freeze(Object.create(null));
const ACCOUNT_ROLES: readonly string[] = Object.freeze(["account"]);

function wholeOf(value: unknown, read: Fields | undefined): Fields | RequestIssue {
  if (!isObject(value)) return new RequestIssue("", "must be an object");
  if (read !== undefined) return ownOf(value, read);
  const { key, operation, resource, account, now } = value;
  return ownOf(value, { key, operation, resource, account, now });
}

function keyOf(value: unknown, read: Fields | undefined): PrincipalInput | RequestIssue {
  if (!isObject(value)) return issueOf("key", value, "must be an object");
  const { id, roles, attr, attributes, policyVersion, scope } = ownOf(value, read ?? fieldsOf(value));
  const names = namesOf(roles);
  if (names === undefined) return issueOf("key.roles", roles, "must be a list of one or more role names");
  if (!isName(id)) return nameIssue("key.id", id);
  const map = attributesOf(attr, attributes);
  if (map === undefined) return new RequestIssue("key.attr", "must be an object");
  return placeIssue(policyVersion, scope, "key") ?? { id, roles: names, attr: map, scope: scopeOf(scope) };
}

function accountOf(value: unknown, read: Fields | undefined): PrincipalInput | RequestIssue {
  if (!isObject(value)) return issueOf("account", value, "must be an object");
  const { id, attr, attributes, policyVersion, scope } = ownOf(value, read ?? fieldsOf(value));
  if (!isName(id)) return nameIssue("account.id", id);
  const map = attributesOf(attr, attributes);
  if (map === undefined) return new RequestIssue("account.attr", "must be an object");
  const issue = placeIssue(policyVersion, scope, "account");
  return issue ?? { id, roles: ACCOUNT_ROLES, attr: map, scope: scopeOf(scope) };
}

function resourceOf(value: unknown, read: Fields | undefined): ResourceInput | RequestIssue {
  if (!isObject(value)) return issueOf("resource", value, "must be an object");
  const { kind, id, attr, attributes, policyVersion, scope } = ownOf(value, read ?? fieldsOf(value));
  if (!isName(kind)) return nameIssue("resource.kind", kind);
  if (!isName(id)) return nameIssue("resource.id", id);
  const map = attributesOf(attr, attributes);
  if (map === undefined) return new RequestIssue("resource.attr", "must be an object");
  return placeIssue(policyVersion, scope, "resource") ?? { kind, id, attr: map, scope: scopeOf(scope) };
}

/** A valid `Date`, or none. */
function clockOf(now: unknown): Timestamp | undefined | RequestIssue {
  if (now === undefined) return undefined;
  const millis = now instanceof Date ? now.getTime() : Number.NaN;
  if (Number.isNaN(millis)) return new RequestIssue("now", "must be a valid Date");
  const seconds = Math.floor(millis / 1000);
  return new Timestamp(seconds, (millis - seconds * 1000) * 1_000_000);
}

/** Fields by which requests, keys, accounts and resources are read. */
interface Fields {
  readonly key?: unknown;
  readonly operation?: unknown;
  readonly resource?: unknown;
  readonly account?: unknown;
  readonly now?: unknown;
  readonly id?: unknown;
  readonly kind?: unknown;
  readonly roles?: unknown;
  readonly attr?: unknown;
  readonly attributes?: unknown;
  readonly policyVersion?: unknown;
  readonly scope?: unknown;
}

const OBJECT: object = Object.prototype;

/**
 * Whether nothing was read from `value` but its own fields, if nothing is polluted. Asked of the object right after its
 * fields were read: there it costs next to nothing.
 */
function isPlain(value: Fields): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === OBJECT || prototype === null;
}

/** The same of a key, a resource or an account, which may be of a class that has none of the fields. */
function isOwnPart(value: Fields): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === OBJECT || prototype === null || (isObject(prototype) && !hasPartFields(prototype));
}

/** Written out, since a constant name is looked up in a fraction of the time of a variable one. */
function hasPartFields(prototype: Fields): boolean {
  return (
    "id" in prototype ||
    "kind" in prototype ||
    "roles" in prototype ||
    "attr" in prototype ||
    "attributes" in prototype ||
    "policyVersion" in prototype ||
    "scope" in prototype
  );
}

function fieldsOf({ id, kind, roles, attr, attributes, policyVersion, scope }: Fields): Fields {
  return fields(id, kind, roles, attr, attributes, policyVersion, scope);
}

/** An object as one that has no fields but its own, and these as they are; the object itself, where it is one. */
export function ownFields<T extends object>(value: T): T {
  return isPlain(value) && !isPolluted() ? value : Object.assign(Object.create(null), value);
}

/** Of what was read of `value`, what is its own. */
function ownOf(value: Fields, read: Fields): Fields {
  if (isPlain(value) && !isPolluted()) return read;
  const own = Object.entries(read).filter(([name]) => Object.hasOwn(value, name));
  return Object.assign(Object.create(null), Object.fromEntries(own));
}

/** Whether somebody has put one of our names on `Object.prototype`. */
function isPolluted(): boolean {
  return (
    hasPartFields(OBJECT) ||
    "key" in OBJECT ||
    "operation" in OBJECT ||
    "resource" in OBJECT ||
    "account" in OBJECT ||
    "now" in OBJECT
  );
}

/**
 * What is wrong with the fields that choose policies. The version is not a request's to choose: silently ignoring one
 * would answer another question.
 */
function placeIssue(policyVersion: unknown, scope: unknown, path: string): RequestIssue | undefined {
  if (policyVersion !== undefined && policyVersion !== "") {
    return new RequestIssue(`${path}.policyVersion`, "must be absent: the layer is the policy version");
  }
  if (scope !== undefined && scope !== "" && !isName(scope)) return nameIssue(`${path}.scope`, scope);
  return undefined;
}

function scopeOf(scope: unknown): string {
  return typeof scope === "string" ? scope : "";
}

/** `attr`, or `attributes`, its older name; none is an empty map. Undefined if it is not a map. */
function attributesOf(attr: unknown, older: unknown): JsonMap | undefined {
  const given = attr === undefined ? older : attr;
  if (given === undefined) return NO_ATTR;
  return isAttributes(given) ? given : undefined;
}

function isAttributes(value: unknown): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNoneOrAttributes(value: unknown): value is JsonMap | undefined {
  return value === undefined || isAttributes(value);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function isScope(value: unknown): value is string | undefined {
  return value === undefined || isName(value);
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= MAX_NAME_LENGTH;
}

/** A copy, so that the names that were looked at are those that count. Undefined if some are none. */
function namesOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const given: readonly unknown[] = value;
  const { length } = given;
  if (length === 1) {
    const name = given[0];
    return isName(name) ? [name] : undefined;
  }
  const names: string[] = [];
  for (let i = 0; i < length; i++) {
    const name = given[i];
    if (!isName(name)) return undefined;
    names.push(name);
  }
  return length === 0 ? undefined : names;
}

function nameIssue(path: string, value: unknown): RequestIssue {
  return issueOf(path, value, `must be a string of 1 to ${MAX_NAME_LENGTH} characters`);
}

/** An issue of a part that there must be: it is missing, or not what it must be. */
function issueOf(path: string, value: unknown, message: string): RequestIssue {
  return new RequestIssue(path, value === undefined ? "is missing" : message);
}
