/** What an evaluation is equipped with, so that programs need not bring what their policies do not call. */

import type { DeclaredTypes } from "../../cel/declared.js";
import type { Functions } from "../../cel/functions/functions.js";
import type { JsonValue } from "../../cel/json.js";
import type { PolicyModel } from "../../policy/model.js";
import type { AttributeTypes, BindingFunction, HoldingFunction } from "../generate/written.js";
import type { AttributeSchemas } from "../plan/plan.js";
import type { Closures } from "./closures.js";
import type { PlannedCondition } from "./conditions.js";

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

/** Whoever uses a generated function. */
export interface Holder {
  /** It is to let go of its function. It may ask for one again. */
  release(): void;
}

/** A function that finds out which conditions of a plan hold, in place of closures. */
export interface Holding {
  /** `words`: where the function puts the words of a set after its first. */
  make(words: number[]): HoldingFunction;
  /** Some condition is left to its closure, which reads the evaluation. */
  readonly needsActivation: boolean;
}

/** What a function is wanted for. */
export interface Wanted {
  readonly conditions: readonly PlannedCondition[];
  /** What declares the attributes that are read, and what it declares of them. */
  readonly schemas: AttributeSchemas;
  readonly types: AttributeTypes;
}

/** Where the functions of a layer come from. */
export interface FunctionSource {
  /** So many requests of a plan are decided by closures before it is asked for a function. */
  readonly warmUp: number;
  /** Undefined if there is none to be had. */
  functionFor(wanted: Wanted, holder: Holder): Holding | undefined;
  /** The same in two stages, the principal's first. */
  bindingFor?(wanted: Wanted, holder: Holder): BindingFunction | undefined;
}

export interface Equipment {
  /** The functions that expressions can call. */
  readonly functions: Functions;
  /** What schemas declare. Undefined: that cannot be read here, and has to be known. */
  readonly types: ((model: Pick<PolicyModel, "schemas">) => DeclaredTypes) | undefined;
  /** Undefined: nothing can be held against schemas. */
  readonly validator: ((schemas: ReadonlyMap<string, JsonValue>) => Validator) | undefined;
  /** Undefined: closures decide. */
  readonly source: ((closures: Closures) => FunctionSource) | undefined;
}
