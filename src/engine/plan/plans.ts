/**
 * The plans of a policy set, made when a question first needs them and cached.
 *
 * INVARIANT (bounded plans): the caches grow with the policies alone. Names that the policies do not have (a kind, an
 * action, a role, a scope, an id) share one entry, or have an entry in a {@link BoundedCache} table. Of all combinations of
 * such names and of roles, no more than {@link MAX_COMBINATIONS} are kept.
 */

import { MAX_MATCHING_STEPS } from "../../limits.js";
import { ANYTHING, type Glob } from "../../policy/glob.js";
import { sanitise } from "../../policy/names.js";
import { type Matchers, matchingSteps, unionOfMatchers } from "./actions.js";
import { BoundedCache, LONGEST_KEPT } from "./bounded-cache.js";
import { TOO_MANY_STEPS } from "./limits.js";
import { makePlan, type PlanQuestion } from "./make-plan.js";
import { type NameTable, NameTables } from "./name-table.js";
import { type Plan, refusedPlan } from "./plan.js";
import type { PlacePolicies, PolicyIndex } from "./policy-index.js";
import type { PolicyLocation } from "./policy-location.js";
import { RecentCache } from "./recent-cache.js";
import type { IndexedPlanRule } from "./rules.js";

/** How many names that the policies do not have each table caches. */
const MAX_NAMES = 256;

/** Combinations of roles that are cached for one action. */
const MAX_ROLE_SETS = 64;

/** Sets of so many roles that their keys are too long for a table, for one action. Their plans are large. */
const MAX_LONG_SETS = 4;

/** Longer lists of roles are not cached, unless they are sorted lists of roles that policies name. */
const MAX_ROLES = 32;

/** After this many plans for combinations that a caller can invent, all cached plans are dropped. */
const MAX_COMBINATIONS = 16_384;

/** Makes the cached value of a plan. */
export type Keep<T> = (plan: Plan, action: string) => T;

/** The order of the roles in a plan: as the question has them, or each once in a fixed order. */
export type RoleOrder = "given" | "steady";

class PlanMaker<T> {
  readonly index: PolicyIndex;
  readonly order: RoleOrder;
  readonly names = new NameTables();
  /** How many plans were made for combinations that a caller can invent. */
  combinations = 0;
  private readonly keep: Keep<T>;

  constructor(index: PolicyIndex, order: RoleOrder, keep: Keep<T>) {
    this.index = index;
    this.order = order;
    this.keep = keep;
  }

  make(place: PolicyLocation, question: PlanQuestion): T {
    return this.keep(makePlan(this.index, place, question), question.action);
  }

  refuse(action: string): T {
    return this.keep(refusedPlan(TOO_MANY_STEPS), action);
  }
}

/** The plans of a policy set, by place. */
export class Plans<T> {
  private readonly newMaker: () => PlanMaker<T>;
  private maker: PlanMaker<T>;
  private places = new BoundedCache<string, PlacePlans<T>>(MAX_NAMES);

  constructor(index: PolicyIndex, order: RoleOrder, keep: Keep<T>) {
    this.newMaker = () => new PlanMaker(index, order, keep);
    this.maker = this.newMaker();
  }

  /** The plans of a place. The caller may keep them until {@link PlacePlans.isFull}. */
  at(place: PolicyLocation): PlacePlans<T> {
    if (this.maker.combinations > MAX_COMBINATIONS) {
      this.maker = this.newMaker();
      this.places = new BoundedCache(MAX_NAMES);
    }
    const { version, principalVersion, resourceScope, principalChain, resourceChain } = place;
    // A scope that does not exist matters only where roles may have parents in it.
    const scope = resourceChain.length === 0 ? "" : resourceScope;
    const key = JSON.stringify([version, principalVersion, scope, principalChain, resourceChain]);
    const known = this.places.get(key);
    if (known !== undefined) return known;
    const made = new PlacePlans(this.maker, place);
    this.places.set(key, made);
    return made;
  }
}

export class PlacePlans<T> {
  private readonly maker: PlanMaker<T>;
  private readonly place: PolicyLocation;
  /** The ids of the principals that have policies here. */
  private readonly ids: ReadonlySet<string>;
  private readonly hasPrincipals: boolean;
  private readonly byId = new Map<string, PrincipalPlans<T>>();
  private readonly others: PrincipalPlans<T>;

  constructor(maker: PlanMaker<T>, place: PolicyLocation) {
    this.maker = maker;
    this.place = place;
    const { index } = maker;
    this.ids = new Set(
      place.principalChain.flatMap((scope) => [...(index.at(place.version, scope)?.principals.keys() ?? [])]),
    );
    this.hasPrincipals = this.ids.size > 0;
    this.others = new PrincipalPlans(maker, place, NOBODY);
  }

  /** Whether callers have invented so many combinations that these plans should be dropped. */
  get isFull(): boolean {
    return this.maker.combinations > MAX_COMBINATIONS;
  }

  /** The cached value for a question. */
  find(principalId: string, kind: string, action: string, roles: readonly string[]): T {
    const plans = this.hasPrincipals ? this.of(principalId) : this.others;
    return plans.find(kind, action, roles);
  }

  private of(id: string): PrincipalPlans<T> {
    if (!this.ids.has(id)) return this.others;
    const known = this.byId.get(id);
    if (known !== undefined) return known;
    const made = new PrincipalPlans(this.maker, this.place, id);
    this.byId.set(id, made);
    return made;
  }
}

/** Stands for an id, a kind or a role that no policy has. */
const NOBODY = "";

/** The plans for one principal, or for all principals without policies. */
class PrincipalPlans<T> {
  private readonly recent = new RecentCache<T>();
  private readonly maker: PlanMaker<T>;
  private readonly place: PolicyLocation;
  private readonly id: string;
  /** The policies of the chain of scopes. */
  private readonly policies: readonly PlacePolicies[];
  /** By kind, for the kinds with resource policies. */
  private readonly kinds = new Map<string, KindPlans<T>>();
  private readonly otherKinds = new BoundedCache<string, KindPlans<T>>(MAX_NAMES);
  /** For all other kinds, if no principal policy and no role policy could be about them. */
  private readonly noKind: KindPlans<T> | undefined;

  constructor(maker: PlanMaker<T>, place: PolicyLocation, id: string) {
    this.maker = maker;
    this.place = place;
    this.id = id;
    const { index } = maker;
    const { version, principalVersion, resourceChain, principalChain } = place;
    this.policies = resourceChain.flatMap((scope) => index.at(version, scope) ?? []);
    const hasOthers =
      this.policies.some(({ roles }) => roles.size > 0) ||
      [version, principalVersion].some((one) =>
        principalChain.some((scope) => (index.at(one, scope)?.principals.size ?? 0) > 0),
      );
    this.noKind = hasOthers ? undefined : this.plansOf(NOBODY, true);
  }

  find(kind: string, action: string, roles: readonly string[]): T {
    const known = this.recent.get(kind, action, roles);
    if (known !== undefined) return known;
    const found = this.of(kind).find(action, roles);
    this.recent.set(kind, action, roles, found);
    return found;
  }

  private of(kind: string): KindPlans<T> {
    return this.kinds.get(kind) ?? this.named(sanitise(kind));
  }

  private named(kind: string): KindPlans<T> {
    const isPolicies = this.policies.some(({ resources }) => resources.has(kind));
    if (!isPolicies && this.noKind !== undefined) return this.noKind;
    const table = isPolicies ? this.kinds : this.otherKinds;
    const known = table.get(kind);
    if (known !== undefined) return known;
    const made = this.plansOf(kind, isPolicies);
    table.set(kind, made);
    return made;
  }

  private plansOf(kind: string, isNamed: boolean): KindPlans<T> {
    return new KindPlans(this.maker, this.place, this.id, kind, isNamed);
  }
}

/** The plans for one kind. */
class KindPlans<T> {
  private readonly maker: PlanMaker<T>;
  private readonly make: (action: string, roles: readonly string[]) => T;
  /** False: callers can invent kinds like this one. */
  private readonly isNamed: boolean;
  private readonly roles: NameTable;
  private readonly roleGlobs: readonly Glob[];
  /** The patterns that a question is matched against. */
  private readonly patterns: KindPatterns;
  private readonly actions: NameTable;
  private readonly byAction: (ActionPlans<T> | undefined)[];
  /** For the actions that rules do not name, but may match by a pattern. */
  private readonly otherActions: BoundedCache<string, ActionPlans<T>> | undefined;
  private noAction: ActionPlans<T> | undefined;

  constructor(maker: PlanMaker<T>, place: PolicyLocation, principalId: string, kind: string, isNamed: boolean) {
    const { index, names } = maker;
    this.maker = maker;
    this.isNamed = isNamed;
    const found = rulesOn(index, place, principalId, kind);
    this.make = (action, roles) => maker.make(place, { kind, action, principalId, roles });
    this.roles = names.of(found.roles);
    this.roleGlobs = found.forRoles.globs.filter((glob) => glob !== ANYTHING);
    this.patterns = found;
    this.actions = names.of(found.actions);
    this.byAction = new Array<undefined>(this.actions.size).fill(undefined);
    this.otherActions = found.forActions.globs.length > 0 ? new BoundedCache(MAX_NAMES) : undefined;
  }

  find(action: string, roles: readonly string[]): T {
    return this.isTooCostly(action, roles) ? this.maker.refuse(action) : this.about(action).find(roles);
  }

  private isTooCostly(action: string, roles: readonly string[]): boolean {
    const { forActions, forRoles } = this.patterns;
    let steps = matchingSteps(forActions, action);
    if (forRoles.globs.length > 0) for (const role of roles) steps += matchingSteps(forRoles, role);
    return steps > MAX_MATCHING_STEPS;
  }

  private about(action: string): ActionPlans<T> {
    const number = this.actions.indexOf(action);
    if (number < 0) return this.unnamed(action);
    const known = this.byAction[number];
    if (known !== undefined) return known;
    const made = this.plansOf(action, true);
    this.byAction[number] = made;
    return made;
  }

  private unnamed(action: string): ActionPlans<T> {
    if (this.otherActions === undefined) {
      this.noAction ??= this.plansOf(action, true);
      return this.noAction;
    }
    const known = this.otherActions.get(action);
    if (known !== undefined) return known;
    const made = this.plansOf(action, false);
    this.otherActions.set(action, made);
    return made;
  }

  private plansOf(action: string, isNamed: boolean): ActionPlans<T> {
    const { maker, roles, roleGlobs } = this;
    const isBounded = this.isNamed && isNamed;
    return new ActionPlans(roles, roleGlobs, maker.order, (some, areNamed) => {
      if (!isBounded || !areNamed || some.length > 1) maker.combinations++;
      return this.make(action, some);
    });
  }
}

type Patterns = Pick<Matchers, "globs" | "cost">;

/** The patterns of all rules about a kind. */
interface KindPatterns {
  readonly forActions: Patterns;
  readonly forRoles: Patterns;
}

/** Collects the names in the rules about a kind. */
export function rulesOn(index: PolicyIndex, place: PolicyLocation, principalId: string, kind: string) {
  const { version, principalChain, resourceChain, resourceScope } = place;
  const actions = new Set<string>();
  const roles = new Set<string>();
  const forActions = new Set<Matchers>();
  const forRoles = new Set<Matchers>();
  const look = (rules: readonly IndexedPlanRule[]): void => {
    for (const rule of rules) {
      if (!rule.isOfKind(kind)) continue;
      for (const name of rule.actions.names) actions.add(name);
      forActions.add(rule.actions);
      for (const some of [rule.roles, ...rule.guards.map(({ parentRoles }) => parentRoles)]) {
        for (const role of some.names) roles.add(role);
        forRoles.add(some);
      }
    }
  };
  for (const scope of principalChain) {
    const policy = index.at(version, scope)?.principals.get(principalId);
    if (policy !== undefined) look(policy.byAction.rows);
  }
  for (const scope of resourceChain) {
    const policies = index.at(version, scope);
    const policy = policies?.resources.get(kind);
    // The active derived roles, which expressions can read, do not depend on the action: the rules of all actions list
    // them.
    if (policy !== undefined) look(policy.byAction.rows);
    for (const [role, restriction] of policies?.roles ?? []) {
      roles.add(role);
      look(restriction.byAction.rows);
    }
  }
  for (const role of index.included(version, resourceScope).keys()) roles.add(role);
  roles.delete("*");
  return { actions, roles, forActions: patternsOf(forActions), forRoles: patternsOf(forRoles) };
}

function patternsOf(all: ReadonlySet<Matchers>): Patterns {
  const { globs, cost } = unionOfMatchers([...all]);
  return { globs, cost };
}

/** The plans for one action, by roles. */
class ActionPlans<T> {
  private readonly roles: NameTable;
  private readonly order: RoleOrder;
  private readonly globs: readonly Glob[];
  private readonly make: (roles: readonly string[], areNamed: boolean) => T;
  /** By the number of a single role; the last one is for roles that no policy names. */
  private readonly single: (T | undefined)[];
  private readonly several = new BoundedCache<number | string, T>(MAX_ROLE_SETS);
  /** The latest sets of many roles. */
  private readonly many: { readonly key: string; readonly plan: T }[] = [];

  constructor(
    roles: NameTable,
    globs: readonly Glob[],
    order: RoleOrder,
    make: (roles: readonly string[], areNamed: boolean) => T,
  ) {
    this.roles = roles;
    this.globs = globs;
    this.order = order;
    this.make = make;
    this.single = new Array<undefined>(roles.size + 1).fill(undefined);
  }

  find(roles: readonly string[]): T {
    if (this.globs.length > 0 && roles.some((one) => this.isMatched(one))) return this.forMatched(roles);
    const [role = NOBODY] = roles;
    return roles.length === 1 ? this.forRole(this.numberOf(role)) : this.forRoles(roles);
  }

  /** Whether a glob matches a role that no policy names. */
  private isMatched(role: string): boolean {
    return this.roles.indexOf(role) < 0 && this.globs.some((glob) => glob(role));
  }

  /** For lists with roles that no policy names but a glob matches: their plans are cached by the names of the roles. */
  private forMatched(roles: readonly string[]): T {
    const asked = this.order === "given" ? roles : [...new Set(roles)].sort();
    const key = JSON.stringify(asked);
    const known = this.several.get(key);
    if (known !== undefined) return known;
    const made = this.make(asked, false);
    if (asked.length <= MAX_ROLES) this.several.set(key, made);
    return made;
  }

  private numberOf(role: string): number {
    const number = this.roles.indexOf(role);
    return number < 0 ? this.roles.size : number;
  }

  private nameOf(number: number): string {
    return this.roles.names[number] ?? NOBODY;
  }

  private forRole(number: number): T {
    const known = this.single[number];
    if (known !== undefined) return known;
    const made = this.make([this.nameOf(number)], true);
    this.single[number] = made;
    return made;
  }

  private forRoles(roles: readonly string[]): T {
    numbers.length = 0;
    if (this.order === "given") for (const role of roles) numbers.push(this.numberOf(role));
    else for (let i = 0; i < roles.length; i++) insert(numbers, this.numberOf(roles[i] ?? NOBODY));
    const [first = this.roles.size] = numbers;
    if (numbers.length === 1) return this.forRole(first);
    // A list in the order of the question may repeat roles any number of times, so long lists are not cached.
    if (numbers.length > MAX_ROLES && this.order === "given") return this.make(this.namesOf(numbers), true);
    const key = keyOf(numbers, this.roles.size + 2);
    if (typeof key === "string" && key.length > LONGEST_KEPT) return this.forMany(key);
    const known = this.several.get(key);
    if (known !== undefined) return known;
    const made = this.make(this.namesOf(numbers), true);
    this.several.set(key, made);
    return made;
  }

  /** For sets of roles with a key that is too long for a table. */
  private forMany(key: string): T {
    const known = this.many.find((one) => one.key === key);
    if (known !== undefined) return known.plan;
    const plan = this.make(this.namesOf(numbers), true);
    if (this.many.length === MAX_LONG_SETS) this.many.shift();
    this.many.push({ key, plan });
    return plan;
  }

  private namesOf(all: readonly number[]): readonly string[] {
    return all.map((number) => this.nameOf(number));
  }
}

/**
 * A scratch list, with the numbers of the roles of the current question. Nothing that is called while it is in use
 * looks up other roles.
 */
const numbers: number[] = [];

/** Inserts a number into a sorted list, unless the list has it. */
function insert(sorted: number[], number: number): void {
  let at = sorted.length;
  while (at > 0 && (sorted[at - 1] ?? 0) > number) at--;
  if (at > 0 && sorted[at - 1] === number) return;
  for (let i = sorted.length; i > at; i--) sorted[i] = sorted[i - 1] ?? 0;
  sorted[at] = number;
}

/** A key for a list of numbers less than `base - 1`: a number if that is exact, otherwise a text. */
function keyOf(all: readonly number[], base: number): number | string {
  let key = 0;
  for (let i = 0; i < all.length; i++) key = key * base + (all[i] ?? 0) + 1;
  return key <= Number.MAX_SAFE_INTEGER ? key : all.join();
}
