/**
 * Dimensions: the request values by which policies distinguish requests, with the values that they are compared with.
 */

import type { Expr } from "../cel/ast.js";
import type { RequestValueRead } from "../cel/expression-usage.js";
import { isList, type JsonObject, type JsonValue } from "../cel/json.js";
import type { Definitions } from "../policy/model.js";

export type SpaceLayer = "permission" | "platform";

export const LAYERS: readonly SpaceLayer[] = ["permission", "platform"];

export const SUBJECTS = ["key", "resource", "account"] as const;

export type SpaceSubject = (typeof SUBJECTS)[number];

/** The place of a request value: the fields from the subject, `["attr", "limits", "keys"]`, `["id"]`. */
export interface ValuePlace {
  readonly subject: SpaceSubject;
  readonly path: readonly string[];
}

/** The subject that expressions of a layer read as `P`. */
export const PRINCIPALS: { readonly [layer in SpaceLayer]: SpaceSubject } = { permission: "key", platform: "account" };

/**
 * The place that an expression of a layer reads; undefined if it belongs neither to the principal nor to the resource.
 */
export function valuePlaceOf(
  layer: SpaceLayer,
  { root, path }: Pick<RequestValueRead, "root" | "path">,
): ValuePlace | undefined {
  const [name, field] = root.split(".");
  if (field === undefined || (name !== "P" && name !== "R")) return undefined;
  return { subject: name === "P" ? PRINCIPALS[layer] : "resource", path: [field, ...path] };
}

/** In paths, it stands for the elements of a list. */
export const ELEMENT = "[]";

/** The type of a value, as far as schemas and expressions tell. */
export type ValueSort = "boolean" | "number" | "string" | "time" | "list";

/** An expression that a dimension is compared with. Its value depends on the request. */
export interface DynamicOperand {
  readonly expr: Expr;
  readonly definitions: Definitions;
}

export interface Dimension extends ValuePlace {
  /** `resource.attr.state`, `key.roles`. */
  readonly id: string;
  readonly sorts: Set<ValueSort>;
  /** Constants that the value is compared with. */
  readonly constants: Map<string, JsonValue>;
  /** Elements that the value, a list, is searched for. `dynamicElements` has those that are not constants. */
  readonly elements: Map<string, JsonValue>;
  readonly dynamicElements: DynamicOperand[];
  readonly dynamics: DynamicOperand[];
  /** Lengths that the value is compared with. */
  readonly sizes: Set<number>;
  /** Times that the value is compared with, in seconds from the decision's clock. */
  readonly ages: Set<number>;
  /** Ids of other dimensions that the value is compared with. */
  readonly linked: Set<string>;
  /** The value is part of a sum that is compared with numbers. */
  summed: boolean;
  /** `has()` tests the value. */
  tested: boolean;
}

export function newDimension({ subject, path }: ValuePlace): Dimension {
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

/** The dimensions of a question, and the expressions that may make further distinctions. */
export interface ValueSpace {
  readonly layer: SpaceLayer;
  readonly dimensions: ReadonlyMap<string, Dimension>;
  readonly needsTime: boolean;
  /** The values that expressions read as `G`. */
  readonly globals: JsonObject;
  /** Expressions with distinctions that are not known, as written. */
  readonly opaque: ReadonlySet<string>;
}

/** The dimension itself, and all dimensions that it is compared with, directly or through others. */
export function relatedTo(dimension: Dimension, all: ReadonlyMap<string, Dimension>): readonly Dimension[] {
  const found = new Set<string>([dimension.id]);
  for (const id of found) for (const linked of all.get(id)?.linked ?? []) found.add(linked);
  return [...all.values()].filter(({ id }) => found.has(id));
}

/** The sorts that values of a dimension can have, according to its uses and the uses of related dimensions. */
export function sortsOf(dimension: Dimension, all: ReadonlyMap<string, Dimension>): ReadonlySet<ValueSort> {
  const found = new Set(dimension.sorts);
  for (const value of dimension.constants.values()) {
    const sort = sortOf(value);
    if (sort !== undefined) found.add(sort);
  }
  if (dimension.sizes.size > 0 || dimension.elements.size > 0) found.add("list");
  // An element that is searched for in a list is not a list itself.
  for (const other of relatedTo(dimension, all)) for (const sort of other.sorts) if (sort !== "list") found.add(sort);
  if (dimension.sorts.has("list")) return new Set<ValueSort>(["list"]);
  if (found.has("time")) found.delete("string");
  // A value that is compared only with other values can be any text.
  return found.size === 0 ? new Set<ValueSort>(["string"]) : found;
}

export function sortOf(value: JsonValue): ValueSort | undefined {
  if (isList(value)) return "list";
  const type = typeof value;
  return type === "boolean" || type === "number" || type === "string" ? type : undefined;
}
