/** Names in a document, with their positions. */

import { listField, scalarField } from "../../policy/read/fields.js";
import type { Source } from "../../policy/text/source.js";
import type { MapNode } from "../../policy/text/tree.js";

/** A name, and its offset in its file. */
export interface NameNode {
  readonly name: string;
  readonly start: number;
  readonly source: Source;
}

/** The name in a field; undefined if the field is absent. */
export function nameField(node: MapNode, field: string, source: Source): NameNode | undefined {
  const scalar = scalarField(node, field);
  return typeof scalar?.data === "string" ? { name: scalar.data, start: scalar.start, source } : undefined;
}

/** The names in a field that is a list. */
export function namesField(node: MapNode, field: string, source: Source): readonly NameNode[] {
  return listField(node, field).flatMap((item) =>
    item.kind === "scalar" && typeof item.data === "string" ? [{ name: item.data, start: item.start, source }] : [],
  );
}

/** The names in a list without their positions; undefined if the field is absent. */
export function textsField(node: MapNode, field: string, source: Source): readonly string[] | undefined {
  return node.entries.has(field) ? namesField(node, field, source).map(({ name }) => name) : undefined;
}

/** The keys of a map, as names. */
export function entryNames(node: MapNode, source: Source): readonly NameNode[] {
  return [...node.entries].map(([name, { key }]) => ({ name, start: key.start, source }));
}
