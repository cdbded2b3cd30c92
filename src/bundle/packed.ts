/**
 * A checked policy set as texts. What is packed has been checked, so whoever unpacks it has neither to check it again nor
 * to bring what checks. Expressions travel as checked trees, so that they mean what they mean here; where each part of
 * them stands in its file goes along.
 *
 * Each text is JSON and is read when it is first needed: the head, the schemas, what they declare, the policies, what they
 * share, and the expressions, in this order. So a set of many policies is there at once, and a question reads the policies that it is
 * about.
 */

import type { JsonValue } from "../cel/json.js";
import type { ResourcePolicy } from "../policy/model.js";

export type Texts = readonly string[];

/**
 * What is declared of a value: as `Declared` of `cel/declared.ts` has it, with the members that have names, and of `others`
 * those that have none of these. `null`: nothing.
 */
export type PackedType =
  | readonly [
      kinds: number,
      words: string,
      hasParts: boolean,
      scalars: readonly JsonValue[] | null,
      listed: readonly JsonValue[],
      items: PackedType,
      others: PackedType,
      members: readonly (readonly [name: string, type: PackedType])[],
    ]
  | null;

/** By the references of policies to schemas. `null`: they have not all been written out, and the schemas must be read. */
export type PackedTypes = readonly (readonly [ref: string, type: PackedType])[] | null;

/** How a set was compiled, and what is in the texts of policies, of what they share and of expressions. */
export interface Head {
  /** `null`: the set is permission-only. */
  readonly versions: readonly [permission: string, platform: string | null];
  readonly globals: string;
  readonly enforceSchemas: boolean;
  readonly typedReads: boolean;
  readonly files: readonly string[];
  readonly scopePermissions: readonly (readonly [string, "override_parent" | "require_parental_consent_for_allows"])[];
  readonly resources: readonly ResourceHead[];
  readonly principals: number;
  readonly roles: number;
  /** How many texts are of what policies share; the others are of expressions. */
  readonly shared: number;
}

/** By what a resource policy is found. */
export type ResourceHead = readonly [key: string, version: string, scope: string, resource: string];

/** A place as `[file, line, column]`; the file is an index. */
export type Place = readonly [file: number, line: number, column: number];

/** An expression's text, its tree, its file, and `offset, line, column` of each part, in the order of offsets. */
export type PackedExpression = readonly [source: string, tree: string, file: number, places: readonly number[]];

/** What stands for what JSON has no form for. Fields of the model have no such names; those that its author chose are in maps. */
export interface Marked {
  readonly $map?: readonly (readonly [unknown, unknown])[];
  readonly $json?: string;
  readonly $expression?: number;
  readonly $shared?: number;
  readonly $at?: Place;
}

/** What of a resource policy is not in its head. */
export type ResourceBody = Pick<
  ResourcePolicy,
  "definitions" | "at" | "name" | "scopePermissions" | "rules" | "derivedRoles" | "principalSchema" | "resourceSchema"
>;
