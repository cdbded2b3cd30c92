/**
 * Finds the schemas for a policy: those of the policy of the same kind and version in the root scope. Observed: a schema
 * named by a policy of another scope must exist and be valid, but is not used.
 */

import type { IssueLog } from "../issue-log.js";
import type { ResourcePolicy } from "../model.js";
import { policyKey } from "../names.js";
import type { RawResourcePolicy } from "../read/raw.js";
import type { SchemaFiles } from "../schemas.js";
import type { Catalogue } from "./catalogue.js";

const FIELDS = ["principalSchema", "resourceSchema"] as const;

/** The schemas for a policy. A schema that it names without effect is a warning. */
export function schemasFor(
  policy: RawResourcePolicy,
  { byKey }: Catalogue,
  files: SchemaFiles,
  log: IssueLog,
): Pick<ResourcePolicy, (typeof FIELDS)[number]> {
  const root = byKey.get(policyKey("resource", policy.name, policy.version, ""));
  const from = root?.kind === "resourcePolicy" ? root : policy;
  for (const field of FIELDS) {
    const own = files.use(policy[field]);
    if (own === undefined || own.ref === from[field]?.ref) continue;
    log.warning("schema", own.at, `this schema is not used: those of "${from.key}" hold in every scope`);
  }
  return { principalSchema: files.use(from.principalSchema), resourceSchema: files.use(from.resourceSchema) };
}
