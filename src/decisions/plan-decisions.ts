/**
 * Which rows of a kind may a key touch? A plan of decisions: the rows for which `decide` says `allow`, as a filter.
 *
 * Of each layer it takes the rows that this layer allows; a row is allowed that is in both (`decide.ts`). The layers stay
 * apart: neither is given what the other one is asked about.
 */

import type { Layer } from "../engine/evaluate/layer.js";
import { refusedVerdict } from "../engine/evaluate/verdicts.js";
import type { LayerVerdict, Reason, WiringFault } from "../engine/plan/verdict.js";
import { allowedRows } from "../engine/residual/allowed.js";
import { complement } from "../engine/residual/complement.js";
import { EVERY, type Filter, isEvery, isExact, isNo, MAYBE, NO } from "../engine/residual/filter.js";
import { all } from "../engine/residual/join.js";
import { decideAny, decisionOf } from "./decide.js";
import { decidedWithout } from "./no-policies.js";
import { NOT_ASKED } from "./not-asked.js";
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

/** A reason, and the layer whose it is. */
export interface PlanReason extends Reason {
  readonly layer: "permission" | "platform";
}

/** Rows that come out alike. */
export interface PlannedRows {
  /** `all`: every row; `none`: no row; `some`: those that the filter holds of. */
  readonly outcome: "all" | "none" | "some";
  /** Which rows; see `matches`. */
  readonly filter: Filter;
  /**
   * Whether the filter holds of a row if and only if `decide` says `allow`, or `forbidden` for the forbidden ones. Otherwise
   * it is a pre-filter, which holds of all of these, and of others: what it holds of has to be decided on one by one
   * (`decideAll`).
   */
  readonly isExact: boolean;
}

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
  const { knowsId, withForbidden, ...stub } = read;
  try {
    const taken = policies.platform === undefined ? takeUp(stub, NO_ACCOUNT) : takeUp(stub);
    if (taken.isSound) return planned(policies, taken, knowsId, withForbidden);
    const plan = refused(decideAny(policies, stub));
    return withForbidden ? { ...plan, forbidden: forbiddenAnyway(policies, taken, knowsId) } : plan;
  } catch {
    // The layers of a policy set do not throw: there is none.
    const decided = decidedWithout(policies);
    const forbidden = rowsOf(decided.outcome === "forbidden" ? EVERY : NO);
    return { ...refused(decided), ...(withForbidden ? { forbidden } : {}) };
  }
}

const NO_ACCOUNT: PermissionRequest["account"] = Object.freeze({ id: "none", attr: Object.freeze({}) });

/** Stands for an id that each row has of its own. It is never read. */
const ANY_ID = "row";

/** What is asked of a plan beside a request. */
interface Asked {
  readonly knowsId: boolean;
  readonly withForbidden: boolean;
}

/** The request as one for a single resource, with what is known of all; each value read once. */
function snapshotOf(request: PermissionPlanRequest): (PermissionRequest & Asked) | undefined {
  try {
    const { key, operation, account, now, kind, resource = {}, withForbidden } = request;
    const { id } = resource;
    const copy = snapshot({ key, operation, account, now, resource: { ...resource, kind, id: id ?? ANY_ID } });
    return { ...copy, knowsId: id !== undefined, withForbidden: withForbidden === true };
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

interface LayerPlan {
  readonly filter: Filter;
  readonly best: LayerVerdict;
  readonly open: readonly Reason[];
  readonly readsClock: boolean;
}

function planned(policies: PolicySet, taken: Sound, knowsId: boolean, withForbidden: boolean): DecisionPlan {
  const { key, account, action, resource, now } = taken;
  const permission = layerPlan(policies.permission, key, taken, knowsId);
  const platform = policies.platform && layerPlan(policies.platform, account, taken, knowsId);
  const filter = all([permission.filter, platform?.filter ?? EVERY]);
  const outcome = outcomeOf(filter);
  const { fault } = decisionOf(policies, action, resource, permission.best, platform?.best ?? NOT_ASKED);
  const readsClock = permission.readsClock || platform?.readsClock === true;
  return {
    outcome,
    filter,
    isExact: isExact(filter),
    reasons: [...reasonsOf(permission, outcome, "permission"), ...reasonsOf(platform, outcome, "platform")],
    ...(readsClock && now !== undefined ? { now: new Date(now.seconds * 1000 + now.nanos / 1_000_000) } : {}),
    ...(outcome === "none" && fault !== undefined ? { fault } : {}),
    ...(withForbidden ? { forbidden: rowsOf(complement(platform?.filter ?? EVERY)) } : {}),
  };
}

function outcomeOf(filter: Filter): PlannedRows["outcome"] {
  if (isNo(filter)) return "none";
  return isEvery(filter) ? "all" : "some";
}

function rowsOf(filter: Filter): PlannedRows {
  return { outcome: outcomeOf(filter), filter, isExact: isExact(filter) };
}

/** The rows that are forbidden though nothing is allowed: what is at fault may be the key alone. */
function forbiddenAnyway({ platform }: PolicySet, taken: Unsound, knowsId: boolean): PlannedRows {
  if (platform === undefined) return rowsOf(NO);
  const question = questionOf(taken.account, taken);
  if (question instanceof RequestIssue) return rowsOf(EVERY);
  const { filter } = layerPlan(platform, question.principal, question, knowsId);
  return rowsOf(complement(filter));
}

/** The rows that a layer allows; where it enforces schemas, rows may be refused for what no rule reads. */
function layerPlan(
  layer: Layer,
  principal: Sound["key"],
  taken: Pick<Sound, "action" | "resource" | "now">,
  knowsId: boolean,
): LayerPlan {
  const { action, resource, now } = taken;
  const { filter, best, open, hasSchema, readsClock } = allowedRows(layer, {
    principal,
    resource,
    knowsId,
    action,
    now,
  });
  const reasons = open.map(({ reason }) => reason);
  if (!layer.enforcesSchemas) return { filter, best, open: reasons, readsClock };
  // Of a resource that is known in part its own faults are not those of any row.
  const enforced = layer.enforcedFor(best, principal, resource, action);
  if (enforced.effect !== "allow") return { filter: NO, best: enforced, open: [], readsClock };
  return { filter: hasSchema ? all([filter, MAYBE]) : filter, best, open: reasons, readsClock };
}

function reasonsOf(
  plan: LayerPlan | undefined,
  outcome: DecisionPlan["outcome"],
  layer: PlanReason["layer"],
): readonly PlanReason[] {
  if (plan === undefined) return [];
  const { best, open, filter } = plan;
  if (outcome === "some") return open.map((reason) => ({ ...reason, layer }));
  // Of two layers, that one which would allow something is not why nothing is allowed.
  if (outcome === "none" && best.effect === "allow" && !isNo(filter)) return [];
  const reasons = outcome === "none" && best.effect === "allow" ? open : best.reasons;
  return reasons.map((reason) => ({ ...reason, layer }));
}

function refused({ outcome, permission, platform, fault }: Decision): DecisionPlan {
  const [verdict, layer] =
    outcome === "forbidden" ? [platform, "platform" as const] : [permission, "permission" as const];
  const reasons = verdict.reasons.map((reason) => ({ ...reason, layer }));
  return { outcome: "none", filter: NO, isExact: true, reasons, ...(fault === undefined ? {} : { fault }) };
}
