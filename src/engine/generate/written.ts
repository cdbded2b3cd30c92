/** Generated functions as data, and the functions that they make in a process. */

import { fits, wholeCost } from "../../cel/declared.js";
import type { CelValue, JsonMap, Timestamp } from "../../cel/values.js";
import type { Expression } from "../../policy/model.js";
import { MAX_COUNTED } from "../frame/budget.js";
import type { PrincipalFrame, ResourceFrame, Slots } from "../frame/frame.js";
import type { Paths, TypeCheck } from "../frame/layout.js";
import type { Conditional } from "../plan/plan.js";
import type { AttributeTypes } from "../plan/subjects.js";

/**
 * A set of conditions is written as numbers, its words: the bits of the first say which of the first so many conditions
 * hold, and so on. A double writes 53 bits exactly.
 */
export const WORD = 50;

/** There is no set, and the closures must be asked. */
export const NO_SET = -1;

/**
 * Judges the conditions of one layer. Returns the set of conditions that hold: one word, or a list of the words with the
 * value of each output behind them, `undefined` where closures are to be asked for it; or {@link NO_SET}. The compiler
 * does not know the type of the result, so the caller looks.
 *
 * The principal is a key for the permission layer and an account for the platform layer; the function is given no other.
 */
export type Judge = (
  principal: PrincipalFrame,
  resource: ResourceFrame,
  slots: Slots,
  now: Timestamp | undefined,
) => unknown;

/** Reads the attributes of a principal into its frame. */
export type PrincipalReader = (frame: PrincipalFrame, attr: JsonMap) => unknown;

/** Reads the attributes of a resource into its frame, for all layers at once. */
export type ResourceReader = (frame: ResourceFrame, attr: JsonMap) => unknown;

/** The conditions and outputs of a layer, and the declared types of the attributes that they read. */
export interface Layered {
  readonly types: AttributeTypes;
  readonly conditions: readonly { readonly what: Conditional }[];
  readonly outputs: readonly LayeredOutput[];
}

export interface LayeredOutput {
  readonly rule: Conditional;
  /** Whether it is put out where the condition of the rule holds, or where it does not. */
  readonly ifHolds: boolean;
  readonly expression: Expression;
}

/** The data beside the functions for a layer. */
export interface LayerNeeds {
  /** The conditions that are left to closures, by their numbers. */
  readonly left: readonly number[];
  /** The slots that the functions read of each part. */
  readonly principal: Paths;
  readonly resource: Paths;
}

/** The text of generated code as code; its parameter is the list of type checks. */
export type Factory = (d: readonly unknown[]) => unknown;

/** The functions for one layer. */
export interface LayerFunctions {
  readonly read: PrincipalReader;
  readonly judge: Judge;
}

/** The types that checks are looked up in, by layer. */
type Types = readonly AttributeTypes[];

/** Makes a function of generated code: a judge, or a reader with its type checks. */
export function functionOf(factory: Factory, checks: readonly TypeCheck[] = [], types: Types = []): Generated {
  return known(factory(checks.map((check) => checkOf(check, types))));
}

/** The compiler knows of a generated value that it is a function, once that was looked at. */
type Generated = (...parts: readonly unknown[]) => unknown;

function known(run: unknown): Generated {
  if (!isFunction(run)) throw new Error("keyward: generated code that is not a function");
  return run;
}

function checkOf({ layer, subject, path, asks }: TypeCheck, types: Types): (value: CelValue) => boolean | number {
  let declared = types[layer]?.[subject];
  for (const name of path) declared = declared?.member(name);
  const found = declared;
  if (found === undefined) throw new Error("keyward: a generated function looks for a type that is not declared");
  return asks === "fits" ? (value) => fits(value, found) : (value) => wholeCost(value, found, MAX_COUNTED);
}

function isFunction(value: unknown): value is Generated {
  return typeof value === "function";
}
