/** The subject and the object of a request, as expressions read them. Attributes are JSON data. */

import type { Declared } from "../../cel/declared.js";
import type { JsonMap, Timestamp } from "../../cel/values.js";

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

/** What both layers are asked: the first with the key for a principal, the second with the account. */
export interface JointRequest {
  readonly key: PrincipalInput;
  readonly account: PrincipalInput;
  readonly resource: ResourceInput;
  readonly action: string;
  /** The decision's clock, if there is one. */
  readonly now: Timestamp | undefined;
}
