/** One policy set that decides recorded requests again, as `decide` does. */

import { dateOf, parseTimestamp } from "../cel/time.js";
import type { Timestamp } from "../cel/values.js";
import { decideAny } from "../decisions/decide.js";
import { decideAnyChain, MAX_LINKS } from "../decisions/decide-chain.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { requestIssues } from "../decisions/request-issues.js";
import { ACCOUNT_ROLES } from "../decisions/request-parts.js";
import type { Decision, Outcome, PermissionRequest } from "../decisions/types.js";
import type { Choose, RecordGaps } from "../engine/evaluate/open-check.js";
import type { PrincipalInput, ResourceInput } from "../engine/plan/subjects.js";
import { OpenLayer, typingOf } from "./open-layer.js";
import type { RecordedPart, RecordedReads, RecordedRequest } from "./own-record.js";

/** One set, asked about one recorded decision. */
export interface PlannedDecision {
  /** True if the record lacks an attribute that the rules may read. */
  readonly isLacking: boolean;
  /** The outcome of a request in which nothing is unknown. */
  whole(): Outcome;
  /** The outcome for one combination of answers about the gaps. */
  completed(choose: Choose): Outcome;
}

/** The decision on a key and the keys above it. */
export interface PlannedChain extends PlannedDecision {
  /** The same request by the key alone, and by each key above it. Undefined: a key that could not be used. */
  readonly links: readonly (PlannedLink | undefined)[];
}

/** The decision on one key of a chain. */
export interface PlannedLink extends PlannedDecision {
  /** `policy#rule` of each rule that decides in the permission layer, if nothing is unknown. */
  rules(): readonly string[];
  /** The same request by a key with other roles or attributes. */
  withKey(key: RecordedRequest["key"], recorded: RecordedPart): PlannedLink;
}

export class DecisionSet {
  readonly policies: PolicySet;
  private readonly permission: OpenLayer;
  private readonly platform: OpenLayer | undefined;

  constructor(policies: PolicySet) {
    this.policies = policies;
    const typing = typingOf(policies);
    this.permission = new OpenLayer(policies.permission, typing);
    this.platform = policies.platform && new OpenLayer(policies.platform, typing);
  }

  /** Undefined: the record is of a malformed request, or has no account for the platform layer. */
  about(request: RecordedRequest, reads: RecordedReads): PlannedChain | undefined {
    const { policies, permission, platform } = this;
    const asked = requestOf(request);
    const keys = [asked.key, ...reads.ancestors.flatMap((one) => (one === undefined ? [] : [one.key]))];
    const permissionOnly = platform === undefined;
    if (keys.some((key) => requestIssues({ ...asked, key }, { permissionOnly }).length > 0)) return undefined;
    if (reads.ancestors.length >= MAX_LINKS) return undefined;
    const { attr, scope } = reads.resource;
    const about = { asked, row: { ...request.resource, attr, scope }, resource: reads.resource, now: timeOf(request) };
    const owner = platform && ownerOf(request, reads);
    const layers = { permission, platform: platform && owner && new AskedLayer(platform, "account", owner, about) };
    const chain = { policies, about, layers };
    const own = new DecisionOfKey({ ...chain, part: "key" }, request.key, reads.key);
    const above = reads.ancestors.map(
      (link, at) => link && new DecisionOfKey({ ...chain, part: `ancestor ${at + 1}` }, link.key, link.recorded),
    );
    return new DecisionOfChain(chain, own, above);
  }
}

/** The parts of a recorded request that do not depend on its key. */
interface AskedAbout {
  readonly asked: PermissionRequest;
  readonly row: ResourceInput;
  readonly resource: RecordedPart;
  readonly now: Timestamp | undefined;
}

interface RecordedPrincipal {
  readonly principal: PrincipalInput;
  readonly recorded: RecordedPart;
}

function ownerOf({ account }: RecordedRequest, { account: recorded }: RecordedReads): RecordedPrincipal | undefined {
  if (account === undefined || recorded === undefined) return undefined;
  const { attr, scope } = recorded;
  return { principal: { id: account.id, roles: ACCOUNT_ROLES, attr, scope }, recorded };
}

/** A layer that is asked about a recorded request. */
class AskedLayer {
  private readonly layer: OpenLayer;
  private readonly part: string;
  private readonly principal: PrincipalInput;
  private readonly gaps: RecordGaps;
  private readonly about: AskedAbout;
  readonly isLacking: boolean;

  /** `part`: the name of the principal in questions. */
  constructor(layer: OpenLayer, part: string, { principal, recorded }: RecordedPrincipal, about: AskedAbout) {
    this.layer = layer;
    this.part = part;
    this.principal = principal;
    this.gaps = gapsIn({ principal: recorded, resource: about.resource });
    this.about = about;
    this.isLacking = layer.isLacking(principal, about.row, about.asked.operation, this.gaps);
  }

  effect(choose: Choose): "allow" | "deny" {
    const { part, principal, gaps } = this;
    const { asked, row, now } = this.about;
    // Expressions about two principals may have the same text. The principals share the resource alone.
    const askedPart: Choose = (question) =>
      choose(question.startsWith('["resource",') ? question : `${part} ${question}`);
    return this.layer.effect(principal, row, asked.operation, now, gaps, askedPart);
  }
}

interface AskedChain {
  readonly policies: PolicySet;
  readonly about: AskedAbout;
  readonly layers: { readonly permission: OpenLayer; readonly platform: AskedLayer | undefined };
}

interface AskedLink extends AskedChain {
  /** The name of the key in questions. */
  readonly part: string;
}

/** A recorded request by one key. */
class DecisionOfKey implements PlannedLink {
  private readonly asked: AskedLink;
  readonly key: RecordedRequest["key"];
  private readonly permission: AskedLayer;

  constructor(asked: AskedLink, key: RecordedRequest["key"], recorded: RecordedPart) {
    const { layers, part, about } = asked;
    this.asked = asked;
    this.key = key;
    const principal = { ...key, scope: recorded.scope };
    this.permission = new AskedLayer(layers.permission, part, { principal, recorded }, about);
  }

  get isLacking(): boolean {
    return this.permission.isLacking || this.asked.layers.platform?.isLacking === true;
  }

  whole(): Outcome {
    return this.decision().outcome;
  }

  completed(choose: Choose): Outcome {
    if (this.asked.layers.platform?.effect(choose) === "deny") return "forbidden";
    return this.isPermitted(choose) ? "allow" : "insufficient_permissions";
  }

  isPermitted(choose: Choose): boolean {
    return this.permission.effect(choose) === "allow";
  }

  rules(): readonly string[] {
    return this.decision().permission.reasons.flatMap(({ kind, policy, rule }) =>
      kind === "rule" ? `${policy}#${rule}` : [],
    );
  }

  withKey(key: RecordedRequest["key"], recorded: RecordedPart): PlannedLink {
    return new DecisionOfKey(this.asked, key, recorded);
  }

  private decision(): Decision {
    const { policies, about } = this.asked;
    return decideAny(policies, { ...about.asked, key: this.key });
  }
}

/** A recorded request by a key, below other keys. */
class DecisionOfChain implements PlannedChain {
  private readonly asked: AskedChain;
  private readonly own: DecisionOfKey;
  private readonly above: readonly (DecisionOfKey | undefined)[];

  constructor(asked: AskedChain, own: DecisionOfKey, above: readonly (DecisionOfKey | undefined)[]) {
    this.asked = asked;
    this.own = own;
    this.above = above;
  }

  get links(): PlannedChain["links"] {
    return [this.own, ...this.above];
  }

  get isLacking(): boolean {
    return this.links.some((link) => link?.isLacking === true);
  }

  whole(): Outcome {
    const { own, above } = this;
    if (above.length === 0) return own.whole();
    const { policies, about } = this.asked;
    const { key, ...request } = about.asked;
    const keys = above.flatMap((link) => (link === undefined ? [] : [link.key]));
    const { outcome } = decideAnyChain(policies, [key, ...keys], request);
    return outcome === "allow" && keys.length < above.length ? "insufficient_permissions" : outcome;
  }

  completed(choose: Choose): Outcome {
    const { own, above } = this;
    const outcome = own.completed(choose);
    if (outcome !== "allow") return outcome;
    return above.every((link) => link?.isPermitted(choose) === true) ? "allow" : "insufficient_permissions";
  }
}

function requestOf({ key, operation, resource, account, now }: RecordedRequest): PermissionRequest {
  const time = now === undefined ? undefined : parseTimestamp(now);
  return {
    ...{ key, operation, resource },
    ...(account === undefined ? {} : { account }),
    // Any text but a time makes the request malformed.
    ...(now === undefined ? {} : { now: time === undefined ? new Date(Number.NaN) : dateOf(time) }),
  };
}

function timeOf({ now }: RecordedRequest): Timestamp | undefined {
  return now === undefined ? undefined : parseTimestamp(now);
}

function gapsIn(parts: { readonly [owner in "principal" | "resource"]: RecordedPart }): RecordGaps {
  return {
    lacks: (owner, name) => parts[owner].lacks(name),
    isThere: (owner, name) => parts[owner].hides(name),
    erred: NONE_ERRED,
  };
}

const NONE_ERRED: ReadonlySet<string> = new Set();
