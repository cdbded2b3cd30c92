/**
 * Indexes the policies of a set by the names of a question: version, scope, kind, principal's id, role
 * (docs/cerbos-semantics.md §2.5). The rules of a policy are indexed when a question first needs them.
 */

import { compileGlob } from "../../policy/glob.js";
import type {
  AnyPolicy,
  PolicyModel,
  PrincipalPolicy,
  ResourcePolicy,
  RolePolicy,
  SchemaUse,
  ScopePermissions,
} from "../../policy/model.js";
import { kindMatcher, MatcherIndex, type Matchers, matchedRoles, unionOfMatchers } from "./actions.js";
import { type IncludedRoles, includedRoles } from "./included-roles.js";
import type { AttributeSchemaRefs, PlannedRule } from "./plan.js";
import { type GuardingRole, guardingRoles, type IndexedPlanRule, indexedRules, refusal } from "./rules.js";
import { targetsOf } from "./targets.js";

const NO_DERIVED: ReadonlyMap<string, GuardingRole> = new Map();

/** A policy of any kind. Its rules are indexed when they are first needed. */
export class IndexedPolicy<P extends AnyPolicy = AnyPolicy> {
  readonly source: P;
  private index: MatcherIndex<IndexedPlanRule> | undefined;
  private roles: ReadonlyMap<string, GuardingRole> | undefined;
  private everyRole: Matchers | undefined;

  constructor(source: P) {
    this.source = source;
  }

  get key(): string {
    return this.source.key;
  }

  /** The derived roles that some rule lists, by name. */
  get derivedRoles(): ReadonlyMap<string, GuardingRole> {
    this.roles ??= this.source.kind === "resource" ? guardingRoles(this.source) : NO_DERIVED;
    return this.roles;
  }

  get byAction(): MatcherIndex<IndexedPlanRule> {
    this.index ??= new MatcherIndex(indexedRules(this.source, this.derivedRoles), ({ actions }) => [actions]);
    return this.index;
  }

  /** Whether some rule is for one of these roles. */
  isFor(roles: readonly string[]): boolean {
    this.everyRole ??= unionOfMatchers(this.byAction.rows.flatMap(rolesOf));
    return matchedRoles(this.everyRole, roles).length > 0;
  }

  /** The rules about a kind and an action, in the order of the file. */
  about(kind: string, action: string): readonly IndexedPlanRule[] {
    return this.byAction.about([action]).filter((rule) => rule.isOfKind(kind));
  }
}

/** The roles that a rule is for, by itself and by derived roles. */
function rolesOf({ roles, guards }: IndexedPlanRule): readonly Matchers[] {
  return [roles, ...guards.map(({ parentRoles }) => parentRoles)];
}

class IndexedResourcePolicy extends IndexedPolicy<ResourcePolicy> {
  private roleIndex: MatcherIndex<IndexedPlanRule> | undefined;
  private uses: readonly [principal: RefFor | undefined, resource: RefFor | undefined] | undefined;

  /** Those of the rules at the indexes `among` that are for one of the roles, in the order of the file. */
  forRoles(among: readonly number[], roles: readonly string[]): readonly IndexedPlanRule[] {
    this.roleIndex ??= new MatcherIndex(this.byAction.rows, rolesOf);
    return this.roleIndex.among(among, roles);
  }

  /** The schemas of attributes in a question about these actions. */
  schemas(actions: readonly string[]): AttributeSchemaRefs {
    const { principalSchema, resourceSchema } = this.source;
    this.uses ??= [principalSchema && refFor(principalSchema), resourceSchema && refFor(resourceSchema)];
    const [principal, resource] = this.uses;
    return { principal: principal?.(actions), resource: resource?.(actions) };
  }
}

/** The reference to a schema; undefined if the schema ignores all of these actions. */
type RefFor = (actions: readonly string[]) => string | undefined;

function refFor({ ref, ignoreActions }: SchemaUse): RefFor {
  const globs = ignoreActions.flatMap((pattern) => compileGlob(pattern) ?? []);
  if (globs.length === 0) return () => ref;
  return (actions) => (actions.every((action) => globs.some((glob) => glob(action))) ? undefined : ref);
}

/** A policy in which each rule names the kinds that it is about. */
class IndexedKindPolicy<P extends PrincipalPolicy | RolePolicy> extends IndexedPolicy<P> {
  private readonly kinds: readonly ((kind: string) => boolean)[];

  constructor(source: P) {
    super(source);
    this.kinds = [...new Set(targetsOf([source]).map(({ kind }) => kind))].map(kindMatcher);
  }

  /** Whether some rule is about a kind. */
  isAboutKind(kind: string): boolean {
    return this.kinds.some((matches) => matches(kind));
  }
}

export class IndexedRolePolicy extends IndexedKindPolicy<RolePolicy> {
  private refused: PlannedRule | undefined;

  /** The rule that denies the actions that the policy does not list. */
  get unlisted(): PlannedRule {
    this.refused ??= refusal(this.source);
    return this.refused;
  }
}

/** The policies of one version and scope. */
export class PlacePolicies {
  /** By sanitised kind. */
  readonly resources = new Map<string, IndexedResourcePolicy>();
  /** By principal id. */
  readonly principals = new Map<string, IndexedKindPolicy<PrincipalPolicy>>();
  /** By role. A policy without rules is left out: it restricts nothing. */
  readonly roles = new Map<string, IndexedRolePolicy>();

  /**
   * Whether some rule, for any action, is about a kind and one of these roles. If not, role policies do not restrict
   * the roles either.
   */
  isAbout(kind: string, roles: readonly string[]): boolean {
    return (
      this.resources.get(kind)?.isFor(roles) === true ||
      roles.some((role) => this.roles.get(role)?.isAboutKind(kind) === true)
    );
  }

  hasRoleRuleAbout(kind: string): boolean {
    for (const policy of this.roles.values()) if (policy.isAboutKind(kind)) return true;
    return false;
  }
}

export class PolicyIndex {
  /**
   * The scopes that exist, by resource and role policies, and by principal policies, of any version
   * (docs/cerbos-semantics.md §2.7).
   */
  readonly resourceScopes: ReadonlySet<string>;
  readonly principalScopes: ReadonlySet<string>;
  private readonly permissions: ReadonlyMap<string, ScopePermissions>;
  private readonly places = new Map<string, Map<string, PlacePolicies>>();
  /** The roles that each role includes in a scope. */
  readonly included: (version: string, scope: string) => IncludedRoles;

  constructor({ resourcePolicies, principalPolicies, rolePolicies, scopePermissions }: PolicyModel) {
    const restricting = rolePolicies.filter(({ rules }) => rules.length > 0);
    this.resourceScopes = new Set([...resourcePolicies, ...restricting].map(({ scope }) => scope));
    this.principalScopes = new Set(principalPolicies.map(({ scope }) => scope));
    this.permissions = scopePermissions;
    this.included = includedRoles(rolePolicies);
    for (const policy of resourcePolicies) {
      this.open(policy).resources.set(policy.resource, new IndexedResourcePolicy(policy));
    }
    for (const policy of principalPolicies) {
      this.open(policy).principals.set(policy.name, new IndexedKindPolicy(policy));
    }
    for (const policy of restricting) {
      this.open(policy).roles.set(policy.role, new IndexedRolePolicy(policy));
    }
  }

  /** The policies of a version and scope; undefined if there are none. */
  at(version: string, scope: string): PlacePolicies | undefined {
    return this.places.get(version)?.get(scope);
  }

  /** An ALLOW in this scope leaves the decision to the scopes above. */
  asksParents(scope: string): boolean {
    return this.permissions.get(scope) === "require_parental_consent_for_allows";
  }

  /** Whether resource and principal policies of this scope decide without the scopes above. */
  overridesParents(scope: string): boolean {
    return this.permissions.has(scope) && !this.asksParents(scope);
  }

  /**
   * The schemas of attributes (docs/cerbos-semantics.md §2.12): those of the policy for the kind at the most specific
   * scope that exists. That policy names the schemas of the root policy. Undefined if the scope exists through other
   * policies only.
   */
  schemas(
    version: string,
    [scope]: readonly string[],
    kind: string,
    actions: readonly string[],
  ): AttributeSchemaRefs | undefined {
    return scope === undefined ? undefined : this.at(version, scope)?.resources.get(kind)?.schemas(actions);
  }

  private open({ version, scope }: { readonly version: string; readonly scope: string }): PlacePolicies {
    const scopes = this.places.get(version) ?? new Map<string, PlacePolicies>();
    this.places.set(version, scopes);
    const place = scopes.get(scope) ?? new PlacePolicies();
    scopes.set(scope, place);
    return place;
  }
}
