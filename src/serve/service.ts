/** The requests of a decision point: AuthZEN and Cerbos's API, health and metrics. */

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { AuthzenCaller } from "../authzen/handler.js";
import { fetchListener } from "../node/fetch-listener.js";
import type { CallerOf } from "./caller-tokens.js";
import type { CerbosEndpoint } from "./cerbos-endpoints.js";
import type { ServiceMetrics } from "./metrics.js";
import type { ServiceObserver } from "./observer.js";
import { bodyOf, type HttpReply, jsonReply, refusalReply, sendReply } from "./reply.js";

export interface ServiceOptions {
  readonly cerbos: ReadonlyMap<string, CerbosEndpoint>;
  /** The AuthZEN handler in force, which authenticates by itself. */
  readonly authzen: () => (request: Request) => Promise<Response>;
  /** Undefined: everybody may ask. */
  readonly callerOf: () => CallerOf | undefined;
  /** Shown at `/metrics`. */
  readonly metrics: ServiceMetrics | undefined;
  readonly observer: ServiceObserver | undefined;
  readonly behindProxy: boolean;
  readonly version: string;
  readonly onError: (error: unknown) => void;
}

/** The largest body of a request, in bytes. */
export const MAX_BODY = 1_048_576;

/** The gRPC codes that Cerbos's API has beside those of its methods. */
const CODE = {
  notFound: 5,
  unimplemented: 12,
  unauthenticated: 16,
  resourceExhausted: 8,
  invalidArgument: 3,
  internal: 13,
};

/** `@cerbos/http` sets no type, and `fetch` then calls its text `text/plain`. */
const MAY_BE_JSON = /^\s*(?:(?:application\/json|text\/plain)\s*(?:;|$)|$)/i;

const HEALTH: ReadonlySet<string> = new Set(["", "cerbos.svc.v1.CerbosService"]);

export function serviceListener(options: ServiceOptions): RequestListener {
  const { cerbos, metrics, observer, behindProxy, version, onError } = options;
  const authzen = fetchListener((request) => options.authzen()(request), { behindProxy });

  const getters: ReadonlyMap<string, (query: string) => HttpReply> = new Map([
    [
      "/_cerbos/health",
      (query: string) => {
        const service = new URLSearchParams(query).get("service") ?? "";
        return HEALTH.has(service)
          ? jsonReply(200, { status: "SERVING" })
          : refusalReply(404, CODE.notFound, "unknown service");
      },
    ],
    ["/api/server_info", () => jsonReply(200, { version: `keyward ${version}`, commit: "", buildDate: "" })],
  ]);

  /** The reply of another endpoint than AuthZEN's; undefined if the path is none of these. */
  async function replyTo(incoming: IncomingMessage, path: string, query: string): Promise<HttpReply | undefined> {
    const endpoint = cerbos.get(path);
    if (endpoint !== undefined) return await cerbosReply(incoming, endpoint);
    const get = getters.get(path);
    if (get !== undefined) return isGet(incoming) ? get(query) : wrongMethod("GET");
    if (path === "/metrics" && metrics !== undefined) {
      if (!isGet(incoming)) return wrongMethod("GET");
      return isKnown(incoming) ? { status: 200, ...(await metrics.exposition()) } : unauthenticated();
    }
    // A Cerbos server without its admin API has the same status and code.
    if (path.startsWith("/admin/")) return refusalReply(404, CODE.unimplemented, "there is no admin API");
    return path.startsWith("/api/") || path.startsWith("/_cerbos/")
      ? refusalReply(404, CODE.notFound, "Not Found")
      : undefined;
  }

  function isKnown({ rawHeaders }: IncomingMessage): boolean {
    const callerOf = options.callerOf();
    return callerOf === undefined || callerOf(rawHeaders) !== undefined;
  }

  async function cerbosReply(incoming: IncomingMessage, endpoint: CerbosEndpoint): Promise<HttpReply> {
    if (incoming.method !== "POST") return wrongMethod("POST");
    if (!isKnown(incoming)) return unauthenticated();
    if (!MAY_BE_JSON.test(incoming.headers["content-type"] ?? "")) {
      return refusalReply(415, CODE.invalidArgument, "the content type must be application/json");
    }
    const body = await bodyOf(incoming, MAX_BODY);
    if (body === undefined) {
      return refusalReply(413, CODE.resourceExhausted, `the body is larger than ${MAX_BODY} bytes`);
    }
    return endpoint(body);
  }

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const [path = "", query = ""] = (incoming.url ?? "").split("?", 2);
    const end = observer?.started(incoming, outgoing);
    try {
      const reply = await replyTo(incoming, path, query);
      if (reply === undefined) await authzen(incoming, outgoing);
      else sendReply(incoming, outgoing, reply);
      end?.();
    } catch (error) {
      // A caller may go away: the program has no error then.
      if (incoming.destroyed && !incoming.complete) return end?.();
      onError(error);
      if (outgoing.headersSent) outgoing.destroy();
      else sendReply(incoming, outgoing, refusalReply(500, CODE.internal, "internal error"));
      end?.(error);
    }
  }

  return (incoming, outgoing) => {
    void answer(incoming, outgoing);
  };
}

/** How the AuthZEN handler finds the caller of a request. */
export function authenticatorOf(callerOf: () => CallerOf | undefined): (request: Request) => AuthzenCaller | undefined {
  return (request) => {
    const find = callerOf();
    return find === undefined ? {} : find(request);
  };
}

function isGet({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

function wrongMethod(allow: string): HttpReply {
  return { ...refusalReply(405, CODE.unimplemented, "Method Not Allowed"), headers: { allow } };
}

function unauthenticated(): HttpReply {
  const headers = { "www-authenticate": "Bearer" };
  return { ...refusalReply(401, CODE.unauthenticated, "the caller is not authenticated"), headers };
}
