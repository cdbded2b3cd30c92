/** Both layers for one key, and perhaps one account: what depends on them alone is evaluated once for each plan. */

import type { JsonMap, Timestamp } from "../cel/values.js";
import type { Binds } from "../engine/evaluate/joint.js";
import type { BoundFunction } from "../engine/generate/written.js";
import type { Recent } from "../engine/plan/recent.js";
import type { JointRequest, PrincipalInput } from "../engine/plan/subjects.js";
import type { Asked, Pair } from "./pair.js";
import type { TargetTaker } from "./take-up.js";
import type { Decision } from "./types.js";

/** Places for functions: two that decide and share one take turns. */
const PLACES = 256;

const NO_ROLES: readonly string[] = [];

/**
 * Few values stand between a decider and its functions: there are many deciders, and what belongs to one of them is not in
 * the processor's cache.
 */
export class BoundPair implements TargetTaker<Decision> {
  /** The account that is bound. */
  readonly account: PrincipalInput | undefined;
  /** What decides, by kind, action and the scope of the resource: for this key, and all for whom it is the same. */
  private readonly questions: Recent<Asked>;
  /** In three places each, by their numbers: what decides; its function, `null` if there is none to be had; what is bound. */
  private readonly bound: (Asked | BoundFunction | object | null | undefined)[] = [];
  private readonly isForAny: boolean;
  readonly key: PrincipalInput;
  private readonly pair: Pair;
  private readonly binds: Binds;

  /** The key and the account are no one's but ours: nobody changes them. */
  constructor(pair: Pair, key: PrincipalInput, account: PrincipalInput | undefined) {
    this.account = account;
    this.isForAny = account === undefined && pair.platform?.hasPersonal !== true;
    this.questions = pair.questionsOf(key, account);
    this.key = key;
    this.pair = pair;
    this.binds = account === undefined ? "principal" : "both";
  }

  /** The decision of {@link Pair} on a request of the key, with the account that is bound or any other. */
  target(
    action: string,
    kind: string,
    id: string,
    attr: JsonMap,
    scope: string,
    account: PrincipalInput,
    now: Timestamp | undefined,
  ): Decision {
    return this.decision(this.known(action, kind, scope), action, kind, id, attr, scope, account, now);
  }

  /** What decides about a question, if it was asked lately. */
  known(action: string, kind: string, scope: string): Asked | undefined {
    return this.questions.get(kind, action, NO_ROLES, "", scope);
  }

  /** {@link target}, where `known` is what decides. */
  decision(
    known: Asked | undefined,
    action: string,
    kind: string,
    id: string,
    attr: JsonMap,
    scope: string,
    account: PrincipalInput,
    now: Timestamp | undefined,
  ): Decision {
    const { bound } = this;
    const at = known === undefined ? 0 : placeOf(known);
    const run = bound[at] === known ? bound[at + 1] : undefined;
    const stage = bound[at + 2];
    if (known === undefined || typeof run !== "function" || !stage || !this.isOurs(account)) {
      return this.unbound(known, run, { key: this.key, account, resource: { kind, id, attr, scope }, action, now });
    }
    let found: unknown;
    try {
      found = run(known.joint.selection, stage, account.id, account.roles, account.attr, kind, id, attr, now);
    } catch {
      // A getter that throws: what can be read is read anew.
    }
    return (
      known.readyFor(found) ??
      known.decision(found, { key: this.key, account, resource: { kind, id, attr, scope }, action, now }, this.binds)
    );
  }

  /** Whether the functions are for an account: the one that is bound, or, if none is, any that chooses no plans. */
  private isOurs(account: PrincipalInput): boolean {
    return account === this.account || (this.isForAny && account.scope === "");
  }

  /** The decision where no function is bound. From the next time on there is one, if there may be. */
  private unbound(known: Asked | undefined, run: unknown, request: JointRequest): Decision {
    const { pair, questions } = this;
    const { account, action, resource } = request;
    if (!this.isOurs(account)) return pair.decision(request);
    const asked = known ?? pair.asked(request);
    if (known === undefined) questions.set(resource.kind, action, NO_ROLES, asked, "", resource.scope);
    if (run === undefined) this.bind(asked, account);
    return asked.decisionOn(request);
  }

  private bind(asked: Asked, account: PrincipalInput): void {
    const { bound, binds } = this;
    const { joint } = asked;
    const at = placeOf(asked);
    const made = joint.boundTo(binds, this.key, account, (run) => this.boundBefore(run));
    bound[at] = asked;
    bound[at + 1] = made?.run ?? (joint.awaitsFunction ? undefined : null);
    bound[at + 2] = made?.bound;
  }

  /** What is bound for a function that decides about other questions as well. */
  private boundBefore(run: BoundFunction): object | undefined {
    const at = this.bound.indexOf(run);
    return at < 0 ? undefined : (this.bound[at + 1] ?? undefined);
  }
}

function placeOf({ number }: Asked): number {
  return 3 * (number & (PLACES - 1));
}

/** For one action on many resources: what decides is looked up where their kind, or their scope, changes. */
export class BoundPage implements TargetTaker<Decision> {
  private readonly pair: BoundPair;
  private kind = "";
  private scope = "";
  private latest: Asked | undefined = undefined;

  constructor(pair: BoundPair) {
    this.pair = pair;
  }

  /** As that of the pair. The action is always the same. */
  target(
    action: string,
    kind: string,
    id: string,
    attr: JsonMap,
    scope: string,
    account: PrincipalInput,
    now: Timestamp | undefined,
  ): Decision {
    const { pair } = this;
    if (this.latest === undefined || kind !== this.kind || scope !== this.scope) {
      this.latest = pair.known(action, kind, scope);
      this.kind = kind;
      this.scope = scope;
    }
    return pair.decision(this.latest, action, kind, id, attr, scope, account, now);
  }
}
