/**
 * A checked policy set as texts. What is packed has been checked, so whoever unpacks it has neither to check it again nor
 * to bring what checks. Expressions travel as checked trees, so that they mean what they mean here; where each part of
 * them stands in its file goes along.
 *
 * Each text is JSON and is read when it is first needed: the head, the schemas, what they declare, and then, as
 * `compact.ts` writes them, the policies, what they share, and the expressions, in this order. So a set of many policies is
 * there at once, and a question reads the policies that it is about.
 */

import type { Expr } from "../cel/ast.js";
import type { TypeDeclarationData } from "../cel/type-declaration-data.js";
import type { ResourcePolicy } from "../policy/model.js";
import type { Shape } from "./compact.js";

export type Texts = readonly string[];

/** By the references of policies to schemas. `null`: they have not all been written out, and the schemas must be read. */
export type PackedTypes = readonly (readonly [ref: string, type: TypeDeclarationData])[] | null;

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
  /** Of the objects in the texts of policies, of what they share and of expressions. */
  readonly shapes: readonly Shape[];
}

/** By what a resource policy is found. */
export type ResourceHead = readonly [key: string, version: string, scope: string, resource: string];

/** What references in texts are to: a file, a line and a column; an expression; what policies share; a constant, as JSON. */
export const PLACE = 0;
export const EXPRESSION = 1;
export const SHARED = 2;
export const CONSTANT = 3;

/** An expression's text, its file, `offset, line, column` of each part in the order of offsets, and its tree. */
export interface PackedExpression {
  readonly source: string;
  readonly file: number;
  readonly places: readonly number[];
  readonly tree: Expr;
}

/** What of a resource policy is not in its head. */
export type ResourceBody = Pick<
  ResourcePolicy,
  "definitions" | "at" | "name" | "scopePermissions" | "rules" | "derivedRoles" | "principalSchema" | "resourceSchema"
>;
