/** What generated code reads of maps, as data: attributes, what is inside them, and for which conditions they are read. */

import { type Declared, isTexts } from "../../cel/declared.js";
import type { Js } from "./js.js";
import type { NeedsOf } from "./selection.js";
import type { AttributePath, Part, TypeCheck } from "./written.js";

/** An attribute, with those inside it that are read as well. */
export interface Attribute {
  readonly local: Js;
  readonly inside: Attributes;
  /** What is declared of it, by what declares it. */
  readonly declared: Map<Declared, DeclaredAttribute>;
  /** Whether it is read with all that is in it. */
  isWhole: boolean;
  /** The predicates that read something in its elements. */
  readonly searches: Search[];
  /** The local variable that says whether it was copied, if it is looked into where it can be copied. */
  flag: Js | undefined;
  /** Whether it is looked into where it cannot. */
  isLookedIntoElsewhere: boolean;
  /** What those answered that look into it, of which one does in each run, if that needs no copy. */
  answers: readonly Js[];
}

/** A predicate over the elements of a list: the variable that stands for one, and what is read in it. */
export interface Search {
  readonly element: Js;
  readonly inside: Attributes;
}

/** An attribute as a layer declares it. */
export interface DeclaredAttribute {
  readonly declared: Declared;
  /** Where that is looked up. */
  readonly check: Omit<TypeCheck, "asks">;
  /** How often it is read with all that is in it, where nothing else sees to that being as declared. */
  wholes: number;
}

/** What is read from one map, by name. */
export type Attributes = Map<string, Attribute>;

export function localsOf(all: Attributes): readonly Js[] {
  return attributesIn(all).map(({ local }) => local);
}

export function attributesIn(all: Attributes): readonly Attribute[] {
  return [...all.values()].flatMap((one) => [one, ...attributesIn(one.inside)]);
}

/** A path, and the attribute that is read of it. */
export interface ReadPath extends AttributePath {
  readonly attribute: Attribute;
}

export function pathsIn(part: Part, at: readonly string[], all: Attributes): readonly ReadPath[] {
  return [...all].flatMap(([name, attribute]) => {
    const path = [...at, name];
    return [{ part, path, attribute }, ...pathsIn(part, path, attribute.inside)];
  });
}

/** Attributes of a map that are read for the same conditions. */
export interface Group {
  /** Undefined: for all. */
  readonly bits: number | undefined;
  readonly some: readonly (readonly [name: string, Attribute])[];
}

export function groupsOf(all: Attributes, needs: NeedsOf | undefined): readonly Group[] {
  if (needs === undefined) return [{ bits: undefined, some: [...all] }];
  const groups = new Map<number, (readonly [string, Attribute])[]>();
  for (const entry of all) {
    const bits = neededFor(entry[1], needs);
    const known = groups.get(bits);
    if (known === undefined) groups.set(bits, [entry]);
    else known.push(entry);
  }
  return [...groups].map(([bits, some]) => ({ bits, some }));
}

/** For which conditions an attribute is read, or something in it. */
export function neededFor({ local, inside }: Attribute, needs: NeedsOf): number {
  return needs(local) | neededIn(inside, needs);
}

export function neededIn(all: Attributes, needs: NeedsOf): number {
  return attributesIn(all).reduce((bits, { local }) => bits | needs(local), 0);
}

/** Whether a list is copied where it is first looked into: what is passed on, or searched for maps, is copied at once. */
export function isCopiedLate(attribute: Attribute, keepsAll: boolean): boolean {
  const { searches, isLookedIntoElsewhere, declared } = attribute;
  const isChecked = [...declared.values()].some((one) => one.wholes > 0 && one.declared.hasParts);
  return !keepsAll && searches.length === 0 && !isLookedIntoElsewhere && !isChecked;
}

/** Whether all that is in it has to be as declared, other than texts of a list. */
export function hasDeepCheck({ declared }: Attribute): boolean {
  return [...declared.values()].some((one) => one.wholes > 0 && isDeep(one.declared));
}

/** Whether seeing that a value is as declared looks into maps, or into lists of other than texts. */
function isDeep(declared: Declared): boolean {
  return declared.hasParts && !isTexts(declared);
}
