/** The requests that `who` and `can` are about: those of keys with one role, and those that meet an assumption. */

import type { PolicySet } from "../../decisions/policy-set.js";
import type { PermissionRequest } from "../../decisions/types.js";
import { didYouMean } from "../../policy/distance.js";
import { IssueLog } from "../../policy/issue-log.js";
import type { Expression } from "../../policy/model.js";
import { readRequestExpression } from "../../proof/claims/expression.js";
import type { KnownKey } from "../../proof/ways/known-key.js";
import { Draft, type RequestJson } from "../../space/draft.js";
import { isKnownRole } from "../known-permissions.js";
import { vocabularyOf } from "../types/vocabulary.js";
import type { UnknownPart } from "./types.js";

export interface AskedRequests {
  /** All requests have this key. */
  readonly key?: KnownKey | undefined;
  /** The key has this role and no other. */
  readonly role?: string | undefined;
  /** An assumption about the request: CEL over `key`, `resource`, `account` and `now()`, as in claims. */
  readonly assume?: string;
}

/** Why a policy set has no answer about a role. Undefined: it has one. */
export function unknownRole(set: PolicySet, role: string): UnknownPart | undefined {
  if (isKnownRole(set, role)) return undefined;
  const { names, isOpen } = vocabularyOf(set).roles;
  const hint = didYouMean(role, names);
  // Rules for any role may allow something to a role that no rule names.
  if (isOpen && hint === undefined) return undefined;
  return { kind: "unknown", message: `no policy knows the role ${role}`, ...(hint === undefined ? {} : { hint }) };
}

/** The first fault of an assumption. Undefined: it has none, or nothing is assumed. */
export function assumptionFault({ assume }: AskedRequests): UnknownPart | undefined {
  const log = new IssueLog();
  if (assume !== undefined) readAssumption(assume, log);
  return firstIssue(log);
}

function readAssumption(text: string, log: IssueLog): Expression | undefined {
  return readRequestExpression(text, (offset) => ({ file: "assume", line: 1, column: offset + 1 }), log);
}

/** The first issue of a log. */
export function firstIssue({ issues: [issue] }: IssueLog): UnknownPart | undefined {
  if (issue === undefined) return undefined;
  const { file, column, message, hint } = issue;
  const where = file === "" ? "" : `${file}:${column}: `;
  return { kind: "unknown", message: `${where}${message}`, ...(hint === undefined ? {} : { hint }) };
}

/** Expressions that are true of a request exactly if its key has one role, this one. */
export function roleExpressions(role: string): readonly Expression[] {
  const name = JSON.stringify(role);
  return expressionsOf([`size(key.roles) == 1`, `key.roles.all(held, held == ${name})`, `${name} in key.roles`]);
}

/** Expressions that are true of a request exactly if its resource is of a kind. */
export function kindExpressions(kind: string): readonly Expression[] {
  return expressionsOf([`resource.kind == ${JSON.stringify(kind)}`]);
}

/** Expressions in texts without faults. */
export function expressionsOf(texts: readonly string[]): readonly Expression[] {
  return texts.flatMap((text) => readAssumption(text, new IssueLog()) ?? []);
}

/** Expressions that are true of requests without a scope. */
export const UNSCOPED = expressionsOf(['resource.scope == ""', 'account.scope == ""']);

/** Has no policy a scope? */
export function hasNoScopes({ model }: PolicySet): boolean {
  const { resourcePolicies, principalPolicies, rolePolicies } = model;
  return [...resourcePolicies, ...principalPolicies, ...rolePolicies].every(({ scope }) => scope === "");
}

/** A key as JSON. Its attributes must be JSON data. */
export function keyJson(key: PermissionRequest["key"]): RequestJson["key"] {
  return Draft.from({ key, operation: "", resource: { kind: "", id: "", attr: {} } }).toJson().key;
}
