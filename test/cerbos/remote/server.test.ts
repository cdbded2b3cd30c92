/**
 * Decisions by the real server, over gRPC.
 *
 * @module-tag long
 */

import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server as NetServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { GRPC } from "@cerbos/grpc";
import fc from "fast-check";
import { isLeft, isRight } from "fp-ts/lib/Either.js";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { remoteDecider } from "../../../src/cerbos/index.js";
import { decide, type PolicyFile, type PolicySet } from "../../../src/index.js";
import { damagedRequest, shippedRequest } from "../../property/arbitraries/index.js";
import { compiled, SHIPPED_ROOT, shipped, shippedFiles } from "../../support/policies.js";
import { ask } from "../../support/requests.js";
import { say } from "../../support/seed.js";
import { NO_SERVER, type Server, startServer } from "../../support/server.js";

const clients: GRPC[] = [];
afterAll(() => {
  for (const client of clients) client.close();
});

function clientOf(address: string): GRPC {
  const client = new GRPC(address, { tls: false });
  clients.push(client);
  return client;
}

const decider = (address: string, policies: PolicySet = shipped, timeoutMs = 30_000) =>
  remoteDecider(clientOf(address), policies, { timeoutMs });

describe.skipIf(NO_SERVER !== undefined)(`the server 0.55.0 (${NO_SERVER ?? "it is here"})`, () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer(SHIPPED_ROOT);
  });
  afterAll(() => server?.stop());

  const enforced = compiled(shippedFiles, { schemaEnforcement: "reject" });
  const damaged = shippedRequest()
    .chain((one) => damagedRequest(one, "either"))
    .map(({ request }) => request);

  test("2,000 requests, half of them damaged: its decisions are those of the embedded engine", async () => {
    const remote = decider(server.grpc);
    const outcomes = { allow: 0, insufficient_permissions: 0, forbidden: 0 };
    let unread = 0;
    const whole = fc.sample(shippedRequest(), 1_000).map((request) => ({ request, whole: true }));
    const broken = fc.sample(damaged, 1_000).map((request) => ({ request, whole: false }));
    for (const batch of chunks([...whole, ...broken], 50)) {
      const answers = await Promise.all(batch.map(({ request }) => remote(request)()));
      for (const [i, one] of batch.entries()) {
        const expected = decide(one.whole ? shipped : enforced, one.request);
        const answer = answers[i];
        if (answer === undefined || isLeft(answer)) throw new Error(JSON.stringify(answer));
        expect(answer.right).toEqual(expected);
        const without = decide(shipped, one.request);
        if (without.outcome !== "allow") expect(answer.right.outcome).not.toBe("allow");
        if (without.outcome !== expected.outcome) unread++;
        outcomes[expected.outcome]++;
      }
    }
    say(`2,000 decisions by the server: ${JSON.stringify(outcomes)}; in ${unread} damage that no rule reads decided`);
    for (const [outcome, count] of Object.entries(outcomes)) expect(count, outcome).toBeGreaterThan(200);
    expect(unread).toBeGreaterThan(0);
  });

  test("the reasons that it reports by its outputs are among those of the decision", async () => {
    const client = clientOf(server.grpc);
    let several = 0;
    for (const request of fc.sample(shippedRequest(), 400)) {
      const { platform } = decide(shipped, request);
      if (platform.effect === "allow" || platform.reasons[0]?.kind === "default") continue;
      const { outputs } = await client.checkResource({
        principal: { ...request.account, roles: ["account"] },
        resource: { ...request.resource, policyVersion: "platform" },
        actions: [request.operation],
      });
      const reasons = platform.reasons.map(({ reason }) => reason);
      expect(outputs).toHaveLength(1);
      expect(reasons).toContain(outputs[0]?.value);
      if (reasons.length > 1) several++;
    }
    expect(several).toBeGreaterThan(5);
  });

  test("a server that was there, and is gone: no decision, whatever it would be", async () => {
    const other = await startServer(SHIPPED_ROOT);
    const remote = decider(other.grpc);
    expect(await remote(ask("apis.getApi"))()).toMatchObject({ right: { outcome: "allow" } });
    await other.stop();
    for (const request of [ask("apis.getApi"), ask("apis.deleteApi", { resource: { system: true } })]) {
      expect(await remote(request)()).toMatchObject({ left: { kind: "unavailable", message: expect.any(String) } });
    }
  });

  const policy = (rules: readonly object[], version: string, principal: string) =>
    JSON.stringify({
      apiVersion: "api.cerbos.dev/v1",
      resourcePolicy: {
        resource: "api",
        version,
        schemas: { principalSchema: { ref: `cerbos:///${principal}.json` } },
        rules,
      },
    });
  const all = { actions: ["*"], roles: ["*"], effect: "EFFECT_ALLOW", name: "all" };
  const deny = (name: string, expr: string) => ({
    actions: ["*"],
    roles: ["account"],
    effect: "EFFECT_DENY",
    name,
    condition: { match: { expr } },
    output: { when: { ruleActivated: JSON.stringify(name) } },
  });
  const store = (...denials: readonly object[]): readonly PolicyFile[] => [
    { path: "permissions.json", text: policy([all], "default", "key") },
    { path: "platform.json", text: policy([all, ...denials], "platform", "account") },
    { path: "_schemas/key.json", text: '{"type":"object"}' },
    { path: "_schemas/account.json", text: '{"properties":{"plan":{"type":"string"}}}' },
  ];
  const system = deny("system_resource", "R.attr.system");
  const about = (attr: { [name: string]: never | string | boolean }, plan: string | number = "pro") => ({
    key: { id: "k", roles: ["admin"] },
    operation: "apis.deleteApi",
    resource: { kind: "api", id: "api_1", attr },
    account: { id: "acc_1", attr: { plan } },
  });

  test("what the server would pass over is denied here: a DENY rule that errs, where no schema says a word", async () => {
    await withServer(store(system), async ({ grpc }) => {
      const client = clientOf(grpc);
      const remote = remoteDecider(client, compiled(store(system)), { timeoutMs: 30_000 });
      expect(await remote(about({ system: false }))()).toMatchObject({ right: { outcome: "allow" } });
      expect(await remote(about({ system: true }))()).toMatchObject({
        right: { outcome: "forbidden", platform: { reasons: [{ kind: "rule", reason: "system_resource" }] } },
      });
      for (const attr of [{}, { system: "yes" }]) {
        // The server alone allows the request, although the rule's condition errs.
        const resource = { kind: "api", id: "api_1", attr, policyVersion: "platform" };
        const principal = { id: "acc_1", roles: ["account"], attr: { plan: "pro" } };
        expect(await client.isAllowed({ principal, resource, action: "apis.deleteApi" })).toBe(true);
        expect(await remote(about(attr))()).toMatchObject({
          right: { outcome: "forbidden", platform: { reasons: [{ kind: "error", reason: "system_resource" }] } },
        });
      }
      expect(await remote(about({ system: false }, 1))()).toMatchObject({
        right: { outcome: "forbidden", platform: { reasons: [{ kind: "error", reason: "invalid_attributes" }] } },
      });
    });
  });

  test("a server with other policies: what it alone denies is denied, what it alone allows is no decision", async () => {
    const frozen = deny("frozen", "R.attr.frozen");
    await withServer(store(frozen), async ({ grpc }) => {
      const here = compiled(store(system));
      const remote = decider(grpc, here);
      expect(await remote(about({ system: false, frozen: true }))()).toEqual({
        _tag: "Right",
        right: {
          outcome: "forbidden",
          permission: decide(here, about({ system: false })).permission,
          platform: {
            effect: "deny",
            policy: "resource.api.vplatform",
            scope: "",
            reasons: [{ kind: "rule", reason: "frozen", rule: "frozen", policy: "resource.api.vplatform" }],
            errors: [],
            outputs: [{ src: "resource.api.vplatform#frozen", action: "apis.deleteApi", val: "frozen" }],
            derivedRoles: [],
          },
        },
      });
      const allowed = await remote(about({ system: true, frozen: false }))();
      expect(allowed).toMatchObject({ left: { kind: "other_policies", message: expect.stringContaining("allows") } });
      // The shipped policies have kinds that are unknown to this server.
      const unknown = await decider(grpc)(ask("keys.getKey"))();
      expect(unknown).toMatchObject({ left: { kind: "other_policies", message: expect.stringContaining("NO_MATCH") } });
    });
  });

  test("what the server does not accept is refused, not denied", async () => {
    const one = ask("apis.getApi");
    const account = { ...one.account, attr: { ...one.account.attr, "": 1 } };
    const answer = await decider(server.grpc)({ ...one, account })();
    expect(answer).toMatchObject({ left: { kind: "refused", message: "the server answers INVALID_ARGUMENT" } });
  });
});

describe("no server", () => {
  const open: { server: NetServer; sockets: Set<Socket> }[] = [];
  afterEach(async () => {
    for (const { server, sockets } of open.splice(0)) {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  /** The address of a socket server that passes each connection to `answer`. */
  async function listening(answer: (socket: Socket) => void): Promise<string> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      answer(socket);
    });
    open.push({ server, sockets });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    return `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  }

  test("nobody listens", async () => {
    const answer = await decider("127.0.0.1:1")(ask("apis.getApi"))();
    expect(answer).toMatchObject({ left: { kind: "unavailable", message: "the server answers UNAVAILABLE" } });
  });

  test("one that accepts and says nothing: the time is up, for what is allowed and for what is not", async () => {
    const address = await listening(() => {});
    const remote = decider(address, shipped, 100);
    for (const request of [ask("apis.getApi"), ask("apis.deleteApi", { resource: { system: true } })]) {
      expect(await remote(request)()).toMatchObject({ left: { kind: "timeout" } });
    }
  });

  test("one that speaks another language", async () => {
    const address = await listening((socket) => {
      socket.end("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{}");
    });
    const answer = await decider(address, shipped, 5_000)(ask("apis.getApi"))();
    expect(isRight(answer)).toBe(false);
    if (isLeft(answer)) expect(["unavailable", "timeout"]).toContain(answer.left.kind);
  });

  test("what both layers deny for itself needs no server", async () => {
    const answer = await decider("127.0.0.1:1")(ask("apis.getApi", { resource: { state: 1, environment: 2 } }))();
    expect(answer).toMatchObject({ right: { outcome: "forbidden" } });
  });
});

function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

async function withServer(files: readonly PolicyFile[], use: (server: Server) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "keyward-remote-"));
  let server: Server | undefined;
  try {
    for (const { path, text } of files) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), text);
    }
    server = await startServer(directory);
    await use(server);
  } finally {
    await server?.stop();
    await rm(directory, { recursive: true, force: true });
  }
}
