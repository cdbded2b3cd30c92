/** The examples of the playground. */

import type { JsonValue } from "../../src/cel/json.js";
import type { PolicyFile } from "../../src/index.js";

export interface NamedRequest {
  readonly name: string;
  readonly request: JsonValue;
}

/** A policy set with sample requests. */
export interface Example {
  /** A name and a digest of the files, such as `shipped@1f3870be`. */
  readonly id: string;
  readonly name: string;
  readonly permissionOnly: boolean;
  readonly files: readonly PolicyFile[];
  readonly requests: readonly NamedRequest[];
}
