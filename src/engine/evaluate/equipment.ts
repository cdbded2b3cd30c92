/** What an evaluation is equipped with, so that programs need not bring what their policies do not call. */

import type { DeclaredTypes } from "../../cel/declared.js";
import type { Functions } from "../../cel/functions/functions.js";
import type { JsonValue } from "../../cel/json.js";
import type { PolicyModel } from "../../policy/model.js";
import type { Selection } from "../generate/selection.js";
import type { AttributePath, HoldingFunction, Needs, Part, Stages } from "../generate/written.js";
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

/** Whoever uses a generated function. */
export interface Holder {
  /** It is to let go of its function. It may ask for one again. */
  release(): void;
}

/** How whoever wants a function is to ask it. */
interface Selected {
  /** Undefined: it is for one plan alone. */
  readonly selection?: Selection | undefined;
  /** What it reads then, in the order of the values that it returns; `undefined` in place of what it does not read. */
  readonly reads: readonly (AttributePath | undefined)[];
}

/** A function that finds out which conditions hold, in place of closures. */
export interface Holding extends Selected, Pick<Needs, "left"> {
  readonly run: HoldingFunction;
}

/** The same for principals, and perhaps accounts, that are known. */
export interface Binding extends Selected {
  readonly stages: Stages;
}

/** A layer for which a function is wanted. */
export interface WantedLayer {
  readonly conditions: readonly { readonly what: PlannedRule | PlannedRole }[];
  /** None, if all are the same for every request. */
  readonly outputs: readonly PlannedOutput[];
  /** What declares the attributes that are read, and what it declares of them. */
  readonly schemas: AttributeSchemas;
  readonly types: AttributeTypes;
}

/** What a function is wanted for: the conditions and outputs of these layers, one or two. */
export interface Wanted {
  readonly layers: readonly WantedLayer[];
  /**
   * The numbers of those conditions that it will be asked for by whoever wants it, in the order of the set that it is to find.
   * Undefined: for all. A function of which some are asked for is one for all who want some of the same.
   */
  readonly some: readonly number[] | undefined;
}

/** Where functions come from. */
export interface FunctionSource {
  /** So many requests of a plan are decided by closures before it is asked for a function. */
  readonly warmUp: number;
  /** Undefined if there is none to be had. */
  functionFor(wanted: Wanted, holder: Holder): Holding | undefined;
  /** The same in two stages, that of the bound parts first. */
  bindingFor?(wanted: Wanted, bound: ReadonlySet<Part>, holder: Holder): Binding | undefined;
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
