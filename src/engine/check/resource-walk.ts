/** What the resource's policies and the role policies say for one role (reference §2.6, §2.9, §2.13). */

import { entriesFor } from "./actions.js";
import type { Ruling } from "./principal-walk.js";
import type { CompiledDerivedRole, CompiledRow, CompiledRows } from "./rows.js";
import type { Runtime, Session } from "./session.js";
import { type IncludedRoles, includedAt, type PlaceRules, restrictionsOn, rulesAt } from "./table.js";

const NONE: readonly string[] = [];
const NO_ROWS: readonly never[] = [];
const NO_RESTRICTIONS: PlaceRules["roles"] = new Map();

/** Rules of role policies have no names. */
const ROLE_POLICY = { rule: "", reason: "" };

/** A scope to be searched, with what there is to search. */
interface Station {
  readonly scope: string;
  readonly policy: CompiledRows | undefined;
  readonly restrictions: PlaceRules["roles"];
  /** An ALLOW here leaves the decision to the scopes above. */
  readonly asksParents: boolean;
  /** The derived roles that are active; found out when the scope is reached. */
  active: { readonly roles: Runtime } | undefined;
}

/** What one scope says. */
interface Finding {
  allowing: CompiledRow[] | undefined;
  denying: CompiledRow[] | undefined;
  /** The first denial and the first error, as rulings. */
  deny: Ruling | undefined;
  error: Ruling | undefined;
}

export class ResourceWalk {
  private readonly session: Session;
  private readonly stations: readonly Station[];
  private readonly included: IncludedRoles | undefined;

  constructor(session: Session) {
    this.session = session;
    const { table, place } = session;
    this.included = includedAt(table, place.version, place.resourceScope);
    this.stations = place.resourceChain.map((scope): Station => {
      const rules = rulesAt(table, place.version, scope);
      return {
        scope,
        policy: rules?.resources.get(place.kind),
        restrictions: rules === undefined ? NO_RESTRICTIONS : restrictionsOn(rules, place.kind),
        asksParents: table.scopePermissions.get(scope) === "require_parental_consent_for_allows",
        active: undefined,
      };
    });
  }

  /** The ruling for a role; undefined if no scope decides. */
  role(role: string, action: string): Ruling | undefined {
    const included = this.included?.get(role) ?? NONE;
    for (const station of this.stations) {
      const finding = this.at(station, role, included, action);
      const ruling = finding.error ?? finding.deny;
      if (ruling !== undefined) return { ...ruling, rows: finding.denying ?? NO_ROWS };
      if (finding.allowing !== undefined && !station.asksParents) {
        return { effect: "allow", scope: station.scope, rows: finding.allowing };
      }
    }
    return undefined;
  }

  private at(station: Station, role: string, included: readonly string[], action: string): Finding {
    const finding: Finding = { allowing: undefined, denying: undefined, deny: undefined, error: undefined };
    const active = this.activeAt(station);
    const rows = station.policy?.byAction.about(action) ?? NO_ROWS;
    // The role itself, then the roles that it includes: each first by its role policy, then by the rules that name it.
    // A rule for any role is the first one's.
    for (let i = 0; i <= included.length; i++) {
      const name = i === 0 ? role : included[i - 1];
      if (name === undefined) continue;
      if (station.restrictions.size > 0) this.restrict(station, name, action, finding);
      for (const row of rows) {
        if (this.isSettled(finding)) return finding;
        for (let entries = entriesFor(row, action); entries > 0; entries--) {
          this.examine(station, row, name, i === 0, action, active, finding);
        }
      }
      if (this.isSettled(finding)) return finding;
    }
    return finding;
  }

  /** A denial is final; strictly, what else would err is looked for all the same. */
  private isSettled({ deny }: Finding): boolean {
    return deny !== undefined && !this.session.options.strict;
  }

  /** A role that has a role policy may do what the policy lists, under its conditions, and nothing else. */
  private restrict({ scope, restrictions }: Station, role: string, action: string, finding: Finding): void {
    const { place } = this.session;
    const policy = restrictions.get(role);
    if (policy === undefined) return;
    const refusal: Ruling = { effect: "deny", scope, policy: policy.key, rows: NO_ROWS };
    let isListed = false;
    for (const row of policy.byAction.about(action)) {
      if (!row.matchesKind(place.kind)) continue;
      isListed = true;
      const holds = this.session.holds(policy, ROLE_POLICY, row.check, NONE);
      if (holds === undefined) finding.error ??= { ...refusal, error: true };
      else if (!holds) finding.deny ??= refusal;
    }
    if (!isListed) finding.deny ??= refusal;
  }

  /** Examines a rule if it names the role, and once more for each derived role that the role makes active. */
  private examine(
    station: Station,
    row: CompiledRow,
    role: string,
    isFirst: boolean,
    action: string,
    active: Runtime,
    finding: Finding,
  ): void {
    const { policy, scope } = station;
    if (policy === undefined) return;
    if (row.anyRole ? isFirst : row.roles.has(role)) this.settle(policy, row, scope, action, active, finding);
    for (const derived of row.derivedRoles) {
      if (!(derived.anyParent ? isFirst : derived.parentRoles.has(role))) continue;
      const holds = this.session.holds(policy, row, derived.check, active);
      if (holds === undefined) finding.error ??= failed(scope, policy);
      else if (holds) this.settle(policy, row, scope, action, active, finding);
    }
  }

  private settle(
    policy: CompiledRows,
    row: CompiledRow,
    scope: string,
    action: string,
    active: Runtime,
    finding: Finding,
  ): void {
    const { session } = this;
    if (this.isSettled(finding)) return;
    const holds = session.holds(policy, row, row.check, active);
    if (holds === undefined) {
      finding.error ??= failed(scope, policy);
    } else if (!holds) {
      session.emit(policy, row, row.whenNotMet, action, active);
    } else {
      session.emit(policy, row, row.whenActivated, action, active);
      if (row.effect === "allow") finding.allowing = added(finding.allowing, row);
      else {
        finding.denying = added(finding.denying, row);
        finding.deny ??= { effect: "deny", scope, rows: NO_ROWS };
      }
    }
  }

  /** The derived roles that are active at a scope; those of every scope visited are the check's effective ones. */
  private activeAt(station: Station): Runtime {
    station.active ??= { roles: this.activeRoles(station.policy) };
    return station.active.roles;
  }

  private activeRoles(policy: CompiledRows | undefined): Runtime {
    if (policy === undefined || policy.derivedRoles.length === 0) return NONE;
    const { session } = this;
    const held = this.heldRoles();
    const active: string[] = [];
    let erred = false;
    for (const role of policy.derivedRoles) {
      if (!isHeld(role, held)) continue;
      const holds = session.active(policy, role.name, role.activeCheck);
      if (holds === true) active.push(role.name);
      erred ||= holds === undefined;
    }
    active.sort();
    for (const name of active) session.effectiveDerivedRoles.add(name);
    return erred ? undefined : active;
  }

  /** The principal's roles and all that they include. */
  private heldRoles(): readonly string[] {
    const { roles } = this.session.input.principal;
    const { included } = this;
    return included === undefined ? roles : roles.flatMap((role) => [role, ...(included.get(role) ?? NONE)]);
  }
}

function isHeld({ anyParent, parentRoles }: CompiledDerivedRole, held: readonly string[]): boolean {
  if (anyParent) return true;
  for (const role of held) if (parentRoles.has(role)) return true;
  return false;
}

function failed(scope: string, { key }: CompiledRows): Ruling {
  return { effect: "deny", scope, policy: key, rows: NO_ROWS, error: true };
}

function added(rows: CompiledRow[] | undefined, row: CompiledRow): CompiledRow[] {
  if (rows === undefined) return [row];
  rows.push(row);
  return rows;
}
