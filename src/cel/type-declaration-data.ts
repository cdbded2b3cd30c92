/** Declarations of values ({@link TypeDeclaration}) as plain data, for bundles and comparison. */

import type { TypeDeclaration } from "./type-declaration.js";
import type { CelValue, JsonScalar } from "./values.js";

/**
 * A `Declared` as data. `members` are the members in `names`; `others` declares every member that is not in `names`.
 * `null` means that nothing is declared.
 */
export type TypeDeclarationData =
  | readonly [
      kinds: number,
      words: string,
      hasParts: boolean,
      scalars: readonly JsonScalar[] | null,
      listed: readonly CelValue[],
      items: TypeDeclarationData,
      others: TypeDeclarationData,
      members: readonly (readonly [name: string, declared: TypeDeclarationData])[],
      nullable: readonly string[],
    ]
  | null;

/**
 * Converts a declaration to data. `count.left` is the number of declarations that may still be written. It turns
 * negative if there are more: schemas can contain themselves.
 */
export function declarationData(declared: TypeDeclaration | undefined, count: { left: number }): TypeDeclarationData {
  if (declared === undefined || --count.left < 0) return null;
  const { kinds, words, hasParts, scalars, listed, items, names } = declared;
  return [
    kinds,
    words,
    hasParts,
    scalars === undefined ? null : [...scalars],
    listed,
    declarationData(items, count),
    declarationData(declared.member(undefined), count),
    [...names].sort().map((name) => [name, declarationData(declared.member(name), count)] as const),
    [...declared.nullable].sort(),
  ];
}

/**
 * Serializes the declarations of a value's parts. Equal texts mean equal declarations. Undefined if there are more than
 * {@link MAX_TYPES}, for example endlessly many.
 */
export function serializeParts(declared: TypeDeclaration): string | undefined {
  const count = { left: MAX_TYPES };
  const data = declarationData(declared, count);
  return data === null || count.left < 0 ? undefined : JSON.stringify(canonicalParts(data));
}

/** Limit on the declarations that are serialized for one value. */
const MAX_TYPES = 1_000;

/** The declared parts in a canonical form: sorted, without named members that are declared like `others`. */
function canonicalParts([, , , , , items, others, members]: NonNullable<TypeDeclarationData>): readonly unknown[] {
  const ofOthers = inOrder(others);
  const named = members.map(([name, member]) => [name, inOrder(member)] as const);
  return [inOrder(items), ofOthers, named.filter(([, member]) => JSON.stringify(member) !== JSON.stringify(ofOthers))];
}

function inOrder(data: TypeDeclarationData): readonly unknown[] | null {
  if (data === null) return null;
  const [kinds, , , scalars, listed] = data;
  return [kinds, scalars && textsOf(scalars), textsOf(listed), canonicalParts(data)];
}

function textsOf(values: readonly CelValue[]): readonly string[] {
  return values.map((value) => JSON.stringify(value)).sort();
}
