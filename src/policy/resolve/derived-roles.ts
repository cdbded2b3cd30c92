/** Resolves each set of derived roles once for all policies that import it. */

import { didYouMean } from "../distance.js";
import type { Condition, DerivedRole, Expression } from "../model.js";
import type { NamedReference, RawDerivedRoles, RawResourcePolicy } from "../read/raw.js";
import { Namespace, type ResolveContext } from "./namespace.js";

export class DerivedRoleSets {
  private readonly resolving: ResolveContext;
  private readonly resolved = new Map<RawDerivedRoles, ReadonlyMap<string, DerivedRole>>();
  /** Derived roles that rules list, so far. */
  private readonly listed = new Set<DerivedRole>();
  /** Imports that bring no role that a rule lists, so far. */
  readonly unusedImports: NamedReference[] = [];

  constructor(resolving: ResolveContext) {
    this.resolving = resolving;
  }

  /** The derived roles that the policy's rules list. A role that no import defines, or more than one, is an issue. */
  rolesOf(policy: RawResourcePolicy): ReadonlyMap<string, DerivedRole> {
    const { catalogue, log } = this.resolving;
    const imported: {
      readonly set: string;
      readonly roles: ReadonlyMap<string, DerivedRole>;
      readonly reference: NamedReference;
    }[] = [];
    let incomplete = false;
    for (const reference of policy.imports) {
      const set = catalogue.derivedRoles.import(reference, log);
      if (set === undefined) incomplete = true;
      else imported.push({ set: reference.name, roles: this.resolve(set), reference });
    }
    const used = new Map<string, DerivedRole>();
    for (const reference of policy.rules.flatMap((rule) => rule.derivedRoleReferences)) {
      const [first, second] = imported.filter(({ roles }) => roles.has(reference.name));
      const role = first?.roles.get(reference.name);
      if (first !== undefined && second !== undefined && !used.has(reference.name)) {
        const message = `the derived role "${reference.name}" is in both "${first.set}" and "${second.set}"`;
        log.error("ambiguous_derived_role", reference.at, message);
      }
      if (role !== undefined) used.set(reference.name, role);
      else if (!incomplete) this.reportUnknown(reference, imported);
    }
    for (const role of used.values()) this.listed.add(role);
    const listed = new Set(used.values());
    for (const { roles, reference } of imported) {
      if (![...roles.values()].some((role) => listed.has(role))) this.unusedImports.push(reference);
    }
    return used;
  }

  /** Derived roles of imported sets that no rule lists, so far. */
  get unlisted(): readonly DerivedRole[] {
    const all = [...this.resolved.values()].flatMap((roles) => [...roles.values()]);
    return all.filter((role) => !this.listed.has(role));
  }

  private reportUnknown(
    reference: NamedReference,
    imported: readonly { readonly roles: ReadonlyMap<string, DerivedRole> }[],
  ): void {
    const known = imported.flatMap(({ roles }) => [...roles.keys()]);
    const message = `no import of this policy defines the derived role "${reference.name}"`;
    this.resolving.log.error("unknown_derived_role", reference.at, message, didYouMean(reference.name, known));
  }

  resolve(set: RawDerivedRoles): ReadonlyMap<string, DerivedRole> {
    const known = this.resolved.get(set);
    if (known !== undefined) return known;
    this.resolving.log.addAll(set.faults.issues);
    const namespace = new Namespace(set.definitions, this.resolving);
    const roles = new Map<string, DerivedRole>();
    for (const { name, at, parentRoles, condition } of set.roles) {
      const readers = expressionsOf(condition);
      for (const reader of readers) namespace.check(reader);
      roles.set(name, { name, at, parentRoles, condition, definitions: namespace.definitionsFor(readers) });
    }
    this.resolved.set(set, roles);
    return roles;
  }
}

/** The expressions of a condition. */
export function expressionsOf(condition: Condition | undefined): readonly Expression[] {
  if (condition === undefined) return [];
  return condition.kind === "expr" ? [condition.expr] : condition.of.flatMap(expressionsOf);
}
