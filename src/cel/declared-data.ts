/** What is declared of a value, written out as data. */

import type { Declared } from "./declared.js";
import type { CelValue, JsonScalar } from "./values.js";

/**
 * As `Declared` has it, with the members that have names, and of `others` those that have none of these. `null`: nothing.
 */
export type DeclaredData =
  | readonly [
      kinds: number,
      words: string,
      hasParts: boolean,
      scalars: readonly JsonScalar[] | null,
      listed: readonly CelValue[],
      items: DeclaredData,
      others: DeclaredData,
      members: readonly (readonly [name: string, declared: DeclaredData])[],
      nullable: readonly string[],
    ]
  | null;

/**
 * `count`: how many may be written yet, which is less than none where there were more: schemas that contain themselves have
 * no end.
 */
export function dataOf(declared: Declared | undefined, count: { left: number }): DeclaredData {
  if (declared === undefined || --count.left < 0) return null;
  const { kinds, words, hasParts, scalars, listed, items, names } = declared;
  return [
    kinds,
    words,
    hasParts,
    scalars === undefined ? null : [...scalars],
    listed,
    dataOf(items, count),
    dataOf(declared.member(undefined), count),
    [...names].sort().map((name) => [name, dataOf(declared.member(name), count)] as const),
    [...declared.nullable].sort(),
  ];
}

/** What is declared of the parts of a value, in words: equal words, the same declared. Undefined: there is no end to it. */
export function partsInWords(declared: Declared): string | undefined {
  const count = { left: MAX_TYPES };
  const data = dataOf(declared, count);
  return data === null || count.left < 0 ? undefined : JSON.stringify(partsInOrder(data));
}

/** Types that are put in words of one value. */
const MAX_TYPES = 1_000;

/** What is declared whatever the order, and by names only what is not declared of others. */
function partsInOrder([, , , , , items, others, members]: NonNullable<DeclaredData>): readonly unknown[] {
  const ofOthers = inOrder(others);
  const named = members.map(([name, member]) => [name, inOrder(member)] as const);
  return [inOrder(items), ofOthers, named.filter(([, member]) => JSON.stringify(member) !== JSON.stringify(ofOthers))];
}

function inOrder(data: DeclaredData): readonly unknown[] | null {
  if (data === null) return null;
  const [kinds, , , scalars, listed] = data;
  return [kinds, scalars && textsOf(scalars), textsOf(listed), partsInOrder(data)];
}

function textsOf(values: readonly CelValue[]): readonly string[] {
  return values.map((value) => JSON.stringify(value)).sort();
}
