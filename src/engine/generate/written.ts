/** A generated function as data, and the function that it makes in a process. */

import { type Declared, fits, wholeCost } from "../../cel/declared.js";
import type { Evaluation } from "../../cel/evaluation.js";
import type { CelValue, Timestamp } from "../../cel/values.js";
import type { PrincipalInput, ResourceInput } from "../plan/subjects.js";
import { MAX_COUNTED } from "./budget.js";

/**
 * A set of conditions is written as numbers, its words: the bits of the first say which of the first so many conditions
 * hold, and so on. A double writes 53 bits exactly.
 */
export const WORD = 50;

/**
 * Returns the first word of the set of conditions that hold, or `-1`, and puts the other words into the array that the
 * function was made with. The evaluation is for the closures that it calls, if it does. What it returns is not known to
 * the compiler, so whoever calls it looks whether it is a number.
 */
export type HoldingFunction = (
  principal: PrincipalInput,
  resource: ResourceInput,
  evaluation: Evaluation | undefined,
  now: Timestamp | undefined,
) => unknown;

/** A {@link HoldingFunction} for one principal, whose part was evaluated once. */
export type BoundFunction = (resource: ResourceInput, now: Timestamp | undefined) => unknown;

/** Evaluates what depends on the principal alone. Undefined where closures must be asked, whatever the resource. */
export type BindingFunction = (principal: PrincipalInput) => BoundFunction | undefined;

/** What holds attributes: the principal (`p`) or the resource (`r`), as `PrincipalInput` and `ResourceInput`. */
export type Subject = "principal" | "resource";

/** What is declared of attributes. */
export type AttributeTypes = { readonly [subject in Subject]: Declared | undefined };

export interface AttributePath {
  readonly subject: Subject;
  readonly path: readonly string[];
}

/** How a value is looked at: whether it is as declared, or what it costs to see that all in it is. */
export interface TypeCheck extends AttributePath {
  readonly asks: "fits" | "cost";
}

/** All of a generated function but its text. */
export interface Needs {
  /** The conditions that it leaves to closures, by their numbers. */
  readonly left: readonly number[];
  readonly checks: readonly TypeCheck[];
  /** What it reads that closures may read after it. */
  readonly slots: readonly AttributePath[];
}

/** Finds out whether a condition holds: a closure. */
export type Ask<E extends Evaluation> = (evaluation: E) => boolean | undefined;

/** The text of a generated function as code; for its parameters see `draft.ts`. */
export type Factory = (
  c: readonly unknown[],
  d: readonly unknown[],
  s: readonly number[],
  w: readonly number[],
) => unknown;

/** What a generated function needs of the process that it runs in. */
export interface Surroundings<E extends Evaluation> {
  /** The closure of a condition, by its number. */
  readonly ask: (condition: number) => Ask<E>;
  /** Where closures look for an attribute (see `Evaluation.slots`). */
  readonly slotOf: (subject: Subject, path: readonly string[]) => number;
  readonly types: AttributeTypes;
}

/** Makes a function in two stages, of a text that was written so. */
export function madeToBind<E extends Evaluation>(
  factory: Factory,
  needs: Needs,
  around: Surroundings<E>,
  words: readonly number[],
): BindingFunction {
  const bind: unknown = made(factory, needs, around, words);
  if (!isBinding(bind)) throw new Error("keyward: a generated function that is none");
  return (principal) => {
    const bound: unknown = bind(principal);
    return isBound(bound) ? bound : undefined;
  };
}

/** Makes a function; `words` is where it puts the words of a set after its first. */
export function made<E extends Evaluation>(
  factory: Factory,
  { left, checks, slots }: Needs,
  { ask, slotOf, types }: Surroundings<E>,
  words: readonly number[],
): HoldingFunction {
  const run = factory(
    left.map(ask),
    checks.map((check) => checkOf(check, types)),
    slots.map(({ subject, path }) => slotOf(subject, path)),
    words,
  );
  if (!isFunction(run)) throw new Error("keyward: a generated function that is none");
  return run;
}

function checkOf({ subject, path, asks }: TypeCheck, types: AttributeTypes): (value: CelValue) => boolean | number {
  let declared = types[subject];
  for (const name of path) declared = declared?.member(name);
  const found = declared;
  if (found === undefined) throw new Error("keyward: a generated function looks for a type that is not declared");
  return asks === "fits" ? (value) => fits(value, found) : (value) => wholeCost(value, found, MAX_COUNTED);
}

function isBinding(value: unknown): value is (principal: PrincipalInput) => unknown {
  return typeof value === "function";
}

function isBound(value: unknown): value is BoundFunction {
  return typeof value === "function";
}

function isFunction(value: unknown): value is HoldingFunction {
  return typeof value === "function";
}
