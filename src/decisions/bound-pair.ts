/** Both layers for one key, and perhaps one account: what depends on them alone is evaluated once for each plan. */

import type { JsonMap, Timestamp } from "../cel/values.js";
import type { Binds } from "../engine/evaluate/joint.js";
import type { BoundFunction } from "../engine/generate/written.js";
import type { Recent } from "../engine/plan/recent.js";
import type { JointRequest, PrincipalInput } from "../engine/plan/subjects.js";
import type { Asked, Pair } from "./pair.js";
import type { TargetTaker } from "./take-up.js";
import type { Decision } from "./types.js";

export class BoundPair implements TargetTaker<Decision> {
  /** The account that is bound. */
  readonly account: PrincipalInput | undefined;
  private ofBoth: BoundFunctions | undefined = undefined;
  private ofKey: BoundFunctions | undefined = undefined;
  readonly key: PrincipalInput;
  private readonly pair: Pair;

  /** The key and the account are no one's but ours: nobody changes them. */
  constructor(pair: Pair, key: PrincipalInput, account: PrincipalInput | undefined) {
    this.pair = pair;
    this.key = key;
    this.account = account;
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
    const { pair, key } = this;
    if (account === this.account) {
      this.ofBoth ??= new BoundFunctions(pair, "both", pair.questionsOf(key, account));
      return this.ofBoth.decision(key, action, kind, id, attr, scope, account, now);
    }
    // Nothing else of the account may choose plans.
    if (account.scope !== "" || pair.platform?.hasPersonal === true) {
      return pair.decision({ key, account, resource: { kind, id, attr, scope }, action, now });
    }
    this.ofKey ??= new BoundFunctions(pair, "principal", pair.questionsOf(key, undefined));
    return this.ofKey.decision(key, action, kind, id, attr, scope, account, now);
  }
}

/** Places for functions: two that decide and share one take turns. */
const PLACES = 256;

const NO_ROLES: readonly string[] = [];

/**
 * The functions that are bound to a key, or to key and account. Few values stand between a decider and its function: there
 * are many deciders, and what belongs to one of them is not in the processor's cache.
 */
class BoundFunctions {
  /** What decides, by kind, action and the scope of the resource: for this key, and all for whom it is the same. */
  private readonly questions: Recent<Asked>;
  /** In two places each, by their numbers: what decides, and behind it its function; `null`: there is none to be had. */
  private readonly bound: (Asked | BoundFunction | null | undefined)[] = [];
  /** What was asked last: a list page asks one thing of many resources. */
  private latest: Asked | undefined = undefined;
  private latestScope: string | undefined = undefined;
  private readonly pair: Pair;
  private readonly binds: Binds;

  constructor(pair: Pair, binds: Binds, questions: Recent<Asked>) {
    this.pair = pair;
    this.binds = binds;
    this.questions = questions;
  }

  /** The decision on what is asked of the key. */
  decision(
    key: PrincipalInput,
    action: string,
    kind: string,
    id: string,
    attr: JsonMap,
    scope: string,
    account: PrincipalInput,
    now: Timestamp | undefined,
  ): Decision {
    const { latest } = this;
    const isLatest = latest?.isAbout(kind, action) === true && this.latestScope === scope;
    const known = isLatest ? latest : this.recalled(kind, action, scope);
    const at = known === undefined ? 0 : placeOf(known);
    const run = this.bound[at] === known ? this.bound[at + 1] : undefined;
    if (known === undefined || typeof run !== "function") {
      const request = { key, account, resource: { kind, id, attr, scope }, action, now };
      const asked = known ?? this.remembered(request);
      if (run === undefined) this.bind(asked, key, account);
      const found = asked.joint.found(request);
      return asked.readyFor(found) ?? asked.decision(found, request);
    }
    let found: unknown;
    try {
      found = run(account.id, account.roles, account.attr, kind, id, attr, now);
    } catch {
      // A getter that throws: what can be read is read anew.
    }
    return (
      known.readyFor(found) ??
      known.decision(found, { key, account, resource: { kind, id, attr, scope }, action, now }, this.binds)
    );
  }

  private recalled(kind: string, action: string, scope: string): Asked | undefined {
    const known = this.questions.get(kind, action, NO_ROLES, "", scope);
    if (known !== undefined) {
      this.latest = known;
      this.latestScope = scope;
    }
    return known;
  }

  private remembered(request: JointRequest): Asked {
    const { action, resource } = request;
    const asked = this.pair.asked(request);
    this.questions.set(resource.kind, action, NO_ROLES, asked, "", resource.scope);
    return asked;
  }

  /** Makes the function for what decides, from the next time on. */
  private bind(asked: Asked, key: PrincipalInput, account: PrincipalInput): void {
    const { joint } = asked;
    const at = placeOf(asked);
    this.bound[at] = asked;
    this.bound[at + 1] = joint.boundTo(this.binds, key, account) ?? (joint.awaitsFunction ? undefined : null);
  }
}

function placeOf({ number }: Asked): number {
  return 2 * (number & (PLACES - 1));
}
