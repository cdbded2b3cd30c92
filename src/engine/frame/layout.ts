/** The layout of a frame: a slot for each attribute that the rules of a plan read. */

import type { TypeDeclaration } from "../../cel/type-declaration.js";
import type { AttributeOwner } from "../plan/subjects.js";
import type { ReadNames } from "./copies.js";
import type { Js } from "./js.js";

/**
 * How much of a list a frame copies:
 * - `none`: nothing. One search reads each element once, and the layer evaluates nothing after it. Only for principals.
 * - `elements`: the list, but not its elements. They are only compared with texts and numbers.
 * - `all`: the list, and its elements deeply.
 * - names: the list, and these members of the maps in it.
 */
export type Owned = "none" | "elements" | "all" | readonly string[];

/** The declared type of an attribute. */
export interface SlotType {
  readonly declared: TypeDeclaration;
  /** Whether nested values must be of their declared types, too, since the rules read them with the value. */
  readonly isWhole: boolean;
}

/** One attribute of a layout. */
export interface LayoutSlot {
  readonly path: readonly string[];
  /** False: the rules read only attributes inside this one. */
  readonly isWhole: boolean;
  readonly owned: Owned;
  /** By layer; undefined where a layer declares nothing. */
  readonly types: readonly (SlotType | undefined)[];
}

/** The slots of a key, an account or a resource. Each attribute stands before those inside it. */
export type Layout = readonly LayoutSlot[];

/** The paths of slots, in their order. */
export type SlotPaths = readonly Pick<LayoutSlot, "path">[];

/** Names a declared type, and a check by it: does a value fit, or how many steps does the check of nested values cost? */
export interface TypeCheck {
  readonly layer: number;
  readonly subject: AttributeOwner;
  readonly path: readonly string[];
  readonly asks: "fits" | "cost";
}

/** Local variables of generated code with attributes of one map, by name. */
export type AttributeLocals<A = unknown> = Map<string, A & { readonly local: Js; readonly inside: AttributeLocals<A> }>;

/** All attributes of a map, each before its nested ones. */
export function attributesIn<A>(
  all: AttributeLocals<A>,
): readonly (A & { readonly local: Js; readonly inside: AttributeLocals<A> })[] {
  return [...all.values()].flatMap((one) => [one, ...attributesIn(one.inside)]);
}

/**
 * Merges the layouts of several layers for one resource: each attribute has one slot. `isSameSchema`: both layers
 * declare the same types, so each is checked once.
 */
export function mergedLayout(layouts: readonly Layout[], isSameSchema: boolean): Layout {
  const slots = new Map<string, LayoutSlot>();
  for (const [layer, layout] of layouts.entries()) {
    for (const slot of layout) {
      const key = JSON.stringify(slot.path);
      const known = slots.get(key);
      const types: (SlotType | undefined)[] = [];
      types[layer] = slot.types[0];
      slots.set(key, known === undefined ? { ...slot, types } : merged(known, slot, types, isSameSchema));
    }
  }
  return [...slots.values()];
}

function merged(a: LayoutSlot, b: LayoutSlot, own: LayoutSlot["types"], isSameSchema: boolean): LayoutSlot {
  const [first] = a.types;
  const second = own[1];
  const isBoth = isSameSchema && first !== undefined && second !== undefined;
  const types = isBoth ? [{ ...first, isWhole: first.isWhole || second.isWhole }] : [first, second];
  // A slot that no rule reads itself needs no copy.
  if (!a.isWhole || !b.isWhole) return { ...(a.isWhole ? a : b), types };
  return { ...a, owned: ownedByBoth(a.owned, b.owned), types };
}

function ownedByBoth(a: Owned, b: Owned): Owned {
  if (typeof a === "object" && typeof b === "object") return [...new Set([...a, ...b])];
  return a === b ? a : "all";
}

/** The places of slots in the lists that `copied` of `frame.ts` passes: the values of each layout follow its `k`. */
export function readNames(layouts: readonly SlotPaths[]): ReadNames {
  const names = new Map<string, NamedSlot>();
  let first = 1;
  for (const layout of layouts) {
    for (const [i, { path }] of layout.entries()) {
      let at = names;
      for (const name of path.slice(0, -1)) at = at.get(name)?.inside ?? new Map<string, NamedSlot>();
      const name = path.at(-1);
      if (name !== undefined && !at.has(name)) at.set(name, { at: first + i, inside: new Map() });
    }
    first += layout.length + 1;
  }
  return names;
}

interface NamedSlot {
  readonly at: number;
  readonly inside: Map<string, NamedSlot>;
}
