/**
 * A YAML or JSON document as data with positions: what is left of it once aliases and merge keys are resolved.
 * `start` and `end` are offsets into the file's text; what comes through an alias stands where its anchor does.
 *
 * `data` is the same as plain JSON, for validators. Its objects have no prototype, so that no key (`__proto__`,
 * `constructor`) is anything but data.
 */

import type { JsonValue } from "../../cel/json.js";

export type ScalarStyle = "plain" | "single" | "double" | "literal" | "folded";

interface Located {
  readonly start: number;
  readonly end: number;
}

export interface ScalarNode extends Located {
  readonly kind: "scalar";
  readonly style: ScalarStyle;
  readonly data: null | boolean | number | string;
  /** What a field of text reads; undefined if it takes no such value. */
  readonly text: string | undefined;
}

export interface MapKey extends Located {
  /** Not a number, say. */
  readonly isText: boolean;
}

export interface MapEntry {
  readonly key: MapKey;
  readonly value: TreeNode;
}

export interface MapNode extends Located {
  readonly kind: "map";
  readonly entries: ReadonlyMap<string, MapEntry>;
  readonly data: { readonly [key: string]: JsonValue };
}

export interface ListNode extends Located {
  readonly kind: "list";
  readonly items: readonly TreeNode[];
  readonly data: readonly JsonValue[];
}

export type TreeNode = ScalarNode | MapNode | ListNode;

/** A map node of `entries`, with its data. */
export function mapNode(entries: ReadonlyMap<string, MapEntry>, start: number, end: number): MapNode {
  const data: { [key: string]: JsonValue } = Object.create(null);
  for (const [key, entry] of entries) data[key] = entry.value.data;
  return { kind: "map", entries, data, start, end };
}

/** A list node of `items`, with its data. */
export function listNode(items: readonly TreeNode[], start: number, end: number): ListNode {
  return { kind: "list", items, data: items.map((item) => item.data), start, end };
}

/** The node at a path of keys and indexes, or undefined. */
export function nodeAt(root: TreeNode, path: readonly string[]): TreeNode | undefined {
  let node: TreeNode | undefined = root;
  for (const step of path) {
    if (node === undefined || node.kind === "scalar") return undefined;
    node = node.kind === "map" ? node.entries.get(step)?.value : node.items[Number(step)];
  }
  return node;
}
