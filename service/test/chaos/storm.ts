/**
 * A storm: callers that create, read, change and delete keys, and try forbidden operations, while something else
 * breaks. A ledger records the answers; in the end it is compared with the stored keys.
 */

import { type Answer, answerOf, DOCS } from "../support/service.js";

/** The keys of the callers: those of one account, and a stranger's from another account. */
export interface Cast {
  readonly accountId: string;
  readonly active: string;
  readonly system: string;
  readonly admin: { readonly secret: string; readonly keyId: string };
  readonly viewer: { readonly secret: string };
  readonly stranger: { readonly secret: string };
  readonly expired: { readonly secret: string };
}

export type Post = (path: string, key: string, body: unknown) => Promise<Answer>;

interface Made {
  readonly keyId: string;
  readonly secret: string;
  /** `asked`: requested but not answered. A request that met a fault may still have taken effect. */
  disabling: "no" | "asked" | "done";
  deleting: "no" | "asked" | "done";
}

const UNAUTHENTICATED = /\/authentication\/\w+$/;
const UNKNOWN = `kw_${"0".repeat(16)}_${"A".repeat(43)}`;
const LONGEST_WAIT = 60_000;

/** Posts to the servers in turn. A request without an answer after `LONGEST_WAIT` fails. */
export function postTo(servers: readonly { readonly baseUrl: string }[]): Post {
  let turn = 0;
  return async (path, key, body) => {
    const { baseUrl } = servers[turn++ % servers.length] ?? { baseUrl: "" };
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const signal = AbortSignal.timeout(LONGEST_WAIT);
    return answerOf(await fetch(baseUrl + path, { method: "POST", headers, body: JSON.stringify(body), signal }));
  };
}

export class Storm {
  /** Violated invariants, in words. */
  readonly violations: string[] = [];
  /** Number of answers by status. */
  readonly statuses = new Map<number, number>();
  readonly made = new Map<string, Made>();
  private readonly post: Post;
  private readonly cast: Cast;
  private blowing: Promise<unknown> = Promise.resolve();
  private ended = false;
  private steps = 0;

  constructor(post: Post, cast: Cast) {
    this.post = post;
    this.cast = cast;
  }

  begin(callers: number): void {
    const call = async () => {
      while (!this.ended) await this.step(this.steps++);
    };
    this.blowing = Promise.all(Array.from({ length: callers }, call));
  }

  /** Resolves after `requests` more requests. */
  async last(requests: number): Promise<void> {
    const until = this.steps + requests;
    while (this.steps < until) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  async end(): Promise<void> {
    this.ended = true;
    await this.blowing;
  }

  /** Whether each kind of request gets its usual answer. Stops at the first 503. */
  async isCalm(): Promise<boolean> {
    for (let kind = 0; kind < KINDS; kind++) if ((await this.step(kind)) === 503) return false;
    return true;
  }

  /** The answer to a request; retries after a 503, which a busy machine can also cause. */
  private async asked(...request: Parameters<Post>): ReturnType<Post> {
    let answer = await this.post(...request);
    for (let attempt = 0; attempt < 20 && answer.status === 503; attempt++) answer = await this.post(...request);
    return answer;
  }

  /** Compares the ledger with the stored keys. */
  async settle(): Promise<void> {
    const { admin, active } = this.cast;
    const listed = new Map<string, string>();
    let cursor: string | null = null;
    do {
      const body: object = cursor === null ? { apiId: active } : { apiId: active, cursor };
      const { data } = (await this.asked("/v2/apis.listKeys", admin.secret, body)).body;
      for (const { keyId, state } of data.keys) listed.set(keyId, state);
      cursor = data.nextCursor;
    } while (cursor !== null);
    const { body } = await this.asked("/v2/apis.getApi", admin.secret, { apiId: active });
    if (body.data.keyCount !== listed.size) this.violations.push(`${body.data.keyCount} of ${listed.size} are counted`);
    for (const { keyId, secret, disabling, deleting } of this.made.values()) {
      const state = listed.get(keyId);
      if (deleting === "done" && state !== undefined) this.violations.push(`${keyId}: its deletion is lost`);
      if (deleting === "no" && state === undefined) this.violations.push(`${keyId} is lost`);
      if (disabling === "done" && state === "enabled") this.violations.push(`${keyId}: its reduction is lost`);
      if (disabling !== "no" || deleting !== "no") continue;
      const own = await this.asked("/v2/keys.whoami", secret, {});
      if (own.status !== 200 || own.body.data.keyId !== keyId) this.violations.push(`${keyId} is not as it was`);
    }
  }

  /** Makes one request; returns the status of its answer. */
  private async step(n: number): Promise<number> {
    const { admin, viewer, stranger, expired, active, system } = this.cast;
    switch (n % KINDS) {
      case 0:
        return await this.create();
      case 1:
        return await this.ask("/v2/apis.getApi", admin.secret, { apiId: active }, "ok");
      case 2: {
        const name = { apiId: active, name: "not theirs" };
        return await this.ask("/v1/keys.createKey", viewer.secret, name, "/authorization/insufficient_permissions");
      }
      case 3:
        return await this.ask("/v2/apis.deleteApi", admin.secret, { apiId: system }, "/authorization/forbidden");
      case 4:
        return await this.ask("/v2/apis.getApi", stranger.secret, { apiId: active }, "/resource/not_found");
      case 5:
        return await this.ask("/v2/keys.whoami", n % 2 === 0 ? UNKNOWN : expired.secret, {}, UNAUTHENTICATED);
      case 6:
        return await this.disable();
      case 7:
        return await this.remove();
      default:
        return await this.useDisabled();
    }
  }

  private async create(): Promise<number> {
    const body = { apiId: this.cast.active, name: "made", roles: ["viewer"] };
    const answer = await this.answer("/v1/keys.createKey", this.cast.admin.secret, body, "ok");
    if (answer?.status !== 200) return answer?.status ?? 0;
    const { keyId, key } = answer.body.data;
    this.made.set(keyId, { keyId, secret: key, disabling: "no", deleting: "no" });
    return 200;
  }

  private async disable(): Promise<number> {
    const key = this.pick(({ disabling, deleting }) => disabling === "no" && deleting === "no");
    if (key === undefined) return 0;
    key.disabling = "asked";
    const body = { keyId: key.keyId, state: "disabled" };
    const status = await this.ask("/v2/keys.updateKey", this.cast.admin.secret, body, "ok");
    if (status === 200) key.disabling = "done";
    return status;
  }

  private async remove(): Promise<number> {
    const key = this.pick(({ disabling, deleting }) => disabling === "done" && deleting === "no");
    if (key === undefined) return 0;
    key.deleting = "asked";
    const status = await this.ask("/v2/keys.deleteKey", this.cast.admin.secret, { keyId: key.keyId }, "ok");
    if (status === 200) key.deleting = "done";
    return status;
  }

  /** A disabled key must be refused. */
  private async useDisabled(): Promise<number> {
    const key = this.pick(({ disabling }) => disabling === "done");
    return key === undefined ? 0 : await this.ask("/v2/keys.whoami", key.secret, {}, UNAUTHENTICATED);
  }

  /** The first key that satisfies `is`. */
  private pick(is: (key: Made) => boolean): Made | undefined {
    for (const key of this.made.values()) if (is(key)) return key;
    return undefined;
  }

  private async ask(path: string, key: string, body: unknown, expected: "ok" | string | RegExp): Promise<number> {
    return (await this.answer(path, key, body, expected))?.status ?? 0;
  }

  /** Posts, and reports a violation unless the answer is 503 or the one expected without a fault. */
  private async answer(path: string, key: string, body: unknown, expected: "ok" | string | RegExp) {
    let answer: Answer;
    try {
      answer = await this.post(path, key, body);
    } catch (error) {
      this.violations.push(`${path}: no answer: ${error instanceof Error ? (error.cause ?? error) : error}`);
      return undefined;
    }
    const { status } = answer;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status === 200 ? expected !== "ok" : !isEnveloped(answer) || !isExpected(answer, expected)) {
      this.violations.push(`${path}: ${status} ${answer.text.slice(0, 400)}`);
    }
    return answer;
  }
}

const KINDS = 9;

function isExpected({ status, body }: Answer, expected: "ok" | string | RegExp): boolean {
  const { type, detail } = body.error;
  if (status === 503) return detail === "The service is temporarily unavailable";
  return typeof expected === "string" ? type.endsWith(expected) : expected.test(type);
}

/** Whether the body is exactly the error envelope of the contract. */
function isEnveloped({ status, body, headers }: Answer): boolean {
  const { meta, error, ...more } = body ?? {};
  return (
    Object.keys(more).length === 0 &&
    JSON.stringify(Object.keys(meta ?? {})) === '["requestId"]' &&
    /^req_[\w-]+$/.test(meta.requestId) &&
    headers.get("x-request-id") === meta.requestId &&
    Object.keys(error ?? {})
      .sort()
      .join() === "detail,status,title,type" &&
    error.status === status &&
    String(error.type).startsWith(`https://${DOCS}/api-reference/errors-v2/service/`)
  );
}
