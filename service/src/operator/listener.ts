/**
 * The operator's actions over HTTP, on this machine only: `POST /accounts.suspend` with a token of the operator. The
 * same actions as on the command line, without a second connection to the store: PGlite has one process.
 */

import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { requestId as newRequestId } from "keyward";
import { ApiError, bearerKey, UNAUTHENTICATED } from "keyward/http";
import { ConfigInvalid } from "../config/config.js";
import { readBody } from "../http/body.js";
import { invalidBody, methodNotAllowed, UNKNOWN_OPERATION } from "../http/problems.js";
import { failureOf } from "../http/respond.js";
import { type RunningServer, startServer } from "../http/server.js";
import type { Logger } from "../observability/logger.js";
import { NoApiForKey } from "../provision/issue-key.js";
import type { RequestStore } from "../store/store.js";
import { ActionRefused, operatorName } from "./action.js";
import { ACTIONS } from "./index.js";

/** The operators, by the SHA-256 of their tokens, in hexadecimal digits. */
export type OperatorTokens = ReadonlyMap<string, string>;

/**
 * Reads a file with one operator a line: a name, a space, and the SHA-256 of a token. Empty lines and lines that begin
 * with `#` are skipped. Throws {@link ConfigInvalid} if the file cannot be read, has another line, or has no operator.
 */
export function readOperatorTokens(path: string): OperatorTokens {
  const lines = textOf(path)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  const tokens = new Map<string, string>();
  for (const [i, line] of lines.entries()) {
    const [, name = "", token = ""] = /^(.+) ([0-9a-f]{64})$/.exec(line) ?? [];
    if (!operatorName.safeParse(name).success || tokens.has(token)) {
      throw new ConfigInvalid(`ADMIN_TOKENS: entry ${i + 1} is not a name and the SHA-256 of a token of its own`);
    }
    tokens.set(token, name);
  }
  if (tokens.size === 0) throw new ConfigInvalid("ADMIN_TOKENS names a file without an operator");
  return tokens;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new ConfigInvalid("ADMIN_TOKENS names a file that cannot be read");
  }
}

export interface AdminListenerOptions {
  readonly store: RequestStore;
  readonly tokens: OperatorTokens;
  /** 0: any free port. */
  readonly port: number;
  readonly docsUrl: string;
  readonly logger: Logger;
}

/** The largest body, in bytes. */
const BODY_LIMIT = 65_536;

/** Listens on `127.0.0.1`. Rejects if it cannot. */
export function startAdminListener(options: AdminListenerOptions): Promise<RunningServer> {
  const { port, docsUrl, logger } = options;
  const fetch = async (request: Request) => {
    const requestId = newRequestId();
    const call: { operator?: string; command?: string } = {};
    try {
      const result = await served(request, options, call);
      logger.info({ requestId, ...call, status: 200 }, "admin request");
      return answer(200, result);
    } catch (error) {
      const told = error instanceof ActionRefused || error instanceof NoApiForKey ? refusalOf(error) : error;
      const { reply, fault } = failureOf(told, { requestId, docsUrl });
      logger.info({ requestId, ...call, status: reply.status }, "admin request");
      if (fault) logger.error({ requestId, ...call, err: error }, "admin request failed");
      return answer(reply.status, reply.body, reply.headers);
    }
  };
  return startServer({ fetch, host: "127.0.0.1", port, docsUrl, logger });
}

/** The result of the action that a request names. Authentication comes first. */
async function served(
  request: Request,
  { store, tokens }: AdminListenerOptions,
  call: { operator?: string; command?: string },
): Promise<object> {
  const bearer = bearerKey(request.headers);
  // A hash is looked up, so that the time of the look-up tells nothing about a token.
  const operator = bearer._tag === "Left" ? undefined : tokens.get(hash("sha256", bearer.right));
  if (operator === undefined) throw new ApiError(UNAUTHENTICATED);
  call.operator = operator;
  const action = ACTIONS.find(({ name }) => new URL(request.url).pathname === `/${name}`);
  if (action === undefined) throw new ApiError(UNKNOWN_OPERATION);
  call.command = action.name;
  if (request.method !== "POST") throw new ApiError(methodNotAllowed("POST"));
  const body = await readBody(request, BODY_LIMIT);
  if (typeof body !== "object" || body === null || Array.isArray(body) || "operator" in body) {
    throw new ApiError(invalidBody("must be a JSON object without operator: the token names the operator"));
  }
  return await action.run(store, "operator" in action.input.shape ? { ...body, operator } : body);
}

/** A caller with a token may know why an action was refused. */
function refusalOf({ message }: Error): ApiError {
  return new ApiError(invalidBody(message));
}

function answer(status: number, body: object, headers: { readonly [name: string]: string } = {}): Response {
  const common = { "content-type": "application/json", "cache-control": "no-store" };
  return new Response(JSON.stringify(body), { status, headers: { ...common, ...headers } });
}
