/** What policies can tell requests apart by: one value of a request each, with what they compare it with. */

import type { Expr } from "../cel/ast.js";
import type { JsonValue } from "../cel/json.js";
import type { Definitions } from "../policy/model.js";

export type Layer = "permission" | "platform";

export type Subject = "key" | "account" | "resource";

/** What is known of the type of a value, from schemas and from how expressions use it. */
export type Sort = "boolean" | "number" | "string" | "time" | "list";

/** An expression whose value a dimension is compared with: what that is, depends on the request. */
export interface Dynamic {
  readonly expr: Expr;
  readonly definitions: Definitions;
}

export interface Dimension {
  /** `resource.attr.state`, `key.roles`. */
  readonly id: string;
  readonly subject: Subject;
  /** The fields from the subject: `["attr", "limits", "keys"]`, `["id"]`. */
  readonly path: readonly string[];
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

export function newDimension(subject: Subject, path: readonly string[]): Dimension {
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
  /** Expressions of which not every distinction is known, as written. */
  readonly opaque: ReadonlySet<string>;
}
