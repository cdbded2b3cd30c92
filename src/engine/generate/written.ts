/** A generated function as data, and the function that it makes in a process. */

import { fits, wholeCost } from "../../cel/declared.js";
import type { CelValue, JsonMap, Timestamp } from "../../cel/values.js";
import type { Expression } from "../../policy/model.js";
import type { Conditional } from "../plan/plan.js";
import type { AttributeTypes, Subject } from "../plan/subjects.js";
import { MAX_COUNTED } from "./budget.js";
import type { Selection, Selective } from "./selection.js";

/**
 * A set of conditions is written as numbers, its words: the bits of the first say which of the first so many conditions
 * hold, and so on. A double writes 53 bits exactly.
 */
export const WORD = 50;

/** In place of the first word of a set: there is none, and the closures must be asked. */
export const NO_SET = -1;

/**
 * Returns the set of conditions that hold, of those that are asked for. Where that is one word and nothing remains to be done, it returns that;
 * otherwise a list: the words; then the value of each output, `undefined` where closures are to be asked for it; then, if
 * closures are to be asked, the values that were read, in the order of {@link Needs.reads}. With {@link NO_SET} as the
 * first word the closures must be asked for all. What it returns is not known to the compiler, so whoever calls it looks
 * what it is.
 */
export type HoldingFunction = (
  selection: Selection,
  ...request: [...principal: PrincipalValues, ...account: PrincipalValues, ...rest: ResourceValues]
) => unknown;

/**
 * The parts of a request, value by value: objects that are made for each decision would take as long as all else that is
 * done for it.
 */
type PrincipalValues = [id: string, roles: readonly string[], attr: JsonMap];
type ResourceValues = [kind: string, id: string, attr: JsonMap, now: Timestamp | undefined];

/**
 * A {@link HoldingFunction} in two stages, for a principal, and perhaps an account, who are asked about again and again.
 * What the first has found is passed to the second, and is not hidden in a function: there are many of those who ask, and
 * each line that belongs to one of them has to be fetched.
 */
export interface Stages {
  /**
   * Evaluates what depends on those alone who are bound; the account is not looked at where each request has its own.
   * Undefined where closures must be asked, whatever the rest.
   */
  bind(...subjects: [...principal: PrincipalValues, ...account: PrincipalValues]): object | undefined;
  /** Evaluates the rest. `bound`: what `bind` has returned. */
  readonly run: BoundFunction;
}

export type BoundFunction = (
  selection: Selection,
  bound: object,
  ...request: [...account: PrincipalValues, ...rest: ResourceValues]
) => unknown;

/**
 * Who or what attributes are of as generated functions have it: the principal of the first layer, that of the second, which is the
 * account, and the resource, which both are asked about.
 */
export type Part = "principal" | "account" | "resource";

/** Of a layer, what is declared of the attributes that its conditions read. */
interface Typed {
  readonly types: AttributeTypes;
}

/**
 * The conditions and outputs of one layer. Those of a function are numbered through, and the words of a set are of all of
 * its conditions.
 */
export interface Layered extends Typed {
  readonly conditions: readonly { readonly what: Conditional }[];
  readonly outputs: readonly LayeredOutput[];
}

export interface LayeredOutput {
  readonly rule: Conditional;
  /** Whether it is put out where the condition of the rule holds, or where it does not. */
  readonly ifHolds: boolean;
  readonly expression: Expression;
}

export interface AttributePath {
  readonly part: Part;
  readonly path: readonly string[];
}

/** How a value is looked at: whether it is as a layer declares it, or what it costs to see that all in it is. */
export interface TypeCheck {
  readonly layer: number;
  readonly subject: Subject;
  readonly path: readonly string[];
  readonly asks: "fits" | "cost";
}

/** All of a generated function but its text. */
export interface Needs {
  /** The conditions that it leaves to closures, by their numbers. */
  readonly left: readonly number[];
  readonly checks: readonly TypeCheck[];
  /** What it reads: each attribute before those in it. */
  readonly reads: readonly AttributePath[];
  /** Undefined: it finds out about all of its conditions. */
  readonly selective: Selective | undefined;
}

/** The text of a generated function as code; for its parameter see `draft.ts`. */
export type Factory = (d: readonly unknown[]) => unknown;

/** Makes a function in two stages, of a text that was written so. */
export function madeToBind(factory: Factory, needs: Pick<Needs, "checks">, layers: readonly Typed[]): Stages {
  const stages = factory(checksOf(needs, layers));
  const [first, second] = Array.isArray(stages) ? stages : [];
  const [find, run] = [known(first), known(second)];
  return {
    bind: (...subjects) => {
      const bound = find(...subjects);
      return typeof bound === "object" && bound !== null ? bound : undefined;
    },
    run,
  };
}

/** Makes a function of its text. */
export function made(factory: Factory, needs: Pick<Needs, "checks">, layers: readonly Typed[]): HoldingFunction {
  return known(factory(checksOf(needs, layers)));
}

/** Of what a text makes, the compiler knows that it is a function, once that was looked at. */
type Unknown = (...parts: readonly unknown[]) => unknown;

function known(run: unknown): Unknown {
  if (!isFunction(run)) throw new Error("keyward: a generated function that is none");
  return run;
}

function checksOf({ checks }: Pick<Needs, "checks">, layers: readonly Typed[]) {
  return checks.map((check) => checkOf(check, layers));
}

function checkOf(
  { layer, subject, path, asks }: TypeCheck,
  layers: readonly Typed[],
): (value: CelValue) => boolean | number {
  let declared = layers[layer]?.types[subject];
  for (const name of path) declared = declared?.member(name);
  const found = declared;
  if (found === undefined) throw new Error("keyward: a generated function looks for a type that is not declared");
  return asks === "fits" ? (value) => fits(value, found) : (value) => wholeCost(value, found, MAX_COUNTED);
}

function isFunction(value: unknown): value is Unknown {
  return typeof value === "function";
}
