/** What a principal's own policies say (reference §2.6): their decision is final, whatever the roles. */

import type { CompiledRow } from "./rows.js";
import type { Session } from "./session.js";
import { rulesAt } from "./table.js";

/** How a walk ends. */
export interface Ruling {
  readonly effect: "allow" | "deny";
  readonly scope: string;
  /** The policy to name, where it is not the most specific one of the request. */
  readonly policy?: string;
  /** The rules that decided, in the order of the file; none where a role policy did. */
  readonly rows: readonly CompiledRow[];
  /** The ruling is a refusal because something erred. */
  readonly error?: true;
}

const NO_ROLES: readonly string[] = [];

/** The ruling on an action; undefined if the principal's policies leave it open. */
export function walkPrincipal(session: Session, action: string): Ruling | undefined {
  const { table, place, input, options } = session;
  for (const scope of place.principalChain) {
    // Rows are looked up by the resource's version, also for principal policies, as the server does.
    const policy = rulesAt(table, place.version, scope)?.principals.get(input.principal.id);
    if (policy === undefined) continue;
    const allowing: CompiledRow[] = [];
    const denying: CompiledRow[] = [];
    const erring: CompiledRow[] = [];
    for (const row of policy.byAction.about(action)) {
      if (!row.matchesKind(place.kind)) continue;
      const holds = session.holds(policy, row, row.check, NO_ROLES);
      if (holds === undefined) erring.push(row);
      else if (!holds) session.emit(policy, row, row.whenNotMet, action, NO_ROLES);
      else {
        session.emit(policy, row, row.whenActivated, action, NO_ROLES);
        (row.effect === "allow" ? allowing : denying).push(row);
        if (row.effect === "deny" && !options.strict) break;
      }
    }
    if (erring.length > 0) return { effect: "deny", scope, policy: policy.key, rows: denying, error: true };
    if (denying.length > 0) return { effect: "deny", scope, rows: denying };
    if (allowing.length > 0 && table.scopePermissions.get(scope) !== "require_parental_consent_for_allows") {
      return { effect: "allow", scope, rows: allowing };
    }
  }
  return undefined;
}
