/**
 * Declared types of attribute values. Strict evaluation refuses values that do not match their declaration
 * (docs/verdicts.md): reading one is an error.
 */

import type { CelValue, JsonScalar } from "./values.js";

/** Types of JSON values, as bits. A number without a fraction has two: `integer` and `number`. */
export const KIND = { null: 1, boolean: 2, integer: 4, number: 8, string: 16, array: 32, object: 64 } as const;

/** Every type. */
export const ANY_KIND = 127;

/** The declaration of a value. */
export interface TypeDeclaration {
  /** The allowed types: bits of {@link KIND}. */
  readonly kinds: number;
  /** If the allowed values are listed: those that are not lists or maps. Undefined if any value is allowed. */
  readonly scalars: ReadonlySet<JsonScalar> | undefined;
  /** If the allowed values are listed: those that are lists or maps. */
  readonly listed: readonly CelValue[];
  /** Whether a value equals one of {@link listed}; undefined if {@link listed} is empty. */
  readonly isListed: ((value: CelValue) => boolean) | undefined;
  /** The declaration of a list's items; undefined: nothing is declared. */
  readonly items: TypeDeclaration | undefined;
  /** The members with a declaration of their own. */
  readonly names: ReadonlySet<string>;
  /** The members that are required and may be null. */
  readonly nullable: ReadonlySet<string>;
  /**
   * The declaration of a map's member; without a name, that of a member not in {@link names}. Undefined: nothing is
   * declared.
   */
  member(name: string | undefined): TypeDeclaration | undefined;
  /** Whether anything is declared of the items of a list or the members of a map. */
  readonly hasParts: boolean;
  /** The declaration in messages: `boolean`, `string or null`, `one of 3 values`. It contains no values. */
  readonly words: string;
}

/** Declarations of attributes, by reference to a schema for the whole object: `cerbos:///key.json`. */
export interface AttributeDeclarations {
  /** Undefined: nothing is declared. */
  at(ref: string): TypeDeclaration | undefined;
}

/** The declaration of the value at a path; undefined: nothing is declared. */
export function declaredAt(root: TypeDeclaration | undefined, path: readonly string[]): TypeDeclaration | undefined {
  let declared = root;
  for (let i = 0; i < path.length && declared !== undefined; i++) declared = declared.member(path[i] ?? "");
  return declared;
}

/** Whether a value matches its declaration, its items and members not considered. */
export function matchesDeclaration(value: CelValue, { kinds, scalars, isListed }: TypeDeclaration): boolean {
  if ((kinds & kindsOf(value)) === 0) return false;
  const values: ReadonlySet<CelValue> | undefined = scalars;
  return values === undefined || values.has(value) || isListed?.(value) === true;
}

/** The types of a value, as bits of {@link KIND}; 0 if the value is not JSON data. */
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

/** Returned by {@link validationCost} for a value that does not match its declaration. */
export const MISFIT = -1;

/**
 * The steps that it takes to validate a value with all its items and members: 1 for 16 items, 1 for each member of a
 * map. Returns {@link MISFIT} if the value does not match. Stops as soon as the cost exceeds `most`, and returns that
 * cost.
 */
export function validationCost(value: CelValue, declared: TypeDeclaration, most: number): number {
  if (!matchesDeclaration(value, declared)) return MISFIT;
  if (!declared.hasParts || typeof value !== "object" || value === null) return 0;
  return Array.isArray(value) ? itemsCost(value, declared.items, most) : membersCost(value, declared, most);
}

function itemsCost(list: readonly CelValue[], items: TypeDeclaration | undefined, most: number): number {
  if (items === undefined) return 0;
  let cost = Math.ceil(list.length / 16);
  if (cost > most) return cost;
  if (isPlainString(items)) return areStrings(list) ? cost : MISFIT;
  for (let i = 0; i < list.length && cost <= most; i++) {
    const item = list[i];
    const more = item === undefined ? MISFIT : validationCost(item, items, most - cost);
    if (more === MISFIT) return MISFIT;
    cost += more;
  }
  return cost;
}

/** Whether the declaration is just `string`. */
function isPlainString({ kinds, scalars }: TypeDeclaration): boolean {
  return kinds === KIND.string && scalars === undefined;
}

/** Whether the declaration is just a list of strings. */
export function isStringList({ kinds, scalars, items }: TypeDeclaration): boolean {
  return kinds === KIND.array && scalars === undefined && items !== undefined && isPlainString(items);
}

/** Whether the items of a list from index `from` to before `to` are all strings. */
export function areStrings(list: readonly unknown[], from = 0, to = list.length): boolean {
  for (let i = from; i < to; i++) if (typeof list[i] !== "string") return false;
  return true;
}

function membersCost(map: object, declared: TypeDeclaration, most: number): number {
  const members: readonly (readonly [string, CelValue])[] = Object.entries(map);
  let cost = members.length;
  for (const [name, value] of members) {
    if (cost > most) return cost;
    const member = declared.member(name);
    const more = member === undefined ? 0 : validationCost(value, member, most - cost);
    if (more === MISFIT) return MISFIT;
    cost += more;
  }
  return cost;
}
