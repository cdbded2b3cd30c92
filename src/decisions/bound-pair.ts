/** Both layers for one key, and perhaps one account: what depends on them alone is evaluated once for each plan. */

import type { Timestamp } from "../cel/values.js";
import type { Binds, BoundJoint } from "../engine/evaluate/joint.js";
import type { PrincipalInput, ResourceInput } from "../engine/plan/subjects.js";
import type { Asked, Pair } from "./pair.js";
import type { Decision } from "./types.js";

/** Kinds and actions of one key that are remembered. */
const MAX_ASKED = 256;

/** How often a plan is asked before it is asked for its function again, if it has none. */
const PATIENCE = 64;

export class BoundPair {
  readonly key: PrincipalInput;
  /** The account that is bound. */
  readonly account: PrincipalInput | undefined;
  private readonly pair: Pair;
  /** By action: of each what was asked last, from which the others follow. Few actions are of several kinds. */
  private readonly known = new Map<string, BoundAsked>();
  private count = 0;
  private latest: BoundAsked | undefined = undefined;

  /** The key and the account are no one's but ours: nobody changes them. */
  constructor(pair: Pair, key: PrincipalInput, account: PrincipalInput | undefined) {
    this.pair = pair;
    this.key = key;
    this.account = account;
  }

  /** As {@link Pair.decision}, on the account that is bound or any other. */
  decision(account: PrincipalInput, resource: ResourceInput, action: string, now: Timestamp | undefined): Decision {
    const { pair, key } = this;
    const isSteady = account === this.account || (account.scope === "" && pair.platform?.hasPersonal !== true);
    const asked = isSteady && resource.scope === "" ? this.asked(account, resource, action) : undefined;
    if (asked === undefined) return pair.decision(key, account, resource, action, now);
    return asked.decision(key, account, account === this.account ? "both" : "principal", resource, now);
  }

  private asked(account: PrincipalInput, resource: ResourceInput, action: string): BoundAsked | undefined {
    const { latest } = this;
    const { kind } = resource;
    if (latest !== undefined && latest.action === action && latest.kind === kind) return latest;
    let found = this.known.get(action);
    while (found !== undefined && found.kind !== kind) found = found.next;
    found ??= this.made(account, resource, action);
    if (found !== undefined) this.latest = found;
    return found;
  }

  private made(account: PrincipalInput, resource: ResourceInput, action: string): BoundAsked | undefined {
    if (this.count >= MAX_ASKED) return undefined;
    const asked = this.pair.asked(this.key, account, resource, action);
    const made = new BoundAsked(asked, resource.kind, action, this.known.get(action));
    this.known.set(action, made);
    this.count++;
    return made;
  }
}

class BoundAsked {
  readonly kind: string;
  readonly action: string;
  /** Another one of the same action. */
  readonly next: BoundAsked | undefined;
  private readonly asked: Asked;
  private bound: BoundJoint | undefined = undefined;
  private binds: Binds | undefined = undefined;
  private left = 1;

  constructor(asked: Asked, kind: string, action: string, next: BoundAsked | undefined) {
    this.asked = asked;
    this.kind = kind;
    this.action = action;
    this.next = next;
  }

  decision(
    key: PrincipalInput,
    account: PrincipalInput,
    binds: Binds,
    resource: ResourceInput,
    now: Timestamp | undefined,
  ): Decision {
    const { asked } = this;
    const bound = this.binds === binds ? this.bound : this.boundTo(key, account, binds);
    if (bound === undefined)
      return asked.decision(asked.joint.found(key, account, resource, now), key, account, resource, now);
    let found: unknown;
    try {
      found = bound.run(account, resource, now);
    } catch {
      // A getter that throws: what can be read is read anew.
    }
    return asked.decision(found, key, account, resource, now, bound.bound);
  }

  private boundTo(key: PrincipalInput, account: PrincipalInput, binds: Binds): BoundJoint | undefined {
    if (--this.left > 0) return undefined;
    this.left = PATIENCE;
    const made = this.asked.joint.boundTo(binds, key, account);
    if (made === undefined) return undefined;
    this.left = 1;
    this.binds = binds;
    this.bound = made;
    return made;
  }
}
