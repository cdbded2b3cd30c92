/** Decision tables: for an operation on a kind by some roles, the plans of both layers and the decisions made before. */

import type { Timestamp } from "../cel/values.js";
import type { CompiledPlan, LayerJudgement } from "../engine/evaluate/compiled-plan.js";
import type { Layer } from "../engine/evaluate/layer.js";
import { PlanPair } from "../engine/evaluate/plan-pair.js";
import type { AccountFrame, KeyFrame, ResourceFrame } from "../engine/frame/frame.js";
import { BoundedCache } from "../engine/plan/bounded-cache.js";
import { RecentCache } from "../engine/plan/recent-cache.js";
import { at, put } from "../engine/plan/sparse-list.js";
import type { PrincipalInput, ResourceInput } from "../engine/plan/subjects.js";
import { NOT_ASKED } from "./not-asked.js";
import { decisionOf } from "./outcome.js";
import { permission, platform } from "./two-layers.js";
import type { Decision } from "./types.js";

/** Decisions that one table keeps. A table rarely has more than a dozen different ones. */
const MAX_DECISIONS = 256;

/** Tables that a request finds by its names. New tables evict old ones; evicted tables are looked up by their plans. */
const MAX_RECENT = 16_384;

/** Tables that deciders share for one list of roles, and how many lists of roles there can be. */
const MAX_SHARED = 1_024;
const MAX_ROLES = 64;

/** Platform plans with which one permission plan is paired. */
const MAX_PAIRS = 32;

/** The decisions on one operation on one kind, for the roles and scopes that choose the same plans. */
export class DecisionTable {
  readonly kind: string;
  readonly action: string;
  readonly plans: PlanPair;
  private readonly tables: DecisionTables;
  /** By the numbers of both layers' judgements. */
  private decisions: ((Decision | undefined)[] | undefined)[] = [];
  private count = 0;

  constructor(tables: DecisionTables, plans: PlanPair, kind: string, action: string) {
    this.tables = tables;
    this.plans = plans;
    this.kind = kind;
    this.action = action;
  }

  /** Reads the frames and decides. Never throws for the layers of a policy set. */
  decide(key: KeyFrame, account: AccountFrame, resource: ResourceFrame, now: Timestamp | undefined): Decision {
    const { plans } = this;
    // Readers may run getters of the request: all parts are read before a layer judges.
    plans.permission.readPrincipal(key);
    plans.platform?.readPrincipal(account);
    return this.decideRead(key, account, resource, now);
  }

  /** Decides on a key and an account that their plans have read. */
  decideRead(key: KeyFrame, account: AccountFrame, resource: ResourceFrame, now: Timestamp | undefined): Decision {
    const { plans } = this;
    plans.readResource(resource);
    const permitted = permission(plans.permission, key, resource, plans, now);
    const supported =
      plans.platform === undefined ? NOBODY_ASKED : platform(plans.platform, account, resource, plans, now);
    const known = at(at(this.decisions, permitted.number) ?? NONE, supported.number);
    return known ?? this.decision(permitted, supported, resource);
  }

  private decision(permitted: LayerJudgement, supported: LayerJudgement, resource: ResourceFrame): Decision {
    const decision = decisionOf(this.tables, this.action, resource, permitted.verdict, supported.verdict);
    if (permitted.number >= 0 && supported.number >= 0) this.keep(permitted.number, supported.number, decision);
    return decision;
  }

  /** Later requests get the same object: by the invariant "frozen verdicts" it is frozen. */
  private keep(permitted: number, supported: number, decision: Decision): void {
    if (decision.fault !== undefined) Object.freeze(decision.fault);
    Object.freeze(decision);
    if (this.count >= MAX_DECISIONS) {
      this.decisions = [];
      this.count = 0;
    }
    this.count += 1;
    const row = at(this.decisions, permitted) ?? put(this.decisions, permitted, []);
    put(row, supported, decision);
  }
}

const NONE: readonly undefined[] = [];

/** The platform judgement of a permission-only set. */
const NOBODY_ASKED: LayerJudgement = { verdict: NOT_ASKED, number: 0 };

/** All decision tables of a policy set. */
export class DecisionTables {
  readonly permission: Layer;
  /** Undefined: the set is permission-only. */
  readonly platform: Layer | undefined;
  /** By kind, action, roles and scopes, if the plans depend on them alone. */
  private readonly recent = new RecentCache<DecisionTable>(MAX_RECENT);
  /** By the plans: a table that was evicted from `recent` keeps its decisions here. */
  private readonly all = new WeakMap<CompiledPlan, BoundedCache<CompiledPlan | undefined, DecisionTable>>();
  /** By kind, action and the resource's scope, for each list of roles and scope of a key. */
  private readonly byRoles = new BoundedCache<string, RecentCache<DecisionTable>>(MAX_ROLES);

  constructor(permission: Layer, platform: Layer | undefined) {
    this.permission = permission;
    this.platform = platform;
  }

  /** The table of a request. */
  find(key: PrincipalInput, account: PrincipalInput, resource: ResourceInput, action: string): DecisionTable {
    const isKept = this.mayRecall(key.id, account.id, account.scope);
    const { kind, scope } = resource;
    const known = isKept ? this.recent.get(kind, action, key.roles, key.scope, scope) : undefined;
    if (known !== undefined) return known;
    const made = this.made(key, account, resource, action);
    if (isKept) this.recent.set(kind, action, key.roles, made, key.scope, scope);
    return made;
  }

  /** Whether the plans depend on neither the ids of key and account nor the account's scope. */
  private mayRecall(keyId: string, accountId: string, accountScope: string): boolean {
    return accountScope === "" && !this.permission.isPersonal(keyId) && this.platform?.isPersonal(accountId) !== true;
  }

  /**
   * The tables of a decider, by kind, action and the resource's scope. Deciders share them if their keys have the same
   * roles and scope, unless a principal policy or the account's scope chooses their plans. Without an account, the
   * tables are for accounts with the root scope and without principal policies.
   */
  of(key: PrincipalInput, account: PrincipalInput | undefined): RecentCache<DecisionTable> {
    const isAlone =
      this.permission.isPersonal(key.id) ||
      (account !== undefined && (account.scope !== "" || this.platform?.isPersonal(account.id) === true));
    const name = JSON.stringify([key.scope, ...key.roles]);
    const known = isAlone ? undefined : this.byRoles.get(name);
    if (known !== undefined) return known;
    const made = new RecentCache<DecisionTable>(MAX_SHARED);
    if (!isAlone) this.byRoles.set(name, made);
    return made;
  }

  private made(key: PrincipalInput, account: PrincipalInput, resource: ResourceInput, action: string): DecisionTable {
    const plan = this.permission.planFor(key, resource, action);
    const wall = this.platform?.planFor(account, resource, action);
    const pairs = this.all.get(plan) ?? new BoundedCache<CompiledPlan | undefined, DecisionTable>(MAX_PAIRS);
    this.all.set(plan, pairs);
    const known = pairs.get(wall);
    const { kind } = resource;
    // Names without policies share plans, and their decisions name them.
    if (known?.kind === kind && known.action === action) return known;
    const made = new DecisionTable(this, known?.plans ?? new PlanPair(plan, wall), kind, action);
    if (known === undefined) pairs.set(wall, made);
    return made;
  }
}
