/** Responses of Node's servers. */

import type { IncomingMessage, ServerResponse } from "node:http";

export interface HttpReply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: { readonly [name: string]: string };
}

export function jsonReply(status: number, value: object): HttpReply {
  return { status, type: "application/json", body: JSON.stringify(value) };
}

/** A refusal as the Cerbos server words it: `code` is the gRPC code. */
export function refusalReply(status: number, code: number, message: string): HttpReply {
  return jsonReply(status, { code, message, details: [] });
}

export function sendReply(incoming: IncomingMessage, outgoing: ServerResponse, reply: HttpReply): void {
  if (outgoing.destroyed) return;
  const requestId = incoming.headers["x-request-id"];
  outgoing.writeHead(reply.status, {
    "content-type": reply.type,
    "content-length": Buffer.byteLength(reply.body),
    ...(requestId === undefined ? {} : { "x-request-id": requestId }),
    // The rest of a body that was refused is not read.
    ...(incoming.complete ? {} : { connection: "close" }),
    ...reply.headers,
  });
  outgoing.end(incoming.method === "HEAD" ? undefined : reply.body);
}

/** The body of a request. Undefined: it is larger than `most` bytes. Rejects if the caller goes away. */
export async function bodyOf(incoming: IncomingMessage, most: number): Promise<Buffer | undefined> {
  if (Number(incoming.headers["content-length"] ?? 0) > most) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  return await new Promise((resolve, reject) => {
    incoming.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > most) {
        incoming.pause();
        resolve(undefined);
      } else chunks.push(chunk);
    });
    incoming.once("end", () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    incoming.once("error", reject);
    incoming.once("close", () => reject(new Error("the caller is gone")));
  });
}
