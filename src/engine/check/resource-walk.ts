/** What the resource's policies and the role policies say for one role (reference §2.6, §2.9, §2.13). */

import { placeKey } from "./place.js";
import type { Ruling } from "./principal-walk.js";
import { type CompiledDerivedRole, type CompiledRow, type CompiledRows, entriesFor, isAbout } from "./rows.js";
import type { Runtime, Session } from "./session.js";
import { ANY_VERSION, type CompiledPrincipal, type CompiledRole } from "./table.js";

const NONE: readonly string[] = [];
const NO_ROLES: ReadonlyMap<string, CompiledRole> = new Map();

/** Rules of role policies have no names. */
const ROLE_POLICY = { rule: "", reason: "" };

/** What one scope says. */
interface Finding {
  readonly allowing: CompiledRow[];
  readonly denying: CompiledRow[];
  /** The first denial and the first error, as rulings. */
  deny: Ruling | undefined;
  error: Ruling | undefined;
}

export class ResourceWalk {
  private readonly session: Session;
  /** The derived roles that are active, by scope. */
  private readonly derived = new Map<string, Runtime>();

  constructor(session: Session) {
    this.session = session;
  }

  /** The ruling for a role; undefined if no scope decides. */
  role(role: string, action: string): Ruling | undefined {
    const { table, place } = this.session;
    const roles = [role, ...this.ancestors(role)];
    for (const scope of place.resourceChain) {
      const active = this.activeAt(scope);
      const finding = this.at(scope, roles, action, active);
      const ruling = finding.error ?? finding.deny;
      if (ruling !== undefined) return { ...ruling, rows: finding.denying };
      if (finding.allowing.length > 0 && table.scopePermissions.get(scope) !== "require_parental_consent_for_allows") {
        return { effect: "allow", scope, rows: finding.allowing };
      }
    }
    return undefined;
  }

  private ancestors(role: string): readonly string[] {
    const { table, place } = this.session;
    const roles =
      table.ancestors.get(placeKey(place.version, place.resourceScope)) ??
      table.ancestors.get(placeKey(ANY_VERSION, place.resourceScope));
    return roles?.get(role) ?? NONE;
  }

  private at(scope: string, roles: readonly string[], action: string, active: Runtime): Finding {
    const { table, place, options } = this.session;
    const finding: Finding = { allowing: [], denying: [], deny: undefined, error: undefined };
    const policy = table.resources.get(placeKey(place.version, scope, place.kind));
    const rolePolicies = table.roles.get(placeKey(place.version, scope));
    const restricting =
      rolePolicies !== undefined && (policy !== undefined || this.anyMatches(scope, rolePolicies))
        ? rolePolicies
        : NO_ROLES;
    // The role itself, then the roles that it includes: each first by its role policy, then by the rules that name it.
    // A rule for any role is the first one's.
    for (const [i, role] of roles.entries()) {
      this.restrict(scope, restricting, role, action, finding);
      for (const row of policy?.rows ?? []) {
        if (finding.deny !== undefined && !options.strict) return finding;
        for (let entries = entriesFor(row, action); policy !== undefined && entries > 0; entries--) {
          this.examine(policy, row, scope, role, i === 0, action, active, finding);
        }
      }
      if (finding.deny !== undefined && !options.strict) return finding;
    }
    return finding;
  }

  /** A role that has a role policy may do what the policy lists, under its conditions, and nothing else. */
  private restrict(
    scope: string,
    policies: ReadonlyMap<string, CompiledRole>,
    role: string,
    action: string,
    finding: Finding,
  ): void {
    const { place } = this.session;
    const policy = policies.get(role);
    if (policy === undefined) return;
    const listed = policy.rows.filter((row) => row.matchesKind(place.kind) && isAbout(row, action));
    const refusal: Ruling = { effect: "deny", scope, policy: policy.key, rows: [] };
    if (listed.length === 0) finding.deny ??= refusal;
    for (const row of listed) {
      const holds = this.session.holds(policy, ROLE_POLICY, row.check, NONE);
      if (holds === undefined) finding.error ??= { ...refusal, error: true };
      else if (!holds) finding.deny ??= refusal;
    }
  }

  /** Examines a rule if it names the role, and once more for each derived role that the role makes active. */
  private examine(
    policy: CompiledRows,
    row: CompiledRow,
    scope: string,
    role: string,
    isFirst: boolean,
    action: string,
    active: Runtime,
    finding: Finding,
  ): void {
    if (row.anyRole ? isFirst : row.roles.has(role)) this.settle(policy, row, scope, action, active, finding);
    for (const derived of row.derivedRoles) {
      if (!(derived.anyParent ? isFirst : derived.parentRoles.has(role))) continue;
      const holds = this.session.holds(policy, row, derived.check, active);
      if (holds === undefined) finding.error ??= { effect: "deny", scope, policy: policy.key, rows: [], error: true };
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
    if (finding.deny !== undefined && !session.options.strict) return;
    const holds = session.holds(policy, row, row.check, active);
    if (holds === undefined) {
      finding.error ??= { effect: "deny", scope, policy: policy.key, rows: [], error: true };
    } else if (!holds) {
      session.emit(policy, row, row.whenNotMet, action, active);
    } else {
      session.emit(policy, row, row.whenActivated, action, active);
      (row.effect === "deny" ? finding.denying : finding.allowing).push(row);
      if (row.effect === "deny") finding.deny ??= { effect: "deny", scope, rows: [] };
    }
  }

  /** The derived roles that are active at a scope; those of every scope visited are the check's effective ones. */
  private activeAt(scope: string): Runtime {
    if (this.derived.has(scope)) return this.derived.get(scope);
    const { session } = this;
    const { table, place } = session;
    const policy = table.resources.get(placeKey(place.version, scope, place.kind));
    const active: string[] = [];
    let erred = false;
    for (const role of policy?.derivedRoles ?? []) {
      const is = policy !== undefined && this.isActive(policy, role);
      if (is === true) active.push(role.name);
      erred ||= is === undefined;
    }
    active.sort();
    for (const name of active) session.effectiveDerivedRoles.add(name);
    const runtime = erred ? undefined : active;
    this.derived.set(scope, runtime);
    return runtime;
  }

  private isActive(policy: CompiledRows, role: CompiledDerivedRole): boolean | undefined {
    const { session } = this;
    const held = session.input.principal.roles.flatMap((name) => [name, ...this.ancestors(name)]);
    if (!role.anyParent && !held.some((name) => role.parentRoles.has(name))) return false;
    return session.active(policy, role.name, role.activeCheck);
  }

  /** Whether a rule at a scope is about the kind, even one for somebody else: otherwise role policies restrict nothing. */
  private anyMatches(scope: string, policies: ReadonlyMap<string, CompiledRole>): boolean {
    const { table, place } = this.session;
    const about = ({ rows }: CompiledRole | CompiledPrincipal) => rows.some((row) => row.matchesKind(place.kind));
    const principals = table.principalPlaces.get(placeKey(place.version, scope)) ?? [];
    return [...policies.values()].some(about) || principals.some(about);
  }
}
