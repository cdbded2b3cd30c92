/**
 * The scopes above a policy's own: for each of them there has to be a policy of the same kind, name and version
 * (`internal/storage/index/builder.go`).
 */

import { compileGlob } from "../glob.js";
import type { IssueLog } from "../issue-log.js";
import { policyKey, scopesAbove } from "../names.js";
import { type Absent, disabledHint, rolePlace } from "../read/absent.js";
import type { RawPrincipalPolicy, RawResourcePolicy } from "../read/raw.js";
import type { Catalogue } from "./catalogue.js";

type Scoped = RawResourcePolicy | RawPrincipalPolicy;

/**
 * Reports policies that are missing, each once, at the first policy that needs it. Results in the policies to leave
 * out: see {@link roleFills}.
 */
export function checkScopes(catalogue: Catalogue, absent: Absent, log: IssueLog): ReadonlySet<Scoped> {
  const missing = new Map<string, Scoped[]>();
  const leftOut = new Set<Scoped>();
  for (const policy of catalogue.byKey.values()) {
    if (policy.kind === "rolePolicy") continue;
    for (const { key, scope } of ancestorsOf(policy)) {
      if (catalogue.byKey.has(key) || absent.refused.has(key)) continue;
      if (policy.kind === "resourcePolicy" && roleFills(policy, scope, catalogue, absent)) {
        if (!leftOut.has(policy)) log.warning("missing_scope", policy.scopeAt, leftOutMessage(policy, key));
        leftOut.add(policy);
      } else missing.set(key, [...(missing.get(key) ?? []), policy]);
    }
  }
  for (const [key, [first, ...others]] of missing) {
    if (first === undefined) continue;
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    const message = `there is no policy "${key}", above "${first.key}"${more}`;
    log.error("missing_scope", first.scopeAt, message, disabledHint(key, absent));
  }
  return leftOut;
}

interface Ancestor {
  readonly key: string;
  readonly scope: string;
}

function ancestorsOf({ kind, name, version, scope }: Scoped): readonly Ancestor[] {
  const of = kind === "resourcePolicy" ? "resource" : "principal";
  return scopesAbove(scope).map((above) => ({ key: policyKey(of, name, version, above), scope: above }));
}

/**
 * Whether a role policy in the scope has a rule for the resource kind: then a missing resource policy is no error, and
 * every resource policy below it decides nothing. The server does not even compile them, and their scope does not exist
 * through them. Observed on 0.51.0, where the kind is matched as it is written, before it is sanitised, and every
 * resource of a role policy is a glob.
 */
function roleFills(
  policy: RawResourcePolicy,
  scope: string,
  { rolePolicies }: Catalogue,
  { refused }: Absent,
): boolean {
  const { name, version } = policy;
  if (refused.has(rolePlace(version, scope))) return true;
  return rolePolicies.some(
    (role) =>
      role.version === version &&
      role.scope === scope &&
      role.rules.some((rule) => compileGlob(rule.resource)?.(name) === true),
  );
}

function leftOutMessage(policy: RawResourcePolicy, missing: string): string {
  return `"${policy.key}" decides nothing, as on the server: there is no policy "${missing}", only role policies`;
}
