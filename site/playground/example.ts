/** What the playground begins with. */

import type { JsonValue } from "../../src/cel/json.js";
import type { PolicyFile } from "../../src/index.js";

export interface NamedRequest {
  readonly name: string;
  readonly request: JsonValue;
}

/** A set of policies, with requests to ask it. */
export interface Example {
  readonly name: string;
  readonly permissionOnly: boolean;
  readonly files: readonly PolicyFile[];
  readonly requests: readonly NamedRequest[];
}
