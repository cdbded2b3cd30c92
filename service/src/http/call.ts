/** One call of an operation: authenticates, reads rows, decides, and makes the change. */

import type { Context } from "@opentelemetry/api";
import { type Decision, decide, type PolicySet, type UncoveredRequest } from "keyward";
import { ApiError, decisionRecord, NOT_FOUND } from "keyward/http";
import type { z } from "zod";
import { authenticate, type Credentials } from "../auth/authenticate.js";
import { logLineOf, type ServiceRecord } from "../observability/decision-log.js";
import { inSpan } from "../observability/tracing.js";
import {
  type Excess,
  grantedExcess,
  heldExcess,
  isChainSound,
  isRevokingItself,
  linksOf,
} from "../operations/delegation.js";
import { etagOf, isMatch } from "../operations/etag.js";
import { type Listing, pageOf } from "../operations/listing.js";
import type { Call, Change, Proposal, RequestSnapshot, ServiceQuestion, Targets } from "../operations/operation.js";
import { accountOf, principalOf } from "../operations/resources.js";
import type { DecisionWithPolicySet } from "../policies/decider.js";
import { unknownGrantMessage } from "../policies/known-grants.js";
import { violatesConstraint } from "../store/faults.js";
import type { AccountRow, CallerRow, ChainedKey, KeyPowers, SnapshotRow } from "../store/rows.js";
import { KEY_WITH_ANCESTORS, REFUSED, SNAPSHOTS } from "../store/statements.js";
import type { ParameterValue, RequestStore } from "../store/store.js";
import type { AccountWrites } from "./account-writes.js";
import { challengeForGrant, challengeForRequest } from "./challenges.js";
import { CreateRequest } from "./idempotency.js";
import { invalidBody, PRECONDITION_FAILED, rateLimited, UNAVAILABLE } from "./problems.js";
import { refusalOf } from "./refused.js";
import type { Serving } from "./serving.js";

/** Called as soon as the caller is known, for the log line of the request. */
export type OnCaller = (caller: { readonly keyId: string; readonly accountId: string }) => void;

/** The parts of a request before anything is looked up. */
export interface IncomingCall {
  readonly requestId: string;
  /** The parent of the request's spans. */
  readonly within: Context;
  readonly credentials: Credentials;
  /** The account of the key, which was proved by this request or lately. */
  readonly accountId: string;
  /** The caller's address; `""` if it is not known. */
  readonly address: string;
  /** Returns the JSON value of the body, or throws its fault. */
  readonly body: () => unknown;
  /** The field `Idempotency-Key`. */
  readonly idempotencyKey: string | undefined;
  /** The field `If-Match`. */
  readonly ifMatch: string | undefined;
  /** Throws if the caller has closed the connection. */
  readonly requireCaller: () => void;
  readonly onCaller: OnCaller;
}

/** The constraint that an `Idempotency-Key` of a key has one answer. */
const ANSWERS_KEY = "answers_pkey";

/** How often a change is retried after another replica was faster, before the store counts as unavailable. */
const ATTEMPTS = 100;

export class ServedCall implements Call {
  private readonly serving: Serving;
  private readonly arrived: IncomingCall;
  /** The store, with a span for each statement. */
  readonly store: Pick<RequestStore, "run">;
  /** Fields of the response. */
  readonly headers: Record<string, string> = {};
  private admitted = false;

  constructor(serving: Serving, arrived: IncomingCall) {
    this.serving = serving;
    this.arrived = arrived;
    const { store } = serving;
    const kind = "client";
    this.store = {
      run: (statement, values) => {
        const attributes = { "db.system.name": "postgresql", "db.operation.name": statement.name };
        return inSpan(arrived.within, { name: statement.name, kind, attributes }, () => store.run(statement, values));
      },
    };
  }

  async input<Input extends z.ZodObject>(schema: Input): Promise<z.output<Input>> {
    try {
      return schema.parse(this.arrived.body());
    } catch (error) {
      // Callers without a proven key must not learn about faults of the request.
      await this.seeIfAny("nothing", "");
      throw error;
    }
  }

  async see<Kind extends keyof Targets>(kind: Kind, id: string): Promise<RequestSnapshot<Targets[Kind]>> {
    const { target, ...sight } = await this.seeIfAny(kind, id);
    if (target === undefined) throw new ApiError(NOT_FOUND);
    return { ...sight, target };
  }

  async seeIfAny<Kind extends keyof Targets>(
    kind: Kind,
    id: string,
  ): Promise<RequestSnapshot<Targets[Kind] | undefined>> {
    const { limits, known } = this.serving;
    const { credentials, onCaller } = this.arrived;
    const values = kind === "nothing" ? [credentials.prefix] : [credentials.prefix, id];
    const [row] = await this.store.run<SnapshotRow<Targets[Kind]>>(SNAPSHOTS[kind], values);
    const caller = this.authenticated(row?.caller);
    if (row === undefined) throw new Error("a caller without a row");
    if (!this.admitted) {
      this.admitted = true;
      onCaller({ keyId: caller.id, accountId: caller.accountId });
      known.learn(credentials.hash, caller.accountId);
      const ofKey = limits.key.take(caller.id);
      if (ofKey !== undefined) throw new ApiError(rateLimited(ofKey, "The API key"));
      const ofAccount = limits.account.take(caller.accountId);
      if (ofAccount !== undefined) throw new ApiError(rateLimited(ofAccount, "The account"));
    }
    return { version: row.version, caller, account: row.account, target: row.target ?? undefined };
  }

  /** Throws 401 unless the credentials prove the key. Then the next request with them is a stranger's. */
  private authenticated(found: CallerRow | undefined): CallerRow {
    const { credentials } = this.arrived;
    try {
      return authenticate(credentials, found);
    } catch (error) {
      this.serving.known.forget(credentials.hash);
      throw error;
    }
  }

  async authorize(question: ServiceQuestion<unknown>): Promise<void> {
    const decided = await this.decide(question);
    await this.log(decided);
    if (decided.made.decision.outcome !== "allow") throw refusalOf(decided.made.decision, decided.challenge);
  }

  async list<Item>(listing: Listing<Item>, page: Parameters<Call["list"]>[1]) {
    return await pageOf({ policies: this.serving.policies, store: this.store }, listing, page);
  }

  requireKnown(granted: Parameters<Call["requireKnown"]>[0]): void {
    const unknown = unknownGrantMessage(this.serving.policies.current.set, granted);
    if (unknown !== undefined) throw new ApiError(invalidBody(unknown));
  }

  firstPermitted(holder: ChainedKey, operation: string, resources: Parameters<Call["firstPermitted"]>[2]) {
    return resources.find((resource) => this.isPermitted(holder, { operation, resource })) ?? resources[0];
  }

  async ask({ holder, account, operation, resource, over }: Parameters<Call["ask"]>[0]) {
    const { outcome } = (await this.decideFor(holder, { account, operation, resource })).decision;
    const isBeyond = outcome === "allow" && (await this.beyond(holder, { ...(over && { over }) })) !== undefined;
    return isBeyond ? "insufficient_permissions" : outcome;
  }

  requireMatch(view: object): void {
    const { ifMatch } = this.arrived;
    if (ifMatch !== undefined && !isMatch(ifMatch, etagOf(view))) throw new ApiError(PRECONDITION_FAILED);
  }

  tagged<View extends object>(view: View): View {
    this.headers.etag = etagOf(view);
    return view;
  }

  remainingOf(keyId: string) {
    return this.serving.limits.key.remaining(keyId);
  }

  async chainedKey(accountId: string, id: string): Promise<ChainedKey | undefined> {
    const [row] = await this.store.run<{ readonly key: ChainedKey }>(KEY_WITH_ANCESTORS, [accountId, id]);
    return row?.key;
  }

  async create<Target, Output>(
    request: Parameters<Call["create"]>[0] & { readonly output: z.ZodType<Output> },
    propose: () => Promise<Proposal<Target, Output>>,
  ): Promise<Output> {
    const { idempotencyKey, credentials } = this.arrived;
    const { secret } = credentials;
    return await this.change(propose, new CreateRequest(this.store, { ...request, idempotencyKey, secret }));
  }

  async change<Target, Output>(
    propose: () => Promise<Proposal<Target, Output>>,
    create?: CreateRequest<Output>,
  ): Promise<Output> {
    const { writing } = this.serving;
    const first = await this.allowed(propose, create, (...refusal) => writing.refused(...refusal));
    if ("earlier" in first) return first.earlier;
    const { accountId } = first.decided.question.sight.caller;
    return await writing.run(accountId, async () => {
      const again = () => this.allowed(propose, create, (_, entry, write) => write([entry]));
      let next = first.writes === writing.count(accountId) ? first : await again();
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        if ("earlier" in next) return next.earlier;
        const { decided, change } = next;
        // Nobody would learn of the change, or get the secret of the key that it makes.
        this.arrived.requireCaller();
        await this.log(decided);
        if (await this.made(decided, change, create)) {
          writing.wrote(accountId);
          return change.output;
        }
        next = await again();
      }
      throw new ApiError(UNAVAILABLE, { message: "other replicas were faster, again and again" });
    });
  }

  /**
   * An allowed proposal, with its change; or the output of the earlier request that this one repeats. A refusal is
   * recorded and thrown; `write` writes it into the audit chain when it is the account's turn.
   */
  private async allowed<Target, Output>(
    propose: () => Promise<Proposal<Target, Output>>,
    create: CreateRequest<Output> | undefined,
    write: AccountWrites["refused"],
  ) {
    const writes = this.serving.writing.count(this.arrived.accountId);
    const proposal = await propose();
    // Read after the snapshot: an answer that is stored later comes with another version of the account.
    const stored = await create?.stored(proposal);
    const decided = await this.decide(proposal);
    if (stored !== undefined) {
      if (!this.isStillPermitted(decided)) return await this.refused(decided, write);
      await this.log({ ...decided, record: { ...decided.record, repeated: true } });
      this.headers["idempotent-replayed"] = "true";
      return { earlier: stored.output };
    }
    if (decided.made.decision.outcome !== "allow") return await this.refused(decided, write);
    const change = await proposal.change();
    const tooMuch = await this.beyond(proposal.sight.caller, change);
    if (tooMuch !== undefined) return await this.refused(await this.notGranted(decided, tooMuch, change), write);
    return { decided, change, writes };
  }

  /**
   * True if the caller and each key above it have the permission for a request that was made before. The platform's
   * conditions held then: the first request may have taken the last place of a quota.
   */
  private isStillPermitted({ made, question }: CallDecision): boolean {
    const { outcome } = made.decision;
    const { caller } = question.sight;
    const isPermitted = () => isChainSound(caller) && this.isPermitted(caller, question);
    return outcome === "allow" || (outcome === "forbidden" && isPermitted());
  }

  /** A power that a change needs, grants or touches, but that its maker or a key above it lacks. */
  private async beyond(
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
  private async notGranted(
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

  private address(): Pick<ServiceRecord, "address"> {
    const { address } = this.arrived;
    return address === "" ? {} : { address };
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

  private async decide(question: ServiceQuestion<unknown>): Promise<CallDecision> {
    const { decider, metrics } = this.serving;
    const { sight, operation, resource } = question;
    const request = { key: principalOf(sight.caller), operation, resource, account: accountOf(sight.account) };
    const started = performance.now();
    const { requestId, within } = this.arrived;
    const attributes = { "keyward.operation": operation, "keyward.decider": decider.description };
    const {
      decision,
      policies: deciding,
      policySetHash,
      by,
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
    const isOwn = challenges && by === undefined;
    const isAlone = sight.caller.parentId === null || isRevokingItself(sight.caller, operation, resource);
    return {
      ...recorded(
        question,
        { requestId, request, decision, policySetHash, durationMs },
        { ...this.address(), ...(by && refusedBy(sight.caller, by)) },
        isOwn ? challengeForRequest(policies.current.set, sight.caller, { decision, request }) : undefined,
      ),
      ...(isAlone ? { decidedBy: deciding } : {}),
    };
  }

  /**
   * The decision on a request by a key: that of the key and of every key above it, as `decideChain` of the library
   * combines them. `by` is the key that lacks the permission. A key with a chain that is not sound may do nothing.
   */
  private async decideFor(
    key: ChainedKey,
    {
      account,
      operation,
      resource,
    }: Pick<ServiceQuestion<unknown>, "operation" | "resource"> & { account: AccountRow },
  ): Promise<DecisionWithPolicySet & { readonly by?: KeyPowers }> {
    const ask = (link: KeyPowers) =>
      this.serving.decider.decide(
        { key: principalOf(link), operation, resource, account: accountOf(account) },
        this.arrived.requestId,
      );
    const first = await ask(key);
    if (first.decision.outcome !== "allow" || isRevokingItself(key, operation, resource)) return first;
    if (!isChainSound(key)) {
      const { decision } = first;
      const permission = denied(decision, "ancestor_unusable");
      return { ...first, decision: { ...decision, outcome: "insufficient_permissions", permission } };
    }
    for (const link of key.ancestors) {
      const next = await ask(link);
      if (next.decision.outcome !== "allow") return { ...next, by: link };
    }
    return first;
  }

  /** Writes into the decision log. The audit chain has the record without attributes. */
  private log({ made, record, decidedBy }: CallDecision): Promise<void> {
    const { decisionLog, recordReads } = this.serving;
    if (recordReads === undefined || decidedBy === undefined) return decisionLog.write(record);
    return decisionLog.write({ ...record, ...decisionRecord({ ...made, ...recordReads, policies: decidedBy }) });
  }

  private async refused(decided: CallDecision, write: AccountWrites["refused"]): Promise<never> {
    await this.log(decided);
    const { accountId } = decided.question.sight.caller;
    await write(accountId, logLineOf(decided.record), (entries) => this.store.run(REFUSED, [accountId, entries]));
    throw refusalOf(decided.made.decision, decided.challenge);
  }

  /** Makes the change. Returns false if a row that was decided on has changed since. */
  private async made<Output>(
    decided: CallDecision,
    change: Change<Output>,
    create: CreateRequest<Output> | undefined,
  ): Promise<boolean> {
    const { question, record } = decided;
    const { caller, version } = question.sight;
    const { statement, values, about, conflict } = change;
    try {
      const parameters: ParameterValue[] = [caller.id, version, entryOf(record, about), ...values];
      if (create !== undefined) parameters.push(create.answerOf(question, change.output));
      return (await this.store.run(statement, parameters)).length > 0;
    } catch (error) {
      if (conflict !== undefined && violatesConstraint(error, conflict.constraint)) throw conflict.error;
      if (violatesConstraint(error, ANSWERS_KEY)) return false;
      throw error;
    }
  }
}

/** The audit entry of a change: the record of its decision, and the changed values. */
function entryOf(record: ServiceRecord, change: Change<unknown>["about"]): string {
  const entry = Object.keys(change).length === 0 ? record : { ...record, change };
  return logLineOf(entry);
}

/** A decision on a request. */
interface CallDecision {
  readonly question: ServiceQuestion<unknown>;
  readonly made: DecisionRecordInput;
  readonly record: ServiceRecord;
  /** The policies, if nothing but them and the request decided. Absent: keys above the caller had a say. */
  readonly decidedBy?: PolicySet;
  /** Tells a refused caller what it lacks. */
  readonly challenge: string | undefined;
}

/** The input of decision records. */
type DecisionRecordInput = Parameters<typeof decisionRecord>[0] & { readonly decision: Decision };

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
