/** The decisions of one call: asked of the decider, for the caller and each key above it, and recorded. */

import { type Decision, decide, type PolicySet, type UncoveredRequest } from "keyward";
import { decisionRecord } from "keyward/http";
import type { ServiceRecord } from "../observability/decision-log.js";
import { inSpan } from "../observability/tracing.js";
import {
  type Excess,
  grantedExcess,
  heldExcess,
  isChainSound,
  isRevokingItself,
  linksOf,
} from "../operations/delegation.js";
import type { Call, Change, ServiceQuestion } from "../operations/operation.js";
import { accountOf, principalOf } from "../operations/resources.js";
import type { DecisionWithPolicySet } from "../policies/decider.js";
import type { AccountRow, ChainedKey, KeyPowers } from "../store/rows.js";
import { challengeForGrant, challengeForRequest } from "./challenges.js";
import type { IncomingCall } from "./incoming-call.js";
import type { Serving } from "./serving.js";

/** A decision on a request. */
export interface CallDecision {
  readonly question: ServiceQuestion<unknown>;
  readonly made: DecisionRecordInput;
  readonly record: ServiceRecord;
  /** The policies, if nothing but them and the request decided. */
  readonly decidedBy?: PolicySet;
  /** Tells a refused caller what it lacks. */
  readonly challenge: string | undefined;
}

/** The decision on a key and the keys above it. */
interface DecidedChain extends DecisionWithPolicySet, Pick<DecisionRecordInput, "ancestors"> {
  /** The policies that decided on every key; undefined if they were replaced in between. */
  readonly decidedBy: PolicySet | undefined;
  /** The index of the key above that lacks the permission. Absent: it is the key itself, or none. */
  readonly link?: number;
}

/** The input of decision records. */
type DecisionRecordInput = Parameters<typeof decisionRecord>[0] & { readonly decision: Decision };

export class CallDecisions {
  private readonly serving: Serving;
  private readonly arrived: Pick<IncomingCall, "requestId" | "within" | "address">;

  constructor(serving: Serving, arrived: Pick<IncomingCall, "requestId" | "within" | "address">) {
    this.serving = serving;
    this.arrived = arrived;
  }

  async decide(question: ServiceQuestion<unknown>): Promise<CallDecision> {
    const { decider, metrics } = this.serving;
    const { sight, operation, resource } = question;
    const request = { key: principalOf(sight.caller), operation, resource, account: accountOf(sight.account) };
    const started = performance.now();
    const { requestId, within } = this.arrived;
    const attributes = { "keyward.operation": operation, "keyward.decider": decider.description };
    const {
      decision,
      decidedBy,
      ancestors,
      policySetHash,
      link = 0,
    } = await inSpan(within, { name: "decide", kind: "internal", attributes }, async (span) => {
      const decided = await this.decideFor(sight.caller, { account: sight.account, operation, resource });
      span.setAttributes({
        "keyward.outcome": decided.decision.outcome,
        "keyward.policy_set": decided.policySetHash,
      });
      return decided;
    });
    const durationMs = performance.now() - started;
    metrics.decision({ operation, outcome: decision.outcome }, durationMs);
    const { challenges, policies } = this.serving;
    const isOwn = challenges && link === 0;
    const made = { requestId, request, policySetHash, durationMs, ...(ancestors && { ancestors }) };
    return {
      ...recorded(
        question,
        { ...made, decision: link === 0 ? decision : { ...decision, link } },
        this.address(),
        isOwn ? challengeForRequest(policies.current.set, sight.caller, { decision, request }) : undefined,
      ),
      ...(decidedBy && { decidedBy }),
    };
  }

  /**
   * The decision on a request by a key: that of the key and of every key above it, as `decideChain` of the library
   * combines them. A key with a chain that is not sound may do nothing.
   */
  private async decideFor(
    key: ChainedKey,
    {
      account,
      operation,
      resource,
    }: Pick<ServiceQuestion<unknown>, "operation" | "resource"> & { account: AccountRow },
  ): Promise<DecidedChain> {
    const ask = (link: KeyPowers) =>
      this.serving.decider.decide(
        { key: principalOf(link), operation, resource, account: accountOf(account) },
        this.arrived.requestId,
      );
    const first = await ask(key);
    const alone = { ...first, decidedBy: first.policies };
    const isBelowNone = key.parentId === null && key.ancestors.length === 0;
    if (isBelowNone || isRevokingItself(key, operation, resource)) return alone;
    const { decision } = first;
    const isSound = isChainSound(key);
    const ancestors = isSound ? key.ancestors.map(principalOf) : [undefined];
    if (decision.outcome !== "allow") return { ...alone, ancestors };
    if (!isSound) {
      const permission = denied(decision, "ancestor_unusable");
      return { ...alone, ancestors, decision: { ...decision, outcome: "insufficient_permissions", permission } };
    }
    let decidedBy: PolicySet | undefined = first.policies;
    for (const [at, one] of key.ancestors.entries()) {
      const next = await ask(one);
      if (next.policies !== first.policies) decidedBy = undefined;
      if (next.decision.outcome !== "allow") return { ...next, decidedBy, ancestors, link: at + 1 };
    }
    return { ...alone, decidedBy, ancestors };
  }

  /** Writes into the decision log. The audit chain has the record without attributes. */
  log({ made, record, decidedBy }: CallDecision): Promise<void> {
    const { decisionLog, recordReads } = this.serving;
    if (recordReads === undefined || decidedBy === undefined) return decisionLog.write(record);
    return decisionLog.write({ ...record, ...decisionRecord({ ...made, ...recordReads, policies: decidedBy }) });
  }

  async ask({ holder, account, operation, resource, over }: Parameters<Call["ask"]>[0]) {
    const { outcome } = (await this.decideFor(holder, { account, operation, resource })).decision;
    const isBeyond = outcome === "allow" && (await this.beyond(holder, { ...(over && { over }) })) !== undefined;
    return isBeyond ? "insufficient_permissions" : outcome;
  }

  firstPermitted(holder: ChainedKey, operation: string, resources: Parameters<Call["firstPermitted"]>[2]) {
    return resources.find((resource) => this.isPermitted(holder, { operation, resource })) ?? resources[0];
  }

  /**
   * True if the caller and each key above it have the permission for an operation that was carried out before. The platform's
   * conditions held then: the first request may have taken the last place of a quota.
   */
  isStillPermitted({ made, question }: CallDecision, operation: string): boolean {
    const { outcome } = made.decision;
    const { resource } = question;
    const { caller } = question.sight;
    const isPermitted = () => isChainSound(caller) && this.isPermitted(caller, { operation, resource });
    return outcome === "allow" || (outcome === "forbidden" && isPermitted());
  }

  /** A power that a change needs, grants or touches, but that its maker or a key above it lacks. */
  async beyond(
    maker: ChainedKey,
    { over, grants, needs }: Pick<Change<unknown>, "over" | "grants" | "needs">,
  ): Promise<Excess | undefined> {
    const { set } = this.serving.policies.current;
    const lacking = needs && linksOf(maker).find((link) => this.permission(link, needs).effect !== "allow");
    if (lacking !== undefined) return { maker: lacking, request: needs };
    const held = over && (await heldExcess(set, maker, over));
    return held ?? (grants && (await grantedExcess(set, maker, grants)));
  }

  /** The refusal of a change that would pass on a power that its maker lacks: the refusal of that power to the maker. */
  async notGranted(
    { made, question }: CallDecision,
    { maker, request }: Excess,
    { grants, over }: Pick<Change<unknown>, "grants" | "over">,
  ): Promise<CallDecision> {
    const permission =
      request === undefined ? denied(made.decision, "delegation_undecided") : this.permission(maker, request);
    const decision = { ...made.decision, outcome: "insufficient_permissions", permission } as const;
    const { operation, resource } = request ?? question;
    const { caller } = question.sight;
    const { challenges, policies } = this.serving;
    const isOwn = challenges && grants !== undefined && over === undefined && maker.id === caller.id;
    return recorded(
      question,
      { ...made, decision },
      {
        ...this.address(),
        exceeding: { operation, kind: resource.kind, id: resource.id },
        ...refusedBy(caller, maker),
      },
      isOwn ? await challengeForGrant(policies.current.set, caller, grants) : undefined,
    );
  }

  /** The verdict of the local policies' permission layer. */
  private permission(key: KeyPowers, request: UncoveredRequest): Decision["permission"] {
    const { set } = this.serving.policies.current;
    return decide(set, { key: principalOf(key), ...request, account: { id: "" } }).permission;
  }

  /** True if the permission layer of the local policies allows a request to a key and to each key above it. */
  private isPermitted(holder: ChainedKey, { operation, resource }: UncoveredRequest): boolean {
    return linksOf(holder).every((link) => this.permission(link, { operation, resource }).effect === "allow");
  }

  private address(): Pick<ServiceRecord, "address"> {
    const { address } = this.arrived;
    return address === "" ? {} : { address };
  }
}

function recorded(
  question: ServiceQuestion<unknown>,
  made: DecisionRecordInput,
  more: Pick<ServiceRecord, "exceeding" | "refusedBy" | "address">,
  challenge: string | undefined,
): CallDecision {
  const { permission, platform } = made.decision;
  const record: ServiceRecord = Object.assign(decisionRecord(made), {
    keyRoles: made.request.key.roles,
    permissionPolicy: permission.policy,
    platformPolicy: platform.policy,
    ...more,
  });
  return { question, made, record, challenge };
}

/** The key above the caller that lacks a permission. */
function refusedBy(caller: KeyPowers, { id }: KeyPowers): Pick<ServiceRecord, "refusedBy"> {
  return id === caller.id ? {} : { refusedBy: id };
}

/** A denial by the permission layer that no policy decided. */
function denied({ permission }: Decision, reason: string): Decision["permission"] {
  return { ...permission, effect: "deny", reasons: [{ kind: "default", reason, rule: "", policy: "" }], errors: [] };
}
