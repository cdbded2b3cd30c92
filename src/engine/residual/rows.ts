/** Plans for rows, and the evaluation of residuals for rows by the code of decisions. */

import type { Expr } from "../../cel/ast.js";
import { compile, Slots } from "../../cel/compile.js";
import { isExhausted } from "../../cel/evaluation.js";
import type { JsonMap } from "../../cel/values.js";
import { STEP_BUDGET } from "../../limits.js";
import { Activation } from "../evaluate/activation.js";
import type { Layer } from "../evaluate/layer.js";
import { namesReadIn } from "../evaluate/names-read.js";
import { Copies } from "../frame/copies.js";
import type { Plan } from "../plan/plan.js";
import type { FilterRow } from "./filter.js";
import { KnownCode, type KnownEvaluator, type KnownRequest } from "./known-request.js";

/** A plan of a layer, with the evaluator of its known values. */
export interface RowPlan {
  readonly layer: Layer;
  readonly plan: Plan;
  readonly evaluator: KnownEvaluator;
}

/** Half of the step budget of a decision. The other half is left for the row. */
export const MOST_FOR_KNOWN = STEP_BUDGET / 2;

const common = new WeakMap<Layer, Pick<KnownEvaluator, "code" | "activation">>();

export function rowPlan(layer: Layer, plan: Plan): RowPlan {
  const known = common.get(layer);
  const { code, activation } = known ?? {
    code: new KnownCode(layer.equipment.functions),
    activation: new Activation(),
  };
  common.set(layer, { code, activation });
  const types = layer.typesOf(plan);
  return { layer, plan, evaluator: { code, activation, globals: layer.globals, types, steps: MOST_FOR_KNOWN } };
}

/** The value of an expression for a row; undefined if it errs. */
export function rowEvaluator(
  { principal, known, evaluator }: KnownRequest,
  expr: Expr,
): (row: FilterRow) => boolean | undefined {
  const { resource, now } = known;
  const { globals, types } = evaluator;
  const { functions } = evaluator.code;
  const code = compile(expr, { functions, slots: new Slots(), variables: new Map(), constants: new Map() });
  const activation = new Activation();
  const names = namesReadIn(expr).resource;
  return ({ id, attr }) => {
    const copy = copied(attr, names);
    if (copy === undefined) return undefined;
    const row = { ...resource, id: id ?? resource.id, attr: copy };
    activation.begin(principal, row, now, globals, types);
    const value = code(activation);
    const isOver = isExhausted(activation);
    activation.end();
    return typeof value === "boolean" && !isOver ? value : undefined;
  };
}

/** Copies attributes as `decide` does. Undefined for a row with too many values, which errs. */
function copied(attr: FilterRow["attr"], names: readonly string[] | undefined): JsonMap | undefined {
  try {
    return new Copies().attributes(attr ?? {}, names);
  } catch {
    return undefined;
  }
}
