/**
 * Which rows of a kind may a key touch? A plan of decisions: the rows for which `decide` says `allow`, as a filter.
 *
 * Of each layer it takes the rows that this layer allows; a row is allowed that is in both (`decide.ts`). The layers stay
 * apart: neither is given what the other one is asked about.
 */

import { ALL_NAMES, copiedPrincipal, copiedResource, isReadable } from "../engine/frame/frame.js";
import type { WiringFault } from "../engine/plan/verdict.js";
import { EVERY, NO } from "../engine/residual/filter.js";
import { DECIDED_WITHIN, decideUnsound, decideWhole, enter, leave, NO_ACCOUNT_FRAME } from "./decide.js";
import { decidedWithout } from "./no-policies.js";
import { decisionOf } from "./outcome.js";
import { ownFields } from "./own-fields.js";
import { forbiddenRows, type PlannedRows, type PlanReason, planForm, rowsOf } from "./plan-form.js";
import type { PolicySet } from "./policy-set.js";
import type { KindOf, PolicyTypes, ResourceOf } from "./policy-types.js";
import type { Taken, Unsound } from "./request.js";
import { RequestIssue } from "./request-issue.js";
import { validated } from "./request-validation.js";
import type { Decision, RequestPart } from "./types.js";

/** Which resources of `kind` may `key` perform `operation` on? */
export type PlanRequest<T extends PolicyTypes = PolicyTypes, K extends KindOf<T> = KindOf<T>> = RequestPart<T, K> & {
  readonly kind: K;
  /** What is the same for every row, and so known: its scope (default: the root), attributes, or the id. */
  readonly resource?: Partial<Omit<ResourceOf<T, K>, "attr" | "attributes" | "kind">> & {
    readonly attr?: { readonly [name: string]: unknown } | undefined;
  };
  /** Whether to say which rows are `forbidden`, too. Default: `false`. */
  readonly withForbidden?: boolean;
};

/** What is asked of a permission-only set. */
type PermissionPlanRequest = PlanRequest<PolicyTypes & { readonly platform: "none" }>;

export interface DecisionPlan extends PlannedRows {
  /**
   * Of `none`: why nothing is allowed, even if whatever depends on the row is as good as it can be. Of `all`: the rules that
   * allow. Of `some`: the rules that depend on the row.
   */
  readonly reasons: readonly PlanReason[];
  /** The time that the policies have read. The filter is that of this time: later it may be another. */
  readonly now?: Date;
  /** What has to be mended before the question can be answered: never there but with `none`. See `decide`. */
  readonly fault?: WiringFault;
  /** The rows that are `forbidden`, if they were asked for. */
  readonly forbidden?: PlannedRows;
}

/**
 * The plan of the decisions on all rows of a kind. Never throws, like `decide`: what is no request is `none`, with the
 * fault, and so are kinds and operations that no policy knows.
 *
 * What a decision may cost (docs/verdicts.md) is no part of a filter: rows so large that `decide` gives up on them, at some
 * megabytes, are refused by it alone.
 */
export function planDecisions<T extends PolicyTypes = PolicyTypes, K extends KindOf<T> = KindOf<T>>(
  policies: PolicySet<T>,
  request: PlanRequest<T, K>,
): DecisionPlan;
export function planDecisions(policies: PolicySet, request: PermissionPlanRequest): DecisionPlan {
  if (!enter()) return refused(decideWhole(policies, DECIDED_WITHIN));
  try {
    return planRead(policies, askedOf(request));
  } finally {
    leave();
  }
}

function planRead(policies: PolicySet, asked: Asked | undefined): DecisionPlan {
  if (asked === undefined) return refused(decideWhole(policies, UNREADABLE));
  try {
    const { stub } = asked;
    const taken = validated(stub, policies.platform === undefined ? NO_ACCOUNT_FRAME : undefined);
    return planned(policies, taken, asked);
  } catch {
    // The layers of a policy set do not throw: there is none.
    const plan = refused(decidedWithout(policies));
    return asked.withForbidden ? { ...plan, forbidden: ALL_ROWS } : plan;
  }
}

const UNREADABLE = new RequestIssue("", "cannot be read");

/** Stands for an id that each row has of its own. It is never read. */
const ANY_ID = "row";

/** What is asked of a plan. */
interface Asked {
  /** The question about a single resource, with what is known of all. */
  readonly stub: unknown;
  readonly knowsId: boolean;
  readonly withForbidden: boolean;
}

/** Each field is read once. Undefined: it cannot be read. */
function askedOf(request: PermissionPlanRequest): Asked | undefined {
  try {
    const { key, operation, account, now, kind, resource, withForbidden } = ownFields(request);
    const known = typeof resource === "object" && resource !== null ? { ...resource } : undefined;
    const id = known?.id;
    const target = { ...known, kind, id: id ?? ANY_ID };
    const isSound = known !== undefined || resource === undefined;
    const stub = { key, operation, account, now, resource: isSound ? target : resource };
    return { stub, knowsId: id !== undefined, withForbidden: withForbidden === true };
  } catch {
    // What a getter or proxy throws on the way is not looked at: it may itself be hostile.
    return undefined;
  }
}

function planned(policies: PolicySet, taken: Taken, { knowsId, withForbidden }: Asked): DecisionPlan {
  if (!taken.isSound) return plannedUnsound(policies, taken, knowsId, withForbidden);
  const { permission, platform, tables } = policies;
  const { action, now } = taken;
  const { plans } = tables.find(taken.key, taken.account, taken.resource, action);
  // What satisfies the schemas is what the rules have read.
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
  const { form, filling, readsClock } = planForm(policies, plans, known, withForbidden);
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

/** Nothing is allowed; but what is forbidden may be asked nevertheless, since what is at fault may be the key alone. */
function plannedUnsound(policies: PolicySet, taken: Unsound, knowsId: boolean, withForbidden: boolean): DecisionPlan {
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
  { account, resource, action, now }: Unsound,
  knowsId: boolean,
): PlannedRows {
  if (platform === undefined) return NO_ROWS;
  if (account instanceof RequestIssue || resource instanceof RequestIssue) return ALL_ROWS;
  if (action instanceof RequestIssue || now instanceof RequestIssue) return ALL_ROWS;
  const [known, row] = [copiedPrincipal(account, ALL_NAMES), copiedResource(resource, ALL_NAMES)];
  if (known === undefined || row === undefined) return ALL_ROWS;
  return forbiddenRows(platform, { account: known, resource: row, action, now, knowsId });
}

/** What is not read to its end, since it is too large or says nothing of itself. */
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
