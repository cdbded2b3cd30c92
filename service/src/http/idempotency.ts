/**
 * Repeated requests: a caller that lost the answer of a create sends the request again, with the same `Idempotency-Key`,
 * and gets the answer of the first one (draft-ietf-httpapi-idempotency-key-header).
 */

import { hash } from "node:crypto";
import { ApiError } from "keyward/http";
import type { z } from "zod";
import { opened, sealed } from "../auth/sealed.js";
import type { ServiceQuestion } from "../operations/operation.js";
import { STORED_ANSWER } from "../store/answers.js";
import type { AnswerRow, StoredAnswer } from "../store/rows.js";
import type { RequestStore } from "../store/store.js";
import { IDEMPOTENCY_KEY_REUSED, INVALID_IDEMPOTENCY_KEY } from "./problems.js";

/** The draft has a quoted string, and most clients send a bare one: each is taken as it is sent. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

type Question = Pick<ServiceQuestion<unknown>, "sight">;

/** A request of one key that creates something. */
export class CreateRequest<Output> {
  private readonly store: Pick<RequestStore, "run">;
  private readonly request: {
    /** Undefined if the request does not say how to tell a repetition. */
    readonly idempotencyKey: string | undefined;
    readonly operation: string;
    readonly input: object;
    readonly output: z.ZodType<Output>;
    /** The caller's secret. */
    readonly secret: string;
  };

  constructor(store: Pick<RequestStore, "run">, request: CreateRequest<Output>["request"]) {
    this.store = store;
    this.request = request;
  }

  /**
   * The output of the earlier request that this one repeats; undefined if this is the first. Throws 400 for a malformed
   * `Idempotency-Key`; 422 if it came with another operation or input, or by another secret of the same key.
   */
  async stored(question: Question): Promise<{ readonly output: Output } | undefined> {
    const { idempotencyKey, output, secret } = this.request;
    if (idempotencyKey === undefined) return undefined;
    if (!IDEMPOTENCY_KEY.test(idempotencyKey)) throw new ApiError(INVALID_IDEMPOTENCY_KEY);
    const { id } = question.sight.caller;
    const ids = this.ids(idempotencyKey);
    const [row] = await this.store.run<AnswerRow>(STORED_ANSWER, [id, ids.token]);
    if (row === undefined) return undefined;
    const text = row.request === ids.request ? opened(row.sealed, { secret, about: aboutOf(id, ids) }) : undefined;
    if (text === undefined) throw new ApiError(IDEMPOTENCY_KEY_REUSED);
    return { output: output.parse(JSON.parse(text)) };
  }

  /** The request, for the permission layer. */
  get operation(): string {
    return this.request.operation;
  }

  /** The answer to store with the change, as a parameter of its statement; null for none. */
  answerOf(question: Question, output: Output): string | null {
    const { idempotencyKey } = this.request;
    if (idempotencyKey === undefined) return null;
    const ids = this.ids(idempotencyKey);
    const about = aboutOf(question.sight.caller.id, ids);
    const answer: StoredAnswer = {
      ...ids,
      sealed: sealed(JSON.stringify(output), { secret: this.request.secret, about }),
    };
    return JSON.stringify(answer);
  }

  /** The input has its defaults and the order of its schema, so equal requests have equal texts. */
  private ids(idempotencyKey: string): Pick<StoredAnswer, "token" | "request"> {
    const { operation, input } = this.request;
    return {
      token: hash("sha256", idempotencyKey),
      request: hash("sha256", `${operation}\n${JSON.stringify(input)}`),
    };
  }
}

/** Binds a sealed answer to its row: no other row can have it. */
function aboutOf(keyId: string, { token, request }: Pick<StoredAnswer, "token" | "request">): string {
  return [keyId, token, request].join("\n");
}
