/**
 * Requests as the engine reads them. Whatever a caller passes is looked at as data of unknown shape: what is not a
 * request is refused with a message, and the invariant "own properties" holds of it, too: nothing inherited is ever a
 * role or an id.
 */

import type { JsonMap, Timestamp } from "../cel/values.js";
import type { JointRequest, PrincipalInput } from "../engine/plan/subjects.js";
import { type Fields, fields, isObject, isOwnPart, isPlain, isPolluted, ownOf } from "./own-fields.js";
import { RequestIssue } from "./request-issue.js";
import {
  ACCOUNT_ROLES,
  accountOf,
  clockOf,
  isName,
  isNoneOrAttributes,
  isScope,
  keyOf,
  NO_ATTR,
  nameIssue,
  namesOf,
  resourceOf,
} from "./request-parts.js";

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
 * Who goes on with a request that is sound. It is passed part by part: objects made for each decision would take as long as
 * all else that is done for it.
 */
export interface Taker<T> {
  taken(
    keyId: string,
    keyRoles: readonly string[],
    keyAttr: JsonMap,
    keyScope: string,
    action: string,
    kind: string,
    id: string,
    attr: JsonMap,
    scope: string,
    accountId: string,
    accountAttr: JsonMap,
    accountScope: string,
    now: Timestamp | undefined,
  ): T;
}

/** Takes up a request. Never throws. `absent` stands for an account that is not given. */
export function takeUp(request: unknown, absent?: Fields): Taken {
  return takeUpFor<Taken, undefined>(AS_OBJECTS, asItIs, undefined, request, absent);
}

/** Makes objects of the parts. */
export const AS_OBJECTS: Taker<Sound> = {
  taken(keyId, roles, keyAttr, keyScope, action, kind, id, attr, scope, accountId, accountAttr, accountScope, now) {
    const key = { id: keyId, roles, attr: keyAttr, scope: keyScope };
    const account = { id: accountId, roles: ACCOUNT_ROLES, attr: accountAttr, scope: accountScope };
    return { isSound: true, key, action, resource: { kind, id, attr, scope }, account, now };
  },
};

function asItIs(_: undefined, taken: Unsound): Taken {
  return taken;
}

/**
 * Takes up a request for whoever goes on with it: with one that is sound `taker`, with any other `otherwise`, which is passed
 * `by`, so that no closure has to be made. Throws what these throw. Each field is read once, so what was looked at is what counts, whatever getters and
 * proxies there are; only where one of them throws, the parts are read anew, each by itself.
 *
 * `absent` stands for an account that is not given.
 *
 * What is usual is taken up in one function, written out: it is most of what a decision costs.
 */
export function takeUpFor<T, By>(
  taker: Taker<T>,
  otherwise: (by: By, taken: Unsound) => T,
  by: By,
  request: unknown,
  absent: Fields | undefined,
): T {
  try {
    if (isObject(request)) {
      const { key, operation, resource, account = absent, now } = request;
      if (!isObject(key) || !isObject(resource) || !isObject(account)) {
        const read = { key, operation, resource, account, now };
        return goOn(taker, otherwise, by, takeParts(request, undefined, read));
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
          return taker.taken(
            keyId,
            names,
            keyAttr ?? NO_ATTR,
            keyScope ?? "",
            operation,
            kind,
            resourceId,
            resourceAttr ?? NO_ATTR,
            resourceScope ?? "",
            accountId,
            accountAttr ?? NO_ATTR,
            accountScope ?? "",
            clock,
          );
        }
      }
      const parts = takeParts(
        request,
        undefined,
        { key, operation, resource, account, now },
        // What is no list of names is not read again, and is not missing.
        fields(
          keyId,
          undefined,
          names ?? (roles === undefined ? roles : null),
          keyAttr,
          keyOlder,
          keyVersion,
          keyScope,
        ),
        fields(resourceId, kind, undefined, resourceAttr, resourceOlder, resourceVersion, resourceScope),
        fields(accountId, undefined, undefined, accountAttr, accountOlder, accountVersion, accountScope),
      );
      return goOn(taker, otherwise, by, parts);
    }
  } catch {
    // Some part cannot be read: which one is found out part by part. (Or nobody goes on: that is found out once more.)
  }
  return goOn(taker, otherwise, by, takeParts(request, undefined));
}

function goOn<T, By>(taker: Taker<T>, otherwise: (by: By, taken: Unsound) => T, by: By, taken: Taken): T {
  if (!taken.isSound) return otherwise(by, taken);
  const { key, action, resource, account, now } = taken;
  return taker.taken(
    key.id,
    key.roles,
    key.attr,
    key.scope,
    action,
    resource.kind,
    resource.id,
    resource.attr,
    resource.scope,
    account.id,
    account.attr,
    account.scope,
    now,
  );
}

/** The key, and perhaps the account, that a request goes without. */
export interface KnownSubjects {
  readonly key?: unknown;
  readonly account?: unknown;
}

/** Who goes on with what is asked of a decider, if it is sound. */
export interface TargetTaker<T> {
  /** `account`: the one that is bound, unless the request has one of its own. */
  target(
    action: string,
    kind: string,
    id: string,
    attr: JsonMap,
    scope: string,
    account: PrincipalInput,
    now: Timestamp | undefined,
  ): T;
}

/**
 * Takes up a request without its key, and perhaps without its account, for whoever goes on with it: see {@link takeUpFor}.
 * Whatever is unusual is taken up part by part, with the subjects as they were given; so is a request without an account,
 * where `account` is undefined.
 */
export function takeUpTarget<T, By>(
  taker: TargetTaker<T>,
  otherwise: (by: By, taken: Unsound) => T,
  by: By,
  request: unknown,
  account: PrincipalInput | undefined,
  subjects: KnownSubjects,
): T {
  let read: Fields | undefined;
  try {
    if (isObject(request)) {
      const { operation, resource, account: own, now } = request;
      if (isPlain(request) && !isPolluted()) {
        return takeUpOn(taker, otherwise, by, operation, resource, own, now, account, subjects);
      }
      read = { operation, resource, account: own, now };
    }
  } catch {
    // Each part is read by itself.
  }
  return goOnWith(taker, otherwise, by, takeParts(request, subjects, read));
}

/** The same for the parts of a request. */
export function takeUpOn<T, By>(
  taker: TargetTaker<T>,
  otherwise: (by: By, taken: Unsound) => T,
  by: By,
  operation: unknown,
  resource: unknown,
  own: unknown,
  now: unknown,
  account: PrincipalInput | undefined,
  subjects: KnownSubjects,
): T {
  let resourceRead: Fields | undefined;
  let accountRead: Fields | undefined;
  try {
    if (isObject(resource) && (own === undefined || isObject(own))) {
      const { id, kind, attr, attributes, policyVersion, scope } = resource;
      const isOwnResource = isOwnPart(resource);
      let whose = account;
      if (own !== undefined) {
        const { id: accountId, attr: accountAttr, attributes: accountOlder } = own;
        const { policyVersion: accountVersion, scope: accountScope } = own;
        const isUsual = isOwnPart(own) && accountOlder === undefined && accountVersion === undefined;
        whose =
          isUsual && isName(accountId) && isNoneOrAttributes(accountAttr) && isScope(accountScope)
            ? { id: accountId, roles: ACCOUNT_ROLES, attr: accountAttr ?? NO_ATTR, scope: accountScope ?? "" }
            : undefined;
        if (whose === undefined)
          accountRead = fields(
            accountId,
            undefined,
            undefined,
            accountAttr,
            accountOlder,
            accountVersion,
            accountScope,
          );
      }
      const isUsual = isOwnResource && !isPolluted() && attributes === undefined && policyVersion === undefined;
      if (
        whose !== undefined &&
        isUsual &&
        isScope(scope) &&
        isName(operation) &&
        isName(kind) &&
        isName(id) &&
        isNoneOrAttributes(attr)
      ) {
        const clock = now === undefined ? undefined : clockOf(now);
        if (!(clock instanceof RequestIssue)) {
          return taker.target(operation, kind, id, attr ?? NO_ATTR, scope ?? "", whose, clock);
        }
      }
      if (own !== undefined) {
        accountRead ??= whose && fields(whose.id, undefined, undefined, whose.attr, undefined, undefined, whose.scope);
      }
      resourceRead = fields(id, kind, undefined, attr, attributes, policyVersion, scope);
    }
  } catch {
    resourceRead = undefined;
    accountRead = undefined;
  }
  const read = { operation, resource, account: own, now };
  return goOnWith(taker, otherwise, by, takeParts(NOTHING, subjects, read, undefined, resourceRead, accountRead));
}

function goOnWith<T, By>(taker: TargetTaker<T>, otherwise: (by: By, taken: Unsound) => T, by: By, taken: Taken): T {
  if (!taken.isSound) return otherwise(by, taken);
  const { action, resource, account, now } = taken;
  return taker.target(action, resource.kind, resource.id, resource.attr, resource.scope, account, now);
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

function wholeOf(value: unknown, read: Fields | undefined): Fields | RequestIssue {
  if (!isObject(value)) return new RequestIssue("", "must be an object");
  if (read !== undefined) return ownOf(value, read);
  const { key, operation, resource, account, now } = value;
  return ownOf(value, { key, operation, resource, account, now });
}
