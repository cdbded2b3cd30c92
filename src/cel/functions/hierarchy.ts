/** Cerbos's hierarchies (`internal/conditions/types/hierarchy.go`): paths such as `org.team.person`. */

import { type Evaluation, fail, spend } from "../evaluation.js";
import { BOOL, INT, list, opaque, STRING } from "../types.js";
import type { CelList, CelValue } from "../values.js";
import { Hierarchy } from "./hierarchy-value.js";
import { binary, type Overload, unary } from "./overload.js";

export const HIERARCHY = opaque("cerbos.lib.hierarchy", (v): v is Hierarchy => v instanceof Hierarchy);

function split(ev: Evaluation, text: string, delimiter: string): Hierarchy | undefined {
  if (!spend(ev, 1 + (text.length >> 3))) return undefined;
  // An empty delimiter splits into code points, as in Go.
  return new Hierarchy(delimiter === "" ? [...text] : text.split(delimiter));
}

function fromList(ev: Evaluation, elements: CelList): Hierarchy | undefined {
  if (!spend(ev, 1 + (elements.length >> 2))) return undefined;
  const names: string[] = [];
  for (const element of elements) {
    const name = nameOf(element);
    if (name === undefined) return fail(ev, "failed to convert list to string slice");
    names.push(name);
  }
  return new Hierarchy(names);
}

/** An element of a list as a name, if Go converts it to a native string. */
function nameOf(value: CelValue): string | undefined {
  if (typeof value === "string") return value;
  return value instanceof Hierarchy ? value.names.join(".") : undefined;
}

/** A relation between two hierarchies that compares names. */
function relation(name: string, holds: (a: Hierarchy, b: Hierarchy) => boolean): Overload {
  return binary("member", name, HIERARCHY, HIERARCHY, BOOL, (ev, a, b) =>
    spend(ev, 1 + (Math.min(a.size, b.size) >> 9)) ? holds(a, b) : undefined,
  );
}

function isAncestor(a: Hierarchy, b: Hierarchy): boolean {
  return b.names.length > a.names.length && b.startsWith(a, a.names.length);
}

function isParent(a: Hierarchy, b: Hierarchy): boolean {
  return b.names.length === a.names.length + 1 && b.startsWith(a, a.names.length);
}

function overlap(a: Hierarchy, b: Hierarchy): boolean {
  return a.startsWith(b, Math.min(a.names.length, b.names.length));
}

function areSiblings(a: Hierarchy, b: Hierarchy): boolean {
  return a.names.length === b.names.length && a.startsWith(b, a.names.length - 1);
}

function commonAncestors(ev: Evaluation, a: Hierarchy, b: Hierarchy): Hierarchy | undefined {
  const isEqualLength = a.names.length === b.names.length;
  const longest = isEqualLength ? a.names.length - 1 : Math.min(a.names.length, b.names.length);
  if (longest < 0) return fail(ev, "empty hierarchies have no ancestors");
  if (!spend(ev, 1 + (Math.min(a.size, b.size) >> 9))) return undefined;
  let common = 0;
  while (common < longest && a.names[common] === b.names[common]) common++;
  return new Hierarchy(a.names.slice(0, common));
}

export const hierarchyFunctions: readonly Overload[] = [
  unary("global", "hierarchy", STRING, HIERARCHY, (ev, text) => split(ev, text, ".")),
  binary("global", "hierarchy", STRING, STRING, HIERARCHY, split),
  unary("global", "hierarchy", list(STRING), HIERARCHY, fromList),
  relation("ancestorOf", isAncestor),
  relation("descendentOf", (a, b) => isAncestor(b, a)),
  relation("immediateParentOf", isParent),
  relation("immediateChildOf", (a, b) => isParent(b, a)),
  relation("siblingOf", areSiblings),
  relation("overlaps", overlap),
  binary("member", "commonAncestors", HIERARCHY, HIERARCHY, HIERARCHY, commonAncestors),
  unary("member", "size", HIERARCHY, INT, (_ev, hierarchy) => BigInt(hierarchy.names.length)),
];
