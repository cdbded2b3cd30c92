/**
 * A YAML or JSON document as data with positions, with aliases and merge keys resolved. `start` and `end` are offsets
 * into the file's text. Nodes from an alias have the positions of its anchor.
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
  /** The value for a text field; undefined if a text field does not accept it. */
  readonly text: string | undefined;
}

export interface MapKey extends Located {
  /** False for numbers, for example. */
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

/** A node as plain JSON. */
export function dataOf(node: TreeNode): JsonValue {
  if (node.kind === "scalar") return node.data;
  return node.kind === "map" ? objectOf(node) : node.items.map(dataOf);
}

/** A map as plain JSON. It has no prototype, so that keys like `__proto__` and `constructor` are data only. */
export function objectOf({ entries }: MapNode): JsonObject {
  const data: { [key: string]: JsonValue } = Object.create(null);
  for (const [key, { value }] of entries) data[key] = dataOf(value);
  return data;
}
