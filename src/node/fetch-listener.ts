/** Serves handlers of the Fetch API with Node's HTTP servers. */

import { checkOptions, FLAG, type OptionTable } from "../policy/options.js";

/** What the listener uses of Node's `IncomingMessage`. Programs without Node's types can name it. */
export interface IncomingRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly rawHeaders: readonly string[];
  readonly socket: object;
  readonly complete: boolean;
}

/** What the listener uses of Node's `ServerResponse`. */
export interface OutgoingResponse {
  readonly destroyed: boolean;
  setHeader(name: string, value: string | number): unknown;
  writeHead(status: number): unknown;
  end(body?: Uint8Array): unknown;
}

export interface FetchListenerOptions {
  /**
   * True if the address of a request is taken from `X-Forwarded-Proto` and `X-Forwarded-Host`. Only behind a proxy that
   * sets both. Default: false.
   */
  readonly behindProxy?: boolean;
}

const FETCH_LISTENER_OPTIONS = { behindProxy: FLAG } satisfies OptionTable<FetchListenerOptions>;

/**
 * A listener for the servers of `node:http` and `node:https`, and a handler for Express and for the raw requests of
 * Fastify. No other program may have read the body before. `handler` must not reject. Throws a `TypeError` for an
 * unknown option or an invalid value.
 */
export function fetchListener(
  handler: (request: Request) => Promise<Response>,
  options: FetchListenerOptions = {},
): (request: IncomingRequest, response: OutgoingResponse) => Promise<void> {
  checkOptions(options, FETCH_LISTENER_OPTIONS);
  return async (incoming, outgoing) => {
    const request = requestOf(incoming, options);
    const response =
      request === undefined ? new Response("the request is malformed", { status: 400 }) : await handler(request);
    await write(response, incoming, outgoing);
  };
}

/** Undefined if the Fetch API has no such request. */
function requestOf(incoming: IncomingRequest, { behindProxy = false }: FetchListenerOptions): Request | undefined {
  const { method = "GET", rawHeaders } = incoming;
  try {
    const headers = new Headers();
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers.append(rawHeaders[i] ?? "", rawHeaders[i + 1] ?? "");
    const forwarded = (name: string) => (behindProxy ? headers.get(name)?.split(",", 1)[0]?.trim() : undefined);
    const scheme = forwarded("x-forwarded-proto") ?? ("encrypted" in incoming.socket ? "https" : "http");
    const host = forwarded("x-forwarded-host") ?? headers.get("host") ?? "localhost";
    const url = new URL(`${scheme}://${host}`);
    if (url.pathname !== "/" || url.search !== "" || url.hash !== "" || url.username !== "") return undefined;
    const path = pathOf(incoming);
    if (!path.startsWith("/")) return undefined;
    const hasBody = method !== "GET" && method !== "HEAD";
    return new Request(url.origin + path, {
      method,
      headers,
      ...(hasBody ? { body: bodyOf(incoming), duplex: "half" } : {}),
    });
  } catch {
    return undefined;
  }
}

/** The body as it arrives. Another type of body is known to Node alone, and not to the Fetch API. */
function bodyOf(incoming: IncomingRequest): ReadableStream<Uint8Array> {
  const pieces = incoming[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => {
      await pieces.return?.();
    },
  });
}

/** The path with the query. Express removes the path of a mounted handler from `url`. */
function pathOf(incoming: IncomingRequest): string {
  const original: unknown = Reflect.get(incoming, "originalUrl");
  return typeof original === "string" ? original : (incoming.url ?? "");
}

async function write(response: Response, incoming: IncomingRequest, outgoing: OutgoingResponse): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  if (outgoing.destroyed) return;
  for (const [name, value] of response.headers) outgoing.setHeader(name, value);
  outgoing.setHeader("content-length", body.length);
  // The rest of a body that was refused is not read.
  if (!incoming.complete) outgoing.setHeader("connection", "close");
  outgoing.writeHead(response.status);
  outgoing.end(incoming.method === "HEAD" ? undefined : body);
}
