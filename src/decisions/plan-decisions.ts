/**
 * Which rows of a kind may a key touch? A plan of decisions: the rows for which `decide` says `allow`, as a filter.
 *
 * Each layer gives the rows that it allows, and a row that is in both is allowed (`decide.ts`). The layers stay apart:
 * neither gets the principal of the other.
 */

import { Layer } from "../engine/evaluate/layer.js";
import { ALL_NAMES, copiedPrincipal, copiedResource, isReadable } from "../engine/frame/frame.js";
import type { WiringFault } from "../engine/plan/verdict.js";
import { EVERY, NO } from "../engine/residual/filter.js";
import {
  DECIDED_WITHIN,
  decideUnsound,
  decideWhole,
  enterDecision,
  leaveDecision,
  NO_ACCOUNT_FRAME,
} from "./decide.js";
import { denyWithoutPolicies } from "./no-policies.js";
import { decisionOf } from "./outcome.js";
import { ownFields } from "./own-fields.js";
import { forbiddenRows, type PlannedRows, type PlanReason, planForm, rowsOf } from "./plan-form.js";
import type { PolicySet } from "./policy-set.js";
import type { KindOf, PolicyTypes, ResourceOf } from "./policy-types.js";
import type { UnsoundRequest, ValidatedRequest } from "./request.js";
import { RequestIssue } from "./request-issue.js";
import { validated } from "./request-validation.js";
import type { Decision, RequestPart } from "./types.js";

/** Which resources of `kind` may `key` perform `operation` on? */
export type PlanRequest<T extends PolicyTypes = PolicyTypes, K extends KindOf<T> = KindOf<T>> = RequestPart<T, K> & {
  readonly kind: K;
  /** The values that are the same for every row, and so known: its scope (default: the root), attributes, or the id. */
  readonly resource?: Partial<Omit<ResourceOf<T, K>, "attr" | "attributes" | "kind">> & {
    readonly attr?: { readonly [name: string]: unknown } | undefined;
  };
  /** Whether to return the `forbidden` rows, too. Default: `false`. */
  readonly withForbidden?: boolean;
};

/** A plan request to a permission-only set. */
type PermissionPlanRequest = PlanRequest<PolicyTypes & { readonly platform: "none" }>;

export interface DecisionPlan extends PlannedRows {
  /**
   * For `none`: why nothing is allowed, even if everything that depends on the row is as good as it can be. For `all`:
   * the rules that allow. For `some`: the rules that depend on the row.
   */
  readonly reasons: readonly PlanReason[];
  /** The time that the policies have read. The filter is that of this time: at a later time it may differ. */
  readonly now?: Date;
  /** The fault to correct before the question can be answered: only with `none`. See `decide`. */
  readonly fault?: WiringFault;
  /** The `forbidden` rows, if the request asked for them. */
  readonly forbidden?: PlannedRows;
}

/**
 * The plan of the decisions on all rows of a kind. Never throws, like `decide`. A malformed request gives `none` with
 * the fault, and so do kinds and operations that no policy knows.
 *
 * The budget of a decision (docs/verdicts.md) is not part of a filter: rows so large that `decide` gives up on them, at
 * some megabytes, are refused by `decide` alone.
 */
export function planDecisions<T extends PolicyTypes = PolicyTypes, K extends KindOf<T> = KindOf<T>>(
  policies: PolicySet<T>,
  request: PlanRequest<T, K>,
): DecisionPlan;
export function planDecisions(policies: PolicySet, request: PermissionPlanRequest): DecisionPlan {
  if (!enterDecision()) return refused(decideWhole(policies, DECIDED_WITHIN));
  try {
    return planRead(policies, askedOf(request));
  } finally {
    leaveDecision();
  }
}

function planRead(policies: PolicySet, asked: ReadPlanRequest | undefined): DecisionPlan {
  if (asked === undefined) return refused(decideWhole(policies, UNREADABLE));
  try {
    if (!(policies.permission instanceof Layer)) throw new TypeError("not a policy set of this copy of keyward");
    const { stub } = asked;
    const taken = validated(stub, policies.platform === undefined ? NO_ACCOUNT_FRAME : undefined);
    return planned(policies, taken, asked);
  } catch {
    // The layers of a policy set do not throw, so `policies` is not one of this copy of keyward.
    const plan = refused(denyWithoutPolicies(policies));
    return asked.withForbidden ? { ...plan, forbidden: ALL_ROWS } : plan;
  }
}

const UNREADABLE = new RequestIssue("", "cannot be read");

/** Stands for the id that each row has of its own. It is never read. */
const ANY_ID = "row";

/** A plan request, read once. */
interface ReadPlanRequest {
  /** A request about a single resource, with the values that are known of all rows. */
  readonly stub: unknown;
  readonly knowsId: boolean;
  readonly withForbidden: boolean;
}

/** Reads each field once. Undefined if a field cannot be read. */
function askedOf(request: PermissionPlanRequest): ReadPlanRequest | undefined {
  try {
    const { key, operation, account, now, kind, resource, withForbidden } = ownFields(request);
    const known = typeof resource === "object" && resource !== null ? { ...resource } : undefined;
    const id = known?.id;
    const target = { ...known, kind, id: id ?? ANY_ID };
    const isSound = known !== undefined || resource === undefined;
    const stub = { key, operation, account, now, resource: isSound ? target : resource };
    return { stub, knowsId: id !== undefined, withForbidden: withForbidden === true };
  } catch {
    // An error that a getter or proxy throws is not read: it may itself be hostile.
    return undefined;
  }
}

function planned(
  policies: PolicySet,
  taken: ValidatedRequest,
  { knowsId, withForbidden }: ReadPlanRequest,
): DecisionPlan {
  if (!taken.isSound) return plannedUnsound(policies, taken, knowsId, withForbidden);
  const { permission, platform, tables } = policies;
  const { action, now } = taken;
  const { plans } = tables.find(taken.key, taken.account, taken.resource, action);
  // The schemas and the rules must see the same values.
  const isWhole = permission.enforcesSchemas || platform?.enforcesSchemas === true;
  const { key, account, resource } = plans.copied(taken.key, taken.account, taken.resource, isWhole);
  if (key === undefined || account === undefined || resource === undefined) {
    const parts = {
      key: key === undefined ? unreadable("key") : taken.key,
      account: account === undefined ? unreadable("account") : taken.account,
      resource: resource === undefined ? unreadable("resource") : taken.resource,
    };
    return plannedUnsound(
      policies,
      { isSound: false, ...parts, action, now, whole: undefined },
      knowsId,
      withForbidden,
    );
  }
  const known = { key, account, resource, action, now, knowsId };
  const { form, filling, readsClock } = planForm(policies, plans, known, withForbidden ? "forbidden too" : "allowed");
  const { reasons, best, forbidden } = form;
  const { outcome, filter, isExact } = rowsOf(form, filling);
  const plan = { outcome, filter, isExact, reasons };
  const fault = outcome === "none" ? decisionOf(policies, action, resource, ...best).fault : undefined;
  const clock = readsClock ? now : undefined;
  if (clock === undefined && fault === undefined && forbidden === undefined) return plan;
  return {
    ...plan,
    ...(clock === undefined ? {} : { now: new Date(clock.seconds * 1000 + clock.nanos / 1_000_000) }),
    ...(fault === undefined ? {} : { fault }),
    ...(forbidden === undefined ? {} : { forbidden: rowsOf(forbidden, filling) }),
  };
}

/** Nothing is allowed. The forbidden rows may still be asked for, since perhaps only the key is at fault. */
function plannedUnsound(
  policies: PolicySet,
  taken: UnsoundRequest,
  knowsId: boolean,
  withForbidden: boolean,
): DecisionPlan {
  const { key, account, resource } = taken;
  // Frames keep their copies, so that both questions below read the same.
  const read = {
    ...taken,
    key: key instanceof RequestIssue || isReadable(key) ? key : unreadable("key"),
    account: account instanceof RequestIssue || isReadable(account) ? account : unreadable("account"),
    resource: resource instanceof RequestIssue || isReadable(resource) ? resource : unreadable("resource"),
  };
  const plan = refused(decideUnsound(policies, read));
  return withForbidden ? { ...plan, forbidden: forbiddenAnyway(policies, read, knowsId) } : plan;
}

function forbiddenAnyway(
  { platform }: PolicySet,
  { account, resource, action, now }: UnsoundRequest,
  knowsId: boolean,
): PlannedRows {
  if (platform === undefined) return NO_ROWS;
  if (account instanceof RequestIssue || resource instanceof RequestIssue) return ALL_ROWS;
  if (action instanceof RequestIssue || now instanceof RequestIssue) return ALL_ROWS;
  const [known, row] = [copiedPrincipal(account, ALL_NAMES), copiedResource(resource, ALL_NAMES)];
  if (known === undefined || row === undefined) return ALL_ROWS;
  return forbiddenRows(platform, { account: known, resource: row, action, now, knowsId });
}

/** The issue of a part that cannot be read to its end: it is too large, or a proxy does not tell its properties. */
function unreadable(path: string): RequestIssue {
  return new RequestIssue(`${path}.attr`, "cannot be read");
}

const NO_ROWS: PlannedRows = Object.freeze({ outcome: "none", filter: NO, isExact: true });
const ALL_ROWS: PlannedRows = Object.freeze({ outcome: "all", filter: EVERY, isExact: true });

function refused({ outcome, permission, platform, fault }: Decision): DecisionPlan {
  const [verdict, layer] =
    outcome === "forbidden" ? [platform, "platform" as const] : [permission, "permission" as const];
  const reasons = verdict.reasons.map((reason) => ({ ...reason, layer }));
  return { outcome: "none", filter: NO, isExact: true, reasons, ...(fault === undefined ? {} : { fault }) };
}
