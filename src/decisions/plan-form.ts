/**
 * The form of a plan of decisions on rows: the plan without the known values of a request. A form is made once for all
 * requests with the same answers (the invariant "asked, not seen"), and filled with the values of each.
 */

import type { Layer } from "../engine/evaluate/layer.js";
import type { PlanPair } from "../engine/evaluate/plan-pair.js";
import { freezeVerdict } from "../engine/evaluate/verdicts.js";
import type { PrincipalInput, ResourceInput } from "../engine/plan/subjects.js";
import type { LayerVerdict, Reason } from "../engine/plan/verdict.js";
import { allowedRows } from "../engine/residual/allowed.js";
import { complement } from "../engine/residual/complement.js";
import { FilterFilling, fillerOf } from "../engine/residual/fill-outline.js";
import { EVERY, type Filter, MAYBE, NO } from "../engine/residual/filter.js";
import { all } from "../engine/residual/join.js";
import { KnownRequest, type KnownRequestPart } from "../engine/residual/known-request.js";
import { KnownValues } from "../engine/residual/known-values.js";
import { isEvery, isExact, isNo, type Outline } from "../engine/residual/outline.js";
import { PlanFormCache } from "../engine/residual/plan-form-cache.js";
import { type AnsweredQuestion, LayerQuestions, QuestionLog } from "../engine/residual/question-log.js";
import { type RowPlan, rowPlan } from "../engine/residual/rows.js";
import { NOT_ASKED } from "./not-asked.js";
import type { PolicySet } from "./policy-set.js";

/** A reason, and its layer. */
export interface PlanReason extends Reason {
  readonly layer: "permission" | "platform";
}

/** Rows that have the same outcome. */
export interface PlannedRows {
  /** `all`: every row; `none`: no row; `some`: the rows for which the filter holds. */
  readonly outcome: "all" | "none" | "some";
  /** The filter for these rows; see `matches`. */
  readonly filter: Filter;
  /**
   * Whether the filter holds for a row if and only if `decide` says `allow`, or `forbidden` for the forbidden ones.
   * Otherwise it is a pre-filter, which holds for all of these rows, and for others. Each row for which it holds must
   * then be decided on (`decideAll`).
   */
  readonly isExact: boolean;
}

/** The form of {@link PlannedRows}, without the known values. */
interface RowsForm extends Pick<PlannedRows, "outcome" | "isExact"> {
  readonly filter: (filling: FilterFilling) => Filter;
}

export function rowsOf({ outcome, isExact, filter }: RowsForm, filling: FilterFilling): PlannedRows {
  return { outcome, filter: filter(filling), isExact };
}

export interface PlanForm extends RowsForm {
  readonly reasons: readonly PlanReason[];
  /** Whether the evaluation of rows reads the clock. */
  readonly readsClock: boolean;
  /** The verdicts if everything that depends on the row is as good as it can be. */
  readonly best: readonly [permission: LayerVerdict, platform: LayerVerdict];
  readonly forbidden: RowsForm | undefined;
}

/** A question about the rows of a kind, with the values that are known of all rows. */
export interface RowsRequest extends KnownRequestPart {
  readonly key: PrincipalInput;
  readonly account: PrincipalInput;
  readonly resource: ResourceInput;
  readonly action: string;
}

/** The form of a plan, and the values that fill it. */
export interface FoundForm {
  readonly form: PlanForm;
  readonly filling: FilterFilling;
  readonly readsClock: boolean;
}

/**
 * - `allowed`: the rows that are allowed.
 * - `forbidden too`: also the rows that the platform forbids.
 * - `schemas apart`: the rows that the rules allow. Where schemas are enforced, they may refuse some of these rows.
 */
export type WantedRows = "allowed" | "forbidden too" | "schemas apart";

/** The cached forms for the plans of a question. */
class PlansOfRows {
  readonly forms: { readonly [wanted in WantedRows]: PlanFormCache<PlanForm> } = {
    allowed: new PlanFormCache(),
    "forbidden too": new PlanFormCache(),
    "schemas apart": new PlanFormCache(),
  };
  readonly first: RowPlan;
  readonly second: RowPlan | undefined;

  constructor(first: RowPlan, second: RowPlan | undefined) {
    this.first = first;
    this.second = second;
  }

  given(request: RowsRequest): KnownValues {
    const { first, second } = this;
    const permission = new KnownRequest(request.key, request, first.evaluator);
    if (second === undefined) return new KnownValues([permission]);
    return new KnownValues([permission, new KnownRequest(request.account, request, second.evaluator)]);
  }
}

/** The most forms that are cached for all plans. After that all are dropped. A form takes some kilobytes. */
const MAX_KEPT = 2_000;

let plans = new WeakMap<PlanPair, PlansOfRows>();
let kept = 0;

function plansOf({ permission, platform }: PolicySet, pair: PlanPair): PlansOfRows {
  const known = plans.get(pair);
  if (known !== undefined) return known;
  const other = pair.platform;
  const made = new PlansOfRows(
    rowPlan(permission, pair.permission.plan),
    platform && other && rowPlan(platform, other.plan),
  );
  plans.set(pair, made);
  return made;
}

function keep(forms: PlanFormCache<PlanForm>, found: readonly AnsweredQuestion[], form: PlanForm): void {
  if (kept === MAX_KEPT) {
    plans = new WeakMap();
    kept = 0;
  }
  kept += 1;
  forms.add(found, form);
}

/** `pair`: the plans that decide on the rows. `request`: copies of the known values, which nobody changes. */
export function planForm(policies: PolicySet, pair: PlanPair, request: RowsRequest, wanted: WantedRows): FoundForm {
  const known = plansOf(policies, pair);
  const forms = known.forms[wanted];
  const given = known.given(request);
  try {
    const form = forms.find(given);
    if (form !== undefined) return found(form, given);
  } finally {
    given.end();
  }
  // The search has spent steps of the budget, so the questions begin anew.
  const log = new QuestionLog(known.given(request));
  try {
    const made = formOf(log, known, request.action, wanted);
    if (log.asked !== undefined) keep(forms, log.asked, made);
    return found(made, log.given);
  } finally {
    log.given.end();
  }
}

function found(form: PlanForm, given: KnownValues): FoundForm {
  return { form, filling: new FilterFilling(given), readsClock: form.readsClock || given.readsClock };
}

/** The forbidden rows, for any key. `account` and `resource` are copies. */
export function forbiddenRows(platform: Layer, request: Omit<RowsRequest, "key">): PlannedRows {
  const { account, resource, action } = request;
  const plan = rowPlan(platform, platform.planFor(account, resource, action).plan);
  const given = new KnownValues([new KnownRequest(account, request, plan.evaluator)]);
  try {
    const { outline } = layerForm(new QuestionLog(given), 0, plan, action, "forbidden too");
    return rowsOf(rowsForm(complement(outline)), new FilterFilling(given));
  } finally {
    given.end();
  }
}

function formOf(log: QuestionLog, { first, second }: PlansOfRows, action: string, wanted: WantedRows): PlanForm {
  const permission = layerForm(log, 0, first, action, wanted);
  const platform = second && layerForm(log, 1, second, action, wanted);
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
    forbidden: wanted === "forbidden too" ? rowsForm(complement(platform?.outline ?? EVERY)) : undefined,
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

/**
 * The rows that a layer allows. If the layer enforces schemas, it may refuse rows for attributes that no rule reads.
 */
function layerForm(
  log: QuestionLog,
  number: number,
  { layer, plan }: RowPlan,
  action: string,
  wanted: WantedRows,
): LayerForm {
  const about = new LayerQuestions(log, number);
  const { outline, best, open, readsClock } = allowedRows(plan, layer.defaultReason, about);
  const made = { outline, best: freezeVerdict(best), open: open.map(({ reason }) => reason), readsClock };
  if (!layer.enforcesSchemas) return made;
  // The faults of a partly known resource are not those of any row.
  log.look();
  const { principal, known } = about.known;
  const enforced = layer.enforcedFor(best, principal, known.resource, action);
  if (enforced.effect !== "allow") return { outline: NO, best: enforced, open: [], readsClock };
  return plan.schemas.resource !== undefined && wanted !== "schemas apart"
    ? { ...made, outline: all([outline, MAYBE]) }
    : made;
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
  // If this layer would allow something, it is not the reason that both together allow nothing.
  if (outcome === "none" && best.effect === "allow" && !isNo(outline)) return [];
  return from(outcome === "none" && best.effect === "allow" ? open : best.reasons);
}
