/** Converts a layer to the form that formulas take. */

import type { PolicySet } from "../decisions/policy-set.js";
import type { Layer as CompiledLayer } from "../engine/evaluate/layer.js";
import type { FormulaLayer } from "../engine/formula/plan-formulas.js";

export function layerPolicies({ model }: PolicySet, layer: CompiledLayer): FormulaLayer {
  const { index, version, knowsGlobals, enforcesSchemas } = layer;
  const globals = knowsGlobals ? layer.globals : undefined;
  return { index, model, version, globals, enforcesSchemas, typesOf: (plan) => layer.typesOf(plan) };
}
