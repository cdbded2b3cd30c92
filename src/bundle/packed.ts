/**
 * The format of a packed policy set: a list of texts. The set was checked before packing, so unpacking needs no checker.
 * Expressions are stored as checked trees, so that they keep their meaning. The positions of their parts are stored with
 * them.
 *
 * Each text is JSON and is parsed when first needed. The order is: the head, the schemas, the types that schemas declare,
 * the policies, the objects they share, the expressions. The last three are in the form of `compact.ts`. So a set of many
 * policies loads at once, and a question parses only the policies that it concerns.
 */

import type { Expr } from "../cel/ast.js";
import type { TypeDeclarationData } from "../cel/type-declaration-data.js";
import type { SetConfiguration } from "../decisions/configuration.js";
import type { ResourcePolicy } from "../policy/model.js";
import type { CompactShape } from "./compact.js";

export type Texts = readonly string[];

/** Attribute types by schema reference. `null`: there are too many to write out, so the schemas must be read. */
export type PackedTypes = readonly (readonly [ref: string, type: TypeDeclarationData])[] | null;

/** How a set was compiled, and the layout of its texts. */
export interface PackedHead {
  readonly configuration: SetConfiguration;
  readonly files: readonly string[];
  readonly scopePermissions: readonly (readonly [string, "override_parent" | "require_parental_consent_for_allows"])[];
  readonly resources: readonly ResourceHead[];
  readonly principals: number;
  readonly roles: number;
  /** The number of texts of shared objects. All texts after them are expressions. */
  readonly shared: number;
  /** The shapes of objects in the texts of policies, shared objects and expressions. */
  readonly shapes: readonly CompactShape[];
}

/** The fields that find a resource policy. */
export type ResourceHead = readonly [key: string, version: string, scope: string, resource: string];

/**
 * The kinds of references. They refer, in this order, to a file with a line and a column; to an expression; to a shared
 * object; to a constant, which is written as JSON.
 */
export const PLACE = 0;
export const EXPRESSION = 1;
export const SHARED = 2;
export const CONSTANT = 3;

/**
 * An expression. `places` has `offset, line, column` of its parts in the order of offsets. A position that follows from
 * the one before it is left out.
 */
export interface PackedExpression {
  readonly source: string;
  readonly file: number;
  readonly places: readonly number[];
  readonly tree: Expr;
}

/** The fields of a resource policy that its head lacks. */
export type ResourceBody = Pick<
  ResourcePolicy,
  | "annotations"
  | "definitions"
  | "at"
  | "name"
  | "scopePermissions"
  | "rules"
  | "derivedRoles"
  | "principalSchema"
  | "resourceSchema"
>;
