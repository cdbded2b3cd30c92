/**
 * Validates requests, and makes frames of their parts. Usual parts are validated here, with each value read once: this is a
 * good part of the cost of a decision. `request-parts.ts` validates the others and words their faults.
 */

import {
  type AccountFrame,
  type KeyFrame,
  principalFrame,
  type ResourceFrame,
  resourceFrame,
} from "../engine/frame/frame.js";
import { fields, isFrame } from "./own-fields.js";
import {
  hasOtherKey,
  type KnownSubjects,
  type ValidatedRequest,
  type ValidatedTarget,
  validateParts,
  validateTargetParts,
} from "./request.js";
import { RequestIssue } from "./request-issue.js";
import { ACCOUNT_ROLES, clockOf, NO_ATTR } from "./request-parts.js";
import { type RequestFields, WELL_FORMED } from "./well-formed.js";

export const { validated, validatedTarget } = validators();

/** Constants of a function: V8 looks up constants of a module at each use, see `well-formed.ts`. */
function validators() {
  const { isObject, isPlain, isOwnPart, isPolluted, isAttributes, isName, namesOf } = WELL_FORMED;

  /** The frame of a usual key; for another object, its fields as they were read. */
  function keyOf(key: RequestFields): KeyFrame | RequestFields {
    const { id, roles, attr, attributes, policyVersion, scope } = key;
    const isOwn = isOwnPart(key);
    const names = namesOf(roles);
    return isOwn &&
      attributes === undefined &&
      policyVersion === undefined &&
      isName(id) &&
      names !== undefined &&
      (attr === undefined || isAttributes(attr)) &&
      (scope === undefined || isName(scope))
      ? principalFrame("key", id, names, attr ?? NO_ATTR, scope ?? "")
      : // `null` stands for roles that are no list of names: they are not missing, and are not read again.
        fields(id, undefined, names ?? (roles === undefined ? roles : null), attr, attributes, policyVersion, scope);
  }

  /** The same for an account. */
  function accountOf(account: RequestFields): AccountFrame | RequestFields {
    const { id, attr, attributes, policyVersion, scope } = account;
    return isOwnPart(account) &&
      attributes === undefined &&
      policyVersion === undefined &&
      isName(id) &&
      (attr === undefined || isAttributes(attr)) &&
      (scope === undefined || isName(scope))
      ? principalFrame("account", id, ACCOUNT_ROLES, attr ?? NO_ATTR, scope ?? "")
      : fields(id, undefined, undefined, attr, attributes, policyVersion, scope);
  }

  /** The same for a resource. */
  function resourceOf(resource: RequestFields): ResourceFrame | RequestFields {
    const { id, kind, attr, attributes, policyVersion, scope } = resource;
    return isOwnPart(resource) &&
      attributes === undefined &&
      policyVersion === undefined &&
      isName(id) &&
      isName(kind) &&
      (attr === undefined || isAttributes(attr)) &&
      (scope === undefined || isName(scope))
      ? resourceFrame(kind, id, attr ?? NO_ATTR, scope ?? "")
      : fields(id, kind, undefined, attr, attributes, policyVersion, scope);
  }

  /**
   * The parts of a request, or their faults. Each field is read once; if a getter or a proxy throws, each part is read
   * again by itself. `absent` replaces a missing account. Never throws.
   */
  function validated(request: unknown, absent?: AccountFrame): ValidatedRequest {
    try {
      if (isObject(request)) {
        const { key, operation, resource, account = absent, now } = request;
        const isOwn = isPlain(request);
        if (!isObject(key) || !isObject(resource) || !isObject(account)) {
          return validateParts(request, { key, operation, resource, account, now });
        }
        const keyFrame = keyOf(key);
        const resourceFrame = resourceOf(resource);
        const accountFrame = absent !== undefined && account === absent ? absent : accountOf(account);
        const clock = now === undefined ? undefined : clockOf(now);
        return isOwn &&
          !isPolluted() &&
          isName(operation) &&
          isFrame(keyFrame) &&
          isFrame(resourceFrame) &&
          isFrame(accountFrame) &&
          !(clock instanceof RequestIssue)
          ? {
              isSound: true,
              key: keyFrame,
              action: operation,
              resource: resourceFrame,
              account: accountFrame,
              now: clock,
            }
          : validateParts(
              request,
              { key, operation, resource, account, now },
              { key: keyFrame, resource: resourceFrame, account: accountFrame },
            );
      }
    } catch {
      // A part cannot be read. `takeParts` finds out which.
    }
    return validateParts(request);
  }

  /**
   * The same for a request to a decider, without its key and perhaps without its account. `account`: the bound account.
   * `subjects`: the bound key and account as objects, for requests that are validated part by part.
   */
  function validatedTarget(
    request: unknown,
    account: AccountFrame | undefined,
    subjects: KnownSubjects,
  ): ValidatedTarget {
    try {
      if (isObject(request)) {
        const { key, operation, resource, account: own, now } = request;
        const isOwn = isPlain(request);
        if (!isObject(resource) || (own !== undefined && !isObject(own))) {
          return validateTargetParts(request, subjects, account, { key, operation, resource, account: own, now });
        }
        const resourceFrame = resourceOf(resource);
        const accountFrame = own === undefined ? account : accountOf(own);
        const clock = now === undefined ? undefined : clockOf(now);
        return isOwn &&
          !isPolluted() &&
          isName(operation) &&
          isFrame(resourceFrame) &&
          isFrame(accountFrame) &&
          !hasOtherKey(key, subjects) &&
          !(clock instanceof RequestIssue)
          ? { isSound: true, action: operation, resource: resourceFrame, account: accountFrame, now: clock }
          : validateTargetParts(
              request,
              subjects,
              account,
              { key, operation, resource, account: own, now },
              { resource: resourceFrame, account: accountFrame },
            );
      }
    } catch {
      // A part cannot be read. `takeTarget` finds out which.
    }
    return validateTargetParts(request, subjects, account);
  }

  return { validated, validatedTarget };
}
