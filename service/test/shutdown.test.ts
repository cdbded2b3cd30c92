/**
 * An orderly shutdown, and the answers while the service cannot serve.
 *
 * @module-tag long
 */

import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "../src/store/store.js";
import { describeStores } from "./support/databases.js";
import { serverFor } from "./support/server.js";
import { type TestService, testService } from "./support/service.js";
import { newAccount, type World } from "./support/world.js";

describeStores("shutdown and outages", (open) => {
  let store: Store;
  let service: TestService;
  let world: World;
  beforeAll(async () => {
    store = await open();
    service = await testService(store);
    world = await newAccount(store);
  });
  afterAll(() => store.close().catch(() => {}));

  test("what is in flight is finished; nothing new is taken", async () => {
    const server = await serverFor(service);
    const { hostname, port } = new URL(server.baseUrl);
    const socket = connect(Number(port), hostname);
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    const ended = new Promise((resolve) => socket.on("close", resolve));
    const head = `POST /v2/keys.whoami HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${world.admin.secret}\r\n`;
    socket.write(`${head}content-type: application/json\r\ncontent-length: 2\r\n\r\n{`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const closed = server.close(20_000);
    // Connections are refused from the next turn of the event loop on.
    await new Promise((resolve) => setImmediate(resolve));
    await expect(fetch(server.baseUrl)).rejects.toThrow();
    socket.write("}");
    await ended;
    await closed;
    expect(received).toMatch(/^HTTP\/1\.1 200 /);
    expect(received).toContain(world.admin.keyId);
  });

  test("what does not end in time is cut off", async () => {
    const server = await serverFor(service);
    const { hostname, port } = new URL(server.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.resume();
    const ended = new Promise((resolve) => socket.on("close", resolve));
    const head = `POST /v2/keys.whoami HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${world.admin.secret}\r\n`;
    socket.write(`${head}content-type: application/json\r\ncontent-length: 2\r\n\r\n{`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await server.close(50);
    await ended;
  });

  test("a caller that keeps the connection on which it asked for a tunnel does not keep the server", async () => {
    const server = await serverFor(service);
    const { hostname, port } = new URL(server.baseUrl);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const answered = new Promise((resolve) => socket.once("data", resolve));
    socket.write("CONNECT x:443 HTTP/1.1\r\nhost: x\r\n\r\n");
    expect(String(await answered)).toMatch(/^HTTP\/1\.1 404 /);
    await server.close(20_000);
    socket.destroy();
  });

  test("once it drains, each connection ends with its next answer, and new ones are accepted", async () => {
    const server = await serverFor(service);
    const connection = async () => (await fetch(`${server.baseUrl}/healthz`)).headers.get("connection");
    expect(await connection()).toBe("keep-alive");
    server.drain();
    expect([await connection(), await connection()]).toEqual(["close", "close"]);
    await server.close(20_000);
  });

  test("without its store it is not ready, and answers 503; without a decision too", async () => {
    const ready = async () => (await service.app.request("/readyz")).status;
    expect(await ready()).toBe(200);
    const body = { apiId: world.active };
    const broken = await testService(store, {
      decider: {
        description: "none",
        decide: () => Promise.reject(new Error("a bug")),
        ping: () => Promise.reject(new Error("none")),
        close: () => {},
      },
    });
    expect((await broken.app.request("/readyz")).status).toBe(503);
    const bug = await broken.call("/v2/apis.getApi", world.admin.secret, body);
    expect([bug.status, bug.body.error.detail]).toEqual([500, "The service failed to process the request"]);
    expect(bug.text).not.toContain("a bug");
    await store.close();
    expect(await ready()).toBe(503);
    expect((await service.app.request("/healthz")).status).toBe(200);
    const answer = await service.call("/v2/apis.getApi", world.admin.secret, body);
    expect([answer.status, answer.body.error.title]).toEqual([503, "Service Unavailable"]);
    expect(answer.text).not.toMatch(/pool|pglite|closed|select/i);
  });
});
