/** Generated functions as data, and the functions that are made of this data in a process. */

import { declaredAt, matchesDeclaration, validationCost } from "../../cel/type-declaration.js";
import type { CelValue, JsonMap, Timestamp } from "../../cel/values.js";
import type { Expression } from "../../policy/model.js";
import { MAX_COUNTED } from "../frame/budget.js";
import type { FrameSlots, PrincipalFrame, ResourceFrame } from "../frame/frame.js";
import type { SlotPaths, TypeCheck } from "../frame/layout.js";
import type { Conditional } from "../plan/plan.js";
import type { DeclaredAttributeTypes } from "../plan/subjects.js";

/**
 * How many bits a word has. A set of conditions is a bit set in words: the bits of the first word say which of the
 * first `WORD` conditions hold, and so on. A double represents 53 bits exactly.
 */
export const WORD = 50;

/** No set: the closures must be asked. */
export const NO_SET = -1;

/**
 * Judges the conditions of one layer. Returns the set of conditions that hold, or {@link NO_SET}. A set is one word, or
 * a list of its words followed by the value of each output. `undefined` stands for an output that closures must
 * evaluate. The compiler does not know the type of the result, so the caller checks it.
 *
 * The principal is a key for the permission layer and an account for the platform layer. The function gets no other.
 */
export type Judge = (
  principal: PrincipalFrame,
  resource: ResourceFrame,
  slots: FrameSlots,
  now: Timestamp | undefined,
) => unknown;

/** Reads the attributes of a principal into its frame. */
export type PrincipalReader = (frame: PrincipalFrame, attr: JsonMap) => unknown;

/** Reads the attributes of a resource into its frame, for all layers at once. */
export type ResourceReader = (frame: ResourceFrame, attr: JsonMap) => unknown;

/** The conditions and outputs of a layer, and the declared types of the attributes that they read. */
export interface LayerConditions {
  readonly types: DeclaredAttributeTypes;
  readonly conditions: readonly { readonly what: Conditional }[];
  readonly outputs: readonly LayeredOutput[];
}

export interface LayeredOutput {
  readonly rule: Conditional;
  /** Whether the output is reported where the condition of the rule holds, or where it does not. */
  readonly ifHolds: boolean;
  readonly expression: Expression;
}

/** The data beside the functions for a layer. */
export interface LayerNeeds {
  /** The conditions that are left to closures, by their numbers. */
  readonly left: readonly number[];
  /** The slots that the functions read of each part. */
  readonly principal: SlotPaths;
  readonly resource: SlotPaths;
}

/** The text of generated code as code; its parameter is the list of type checks. */
export type Factory = (d: readonly unknown[]) => unknown;

/** The functions for one layer. */
export interface LayerFunctions {
  readonly read: PrincipalReader;
  readonly judge: Judge;
}

/** The declared types that checks refer to, by layer. */
type LayerTypes = readonly DeclaredAttributeTypes[];

/** Makes a function of generated code: a judge, or a reader with its type checks. */
export function functionOf(factory: Factory, checks: readonly TypeCheck[] = [], types: LayerTypes = []): Generated {
  return known(factory(checks.map((check) => checkOf(check, types))));
}

/** The type of a generated value, once it was tested to be a function. */
type Generated = (...parts: readonly unknown[]) => unknown;

function known(run: unknown): Generated {
  if (!isFunction(run)) throw new Error("keyward: generated code that is not a function");
  return run;
}

function checkOf({ layer, subject, path, asks }: TypeCheck, types: LayerTypes): (value: CelValue) => boolean | number {
  const declared = declaredAt(types[layer]?.[subject], path);
  if (declared === undefined) throw new Error("keyward: a generated function looks for a type that is not declared");
  return asks === "fits"
    ? (value) => matchesDeclaration(value, declared)
    : (value) => validationCost(value, declared, MAX_COUNTED);
}

function isFunction(value: unknown): value is Generated {
  return typeof value === "function";
}
