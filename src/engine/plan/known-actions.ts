/** The actions that the policies of a version know for each kind, in any scope, for any role and principal. */

import { isEverything, isGlob } from "../../policy/glob.js";
import { addTo } from "../../policy/groups.js";
import type { AnyPolicy, AnyRule, PolicyModel } from "../../policy/model.js";
import { sanitise } from "../../policy/names.js";
import {
  ACTION_FORMS,
  type ActionForm,
  actionMatchers,
  countEntries,
  kindMatcher,
  type Matchers,
  matchers,
  unionOfMatchers,
} from "./actions.js";
import { BoundedCache } from "./bounded-cache.js";
import { RecentCache } from "./recent-cache.js";
import { type RuleTarget, targetOf } from "./targets.js";

/** How many kinds that no policy names are cached. */
const MAX_KINDS = 256;

const NO_ROLES: readonly string[] = [];

/** The actions that a rule lists. */
interface ListedActions extends RuleTarget {
  readonly allows: boolean;
}

/** A rule for the kinds that a pattern matches. */
interface PatternRow extends ListedActions {
  readonly isOfKind: (kind: string) => boolean;
}

export class KnownActions {
  /** By the kinds that policies name. The rules of a policy are read when a kind is first looked up. */
  private readonly rows = new Map<string, (() => readonly ListedActions[])[]>();
  private readonly patterns: PatternRow[] = [];
  private readonly kinds = new Map<string, KnownKind>();
  private readonly otherKinds = new BoundedCache<string, KnownKind>(MAX_KINDS);
  /** Recent answers of {@link names}: every refusal needs one. */
  private readonly recent = new RecentCache<boolean>();

  constructor({ resourcePolicies, principalPolicies, rolePolicies }: PolicyModel, version: string) {
    const inForce = <T extends AnyPolicy>(policies: readonly T[]) =>
      policies.filter((policy) => policy.version === version);
    for (const policy of inForce(resourcePolicies)) {
      this.list(policy.resource, () => policy.rules.map((rule) => rowOf(policy, rule)));
    }
    for (const policy of [...inForce(principalPolicies), ...inForce(rolePolicies)]) {
      for (const rule of policy.rules) this.list(targetOf(policy, rule).kind, () => [rowOf(policy, rule)]);
    }
  }

  /** Whether every rule about the kind names it and its actions, or matches them by patterns that are not just `*`. */
  namesAll(kind: string): boolean {
    return this.of(kind).isAllNamed;
  }

  /** Whether a policy names the kind, or matches it by a pattern that is not just `*`. */
  namesKind(kind: string): boolean {
    return this.of(kind).isNamed;
  }

  /** Whether a rule names the kind and the action, or matches them by patterns that are not just `*`. */
  names(kind: string, action: string): boolean {
    const known = this.recent.get(kind, action, NO_ROLES);
    if (known !== undefined) return known;
    const found = this.of(kind).names(action);
    this.recent.set(kind, action, NO_ROLES, found);
    return found;
  }

  /** Whether a rule could allow the action, by any pattern. */
  mayAllow(kind: string, action: string): boolean {
    return this.of(kind).mayAllow(action);
  }

  private list(pattern: string, rows: () => readonly ListedActions[]): void {
    if (isGlob(pattern)) {
      for (const row of rows()) this.patterns.push({ ...row, isOfKind: kindMatcher(pattern) });
      return;
    }
    addTo(this.rows, pattern, rows);
  }

  private of(kind: string): KnownKind {
    const known = this.kinds.get(kind) ?? this.otherKinds.get(kind);
    if (known !== undefined) return known;
    const name = sanitise(kind);
    const rows = this.rows.get(name)?.flatMap((listed) => listed());
    const matching = this.patterns.filter(({ isOfKind }) => isOfKind(name));
    const made = new KnownKind(rows, matching);
    // Callers can invent any number of kinds that are sanitised to one name, so their table is bounded.
    if (rows === undefined || kind !== name) this.otherKinds.set(kind, made);
    else this.kinds.set(kind, made);
    return made;
  }
}

/** A rule of a role policy denies the actions that it does not list, and allows nothing. */
function rowOf(policy: AnyPolicy, rule: AnyRule): ListedActions {
  return { ...targetOf(policy, rule), allows: "effect" in rule && rule.effect === "allow" };
}

/** The known actions of one kind. */
class KnownKind {
  readonly isNamed: boolean;
  readonly isAllNamed: boolean;
  private readonly named: Matchers;
  private readonly allowed: Matchers;

  /** `rows`: the rules of the policies that name the kind; undefined if no policy does. */
  constructor(rows: readonly ListedActions[] | undefined, patterns: readonly PatternRow[]) {
    const naming = [...(rows ?? []), ...patterns.filter(({ kind }) => !isEverything(kind))];
    const named = (form: ActionForm) =>
      naming
        .filter(({ actionForm }) => actionForm === form)
        .flatMap(({ actions }) => actions.filter((action) => !isEverything(action)));
    this.isAllNamed =
      !patterns.some(({ kind }) => isEverything(kind)) &&
      ![...(rows ?? []), ...patterns].some(({ actions }) => actions.some(isEverything));
    this.isNamed = rows !== undefined || naming.length > 0;
    this.named = unionOfMatchers(ACTION_FORMS.map((form) => actionMatchers(named(form), form)));
    this.allowed = matchers([...(rows ?? []), ...patterns].flatMap(({ allows, actions }) => (allows ? actions : [])));
  }

  names(action: string): boolean {
    return countEntries(this.named, action) > 0;
  }

  mayAllow(action: string): boolean {
    return countEntries(this.allowed, action) > 0;
  }
}
