/**
 * Checks of the options and arguments that programs give to public functions. JavaScript has no types to find a misspelt
 * option, which would leave the default in force.
 */

import { isPlainObject } from "../cel/data.js";
import { didYouMean } from "./distance.js";

/** The values that an option may have. */
export interface OptionValues {
  has(value: unknown): boolean;
  readonly said: string;
  readonly isRequired?: true;
}

/** The values of each option of `Options`. */
export type OptionTable<Options> = { readonly [Name in keyof Options]-?: OptionValues };

/** For values that the function checks itself. */
export const ANY: OptionValues = { has: () => true, said: "any value" };
export const TEXT: OptionValues = { has: (value) => typeof value === "string", said: "a text" };
export const FLAG: OptionValues = { has: (value) => typeof value === "boolean", said: "true or false" };
export const CALLBACK: OptionValues = { has: (value) => typeof value === "function", said: "a function" };
export const OBJECT: OptionValues = { has: isObject, said: "an object" };
export const TEXTS: OptionValues = {
  has: (value) => Array.isArray(value) && value.every(TEXT.has),
  said: "a list of texts",
};
/** Of limits. */
export const COUNT: OptionValues = {
  has: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  said: "a whole number of 1 or more",
};

/** Of limits that may be `Infinity`. */
export const LIMIT: OptionValues = { has: (value) => value === Infinity || COUNT.has(value), said: COUNT.said };

export const MILLISECONDS: OptionValues = {
  has: (value) => typeof value === "number" && value >= 0,
  said: "a number of milliseconds of 0 or more",
};

/** The longest delay of a timer, in milliseconds. With a longer one, timers do not wait at all. */
export const MAX_DELAY = 2 ** 31 - 1;

/** Of timers. */
export const DELAY: OptionValues = {
  has: (value) => MILLISECONDS.has(value) && Number(value) <= MAX_DELAY,
  said: `a number of milliseconds from 0 to ${MAX_DELAY}`,
};

export function among(words: readonly string[]): OptionValues {
  const said = words.map((word) => JSON.stringify(word)).join(" or ");
  return { has: (value) => words.some((word) => word === value), said };
}

/** For an option without a default. */
export function required({ has, said }: OptionValues): OptionValues {
  return { has, said, isRequired: true };
}

/** Options of another function, to which a program may give the same object. Their values do not matter here. */
export function ignored(table: { readonly [name: string]: OptionValues }): { readonly [name: string]: OptionValues } {
  return Object.fromEntries(Object.keys(table).map((name) => [name, ANY]));
}

/**
 * Throws a `TypeError` that names the first option that the function does not have, or that has a value that it may not
 * have. An option that is `undefined` counts as absent. `within`: the option that has these as its members.
 */
export function checkOptions(
  options: unknown,
  table: { readonly [name: string]: OptionValues },
  within?: string,
): void {
  if (!isObject(options)) throw new TypeError(`${within ?? "the options"} must be ${OBJECT.said}`);
  const nameOf = (name: string) => (within === undefined ? name : `${within}.${name}`);
  // An instance of a class may have fields of its own.
  for (const [name, value] of isPlainObject(options) ? Object.entries(options) : []) {
    if (value === undefined || Object.hasOwn(table, name)) continue;
    const hint = didYouMean(name, Object.keys(table));
    throw new TypeError(`there is no option ${nameOf(name)}${hint === undefined ? "" : `: ${hint}`}`);
  }
  for (const [name, { has, said, isRequired = false }] of Object.entries(table)) {
    const value: unknown = Reflect.get(options, name);
    if (value === undefined ? !isRequired : has(value)) continue;
    throw new TypeError(`${nameOf(name)} must be ${said}${isRequired ? "" : ", or absent"}`);
  }
}

/** Throws a `TypeError` that names an argument of another type. */
export function checkArgument(name: string, value: unknown, { has, said }: Pick<OptionValues, "has" | "said">): void {
  if (!has(value)) throw new TypeError(`${name} must be ${said}`);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
