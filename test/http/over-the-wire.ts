/** Requests to a Node server with repeated header fields, which `fetch` would join. */

import { createServer, type RequestListener, request } from "node:http";
import type { Server } from "./adapter-cases.js";

export async function served(listener: RequestListener, path: string): Promise<Server> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    send: (body, fields) => posted(port, path, body, fields),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function posted(port: number, path: string, body: string, fields: readonly (readonly [string, string])[]) {
  return new Promise<Response>((resolve, reject) => {
    const length = ["content-length", String(Buffer.byteLength(body))];
    const headers = [["host", "localhost"], length, ...fields].flat();
    const sent = request({ port, host: "127.0.0.1", path, method: "POST", headers }, (message) => {
      const chunks: Buffer[] = [];
      message.on("data", (chunk: Buffer) => chunks.push(chunk));
      message.on("end", () => {
        const pairs = Object.entries(message.headers).map(([name, value]) => [name, String(value)] as [string, string]);
        resolve(new Response(Buffer.concat(chunks), { status: message.statusCode ?? 0, headers: pairs }));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
