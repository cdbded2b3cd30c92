/** The subject and the object of a request, as expressions read them. Attributes are JSON data. */

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

/** What both layers are asked: the first with the key for a principal, the second with the account. */
export interface JointRequest {
  readonly key: PrincipalInput;
  readonly account: PrincipalInput;
  readonly resource: ResourceInput;
  readonly action: string;
  /** The decision's clock, if there is one. */
  readonly now: Timestamp | undefined;
}
