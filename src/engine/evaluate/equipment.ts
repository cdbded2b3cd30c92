/** What an evaluation is equipped with, so that programs need not bring what their policies do not call. */

import type { DeclaredTypes } from "../../cel/declared.js";
import type { Functions } from "../../cel/functions/functions.js";
import type { JsonValue } from "../../cel/json.js";
import type { PolicyModel } from "../../policy/model.js";
import type { LayerFunctions, LayerNeeds, ResourceReader } from "../generate/written.js";
import type { AttributeSchemas, PlannedRole, PlannedRule } from "../plan/plan.js";
import type { AttributeTypes } from "../plan/subjects.js";
import type { PlannedOutput } from "./outputs.js";

/** What a value lacks of a schema. */
interface Fault {
  readonly path: string;
  readonly message: string;
}

/** Holds values against JSON Schemas. */
export interface Validator {
  /** Every cause why `value` does not satisfy the schema at `ref`. Never throws. */
  validate(ref: string, value: unknown): readonly Fault[];
}

/** The owner of a generated function. */
export interface Holder {
  /** The function is taken back. The holder may ask for one again. */
  release(): void;
}

/** The functions for one plan, in use. */
export interface HeldFunctions extends LayerFunctions, Pick<LayerNeeds, "left" | "principal" | "resource"> {}

/** All are made here, so that V8 knows one shape of them. */
export function held(
  read: LayerFunctions["read"],
  judge: LayerFunctions["judge"],
  { left, principal, resource }: LayerNeeds,
): HeldFunctions {
  return { read, judge, left, principal, resource };
}

/** A plan for which functions are wanted. */
export interface WantedLayer {
  readonly conditions: readonly { readonly what: PlannedRule | PlannedRole }[];
  /** None, if all are the same for every request. */
  readonly outputs: readonly PlannedOutput[];
  /** The schemas that declare the attributes, and the types in them. */
  readonly schemas: AttributeSchemas;
  readonly types: AttributeTypes;
}

/** A plan that reads a resource; without functions its closures do. */
export interface ReadingPlan {
  readonly wanted: WantedLayer;
  readonly functions: HeldFunctions | undefined;
}

/** Where functions come from. */
export interface FunctionSource {
  /** So many requests of a plan are decided by closures before it is asked for functions. */
  readonly warmUp: number;
  /** Undefined if there are none to be had. */
  layerFunctions(wanted: WantedLayer, holder: Holder): HeldFunctions | undefined;
  /** The function that reads a resource for these plans; likewise. */
  resourceReader(plans: readonly ReadingPlan[], holder: Holder): ResourceReader | undefined;
}

export interface Equipment {
  /** The functions that expressions can call. */
  readonly functions: Functions;
  /** What schemas declare. Undefined: that cannot be read here, and has to be known. */
  readonly types: ((model: Pick<PolicyModel, "schemas">) => DeclaredTypes) | undefined;
  /** Undefined: nothing can be held against schemas. */
  readonly validator: ((schemas: ReadonlyMap<string, JsonValue>) => Validator) | undefined;
  /** Undefined: closures decide. */
  readonly source: (() => FunctionSource) | undefined;
}
