/**
 * Undoes protobuf's JSON mapping. A field may be spelled as in JSON or as in the `.proto` (`parent_roles`). A text field
 * accepts plain scalars such as `20210210` and `true` as written, and an empty value as `""`.
 */

import type { IssueLog } from "../issue-log.js";
import type { Source } from "../text/source.js";
import type { ListNode, MapEntry, MapKey, MapNode, TreeNode } from "../text/tree.js";
import { NUMBERED } from "./parts.js";
import { type DocumentShape, resolve, VALUE } from "./shape.js";

interface Context {
  readonly root: DocumentShape;
  readonly source: Source;
  readonly log: IssueLog;
}

/** Rewrites `node` in the spelling of `shape`. A field in both spellings is an issue at the second one. */
export function canonical(node: TreeNode, shape: DocumentShape, source: Source, log: IssueLog): TreeNode {
  return visit(node, shape, { root: shape, source, log });
}

function visit(node: TreeNode, given: DocumentShape, context: Context): TreeNode {
  const shape = resolve(given, context.root);
  if (shape === VALUE) checkKeys(node, context);
  switch (node.kind) {
    case "scalar":
      if (shape.type !== "string" || typeof node.data === "string" || node.text === undefined) return node;
      return { ...node, data: NUMBERED.get(shape)?.get(node.text) ?? node.text };
    case "list": {
      const each = shape.items;
      return each === undefined ? node : visitList(node, each, context);
    }
    case "map":
      return visitMap(node, shape, context);
  }
}

/** Checks that all keys of a value of any type are text, at any depth. */
function checkKeys(node: TreeNode, context: Context): void {
  if (node.kind === "list") for (const item of node.items) checkKeys(item, context);
  if (node.kind !== "map") return;
  for (const { key, value } of node.entries.values()) {
    checkKey(key, context);
    checkKeys(value, context);
  }
}

function visitList(node: ListNode, each: DocumentShape, context: Context): TreeNode {
  let items: TreeNode[] | undefined;
  for (const [i, item] of node.items.entries()) {
    const next = visit(item, each, context);
    if (next !== item) items ??= node.items.slice(0, i);
    items?.push(next);
  }
  return items === undefined ? node : { ...node, items };
}

function visitMap(node: MapNode, shape: DocumentShape, context: Context): TreeNode {
  /** A copy of the entries, made at the first entry that changes. */
  let entries: Map<string, MapEntry> | undefined;
  let passed = 0;
  for (const [written, entry] of node.entries) {
    const name = shape.properties === undefined ? written : fieldName(written, shape.properties);
    const inner = fieldShape(name, shape);
    const value = inner === undefined ? entry.value : visit(entry.value, inner, context);
    if (shape.properties === undefined && shape !== VALUE) checkKey(entry.key, context);
    if (name !== written || value !== entry.value) entries ??= new Map([...node.entries].slice(0, passed));
    if (entries?.has(name) === true) {
      const at = context.source.position(entry.key.start);
      context.log.error("duplicate_key", at, `the field ${name} is there twice, in two spellings`);
    } else entries?.set(name, value === entry.value ? entry : { key: entry.key, value });
    passed++;
  }
  return entries === undefined ? node : { ...node, entries };
}

function checkKey({ isText, start }: MapKey, { source, log }: Context): void {
  if (!isText) log.error("shape", source.position(start), "the key must be text: quote it");
}

function fieldName(written: string, fields: { readonly [name: string]: DocumentShape }): string {
  if (!written.includes("_")) return written;
  const name = written.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.hasOwn(fields, name) ? name : written;
}

function fieldShape(name: string, shape: DocumentShape): DocumentShape | undefined {
  if (shape.properties !== undefined && Object.hasOwn(shape.properties, name)) return shape.properties[name];
  return typeof shape.additionalProperties === "object" ? shape.additionalProperties : undefined;
}
