/** The handler on the servers of Node and of three frameworks. */

import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import express from "express";
import Fastify from "fastify";
import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import { authzenHandler } from "../../src/authzen/index.js";
import { fetchListener } from "../../src/node/index.js";
import { answerIn, asked, DATA, EVALUATION, RECORDS } from "./support.js";

const handler = authzenHandler({ policies: RECORDS, data: DATA, limits: { bodyBytes: 2_000 } });
const WELL_KNOWN = "/.well-known/authzen-configuration";

async function listening(
  listener: RequestListener,
  use: (origin: string, port: number) => Promise<void>,
): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await use(`http://127.0.0.1:${port}`, port);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function expectAnswers(origin: string): Promise<void> {
  const post = async (body: unknown, type = "application/json") =>
    await answerIn(
      await fetch(origin + EVALUATION, {
        method: "POST",
        body: typeof body === "string" ? body : JSON.stringify(body),
        headers: { "content-type": type, "x-request-id": "r1" },
      }),
    );
  expect((await post(asked("alice", "read", "record-1"))).json).toEqual({ decision: true });
  expect((await post(asked("alice", "fly", "record-1"))).json.decision).toBe(false);
  for (const [body, type, status] of [
    ["{", undefined, 400],
    [asked("alice", "read", "record-1"), "text/plain", 400],
    [{ a: "x".repeat(2_000) }, undefined, 413],
  ] as const) {
    const answer = await post(body, type);
    expect([answer.status, answer.headers.get("x-request-id")]).toEqual([status, "r1"]);
  }
  const { json } = await answerIn(await fetch(origin + WELL_KNOWN));
  expect(json.policy_decision_point).toBe(origin);
}

test("Node", async () => {
  await listening(fetchListener(handler), expectAnswers);
});

test("Express", async () => {
  const app = express();
  app.use(["/access", "/.well-known"], fetchListener(handler));
  await listening(app, expectAnswers);
});

test("Fastify", async () => {
  const app = Fastify();
  const listener = fetchListener(handler);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  for (const path of ["/access/*", "/.well-known/*"]) {
    app.all(path, async (request, reply) => {
      reply.hijack();
      await listener(request.raw, reply.raw);
    });
  }
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  try {
    await expectAnswers(origin);
  } finally {
    await app.close();
  }
});

test("Hono", async () => {
  const app = new Hono();
  app.all("/access/*", ({ req }) => handler(req.raw));
  app.all("/.well-known/*", ({ req }) => handler(req.raw));
  await listening(
    fetchListener(async (request) => await app.fetch(request)),
    expectAnswers,
  );
});

describe("the listener of Node", () => {
  /** The status of the response to raw bytes. */
  const statusOf = (port: number, bytes: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
      socket.once("data", (data) => {
        socket.destroy();
        resolve(String(data).split("\r\n", 1)[0] ?? "");
      });
      socket.once("error", reject);
    });

  test.each([
    ["GET /a HTTP/1.1\r\nHost: a/b\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["GET /a HTTP/1.1\r\nHost: u@a\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["GET http://a/b HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["TRACE /a HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["GET //b.example/a HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 404 Not Found"],
    [`GET ${WELL_KNOWN} HTTP/1.1\r\nHost: a\r\n\r\n`, "HTTP/1.1 200 OK"],
    [`HEAD ${WELL_KNOWN} HTTP/1.1\r\nHost: a\r\n\r\n`, "HTTP/1.1 200 OK"],
  ])("%j: %s", async (bytes, status) => {
    await listening(fetchListener(handler), async (_, port) => {
      expect(await statusOf(port, bytes)).toBe(status);
    });
  });

  test("a caller who goes away in the middle of a body does no harm", async () => {
    await listening(fetchListener(handler), async (origin, port) => {
      const head = `POST ${EVALUATION} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
      await new Promise((resolve) => {
        const socket = connect(port, "127.0.0.1", () => socket.write(head, () => socket.destroy()));
        socket.once("close", resolve);
      });
      await expectAnswers(origin);
    });
  });

  test("the address is that of the proxy only if it is trusted", async () => {
    const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "pdp.example.com" };
    for (const behindProxy of [true, false]) {
      await listening(fetchListener(handler, { behindProxy }), async (origin) => {
        const { json } = await answerIn(await fetch(origin + WELL_KNOWN, { headers }));
        expect(json.policy_decision_point).toBe(behindProxy ? "https://pdp.example.com" : origin);
      });
    }
  });
});
