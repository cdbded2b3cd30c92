/**
 * Which rows of a kind may a key touch? A plan of decisions: the rows for which `decide` says `allow`, as a filter.
 *
 * Of each layer it takes the rows that this layer allows; a row is allowed that is in both (`decide.ts`). The layers stay
 * apart: neither is given what the other one is asked about.
 */

import { refusedVerdict } from "../engine/evaluate/verdicts.js";
import type { LayerVerdict, WiringFault } from "../engine/plan/verdict.js";
import { EVERY, NO } from "../engine/residual/filter.js";
import { decideAny } from "./decide.js";
import { decidedWithout } from "./no-policies.js";
import { decisionOf } from "./outcome.js";
import { forbiddenRows, type PlannedRows, type PlanReason, planForm, rowsOf } from "./plan-form.js";
import type { PolicySet } from "./policy-set.js";
import type { KindOf, PolicyTypes, ResourceOf } from "./policy-types.js";
import { invalidRequest, questionOf, RequestIssue, type Sound, takeUp, type Unsound } from "./request.js";
import { snapshot } from "./snapshot.js";
import type { Decision, PermissionRequest, RequestPart } from "./types.js";

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
  const read = snapshotOf(request);
  if (read === undefined) return unread();
  const { request: stub, knowsId, withForbidden } = read;
  try {
    const taken = policies.platform === undefined ? takeUp(stub, NO_ACCOUNT) : takeUp(stub);
    if (taken.isSound) return planned(policies, taken, knowsId, withForbidden);
    const plan = refused(decideAny(policies, stub));
    return withForbidden ? { ...plan, forbidden: forbiddenAnyway(policies, taken, knowsId) } : plan;
  } catch {
    // The layers of a policy set do not throw: there is none.
    const decided = decidedWithout(policies);
    const forbidden = decided.outcome === "forbidden" ? ALL_ROWS : NO_ROWS;
    return { ...refused(decided), ...(withForbidden ? { forbidden } : {}) };
  }
}

const NO_ACCOUNT: PermissionRequest["account"] = Object.freeze({ id: "none", attr: Object.freeze({}) });

/** Stands for an id that each row has of its own. It is never read. */
const ANY_ID = "row";

/** What is asked of a plan. */
interface Asked {
  readonly request: PermissionRequest;
  readonly knowsId: boolean;
  readonly withForbidden: boolean;
}

/** The request as one for a single resource, with what is known of all; each value read once. */
function snapshotOf(request: PermissionPlanRequest): Asked | undefined {
  try {
    const { key, operation, account, now, kind, resource = {}, withForbidden } = request;
    const { id } = resource;
    const copy = snapshot({ key, operation, account, now, resource: { ...resource, kind, id: id ?? ANY_ID } });
    return { request: copy, knowsId: id !== undefined, withForbidden: withForbidden === true };
  } catch {
    // What a getter or proxy throws on the way is not looked at: it may itself be hostile.
    return undefined;
  }
}

/** The plan for what is no request, or cannot be read. */
function unread(): DecisionPlan {
  const verdict = refusedVerdict(invalidRequest(new RequestIssue("", "cannot be read")));
  return refused({ outcome: "insufficient_permissions", permission: verdict, platform: verdict, ...faultOf(verdict) });
}

function faultOf({ fault }: LayerVerdict): { readonly fault?: WiringFault } {
  return fault === undefined ? {} : { fault };
}

function planned(policies: PolicySet, taken: Sound, knowsId: boolean, withForbidden: boolean): DecisionPlan {
  const { key, account, action, resource, now } = taken;
  const target = { resource, knowsId, action, now };
  const { form, filling, readsClock } = planForm(policies, key, account, target, withForbidden);
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

/** The rows that are forbidden though nothing is allowed: what is at fault may be the key alone. */
function forbiddenAnyway({ platform }: PolicySet, taken: Unsound, knowsId: boolean): PlannedRows {
  if (platform === undefined) return NO_ROWS;
  const question = questionOf(taken.account, taken);
  if (question instanceof RequestIssue) return ALL_ROWS;
  const { principal, resource, action, now } = question;
  return forbiddenRows(platform, principal, { resource, knowsId, action, now });
}

const NO_ROWS: PlannedRows = Object.freeze({ outcome: "none", filter: NO, isExact: true });
const ALL_ROWS: PlannedRows = Object.freeze({ outcome: "all", filter: EVERY, isExact: true });

function refused({ outcome, permission, platform, fault }: Decision): DecisionPlan {
  const [verdict, layer] =
    outcome === "forbidden" ? [platform, "platform" as const] : [permission, "permission" as const];
  const reasons = verdict.reasons.map((reason) => ({ ...reason, layer }));
  return { outcome: "none", filter: NO, isExact: true, reasons, ...(fault === undefined ? {} : { fault }) };
}
