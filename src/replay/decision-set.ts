/** One policy set that decides recorded requests again, as `decide` does. */

import { dateOf, parseTimestamp } from "../cel/time.js";
import type { Timestamp } from "../cel/values.js";
import { decideAny } from "../decisions/decide.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { requestIssues } from "../decisions/request-issues.js";
import { ACCOUNT_ROLES } from "../decisions/request-parts.js";
import type { Decision, Outcome, PermissionRequest } from "../decisions/types.js";
import { Activation } from "../engine/evaluate/activation.js";
import type { Layer } from "../engine/evaluate/layer.js";
import { ANY_NAMES } from "../engine/evaluate/names-read.js";
import { type Choose, lacksReads, OpenChecks, type RecordGaps } from "../engine/evaluate/open-check.js";
import type { PrincipalInput, ResourceInput } from "../engine/plan/subjects.js";
import type { RecordedPart, RecordedReads, RecordedRequest } from "./own-record.js";

/** One set, asked about one recorded decision. */
export interface PlannedDecision {
  /** True if the record lacks an attribute that the rules may read. */
  readonly isLacking: boolean;
  /** The outcome of a request in which nothing is unknown. */
  whole(): Outcome;
  /** The outcome for one combination of answers about the gaps. */
  completed(choose: Choose): Outcome;
  /** `policy#rule` of each rule that decides in the permission layer, if nothing is unknown. */
  rules(): readonly string[];
  /** The same request by a key with other roles or attributes. */
  withKey(key: RecordedRequest["key"], recorded: RecordedPart): PlannedDecision;
}

export class DecisionSet {
  readonly policies: PolicySet;
  private readonly permission: OpenLayer;
  private readonly platform: OpenLayer | undefined;

  constructor(policies: PolicySet) {
    this.policies = policies;
    const typing = typingOf(policies);
    this.permission = new OpenLayer(policies.permission, "key", typing);
    this.platform = policies.platform && new OpenLayer(policies.platform, "account", typing);
  }

  /** Undefined: the record is of a malformed request, or has no account for the platform layer. */
  about(request: RecordedRequest, reads: RecordedReads): PlannedDecision | undefined {
    const { policies, permission, platform } = this;
    const asked = requestOf(request);
    if (requestIssues(asked, { permissionOnly: platform === undefined }).length > 0) return undefined;
    const { attr, scope } = reads.resource;
    const about = { asked, row: { ...request.resource, attr, scope }, resource: reads.resource, now: timeOf(request) };
    const owner = platform && ownerOf(request, reads);
    const layers = { permission, platform: platform && owner && new AskedLayer(platform, owner, about) };
    return new DecisionOfKey({ policies, about, layers }, request.key, reads.key);
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
  private readonly principal: PrincipalInput;
  private readonly gaps: RecordGaps;
  private readonly about: AskedAbout;
  readonly isLacking: boolean;

  constructor(layer: OpenLayer, { principal, recorded }: RecordedPrincipal, about: AskedAbout) {
    this.layer = layer;
    this.principal = principal;
    this.gaps = gapsIn({ principal: recorded, resource: about.resource });
    this.about = about;
    this.isLacking = layer.isLacking(principal, about.row, about.asked.operation, this.gaps);
  }

  effect(choose: Choose): "allow" | "deny" {
    const { asked, row, now } = this.about;
    return this.layer.effect(this.principal, row, asked.operation, now, this.gaps, choose);
  }
}

interface AskedRequest {
  readonly policies: PolicySet;
  readonly about: AskedAbout;
  readonly layers: { readonly permission: OpenLayer; readonly platform: AskedLayer | undefined };
}

/** A recorded request by one key. */
class DecisionOfKey implements PlannedDecision {
  private readonly request: AskedRequest;
  private readonly key: RecordedRequest["key"];
  private readonly permission: AskedLayer;

  constructor(request: AskedRequest, key: RecordedRequest["key"], recorded: RecordedPart) {
    this.request = request;
    this.key = key;
    const principal = { ...key, scope: recorded.scope };
    this.permission = new AskedLayer(request.layers.permission, { principal, recorded }, request.about);
  }

  get isLacking(): boolean {
    return this.permission.isLacking || this.request.layers.platform?.isLacking === true;
  }

  whole(): Outcome {
    return this.decision().outcome;
  }

  completed(choose: Choose): Outcome {
    const permitted = this.permission.effect(choose);
    const supported = this.request.layers.platform?.effect(choose);
    if (supported === "deny") return "forbidden";
    return permitted === "allow" ? "allow" : "insufficient_permissions";
  }

  rules(): readonly string[] {
    return this.decision().permission.reasons.flatMap(({ kind, policy, rule }) =>
      kind === "rule" ? `${policy}#${rule}` : [],
    );
  }

  withKey(key: RecordedRequest["key"], recorded: RecordedPart): PlannedDecision {
    return new DecisionOfKey(this.request, key, recorded);
  }

  private decision(): Decision {
    const { policies, about } = this.request;
    return decideAny(policies, { ...about.asked, key: this.key });
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

/** The number of a set's declared types: the same for sets with the same ones. */
function typingOf({ permission, model }: PolicySet): string {
  if (!permission.typedReads) return "untyped ";
  const uses = model.resourcePolicies.map(({ key, principalSchema, resourceSchema }) => [
    key,
    principalSchema?.ref,
    resourceSchema?.ref,
  ]);
  const text = JSON.stringify([[...model.schemas].sort(([a], [b]) => (a < b ? -1 : 1)), uses.sort()]);
  const number = TYPINGS.get(text) ?? TYPINGS.size;
  TYPINGS.set(text, number);
  return `${number} `;
}

const TYPINGS = new Map<string, number>();

/** A layer that is asked about requests with unknown attributes. */
class OpenLayer {
  private readonly layer: Layer;
  private readonly part: "key" | "account";
  private readonly checks: OpenChecks;

  constructor(layer: Layer, part: "key" | "account", typing: string) {
    this.layer = layer;
    this.part = part;
    this.checks = new OpenChecks(layer.closures, { isEnforcing: layer.enforcesSchemas, isWhole: true, typing });
  }

  /** True if the record lacks an attribute that the rules may read. */
  isLacking(principal: PrincipalInput, row: ResourceInput, operation: string, gaps: RecordGaps): boolean {
    const reads = this.checks.options.isEnforcing ? ANY_NAMES : this.layer.planFor(principal, row, operation).reads;
    return lacksReads(reads, gaps);
  }

  effect(
    principal: PrincipalInput,
    row: ResourceInput,
    operation: string,
    now: Timestamp | undefined,
    gaps: RecordGaps,
    choose: Choose,
  ): "allow" | "deny" {
    const { layer, checks, part } = this;
    const { plan } = layer.planFor(principal, row, operation);
    const begin = () => {
      const activation = new Activation();
      activation.begin(principal, row, now, layer.globals, layer.typesOf(plan));
      return activation;
    };
    // Expressions of both layers may have the same text, and other principals. They share the resource alone.
    const asked: Choose = (question) => choose(question.startsWith('["resource",') ? question : `${part} ${question}`);
    return checks.effect(plan, begin, gaps, asked);
  }
}
