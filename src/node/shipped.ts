/** The policies that the package ships. */

import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The directory of the worked example: the policies of an API-key management service. */
export const shippedPolicies: string = join(
  dirname(createRequire(import.meta.url).resolve("keyward/package.json")),
  "policies",
);
