/** What policies can tell requests apart by: one value of a request each, with what they compare it with. */

import type { Expr } from "../cel/ast.js";
import type { RequestValueRead } from "../cel/expression-usage.js";
import { isList, type JsonObject, type JsonValue } from "../cel/json.js";
import type { Definitions } from "../policy/model.js";

export type Layer = "permission" | "platform";

export const LAYERS: readonly Layer[] = ["permission", "platform"];

export const SUBJECTS = ["key", "resource", "account"] as const;

export type Subject = (typeof SUBJECTS)[number];

/** Where a value of a request is: the fields from the subject, `["attr", "limits", "keys"]`, `["id"]`. */
export interface Place {
  readonly subject: Subject;
  readonly path: readonly string[];
}

/** Whose values expressions of a layer read as `P`. */
export const PRINCIPALS: { readonly [layer in Layer]: Subject } = { permission: "key", platform: "account" };

/** Where a read of a layer's expressions is; undefined for what is neither the principal's nor the resource's. */
export function placeOf(layer: Layer, { root, path }: Pick<RequestValueRead, "root" | "path">): Place | undefined {
  const [name, field] = root.split(".");
  if (field === undefined || (name !== "P" && name !== "R")) return undefined;
  return { subject: name === "P" ? PRINCIPALS[layer] : "resource", path: [field, ...path] };
}

/** Stands in paths for the elements of a list. */
export const ELEMENT = "[]";

/** What is known of the type of a value, from schemas and from how expressions use it. */
export type Sort = "boolean" | "number" | "string" | "time" | "list";

/** An expression whose value a dimension is compared with: what that is, depends on the request. */
export interface Dynamic {
  readonly expr: Expr;
  readonly definitions: Definitions;
}

export interface Dimension extends Place {
  /** `resource.attr.state`, `key.roles`. */
  readonly id: string;
  readonly sorts: Set<Sort>;
  /** Constants that it is compared with. */
  readonly constants: Map<string, JsonValue>;
  /** Elements that it, a list, is searched for, and what each is worked out from if it is no constant. */
  readonly elements: Map<string, JsonValue>;
  readonly dynamicElements: Dynamic[];
  readonly dynamics: Dynamic[];
  /** Lengths that it is compared with. */
  readonly sizes: Set<number>;
  /** Seconds from the decision's clock that it is compared with. */
  readonly ages: Set<number>;
  /** Other dimensions that it is compared with. */
  readonly linked: Set<string>;
  /** Compared in sums with other numbers. */
  summed: boolean;
  /** Tested by `has()`. */
  tested: boolean;
}

export function newDimension({ subject, path }: Place): Dimension {
  return {
    id: [subject, ...path].join("."),
    subject,
    path,
    sorts: new Set(),
    constants: new Map(),
    elements: new Map(),
    dynamicElements: [],
    dynamics: [],
    sizes: new Set(),
    ages: new Set(),
    linked: new Set(),
    summed: false,
    tested: false,
  };
}

/** The dimensions of a question, and the expressions in which more may matter than they have. */
export interface Space {
  readonly layer: Layer;
  readonly dimensions: ReadonlyMap<string, Dimension>;
  readonly needsTime: boolean;
  /** What expressions read as `G`. */
  readonly globals: JsonObject;
  /** Expressions of which not every distinction is known, as written. */
  readonly opaque: ReadonlySet<string>;
}

/** The dimensions that one is compared with, directly or by way of others; itself among them. */
export function relatedTo(dimension: Dimension, all: ReadonlyMap<string, Dimension>): readonly Dimension[] {
  const found = new Set<string>([dimension.id]);
  for (const id of found) for (const linked of all.get(id)?.linked ?? []) found.add(linked);
  return [...all.values()].filter(({ id }) => found.has(id));
}

/** The sorts that a dimension's values can be of, as far as its uses and those of what it is compared with say. */
export function sortsOf(dimension: Dimension, all: ReadonlyMap<string, Dimension>): ReadonlySet<Sort> {
  const found = new Set(dimension.sorts);
  for (const value of dimension.constants.values()) {
    const sort = sortOf(value);
    if (sort !== undefined) found.add(sort);
  }
  if (dimension.sizes.size > 0 || dimension.elements.size > 0) found.add("list");
  // What is looked for in a list is none itself.
  for (const other of relatedTo(dimension, all)) for (const sort of other.sorts) if (sort !== "list") found.add(sort);
  if (dimension.sorts.has("list")) return new Set<Sort>(["list"]);
  if (found.has("time")) found.delete("string");
  // What is compared only with other values can be any text.
  return found.size === 0 ? new Set<Sort>(["string"]) : found;
}

export function sortOf(value: JsonValue): Sort | undefined {
  if (isList(value)) return "list";
  const type = typeof value;
  return type === "boolean" || type === "number" || type === "string" ? type : undefined;
}
