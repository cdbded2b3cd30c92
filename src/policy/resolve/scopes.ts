/**
 * Checks the scopes above a policy's scope: each needs a policy of the same kind, name and version
 * (`internal/storage/index/builder.go`).
 */

import { MAX_SCOPE_DEPTH } from "../../limits.js";
import { compileGlob, type Glob } from "../glob.js";
import type { IssueLog } from "../issue-log.js";
import { policyKey, scopesAbove } from "../names.js";
import { disabledHint, type MissingDefinitions, rolePoliciesName } from "../read/missing-definitions.js";
import type { RawPrincipalPolicy, RawResourcePolicy, RawRolePolicy } from "../read/raw.js";
import type { Catalogue } from "./catalogue.js";

type PolicyWithAncestors = RawResourcePolicy | RawPrincipalPolicy;

/**
 * Reports each missing policy once, at the first policy that needs it. Returns the policies to leave out: see
 * {@link RoleRules}.
 */
export function checkScopes(
  { byKey, rolePolicies }: Catalogue,
  absent: MissingDefinitions,
  log: IssueLog,
): ReadonlySet<PolicyWithAncestors> {
  const roleRules = new RoleRules(rolePolicies, absent);
  const missing = new Map<string, Missing>();
  const leftOut = new Set<PolicyWithAncestors>();
  for (const policy of byKey.values()) {
    if (policy.kind === "rolePolicy" || isTooDeep(policy, log)) continue;
    for (const { key, scope } of ancestorsOf(policy)) {
      const known = missing.get(key);
      if (byKey.has(key) || absent.refused.has(key)) continue;
      if (policy.kind === "resourcePolicy" && roleRules.fill(policy, scope)) {
        if (!leftOut.has(policy)) log.warning("missing_scope", policy.scopeAt, leftOutMessage(policy, key));
        leftOut.add(policy);
      } else if (known === undefined) missing.set(key, { neededBy: policy, others: 0 });
      else known.others++;
    }
  }
  for (const [key, { neededBy, others }] of missing) {
    const message = `there is no policy "${key}", above "${neededBy.key}"${others === 0 ? "" : ` and ${others} more`}`;
    log.error("missing_scope", neededBy.scopeAt, message, disabledHint(key, absent));
  }
  return leftOut;
}

interface Missing {
  readonly neededBy: PolicyWithAncestors;
  others: number;
}

function isTooDeep({ scope, scopeAt }: PolicyWithAncestors, log: IssueLog): boolean {
  if (scope.split(".", MAX_SCOPE_DEPTH + 1).length <= MAX_SCOPE_DEPTH) return false;
  log.error("too_large", scopeAt, `the scope has more than ${MAX_SCOPE_DEPTH} levels`);
  return true;
}

interface Ancestor {
  readonly key: string;
  readonly scope: string;
}

function ancestorsOf({ kind, name, version, scope }: PolicyWithAncestors): readonly Ancestor[] {
  const of = kind === "resourcePolicy" ? "resource" : "principal";
  return scopesAbove(scope).map((above) => ({ key: policyKey(of, name, version, above), scope: above }));
}

/**
 * The resource kinds that role policies have rules for. If a role policy in a scope has a rule for a kind, a missing
 * resource policy there is not an error. Then every resource policy below it decides nothing: the server does not compile
 * it, and it does not make its scope exist. Observed: the kind is matched as written, before it is sanitised, and every
 * resource of a role policy is a glob.
 */
class RoleRules {
  private readonly absent: MissingDefinitions;
  /** Distinct patterns, by scope and version. */
  private readonly places = new Map<string, Map<string, Glob | undefined>>();

  constructor(policies: readonly RawRolePolicy[], absent: MissingDefinitions) {
    this.absent = absent;
    for (const { version, scope, rules } of policies) {
      const place = rolePoliciesName(version, scope);
      const globs = this.places.get(place) ?? new Map<string, Glob | undefined>();
      this.places.set(place, globs);
      for (const { resource } of rules) if (!globs.has(resource)) globs.set(resource, compileGlob(resource));
    }
  }

  /** Whether role policies replace a missing resource policy in `scope`, which is above the scope of this policy. */
  fill({ name, version }: RawResourcePolicy, scope: string): boolean {
    const place = rolePoliciesName(version, scope);
    if (this.absent.refused.has(place)) return true;
    return [...(this.places.get(place)?.values() ?? [])].some((matches) => matches?.(name) === true);
  }
}

function leftOutMessage(policy: RawResourcePolicy, missing: string): string {
  return `"${policy.key}" decides nothing, as on the server: there is no policy "${missing}", only role policies`;
}
