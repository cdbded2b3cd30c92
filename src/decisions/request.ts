/**
 * Requests as the engine reads them. An argument of the caller is data of unknown shape: a malformed one is denied with a
 * message. The invariant "own properties" holds here, too: an inherited value is never a role or an id.
 */

import type { Timestamp } from "../cel/values.js";
import type { AccountFrame, KeyFrame, ResourceFrame } from "../engine/frame/frame.js";
import { ownOf } from "./own-fields.js";
import { RequestIssue } from "./request-issue.js";
import { accountOf, clockOf, keyOf, nameIssue, resourceOf } from "./request-parts.js";
import { isName, isObject, type RequestFields } from "./well-formed.js";

/** A request without its key. The account has the single role `account`. */
interface RequestTarget {
  readonly action: string;
  readonly resource: ResourceFrame;
  readonly account: AccountFrame;
  /** The clock of the decision, if the request has one. */
  readonly now: Timestamp | undefined;
}

/** A `RequestIssue` replaces each part that is malformed. */
type MalformedParts<T> = { readonly [part in keyof T]: T[part] | RequestIssue };

/** A request with well-formed parts. Its key chooses no policy version: the layer is the version. */
export interface SoundRequest extends RequestTarget {
  readonly isSound: true;
  readonly key: KeyFrame;
}

/** Any other request. */
export interface UnsoundRequest extends MalformedParts<RequestTarget> {
  readonly isSound: false;
  readonly key: KeyFrame | RequestIssue;
  /** The fault of the request as a whole, if no part could be read. */
  readonly whole: RequestIssue | undefined;
}

export type ValidatedRequest = SoundRequest | UnsoundRequest;

/** The same for a request to a decider. A sound one has no key: the decider has it. */
export type ValidatedTarget = ({ readonly isSound: true } & RequestTarget) | UnsoundRequest;

/** A question to one layer. */
interface LayerQuestion<P> extends Omit<RequestTarget, "account"> {
  readonly principal: P;
}

/** The question to the layer of a principal, or the first issue that stops the layer from judging it. */
export function questionOf<P extends KeyFrame | AccountFrame>(
  principal: P | RequestIssue,
  { action, resource, now }: Pick<UnsoundRequest, "action" | "resource" | "now">,
): LayerQuestion<P> | RequestIssue {
  if (principal instanceof RequestIssue) return principal;
  if (action instanceof RequestIssue) return action;
  if (resource instanceof RequestIssue) return resource;
  if (now instanceof RequestIssue) return now;
  return { principal, action, resource, now };
}

/** The key, and perhaps the account, that the decider adds to a request. */
export interface KnownSubjects {
  readonly key?: unknown;
  readonly account?: unknown;
  /** Whether the caller has checked that the request's key is this one. Otherwise a key in the request is an issue. */
  readonly isOfKey?: boolean;
}

/** Whether a request has a key that its decider would ignore. */
export function hasOtherKey(key: unknown, subjects: KnownSubjects): boolean {
  return key !== undefined && subjects.isOfKey !== true;
}

export const OTHER_KEY = new RequestIssue("key", "must be absent: a decider decides for the key that it was made for");

/** The own parts of a request. `null` replaces an unreadable part, and validation refuses it. */
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

/** Parts that were read already: a frame, or for an unusual part its fields. */
export interface ReadParts {
  readonly key?: KeyFrame | RequestFields | undefined;
  readonly resource?: ResourceFrame | RequestFields | undefined;
  readonly account?: AccountFrame | RequestFields | undefined;
}

/** Validates a request part by part. `read` and `parts`: its fields and its parts, if they were read already. */
export function validateParts(request: unknown, read?: RequestFields, parts: ReadParts = NOTHING): ValidatedRequest {
  const own = attempt("", () => wholeOf(request, read));
  const isRead = !(own instanceof RequestIssue);
  const key = attempt("key", () => (isRead ? keyOf(own.key, parts.key) : keyOf(undefined, undefined)));
  return isRead ? taken(own, key, parts, undefined) : taken(NOTHING, key, NOTHING, own);
}

/**
 * The same for a request to a decider, without its key and perhaps without its account: `bound` is the frame of the
 * decider's account.
 */
export function validateTargetParts(
  request: unknown,
  subjects: KnownSubjects,
  bound: AccountFrame | undefined,
  read?: RequestFields,
  parts: ReadParts = NOTHING,
): ValidatedRequest {
  const own = attempt("", () => wholeOf(request, read));
  const isOther = !(own instanceof RequestIssue) && hasOtherKey(own.key, subjects);
  const key = isOther ? OTHER_KEY : attempt("key", () => keyOf(subjects.key, undefined));
  if (own instanceof RequestIssue) return taken(withAccount(NOTHING, subjects.account), key, NOTHING, own);
  const isOwnAccount = own.account !== undefined;
  const account = isOwnAccount ? own.account : subjects.account;
  const { resource } = parts;
  return taken(withAccount(own, account), key, isOwnAccount ? parts : { resource, account: bound }, undefined);
}

/** Without a prototype: nothing that all objects inherit is a part. */
function withAccount(own: RequestFields, account: unknown): RequestFields {
  return Object.assign(Object.create(null), own, { account });
}

function taken(
  own: RequestFields,
  key: UnsoundRequest["key"],
  parts: ReadParts,
  whole: RequestIssue | undefined,
): ValidatedRequest {
  const { operation } = own;
  const action = isName(operation) ? operation : nameIssue("operation", operation);
  const resource = attempt("resource", () => resourceOf(own.resource, parts.resource));
  const account = attempt("account", () => accountOf(own.account, parts.account));
  const now = attempt("now", () => clockOf(own.now));
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

/** Without a prototype, likewise. */
const NOTHING: Readonly<Record<string, undefined>> = Object.freeze(Object.create(null));

/** An error that a getter or proxy throws is not read: it may itself be hostile. */
function attempt<T>(path: string, read: () => T): T | RequestIssue {
  try {
    return read();
  } catch {
    return new RequestIssue(path, "cannot be read");
  }
}

function wholeOf(value: unknown, read: RequestFields | undefined): RequestFields | RequestIssue {
  if (!isObject(value)) return new RequestIssue("", "must be an object");
  if (read !== undefined) return ownOf(value, read);
  const { key, operation, resource, account, now } = value;
  return ownOf(value, { key, operation, resource, account, now });
}
