/** One call of an operation: authenticates, reads rows, decides, and makes the change. */

import { ApiError, NOT_FOUND } from "keyward/http";
import type { z } from "zod";
import { authenticate } from "../auth/authenticate.js";
import { logLineOf, type ServiceRecord } from "../observability/decision-log.js";
import { inSpan } from "../observability/tracing.js";
import { etagOf, isMatch } from "../operations/etag.js";
import { type Listing, pageOf } from "../operations/listing.js";
import type { Call, Change, Proposal, RequestSnapshot, ServiceQuestion, Targets } from "../operations/operation.js";
import { unknownGrantMessage } from "../policies/known-grants.js";
import { REFUSED } from "../store/audit-statements.js";
import { CREDITS_LEFT, TAKE_CREDITS } from "../store/credits.js";
import { violatesConstraint } from "../store/faults.js";
import type { CallerRow, ChainedKey, CreditsRow, SnapshotRow } from "../store/rows.js";
import { KEY_WITH_ANCESTORS, SNAPSHOTS } from "../store/snapshots.js";
import type { ParameterValue, RequestStore } from "../store/store.js";
import type { AccountWrites } from "./account-writes.js";
import { type CallDecision, CallDecisions } from "./call-decisions.js";
import { CreateRequest } from "./idempotency.js";
import type { IncomingCall } from "./incoming-call.js";
import { invalidBody, PRECONDITION_FAILED, rateLimited, UNAVAILABLE } from "./problems.js";
import { refusalOf } from "./refused.js";
import type { Serving } from "./serving.js";

/** The constraint that an `Idempotency-Key` of a key has one answer. */
const ANSWERS_KEY = "answers_pkey";

/** How often a change is retried after another replica was faster, before the store counts as unavailable. */
const ATTEMPTS = 100;

export class ServedCall implements Call {
  private readonly serving: Serving;
  private readonly arrived: IncomingCall;
  private readonly decisions: CallDecisions;
  /** The store, with a span for each statement. */
  readonly store: Pick<RequestStore, "run">;
  /** Fields of the response. */
  readonly headers: Record<string, string> = {};
  private admitted = false;

  constructor(serving: Serving, arrived: IncomingCall) {
    this.serving = serving;
    this.arrived = arrived;
    this.decisions = new CallDecisions(serving, arrived);
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
    const { limits, known, caches } = this.serving;
    const { credentials, onCaller } = this.arrived;
    const values = kind === "nothing" ? [credentials.prefix] : [credentials.prefix, id];
    const load = async () => (await this.store.run<SnapshotRow<Targets[Kind]>>(SNAPSHOTS[kind], values))[0];
    const row = this.arrived.isCached ? await caches.of[kind].read(values.join(" "), load) : await load();
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
    const decided = await this.decisions.decide(question);
    await this.decisions.log(decided);
    if (decided.made.decision.outcome !== "allow") throw refusalOf(decided.made.decision, decided.challenge);
  }

  async list<Item>(listing: Listing<Item>, page: Parameters<Call["list"]>[1]) {
    return await pageOf({ policies: this.serving.policies, store: this.store }, listing, page);
  }

  requireKnown(granted: Parameters<Call["requireKnown"]>[0]): void {
    const unknown = unknownGrantMessage(this.serving.policies.current.set, granted);
    if (unknown !== undefined) throw new ApiError(invalidBody(unknown));
  }

  firstPermitted(...asked: Parameters<Call["firstPermitted"]>) {
    return this.decisions.firstPermitted(...asked);
  }

  ask(question: Parameters<Call["ask"]>[0]) {
    return this.decisions.ask(question);
  }

  requireMatch(version: object): void {
    const { ifMatch } = this.arrived;
    if (ifMatch !== undefined && !isMatch(ifMatch, etagOf(version))) throw new ApiError(PRECONDITION_FAILED);
  }

  tagged<View extends object>(view: View, version: object = view): View {
    this.headers.etag = etagOf(version);
    return view;
  }

  async takeCredits(keyId: string, cost: number) {
    // Nobody would learn that the key is valid.
    this.arrived.requireCaller();
    const [taken] = cost === 0 ? [] : await this.store.run<CreditsRow>(TAKE_CREDITS, [keyId, cost]);
    if (taken !== undefined) return { isTaken: true, remaining: taken.remaining };
    const [left] = await this.store.run<CreditsRow>(CREDITS_LEFT, [keyId]);
    return left && { isTaken: cost === 0, remaining: left.remaining };
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
        await this.decisions.log(decided);
        if (await this.made(decided, change, create)) {
          writing.wrote(accountId);
          this.serving.caches.changed(accountId);
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
    const decided = await this.decisions.decide(proposal);
    if (create !== undefined && stored !== undefined) {
      if (!this.decisions.isStillPermitted(decided, create.operation)) return await this.refused(decided, write);
      await this.decisions.log({ ...decided, record: { ...decided.record, repeated: true } });
      this.headers["idempotent-replayed"] = "true";
      return { earlier: stored.output };
    }
    if (decided.made.decision.outcome !== "allow") return await this.refused(decided, write);
    const change = await proposal.change();
    const tooMuch = await this.decisions.beyond(proposal.sight.caller, change);
    if (tooMuch !== undefined)
      return await this.refused(await this.decisions.notGranted(decided, tooMuch, change), write);
    return { decided, change, writes };
  }

  private async refused(decided: CallDecision, write: AccountWrites["refused"]): Promise<never> {
    await this.decisions.log(decided);
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
