/** The principal and the resource of a request, as expressions read them. Attributes are JSON data. */

import type { TypeDeclaration } from "../../cel/type-declaration.js";
import type { JsonMap } from "../../cel/values.js";

export interface PrincipalInput {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: JsonMap;
  /** `""` is the root. */
  readonly scope: string;
}

export interface ResourceInput {
  readonly kind: string;
  readonly id: string;
  readonly attr: JsonMap;
  /** `""` is the root. */
  readonly scope: string;
}

/** The owner of attributes, in conditions. */
export type AttributeOwner = "principal" | "resource";

/** The declared types of attributes, by their owner. */
export type DeclaredAttributeTypes = { readonly [subject in AttributeOwner]: TypeDeclaration | undefined };
