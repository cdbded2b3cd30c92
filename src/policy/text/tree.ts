/**
 * A YAML or JSON document as data with positions: what is left of it once aliases and merge keys are resolved.
 * `start` and `end` are offsets into the file's text; what comes through an alias stands where its anchor does.
 */

import type { JsonObject, JsonValue } from "../../cel/json.js";

export type ScalarStyle = "plain" | "single" | "double" | "literal" | "folded";

interface Located {
  readonly start: number;
}

export interface ScalarNode extends Located {
  readonly end: number;
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
}

export interface ListNode extends Located {
  readonly kind: "list";
  readonly items: readonly TreeNode[];
}

export type TreeNode = ScalarNode | MapNode | ListNode;

/** The same as plain JSON. */
export function dataOf(node: TreeNode): JsonValue {
  if (node.kind === "scalar") return node.data;
  return node.kind === "map" ? objectOf(node) : node.items.map(dataOf);
}

/** A map as plain JSON. It has no prototype, so that no key (`__proto__`, `constructor`) is anything but data. */
export function objectOf({ entries }: MapNode): JsonObject {
  const data: { [key: string]: JsonValue } = Object.create(null);
  for (const [key, { value }] of entries) data[key] = dataOf(value);
  return data;
}
