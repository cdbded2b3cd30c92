/** Reads fields of a document that has a valid shape. Absent fields read as empty. */

import type { ExpressionCache } from "../expressions.js";
import type { SourcePosition } from "../issue.js";
import type { IssueLog } from "../issue-log.js";
import type { Source } from "../text/source.js";
import type { MapEntry, MapNode, ScalarNode, TreeNode } from "../text/tree.js";
import type { NamedReference } from "./raw.js";

/** The context of reading one file. `faults` collects syntax errors of expressions, `log` all other issues. */
export interface ReadContext {
  readonly source: Source;
  readonly log: IssueLog;
  readonly faults: IssueLog;
  readonly expressions: ExpressionCache;
}

export function scalarField(node: MapNode, name: string): ScalarNode | undefined {
  const value = node.entries.get(name)?.value;
  return value?.kind === "scalar" ? value : undefined;
}

export function mapField(node: MapNode, name: string): MapNode | undefined {
  const value = node.entries.get(name)?.value;
  return value?.kind === "map" ? value : undefined;
}

export function listField(node: MapNode, name: string): readonly TreeNode[] {
  const value = node.entries.get(name)?.value;
  return value?.kind === "list" ? value.items : [];
}

export function mapsField(node: MapNode, name: string): readonly MapNode[] {
  return listField(node, name).filter((item) => item.kind === "map");
}

/** The entries of a map whose keys the author chooses. */
export function entriesField(node: MapNode, name: string): ReadonlyMap<string, MapEntry> {
  return mapField(node, name)?.entries ?? new Map();
}

/** `""` if the field is absent. */
export function textField(node: MapNode, name: string): string {
  const scalar = scalarField(node, name);
  return typeof scalar?.data === "string" ? scalar.data : "";
}

/** The position of a field's value, or of the mapping if it lacks the field. */
export function positionOf(node: MapNode, name: string, source: Source): SourcePosition {
  return source.position(node.entries.get(name)?.value.start ?? node.start);
}

export function namesOf(references: readonly NamedReference[]): readonly string[] {
  return references.map((reference) => reference.name);
}

/** A list of distinct names. A repeated name is an issue at its second position. */
export function referencesField(node: MapNode, name: string, { source, log }: ReadContext): readonly NamedReference[] {
  const seen = new Set<string>();
  const references: NamedReference[] = [];
  for (const item of listField(node, name)) {
    if (item.kind !== "scalar" || typeof item.data !== "string") continue;
    const at = source.position(item.start);
    if (seen.has(item.data)) log.error("duplicate", at, `"${item.data}" is in "${name}" twice`);
    else references.push({ name: item.data, at });
    seen.add(item.data);
  }
  return references;
}
