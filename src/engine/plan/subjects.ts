/** The subject and the object of a request, as expressions read them. Attributes are JSON data. */

import type { Declared } from "../../cel/declared.js";
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

/** Who or what attributes are of, as conditions have it: the principal, or the resource. */
export type Subject = "principal" | "resource";

/** What is declared of attributes. */
export type AttributeTypes = { readonly [subject in Subject]: Declared | undefined };
