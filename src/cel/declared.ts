/**
 * What is declared of the values of attributes. Strict evaluation reads no value that is not as it is declared to be
 * (docs/verdicts.md): such a read is an error.
 */

import type { CelValue, JsonScalar } from "./values.js";

/** Types of JSON values, as bits. A number without a fraction is of two. */
export const KIND = { null: 1, boolean: 2, integer: 4, number: 8, string: 16, array: 32, object: 64 } as const;

/** Every type. */
export const ANY_KIND = 127;

/** What is declared of a value. */
export interface Declared {
  /** The types that it may be of: bits of {@link KIND}. */
  readonly kinds: number;
  /** If it must be one of some values: those of them that are no lists or maps. */
  readonly scalars: ReadonlySet<JsonScalar> | undefined;
  /** Those of them that are. */
  readonly listed: readonly CelValue[];
  /** Whether it is one of these; undefined where there are none. */
  readonly isListed: ((value: CelValue) => boolean) | undefined;
  /** What is declared of the items of a list; undefined: nothing. */
  readonly items: Declared | undefined;
  /** Names of members of which something else is declared than of others. */
  readonly names: ReadonlySet<string>;
  /** Names of members that a map has to have, and that may be null. */
  readonly nullable: ReadonlySet<string>;
  /** What is declared of a member of a map, and by no name of those that have none of the {@link names}; undefined: nothing. */
  member(name: string | undefined): Declared | undefined;
  /** Whether something is declared of what is in a list or a map. */
  readonly hasParts: boolean;
  /** For messages: `boolean`, `string or null`, `one of 3 values`. It has no value in it. */
  readonly words: string;
}

/** What is declared of attributes, by the reference to the schema of all: `cerbos:///key.json`. */
export interface DeclaredTypes {
  /** Undefined: nothing is declared. */
  at(ref: string): Declared | undefined;
}

/** Whether a value is as declared, whatever is in it. */
export function fits(value: CelValue, { kinds, scalars, isListed }: Declared): boolean {
  if ((kinds & kindsOf(value)) === 0) return false;
  const values: ReadonlySet<CelValue> | undefined = scalars;
  return values === undefined || values.has(value) || isListed?.(value) === true;
}

/** The types that a value is of. What is no JSON data is of none. */
export function kindsOf(value: CelValue): number {
  switch (typeof value) {
    case "string":
      return KIND.string;
    case "number":
      return Number.isInteger(value) ? KIND.integer | KIND.number : KIND.number;
    case "boolean":
      return KIND.boolean;
    case "object":
      return value === null ? KIND.null : Array.isArray(value) ? KIND.array : KIND.object;
    default:
      return 0;
  }
}

/** Of {@link wholeCost}: the value is not as declared. */
export const MISFIT = -1;

/**
 * What it costs to see that a value is as declared with all that is in it, in steps: one for 16 items, and one for each
 * member of a map. {@link MISFIT} if it is not; more than `most`, without looking on, if it costs more than that.
 */
export function wholeCost(value: CelValue, declared: Declared, most: number): number {
  if (!fits(value, declared)) return MISFIT;
  if (!declared.hasParts || typeof value !== "object" || value === null) return 0;
  return Array.isArray(value) ? itemsCost(value, declared.items, most) : membersCost(value, declared, most);
}

function itemsCost(list: readonly CelValue[], items: Declared | undefined, most: number): number {
  if (items === undefined) return 0;
  let cost = Math.ceil(list.length / 16);
  if (cost > most) return cost;
  if (isText(items)) return areTexts(list) ? cost : MISFIT;
  for (let i = 0; i < list.length && cost <= most; i++) {
    const item = list[i];
    const more = item === undefined ? MISFIT : wholeCost(item, items, most - cost);
    if (more === MISFIT) return MISFIT;
    cost += more;
  }
  return cost;
}

/** Whether all that is declared is that it is a text. */
function isText({ kinds, scalars }: Declared): boolean {
  return kinds === KIND.string && scalars === undefined;
}

/** Whether it is declared to be a list of texts, and nothing else. */
export function isTexts({ kinds, scalars, items }: Declared): boolean {
  return kinds === KIND.array && scalars === undefined && items !== undefined && isText(items);
}

/** Whether every item of a list, from one on and up to another, is a text. */
export function areTexts(list: readonly unknown[], from = 0, to = list.length): boolean {
  for (let i = from; i < to; i++) if (typeof list[i] !== "string") return false;
  return true;
}

function membersCost(map: object, declared: Declared, most: number): number {
  const members: readonly (readonly [string, CelValue])[] = Object.entries(map);
  let cost = members.length;
  for (const [name, value] of members) {
    if (cost > most) return cost;
    const member = declared.member(name);
    const more = member === undefined ? 0 : wholeCost(value, member, most - cost);
    if (more === MISFIT) return MISFIT;
    cost += more;
  }
  return cost;
}
