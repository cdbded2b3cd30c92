/**
 * The equipment of an evaluation. It is separate so that a program bundles only the functions that its policies call.
 */

import type { FunctionSet } from "../../cel/functions/functions.js";
import type { JsonValue } from "../../cel/json.js";
import type { AttributeDeclarations } from "../../cel/type-declaration.js";
import type { PolicyModel } from "../../policy/model.js";
import type { LayerFunctions, LayerNeeds, ResourceReader } from "../generate/written.js";
import type { AttributeSchemaRefs, PlannedRole, PlannedRule } from "../plan/plan.js";
import type { DeclaredAttributeTypes } from "../plan/subjects.js";
import type { PlannedOutput } from "./outputs.js";

/** A fault of a value, by a schema. */
interface SchemaFault {
  readonly path: string;
  readonly message: string;
}

/** Validates values by JSON Schemas. */
export interface Validator {
  /** Every fault of `value` by the schema at `ref`. Never throws. */
  validate(ref: string, value: unknown): readonly SchemaFault[];
}

/** The owner of a generated function. */
export interface FunctionHolder {
  /** The function is evicted. The holder may ask for one again. */
  release(): void;
}

/** The functions for one plan, in use. */
export interface HeldFunctions extends LayerFunctions, Pick<LayerNeeds, "left" | "principal" | "resource"> {}

/** Makes all of these objects, so that V8 sees one shape. */
export function makeHeldFunctions(
  read: LayerFunctions["read"],
  judge: LayerFunctions["judge"],
  { left, principal, resource }: LayerNeeds,
): HeldFunctions {
  return { read, judge, left, principal, resource };
}

/** A plan that wants functions. */
export interface FunctionRequest {
  readonly conditions: readonly { readonly what: PlannedRule | PlannedRole }[];
  /** Empty if all outputs are the same for every request. */
  readonly outputs: readonly PlannedOutput[];
  /** The schemas that declare the attributes, and the types in them. */
  readonly schemas: AttributeSchemaRefs;
  readonly types: DeclaredAttributeTypes;
}

/** A plan that reads a resource. Without functions its closures read it. */
export interface ReadingPlan {
  readonly wanted: FunctionRequest;
  readonly functions: HeldFunctions | undefined;
}

/** Makes or finds generated functions. */
export interface FunctionSource {
  /** How many requests of a plan are decided by closures before functions are asked for. */
  readonly warmUp: number;
  /** Undefined if there are no functions for the plan. */
  layerFunctions(wanted: FunctionRequest, holder: FunctionHolder): HeldFunctions | undefined;
  /** The function that reads a resource for these plans; undefined likewise. */
  resourceReader(plans: readonly ReadingPlan[], holder: FunctionHolder): ResourceReader | undefined;
}

export interface Equipment {
  /** The functions that expressions can call. */
  readonly functions: FunctionSet;
  /** The types that schemas declare. Undefined: they cannot be read here, and must be known already. */
  readonly types: ((model: Pick<PolicyModel, "schemas">) => AttributeDeclarations) | undefined;
  /** Undefined: values cannot be validated. */
  readonly validator: ((schemas: ReadonlyMap<string, JsonValue>) => Validator) | undefined;
  /** Undefined: closures decide. */
  readonly source: (() => FunctionSource) | undefined;
}
