/**
 * What the plan of decisions on rows comes to whatever the values that are known: it is found out once for all requests of
 * which the same is answered (the invariant "asked, not seen"), and filled with the values of each.
 */

import type { Layer } from "../engine/evaluate/layer.js";
import { shared } from "../engine/evaluate/verdicts.js";
import type { LayerVerdict, Reason } from "../engine/plan/verdict.js";
import { allowedRows } from "../engine/residual/allowed.js";
import { complement } from "../engine/residual/complement.js";
import { Filling, fillerOf } from "../engine/residual/fill.js";
import type { Filter } from "../engine/residual/filter.js";
import { Forms } from "../engine/residual/forms.js";
import { Given } from "../engine/residual/given.js";
import { Inquiry, LayerInquiry } from "../engine/residual/inquiry.js";
import { all } from "../engine/residual/join.js";
import { EVERY, isEvery, isExact, isNo, MAYBE, NO, type Outline } from "../engine/residual/outline.js";
import { type Planned, plannedRows, type RowsTarget } from "../engine/residual/rows.js";
import { NOT_ASKED } from "./not-asked.js";
import type { PolicySet } from "./policy-set.js";
import type { Sound } from "./request.js";

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

/** The same of them whatever the values. */
interface RowsForm extends Pick<PlannedRows, "outcome" | "isExact"> {
  readonly filter: (filling: Filling) => Filter;
}

export function rowsOf({ outcome, isExact, filter }: RowsForm, filling: Filling): PlannedRows {
  return { outcome, filter: filter(filling), isExact };
}

export interface PlanForm extends RowsForm {
  readonly reasons: readonly PlanReason[];
  /** Whether what is evaluated for rows reads the clock. */
  readonly readsClock: boolean;
  /** The verdicts on rows for which whatever depends on the row is as good as it can be. */
  readonly best: readonly [permission: LayerVerdict, platform: LayerVerdict];
  readonly forbidden: RowsForm | undefined;
}

function givenTo(layers: readonly Planned[]): Given {
  return new Given(layers.map(({ plan, principal, target }) => plan.known(principal, target)));
}

/** The form of a plan, and what it is filled with. */
export interface FoundForm {
  readonly form: PlanForm;
  readonly filling: Filling;
  readonly readsClock: boolean;
}

/** By whether they say which rows are forbidden. */
interface KnownForms {
  readonly plain: Forms<PlanForm>;
  readonly withForbidden: Forms<PlanForm>;
}

const known = new WeakMap<Layer, KnownForms>();

function formsFor(permission: Layer, withForbidden: boolean): Forms<PlanForm> {
  const forms = known.get(permission) ?? newForms(permission);
  return withForbidden ? forms.withForbidden : forms.plain;
}

function newForms(permission: Layer): KnownForms {
  const made = { plain: new Forms<PlanForm>(), withForbidden: new Forms<PlanForm>() };
  known.set(permission, made);
  return made;
}

export function planForm(
  policies: PolicySet,
  key: Sound["key"],
  account: Sound["account"],
  target: RowsTarget,
  withForbidden: boolean,
): FoundForm {
  const permission = plannedRows(policies.permission, key, target);
  const platform = policies.platform && plannedRows(policies.platform, account, target);
  const layers = platform === undefined ? [permission] : [permission, platform];
  try {
    const forms = formsFor(policies.permission, withForbidden);
    const [first, second] = [permission.plan, (platform ?? permission).plan];
    const given = givenTo(layers);
    const form = forms.find(first, second, given);
    if (form !== undefined) return found(form, given, layers);
    // What was found out so far was paid for.
    const inquiry = new Inquiry(givenTo(layers));
    const made = formOf(inquiry, permission, platform, withForbidden);
    if (inquiry.asked !== undefined) forms.add(first, second, inquiry.asked, made);
    return found(made, inquiry.given, layers);
  } finally {
    for (const { plan } of layers) plan.end();
  }
}

function found(form: PlanForm, given: Given, layers: readonly Planned[]): FoundForm {
  return { form, filling: new Filling(given, layers), readsClock: form.readsClock || given.readsClock };
}

/** The rows that are forbidden, of a request whose key is at fault. */
export function forbiddenRows(platform: Layer, account: Sound["account"], target: RowsTarget): PlannedRows {
  const layer = plannedRows(platform, account, target);
  try {
    const inquiry = new Inquiry(givenTo([layer]));
    const form = rowsForm(complement(layerForm(inquiry, 0, layer).outline));
    return rowsOf(form, new Filling(inquiry.given, [layer]));
  } finally {
    layer.plan.end();
  }
}

function formOf(inquiry: Inquiry, first: Planned, second: Planned | undefined, withForbidden: boolean): PlanForm {
  const permission = layerForm(inquiry, 0, first);
  const platform = second && layerForm(inquiry, 1, second);
  const rows = rowsForm(all([permission.outline, platform?.outline ?? EVERY]));
  const reasons = [
    ...reasonsOf(permission, rows.outcome, "permission"),
    ...reasonsOf(platform, rows.outcome, "platform"),
  ];
  return {
    ...rows,
    reasons: Object.freeze(reasons),
    readsClock: permission.readsClock || platform?.readsClock === true,
    best: [permission.best, platform?.best ?? NOT_ASKED],
    forbidden: withForbidden ? rowsForm(complement(platform?.outline ?? EVERY)) : undefined,
  };
}

function rowsForm(outline: Outline): RowsForm {
  const outcome = isNo(outline) ? "none" : isEvery(outline) ? "all" : "some";
  return { outcome, isExact: isExact(outline), filter: fillerOf(outline) };
}

interface LayerForm {
  readonly outline: Outline;
  readonly best: LayerVerdict;
  readonly open: readonly Reason[];
  readonly readsClock: boolean;
}

/** The rows that a layer allows; where it enforces schemas, rows may be refused for what no rule reads. */
function layerForm(inquiry: Inquiry, number: number, { plan, principal, target }: Planned): LayerForm {
  const { layer } = plan;
  const asked = new LayerInquiry(inquiry, number);
  const { outline, best, open, readsClock } = allowedRows(plan.plan, layer.defaultReason, asked);
  const made = { outline, best: shared(best), open: open.map(({ reason }) => reason), readsClock };
  if (!layer.enforcesSchemas) return made;
  // Of a resource that is known in part its own faults are not those of any row.
  inquiry.look();
  const { resource, action } = target;
  const enforced = layer.enforcedFor(best, principal, resource, action);
  if (enforced.effect !== "allow") return { outline: NO, best: enforced, open: [], readsClock };
  return plan.hasSchema ? { ...made, outline: all([outline, MAYBE]) } : made;
}

function reasonsOf(
  form: LayerForm | undefined,
  outcome: RowsForm["outcome"],
  layer: PlanReason["layer"],
): readonly PlanReason[] {
  if (form === undefined) return [];
  const { best, open, outline } = form;
  const from = (reasons: readonly Reason[]) => reasons.map((reason) => Object.freeze({ ...reason, layer }));
  if (outcome === "some") return from(open);
  // Of two layers, that one which would allow something is not why nothing is allowed.
  if (outcome === "none" && best.effect === "allow" && !isNo(outline)) return [];
  return from(outcome === "none" && best.effect === "allow" ? open : best.reasons);
}
