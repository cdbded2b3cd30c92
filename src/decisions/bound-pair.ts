/** Both layers for one key, and perhaps one account: what depends on them alone is evaluated once for each plan. */

import type { Binds, BoundJoint } from "../engine/evaluate/joint.js";
import type { JointRequest, PrincipalInput } from "../engine/plan/subjects.js";
import type { Asked, Pair } from "./pair.js";
import type { Decision } from "./types.js";

/** Kinds and actions of one key that are remembered. */
const MAX_ASKED = 256;

/** How often a plan is asked before it is asked for a function again, if it has none to which anybody can be bound. */
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

  /** As {@link Pair.decision}, on a request of the key, with the account that is bound or any other. */
  decision(request: JointRequest): Decision {
    const { account, resource } = request;
    const isBound = account === this.account;
    // What is kept is for one kind and action, so nothing else of a request may choose plans.
    const isSteady = isBound || (account.scope === "" && this.pair.platform?.hasPersonal !== true);
    const asked = isSteady && resource.scope === "" ? this.asked(request) : undefined;
    return asked === undefined ? this.pair.decision(request) : asked.decision(request, isBound ? "both" : "principal");
  }

  private asked(request: JointRequest): BoundAsked | undefined {
    const { latest } = this;
    const { action, resource } = request;
    const { kind } = resource;
    if (latest !== undefined && latest.action === action && latest.kind === kind) return latest;
    let found = this.known.get(action);
    while (found !== undefined && found.kind !== kind) found = found.next;
    found ??= this.made(request);
    this.latest = found;
    return found;
  }

  private made(request: JointRequest): BoundAsked | undefined {
    if (this.count >= MAX_ASKED) return undefined;
    const { action, resource } = request;
    const made = new BoundAsked(this.pair.asked(request), resource.kind, action, this.known.get(action));
    this.known.set(action, made);
    this.count++;
    return made;
  }
}

/** What decides about an action on a kind, bound to the key, and to key and account. */
class BoundAsked {
  readonly kind: string;
  readonly action: string;
  /** Another one of the same action. */
  readonly next: BoundAsked | undefined;
  private readonly asked: Asked;
  private readonly bound: { [binds in Binds]?: BoundJoint } = {};
  private left = 1;

  constructor(asked: Asked, kind: string, action: string, next: BoundAsked | undefined) {
    this.asked = asked;
    this.kind = kind;
    this.action = action;
    this.next = next;
  }

  decision(request: JointRequest, binds: Binds): Decision {
    const { asked } = this;
    const bound = this.bound[binds] ?? this.boundTo(request, binds);
    if (bound === undefined) return asked.decision(asked.joint.found(request), request);
    const { account, resource, now } = request;
    let found: unknown;
    try {
      found = bound.run(account, resource, now);
    } catch {
      // A getter that throws: what can be read is read anew.
    }
    return asked.decision(found, request, bound.bound);
  }

  private boundTo({ key, account }: JointRequest, binds: Binds): BoundJoint | undefined {
    if (--this.left > 0) return undefined;
    const { joint } = this.asked;
    const made = joint.boundTo(binds, key, account);
    this.left = made === undefined && !joint.awaitsFunction ? PATIENCE : 1;
    if (made !== undefined) this.bound[binds] = made;
    return made;
  }
}
