/** Names in a document, with the places where they stand. */

import { listField, scalarField } from "../../policy/read/fields.js";
import type { Source } from "../../policy/text/source.js";
import type { MapNode } from "../../policy/text/tree.js";

/** A name, and the offset in its file where it stands. */
export interface NameNode {
  readonly name: string;
  readonly start: number;
  readonly source: Source;
}

/** A field that is one name; undefined if it is absent. */
export function nameField(node: MapNode, field: string, source: Source): NameNode | undefined {
  const scalar = scalarField(node, field);
  return typeof scalar?.data === "string" ? { name: scalar.data, start: scalar.start, source } : undefined;
}

/** A field that is a list of names. */
export function namesField(node: MapNode, field: string, source: Source): readonly NameNode[] {
  return listField(node, field).flatMap((item) =>
    item.kind === "scalar" && typeof item.data === "string" ? [{ name: item.data, start: item.start, source }] : [],
  );
}

/** The same without their places; undefined if the field is absent. */
export function textsField(node: MapNode, field: string, source: Source): readonly string[] | undefined {
  return node.entries.has(field) ? namesField(node, field, source).map(({ name }) => name) : undefined;
}

/** The keys of a field that is a map, each as a name, with what it maps to. */
export function entryNames(node: MapNode, source: Source): readonly NameNode[] {
  return [...node.entries].map(([name, { key }]) => ({ name, start: key.start, source }));
}
