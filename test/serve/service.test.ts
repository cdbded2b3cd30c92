/**
 * `keyward serve` in this process: both APIs, callers, bounds, reloads, records and metrics.
 *
 * @module-tag long
 */

import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { keyward } from "../support/terminal.js";
import {
  CHECK,
  checkOf,
  decisionOn,
  EVALUATION,
  evaluationOf,
  type FILES,
  jsonOf,
  POLICY,
  post,
  refused,
  serving,
  waitFor,
} from "./support.js";

const PLAN = "/api/plan/resources";

describe("Cerbos's API", () => {
  test("answers as the commands do, but for the call id", async () => {
    await serving([], async ({ origin, directory }) => {
      const plan = { requestId: "p", principal: { id: "alice", roles: ["member"] }, resource: { kind: "record" } };
      const faulty = { ...checkOf(["read"]), principal: undefined };
      for (const [path, command, body] of [
        [CHECK, "check-resources", checkOf(["read", "write", "delete"])],
        [CHECK, "check-resources", { ...checkOf(["write"], "bob"), includeMeta: true }],
        [CHECK, "check-resources", faulty],
        [CHECK, "check-resources", { ...checkOf(["read"]), foo: 1 }],
        [CHECK, "check-resources", { ...checkOf(["read"]), auxData: { jwt: { token: "a.b.c" } } }],
        [PLAN, "plan-resources", { ...plan, actions: ["write"] }],
        [PLAN, "plan-resources", { ...plan, action: "read", includeMeta: true }],
        [PLAN, "plan-resources", { ...plan, resource: {} }],
      ] as const) {
        const response = await post(origin + path, body);
        const { cerbosCallId, ...answer } = await jsonOf(response);
        const { code, out } = await keyward([command, join(directory, "policies")], JSON.stringify(body));
        expect(answer).toEqual(JSON.parse(out));
        expect(response.status).toBe(code === 0 ? 200 : 400);
        expect(cerbosCallId === undefined).toBe(code !== 0);
        if (code === 0) expect(cerbosCallId).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
      }
    });
  });

  test("tokens are decoded only with --insecure-jwt", async () => {
    const policies = POLICY.allowing.replace("R.attr.owner == P.id", 'request.aux_data.jwt.sub == "alice"');
    const token = ["{}", '{"sub":"alice"}', ""].map((part) => Buffer.from(part).toString("base64url")).join(".");
    const body = { ...checkOf(["write"]), auxData: { jwt: { token } } };
    await serving(
      ["--insecure-jwt"],
      async ({ origin }) => {
        const { results } = await jsonOf(post(origin + CHECK, body));
        expect(results[0].actions).toEqual({ write: "EFFECT_ALLOW" });
      },
      { "policies/record.yaml": policies },
    );
  });

  test("health, server info, and paths and methods that there are not", async () => {
    await serving([], async ({ origin }) => {
      const got = async (path: string) => {
        const response = await fetch(origin + path);
        return [response.status, await response.json()];
      };
      expect(await got("/_cerbos/health")).toEqual([200, { status: "SERVING" }]);
      expect(await got("/_cerbos/health?service=cerbos.svc.v1.CerbosService")).toEqual([200, { status: "SERVING" }]);
      expect(await got("/_cerbos/health?service=other")).toMatchObject([404, { code: 5 }]);
      expect(await got("/api/server_info")).toMatchObject([200, { version: expect.stringContaining("keyward") }]);
      expect(await got("/api/other")).toMatchObject([404, { code: 5 }]);
      expect(await got("/admin/policies")).toMatchObject([404, { code: 12 }]);
      expect(await got(CHECK)).toMatchObject([405, { code: 12 }]);
      expect((await fetch(`${origin}/metrics`)).status).toBe(404);
      expect((await fetch(`${origin}/`)).status).toBe(404);
    });
  });

  test("bodies that are refused", async () => {
    await serving([], async ({ origin }) => {
      const status = async (body: string, headers = {}) => (await post(origin + CHECK, body, headers)).status;
      expect(await status("{")).toBe(400);
      expect(await status('{"requestId":"a","requestId":"b"}')).toBe(400);
      expect(await status(`{"a":"${"x".repeat(1_048_576)}"}`)).toBe(413);
      expect(await status("[".repeat(100_000))).toBe(400);
      for (const type of ["text/plain;charset=UTF-8", "", "Application/JSON"]) {
        expect(await status(JSON.stringify(checkOf(["read"])), { "content-type": type })).toBe(200);
      }
      const type = { "content-type": "application/x-www-form-urlencoded", "x-request-id": "r" };
      const response = await post(origin + CHECK, checkOf(["read"]), type);
      expect([response.status, response.headers.get("x-request-id")]).toEqual([415, "r"]);
      const body = {
        ...checkOf(["read"]),
        resources: Array(51).fill({ actions: ["a"], resource: { kind: "r", id: "1" } }),
      };
      const many = await post(origin + CHECK, body);
      expect(await many.json()).toMatchObject({ code: 3, message: expect.stringContaining("(51) exceeds") });
    });
  });
});

test("AuthZEN: decisions, metadata and the mapping", async () => {
  const config = { attributes: { resource: { owner: "context.owner" } } };
  await serving(
    ["--data", "FILE:data.json", "--config", "FILE:keyward.authzen.json"],
    async ({ origin }) => {
      expect(await decisionOn(origin, "read")).toBe(true);
      expect(await decisionOn(origin, "write")).toBe(false);
      const body = { ...evaluationOf("write"), context: { owner: "alice" } };
      expect(await (await post(origin + EVALUATION, body)).json()).toEqual({ decision: true });
      const metadata = await (await fetch(`${origin}/.well-known/authzen-configuration`)).json();
      expect(metadata).toMatchObject({
        policy_decision_point: origin,
        access_evaluation_endpoint: origin + EVALUATION,
      });
    },
    { "keyward.authzen.json": JSON.stringify(config) },
  );
});

describe("policies that change", () => {
  const effect = async (origin: string) => {
    const { results } = await jsonOf(post(origin + CHECK, checkOf(["read"])));
    return results[0].actions.read;
  };

  test("are taken over for both APIs; those that do not load are not", async () => {
    await serving(["--data", "FILE:data.json", "--metrics"], async ({ origin, directory, log }) => {
      const file = join(directory, "policies/record.yaml");
      await writeFile(file, POLICY.denying);
      await waitFor(async () => ((await decisionOn(origin, "read")) ? undefined : true));
      expect(await effect(origin)).toBe("EFFECT_DENY");
      await writeFile(file, `${POLICY.allowing}\n    - { name: half`);
      await waitFor(() => log().find(({ event }) => event === "policies refused"));
      expect([await decisionOn(origin, "read"), await effect(origin)]).toEqual([false, "EFFECT_DENY"]);
      await writeFile(file, POLICY.allowing);
      await waitFor(async () => ((await decisionOn(origin, "read")) ? true : undefined));
      expect(await effect(origin)).toBe("EFFECT_ALLOW");
      const text = await (await fetch(`${origin}/metrics`)).text();
      expect(text).toContain('keyward_policy_reloads_total{result="refused"} 1');
      expect(text.match(/keyward_policies_info\{/g)).toHaveLength(1);
    });
  });

  test("SIGHUP reads the other files again, and keeps them if they are faulty", async () => {
    await serving(["--data", "FILE:data.json"], async ({ origin, directory, log }) => {
      expect(await decisionOn(origin, "read")).toBe(true);
      const file = join(directory, "data.json");
      await writeFile(file, "{");
      process.emit("SIGHUP", "SIGHUP");
      await waitFor(() => log().find(({ event }) => event === "files refused"));
      expect(await decisionOn(origin, "read")).toBe(true);
      await writeFile(file, '{"subjects":[]}');
      process.emit("SIGHUP", "SIGHUP");
      await waitFor(() => log().find(({ event }) => event === "files taken"));
      expect(await decisionOn(origin, "read")).toBe(false);
    });
  });
});

test("callers must bring a token, if there are tokens", async () => {
  const digest = (token: string) => createHash("sha256").update(token).digest("hex");
  const tokens = `# callers\ngateway sha256:${digest("one")}\n\noperator sha256:${digest("two")} admin\n`;
  await serving(
    ["--data", "FILE:data.json", "--tokens", "FILE:tokens", "--metrics"],
    async ({ origin }) => {
      const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
      for (const [path, body] of [
        [CHECK, checkOf(["read"])],
        [EVALUATION, evaluationOf("read")],
      ] as const) {
        for (const headers of [{}, bearer("three"), { authorization: "Basic one" }]) {
          const response = await post(origin + path, body, headers);
          expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
        }
        expect((await post(origin + path, body, bearer("one"))).status).toBe(200);
      }
      expect((await fetch(`${origin}/metrics`)).status).toBe(401);
      expect((await fetch(`${origin}/metrics`, { headers: bearer("one") })).status).toBe(200);
      expect((await fetch(`${origin}/_cerbos/health`)).status).toBe(200);
      const reasons = async (token: string) =>
        Object.keys((await jsonOf(post(origin + EVALUATION, evaluationOf("fly"), bearer(token)))).context);
      expect(await reasons("one")).not.toContain("reason_admin");
      expect(await reasons("two")).toContain("reason_admin");
    },
    { tokens },
  );
});

test("decisions are recorded without attributes, and counted", async () => {
  await serving(
    ["--data", "FILE:data.json", "--decisions", "FILE:decisions.jsonl", "--metrics"],
    async ({ origin, directory }) => {
      await post(origin + EVALUATION, evaluationOf("write"), { "x-request-id": "r1" });
      await post(origin + CHECK, checkOf(["read", "write"], "secret"));
      const lines = await waitFor(async () => {
        const text = await readFile(join(directory, "decisions.jsonl"), "utf8");
        return text.split("\n").length === 3 ? text : undefined;
      });
      expect(lines).not.toContain("secret");
      const policySetHash = expect.stringMatching(/^sha256:/);
      expect(
        lines
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
      ).toMatchObject([
        { api: "authzen", requestId: "r1", keyId: "alice", operation: "write", outcome: "allow", policySetHash },
        { api: "cerbos", requestId: "check", keyId: "alice", resourceId: "101", actions: { write: "EFFECT_DENY" } },
      ]);
      const text = await (await fetch(`${origin}/metrics`)).text();
      expect(text).toContain('keyward_decisions_total{api="authzen",outcome="allow"} 1');
      expect(text).toContain('keyward_decisions_total{api="cerbos",outcome="EFFECT_DENY"} 1');
      expect(text).toContain(`keyward_requests_total{path="${CHECK}",status="200"} 1`);
    },
  );
});

describe("hostile callers", () => {
  const sent = (port: number, bytes: string) =>
    new Promise<string>((resolve, reject) => {
      let text = "";
      const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
      socket.on("data", (data) => {
        text += String(data);
      });
      socket.once("close", () => resolve(text));
      socket.once("error", reject);
    });

  test("malformed and unfinished requests do not end the server", async () => {
    await serving(["--data", "FILE:data.json"], async ({ origin, log }) => {
      const port = Number(new URL(origin).port);
      expect(await sent(port, "\u0000\u0001\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
      expect(await sent(port, `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 4/,
      );
      for (const path of [CHECK, EVALUATION]) {
        const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`;
        await new Promise((resolve) => {
          const socket = connect(port, "127.0.0.1", () => socket.write(head, () => socket.destroy()));
          socket.once("close", resolve);
        });
      }
      expect(await decisionOn(origin, "read")).toBe(true);
      expect(log().filter(({ event }) => event === "error")).toEqual([]);
    });
  });
});

describe("what does not start", () => {
  test.each<[args: readonly string[], files: typeof FILES, code: number, err: string]>([
    [["--listen", "3592"], {}, 2, "--listen must be HOST:PORT"],
    [["--listen", "127.0.0.1:99999"], {}, 2, "--listen must be HOST:PORT"],
    [["--listen", "0.0.0.0:0"], {}, 2, "--listen must be a loopback address"],
    [["--listen", "[::]:0"], {}, 2, "--listen must be a loopback address"],
    [["--tls-cert", "FILE:data.json"], {}, 2, "--tls-cert and --tls-key go together"],
    [["--data", "FILE:none.json"], {}, 2, "DIR/none.json: ENOENT"],
    [["--data", "FILE:data.json"], { "data.json": '{"subjects":{}}' }, 2, "DIR/data.json: the data is malformed"],
    [["--data", "FILE:data.json"], { "data.json": '{"subjects":[],"subjects":[]}' }, 2, "is there twice"],
    [["--config", "FILE:c.json"], { "c.json": '{"role":1}' }, 2, "DIR/c.json: the mapping is malformed"],
    [["--tokens", "FILE:t"], { t: "gateway secret\n" }, 2, "DIR/t: line 1 must be NAME sha256:DIGEST"],
    [["--tokens", "FILE:t"], { t: "# none\n" }, 2, "DIR/t: there are no tokens"],
    [["--base-url", "http://example.com"], {}, 2, "baseUrl must be an https address"],
    [["--workers", "0"], {}, 2, "--workers must be a number of 1 or more"],
    [["--workers", "1025"], {}, 2, "--workers must be at most 1024"],
    [["--decisions", "FILE:none/x"], {}, 2, "cannot write DIR/none/x"],
    [[], { "policies/record.yaml": "a: 1" }, 3, "DIR/policies/record.yaml:1:1 error"],
  ])("%j", async (args, files, code, err) => {
    const found = await refused(args, files);
    expect(found.code).toBe(code);
    expect(found.err).toContain(err);
  });

  test("an address that is taken is 1", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const { code, err } = await refused(["--listen", `127.0.0.1:${port}`]);
    server.close();
    expect([code, err]).toEqual([1, expect.stringContaining("EADDRINUSE")]);
  });
});
