/** Both layers for one key, and perhaps one account: what depends on them alone is evaluated once for each plan. */

import type { Binds } from "../engine/evaluate/joint.js";
import type { BoundFunction } from "../engine/generate/written.js";
import type { Recent } from "../engine/plan/recent.js";
import type { JointRequest, PrincipalInput } from "../engine/plan/subjects.js";
import type { Asked, Pair } from "./pair.js";
import type { Decision } from "./types.js";

export class BoundPair {
  readonly key: PrincipalInput;
  /** The account that is bound. */
  readonly account: PrincipalInput | undefined;
  private readonly pair: Pair;
  private ofKey: BoundFunctions | undefined = undefined;
  private ofBoth: BoundFunctions | undefined = undefined;

  /** The key and the account are no one's but ours: nobody changes them. */
  constructor(pair: Pair, key: PrincipalInput, account: PrincipalInput | undefined) {
    this.pair = pair;
    this.key = key;
    this.account = account;
  }

  /** As {@link Pair.decision}, on a request of the key, with the account that is bound or any other. */
  decision(request: JointRequest): Decision {
    const { pair } = this;
    const { key, account } = request;
    if (account === this.account) {
      this.ofBoth ??= new BoundFunctions(pair, "both", pair.questionsOf(key, account));
      return this.ofBoth.decision(request);
    }
    // Nothing else of the account may choose plans.
    if (account.scope !== "" || pair.platform?.hasPersonal === true) return pair.decision(request);
    this.ofKey ??= new BoundFunctions(pair, "principal", pair.questionsOf(key, undefined));
    return this.ofKey.decision(request);
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
  private readonly pair: Pair;
  private readonly binds: Binds;
  /** What decides, by kind, action and the scope of the resource: for this key, and all for whom it is the same. */
  private readonly questions: Recent<Asked>;
  /** In the places of their numbers: what decides, and its function. `null`: there is none to be had. */
  private readonly asked: Asked[] = [];
  private readonly runs: (BoundFunction | null | undefined)[] = [];
  /** What was asked last: a list page asks one thing of many resources. */
  private latest: Asked | undefined = undefined;
  private latestScope: string | undefined = undefined;

  constructor(pair: Pair, binds: Binds, questions: Recent<Asked>) {
    this.pair = pair;
    this.binds = binds;
    this.questions = questions;
  }

  decision(request: JointRequest): Decision {
    const { action, resource, account, now } = request;
    const { latest } = this;
    const isLatest = latest?.isAbout(resource.kind, action) === true && this.latestScope === resource.scope;
    const asked = isLatest ? latest : this.found(request);
    const at = asked.number & (PLACES - 1);
    const known = this.asked[at] === asked ? this.runs[at] : undefined;
    const run = known === undefined ? this.bound(asked, at, request) : known;
    if (run === null) return asked.decision(asked.joint.found(request), request);
    let found: unknown;
    try {
      found = run(account, resource, now);
    } catch {
      // A getter that throws: what can be read is read anew.
    }
    return asked.decision(found, request, this.binds);
  }

  private found(request: JointRequest): Asked {
    const { action, resource } = request;
    const { kind, scope } = resource;
    this.latest = this.questions.get(kind, action, NO_ROLES, "", scope) ?? this.remembered(request);
    this.latestScope = scope;
    return this.latest;
  }

  private remembered(request: JointRequest): Asked {
    const { action, resource } = request;
    const asked = this.pair.asked(request);
    this.questions.set(resource.kind, action, NO_ROLES, asked, "", resource.scope);
    return asked;
  }

  /** The function for what decides. `null`: there is none, or none yet. */
  private bound(asked: Asked, at: number, { key, account }: JointRequest): BoundFunction | null {
    const { joint } = asked;
    const run = joint.boundTo(this.binds, key, account);
    this.asked[at] = asked;
    this.runs[at] = run ?? (joint.awaitsFunction ? undefined : null);
    return run ?? null;
  }
}
