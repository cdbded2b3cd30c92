/**
 * Requests as the engine reads them. Whatever a caller passes is looked at as data of unknown shape: what is not a
 * request is refused with a message, and the invariant "own properties" holds of it, too: nothing inherited is ever a
 * role or an id.
 */

import type { JointRequest, PrincipalInput } from "../engine/plan/subjects.js";
import { ownOf } from "./own-fields.js";
import { RequestIssue } from "./request-issue.js";
import { accountOf, clockOf, keyOf, nameIssue, resourceOf } from "./request-parts.js";
import { type Fields, isName, isObject } from "./well-formed.js";

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

/** The key, and perhaps the account, that a request goes without. */
export interface KnownSubjects {
  readonly key?: unknown;
  readonly account?: unknown;
  /** Whether the caller has made sure that a key of the request is this one. Otherwise a key of its own is an issue. */
  readonly isOfKey?: boolean;
}

/** Whether a request has a key that its decider would not look at. */
export function hasOtherKey(key: unknown, subjects: KnownSubjects): boolean {
  return key !== undefined && subjects.isOfKey !== true;
}

export const OTHER_KEY = new RequestIssue("key", "must be absent: a decider decides for the key that it was made for");

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

/** A request, part by part. What is not given as read already is read here. `subjects`: of a request that goes without. */
export function takeParts(
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
  const isOther = subjects !== undefined && hasOtherKey(own.key, subjects);
  const isOwnAccount = subjects === undefined || own.account !== undefined;
  const account = isOwnAccount ? own.account : subjects.account;
  return taken(
    isOther ? OTHER_KEY : attempt("key", () => keyOf(key, keyRead)),
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
