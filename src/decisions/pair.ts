/** Both layers of a policy set, asked together. */

import type { JsonMap, Timestamp } from "../cel/values.js";
import type { Binds, Joint, Verdicts } from "../engine/evaluate/joint.js";
import type { Layer } from "../engine/evaluate/layer.js";
import { Bounded } from "../engine/plan/bounded.js";
import { Recent } from "../engine/plan/recent.js";
import type { JointRequest, PrincipalInput } from "../engine/plan/subjects.js";
import { NOT_ASKED } from "./not-asked.js";
import { decisionOf } from "./outcome.js";
import { ACCOUNT_ROLES } from "./request-parts.js";
import { AS_OBJECTS, type Taker } from "./take-up.js";
import type { Decision } from "./types.js";

/** Sets of so many conditions have their decisions in a list, by the set. */
const MAX_READY = 8;

/** Decisions that are kept for sets of more. There are rarely more than a dozen different ones. */
const MAX_SHARED = 256;

/** Questions that are remembered. Whoever invents others takes the places of some, each of which is then found once more. */
const MAX_RECENT = 16_384;

/** Questions that are remembered for deciders, and for how many lists of roles. */
const MAX_QUESTIONS = 1_024;
const MAX_ROLES = 64;

export class Pair implements Taker<Decision> {
  readonly permission: Layer;
  /** Undefined: the set is permission-only. */
  readonly platform: Layer | undefined;
  /** By kind, action, roles and scopes, where nothing else chooses plans. */
  private readonly recent = new Recent<Asked>(MAX_RECENT);
  /** By what decides: where so much is asked for that it is not found among the latter, its decisions are kept all the same. */
  private readonly all = new WeakMap<Joint, Asked>();
  private count = 0;
  /** By kind, action and the resource's scope, for each list of roles and scope of a key. */
  private readonly byRoles = new Bounded<string, Recent<Asked>>(MAX_ROLES);

  constructor(permission: Layer, platform: Layer | undefined) {
    this.permission = permission;
    this.platform = platform;
  }

  /** The decision on a request. Throws what is thrown by what is no layer. */
  taken(
    keyId: string,
    keyRoles: readonly string[],
    keyAttr: JsonMap,
    keyScope: string,
    action: string,
    kind: string,
    id: string,
    attr: JsonMap,
    scope: string,
    accountId: string,
    accountAttr: JsonMap,
    accountScope: string,
    now: Timestamp | undefined,
  ): Decision {
    const known = this.mayRecall(keyId, accountId, accountScope)
      ? this.recent.get(kind, action, keyRoles, keyScope, scope)
      : undefined;
    const roles = ACCOUNT_ROLES;
    const found = known?.joint.foundOn(keyId, keyRoles, keyAttr, accountId, roles, accountAttr, kind, id, attr, now);
    const ready = known?.readyFor(found);
    if (ready !== undefined) return ready;
    const request = AS_OBJECTS.taken(
      keyId,
      keyRoles,
      keyAttr,
      keyScope,
      action,
      kind,
      id,
      attr,
      scope,
      accountId,
      accountAttr,
      accountScope,
      now,
    );
    return known === undefined ? this.decision(request) : known.decision(found, request);
  }

  /** The same on a request that is made of objects. */
  decision(request: JointRequest): Decision {
    return this.asked(request).decisionOn(request);
  }

  /** What decides. */
  asked(request: JointRequest): Asked {
    const { key, account, resource, action } = request;
    const { kind, scope } = resource;
    const isKept = this.mayRecall(key.id, account.id, account.scope);
    const known = isKept ? this.recent.get(kind, action, key.roles, key.scope, scope) : undefined;
    if (known !== undefined) return known;
    const made = this.made(request, isKept);
    if (isKept) this.recent.set(kind, action, key.roles, made, key.scope, scope);
    return made;
  }

  /** Whether neither the principals' own policies nor the account's scope choose plans. */
  private mayRecall(keyId: string, accountId: string, accountScope: string): boolean {
    const { permission, platform } = this;
    return accountScope === "" && !permission.isPersonal(keyId) && platform?.isPersonal(accountId) !== true;
  }

  /**
   * What decides about the questions of a key, and perhaps of an account, by kind, action and the resource's scope: that
   * of all whose names choose the same plans. Without an account: of any that chooses none.
   */
  questionsOf(key: PrincipalInput, account: PrincipalInput | undefined): Recent<Asked> {
    const isAlone =
      this.permission.isPersonal(key.id) ||
      (account !== undefined && (account.scope !== "" || this.platform?.isPersonal(account.id) === true));
    const name = JSON.stringify([key.scope, ...key.roles]);
    const known = isAlone ? undefined : this.byRoles.get(name);
    if (known !== undefined) return known;
    const made = new Recent<Asked>(MAX_QUESTIONS);
    if (!isAlone) this.byRoles.set(name, made);
    return made;
  }

  private made({ key, account, resource, action }: JointRequest, isKept: boolean): Asked {
    const { permission, platform } = this;
    const other = platform?.planned(account, resource, action);
    const joint = permission.planned(key, resource, action).jointWith(other);
    if (!isKept) return new Asked(this, joint, this.count++, undefined);
    const known = this.all.get(joint);
    // Names that no policy has share a plan, and their decisions tell them.
    if (known?.isAbout(resource.kind, action) === true) return known;
    const made = new Asked(this, joint, this.count++, { kind: resource.kind, action });
    this.all.set(joint, made);
    return made;
  }
}

interface About {
  readonly kind: string;
  readonly action: string;
}

/** What decides about an action on a kind, and what it has decided. */
export class Asked {
  readonly joint: Joint;
  /** Among all of a pair, in the order in which they were made. */
  readonly number: number;
  private readonly pair: Pair;
  private readonly about: About | undefined;
  private readonly keeps: boolean;
  /** The decisions of small sets, where these are all there is to them. */
  private ready: (Decision | undefined)[] = [];
  /** The decisions of others, by the verdicts that they share. */
  private readonly shared = new Map<Verdicts, Decision>();

  /** `about`: what it is asked about again and again, if it is. */
  constructor(pair: Pair, joint: Joint, number: number, about: About | undefined) {
    this.pair = pair;
    this.joint = joint;
    this.number = number;
    this.about = about;
    const enforces = pair.permission.enforcesSchemas || pair.platform?.enforcesSchemas === true;
    this.keeps = about !== undefined && !enforces;
  }

  isAbout(kind: string, action: string): boolean {
    return this.about?.kind === kind && this.about.action === action;
  }

  /** The decision on a request, by the function that is bound to nobody. */
  decisionOn(request: JointRequest): Decision {
    const found = this.joint.found(request);
    return this.readyFor(found) ?? this.decision(found, request);
  }

  /** The decision that follows from what the function has found, if it is known already; see {@link Joint.verdicts}. */
  readyFor(found: unknown): Decision | undefined {
    return typeof found === "number" && found < this.ready.length ? this.ready[found] : undefined;
  }

  /** The same where it is not. */
  decision(found: unknown, request: JointRequest, binds?: Binds): Decision {
    const { pair } = this;
    const { key, account, resource, action } = request;
    const verdicts = this.joint.verdicts(found, request, binds);
    const known = verdicts.isShared ? this.shared.get(verdicts) : undefined;
    if (known !== undefined) return known;
    const { first, second, isShared } = verdicts;
    const permission = pair.permission.enforced(first, key, resource, action);
    const platform = second && pair.platform?.enforced(second, account, resource, action);
    const decision = decisionOf(pair, action, resource, permission, platform ?? NOT_ASKED);
    if (this.keeps && isShared) this.keep(found, verdicts, decision);
    return decision;
  }

  /** By the invariant "frozen verdicts". */
  private keep(found: unknown, verdicts: Verdicts, decision: Decision): void {
    if (decision.fault !== undefined) Object.freeze(decision.fault);
    Object.freeze(decision);
    const { count } = this.joint;
    if (count <= MAX_READY && typeof found === "number") {
      if (this.ready.length === 0) this.ready = new Array<undefined>(2 ** count).fill(undefined);
      this.ready[found] = decision;
      return;
    }
    if (this.shared.size >= MAX_SHARED) this.shared.clear();
    this.shared.set(verdicts, decision);
  }
}
