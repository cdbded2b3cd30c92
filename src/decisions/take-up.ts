/**
 * Takes up requests. What is usual is looked at here, once and value by value: it is most of what a decision costs. What is
 * not is taken up part by part, in `request.ts`.
 */

import type { JsonMap, Timestamp } from "../cel/values.js";
import type { PrincipalInput } from "../engine/plan/subjects.js";
import { fields } from "./own-fields.js";
import { hasOtherKey, type KnownSubjects, type Sound, type Taken, takeParts, type Unsound } from "./request.js";
import { RequestIssue } from "./request-issue.js";
import { ACCOUNT_ROLES, clockOf, NO_ATTR } from "./request-parts.js";
import { type Fields, WELL_FORMED } from "./well-formed.js";

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

export const { takeUpFor, takeUpTarget, takeUpOn } = takers();

/** Functions that are constants, as in `well-formed.ts`, for the same reason. */
function takers() {
  const { isObject, isPlain, isOwnPart, isPolluted, isAttributes, isName, namesOf } = WELL_FORMED;

  /**
   * Takes up a request for whoever goes on with it: with one that is sound `taker`, with any other `otherwise`, which is passed
   * `by`, so that no closure has to be made. Throws what these throw. Each field is read once, so what was looked at is what counts, whatever getters and
   * proxies there are; only where one of them throws, the parts are read anew, each by itself.
   *
   * `absent` stands for an account that is not given.
   *
   * What is usual is taken up in one function, written out: it is most of what a decision costs.
   */
  const takeUpFor = <T, By>(
    taker: Taker<T>,
    otherwise: (by: By, taken: Unsound) => T,
    by: By,
    request: unknown,
    absent: Fields | undefined,
  ): T => {
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
          (keyAttr === undefined || isAttributes(keyAttr)) &&
          (keyScope === undefined || isName(keyScope)) &&
          isName(operation) &&
          isName(kind) &&
          isName(resourceId) &&
          (resourceAttr === undefined || isAttributes(resourceAttr)) &&
          (resourceScope === undefined || isName(resourceScope)) &&
          isName(accountId) &&
          (accountAttr === undefined || isAttributes(accountAttr)) &&
          (accountScope === undefined || isName(accountScope)) &&
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
  };

  /** The same for the parts of a request. */
  const takeUpOn = <T, By>(
    taker: TargetTaker<T>,
    otherwise: (by: By, taken: Unsound) => T,
    by: By,
    operation: unknown,
    resource: unknown,
    own: unknown,
    now: unknown,
    account: PrincipalInput | undefined,
    subjects: KnownSubjects,
  ): T => {
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
            isUsual &&
            isName(accountId) &&
            (accountAttr === undefined || isAttributes(accountAttr)) &&
            (accountScope === undefined || isName(accountScope))
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
          (scope === undefined || isName(scope)) &&
          isName(operation) &&
          isName(kind) &&
          isName(id) &&
          (attr === undefined || isAttributes(attr))
        ) {
          const clock = now === undefined ? undefined : clockOf(now);
          if (!(clock instanceof RequestIssue)) {
            return taker.target(operation, kind, id, attr ?? NO_ATTR, scope ?? "", whose, clock);
          }
        }
        if (own !== undefined) {
          accountRead ??=
            whose && fields(whose.id, undefined, undefined, whose.attr, undefined, undefined, whose.scope);
        }
        resourceRead = fields(id, kind, undefined, attr, attributes, policyVersion, scope);
      }
    } catch {
      resourceRead = undefined;
      accountRead = undefined;
    }
    const read = { operation, resource, account: own, now };
    return goOnWith(taker, otherwise, by, takeParts(read, subjects, read, undefined, resourceRead, accountRead));
  };

  /**
   * Takes up a request without its key, and perhaps without its account, for whoever goes on with it: see {@link takeUpFor}.
   * Whatever is unusual is taken up part by part, with the subjects as they were given; so is a request without an account,
   * where `account` is undefined.
   */
  const takeUpTarget = <T, By>(
    taker: TargetTaker<T>,
    otherwise: (by: By, taken: Unsound) => T,
    by: By,
    request: unknown,
    account: PrincipalInput | undefined,
    subjects: KnownSubjects,
  ): T => {
    let read: Fields | undefined;
    try {
      if (isObject(request)) {
        const { key, operation, resource, account: own, now } = request;
        if (isPlain(request) && !isPolluted() && !hasOtherKey(key, subjects)) {
          return takeUpOn(taker, otherwise, by, operation, resource, own, now, account, subjects);
        }
        read = { key, operation, resource, account: own, now };
      }
    } catch {
      // Each part is read by itself.
    }
    return goOnWith(taker, otherwise, by, takeParts(request, subjects, read));
  };

  return { takeUpFor, takeUpTarget, takeUpOn };
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

function goOnWith<T, By>(taker: TargetTaker<T>, otherwise: (by: By, taken: Unsound) => T, by: By, taken: Taken): T {
  if (!taken.isSound) return otherwise(by, taken);
  const { action, resource, account, now } = taken;
  return taker.target(action, resource.kind, resource.id, resource.attr, resource.scope, account, now);
}
