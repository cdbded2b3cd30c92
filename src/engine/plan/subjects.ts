/** The subject and the object of a request, as expressions read them. Attributes are JSON data. */

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
