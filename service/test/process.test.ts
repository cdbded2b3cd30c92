/**
 * The program: its output, its start-up checks, its orderly end, and recovery after being killed.
 *
 * @module-tag long
 */

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shippedPolicies } from "keyward/node";
import { afterAll, describe, expect, test } from "vitest";
import { NO_POSTGRES, newDatabase, skipped } from "./support/databases.js";
import { NOT_BUILT, run, type ServiceProcess, startProcess, until } from "./support/process.js";

const home = mkdtempSync(join(tmpdir(), "keyward-service-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe.skipIf(NOT_BUILT !== undefined)(`the demonstration${skipped(NOT_BUILT)}`, () => {
  test("prints one line for programs, and commands that get the answers they name", async () => {
    const service = await startProcess({ DEMO: "1" });
    try {
      await until("it is announced", () => service.stdout().includes("# 7.3.5 It is used as before"));
      const [first = "", ...rest] = service.stdout().split("\n");
      const { demo } = JSON.parse(first);
      expect(Object.keys(demo)).toEqual(["baseUrl", "keys", "apis"]);
      expect(demo.baseUrl).toBe(service.baseUrl);
      expect(Object.keys(demo.keys)).toEqual([
        ...["admin", "editor", "read_only", "limited", "other_workspace", "development", "full_admin"],
      ]);
      expect(Object.keys(demo.apis).sort()).toEqual(
        ["active", "system", "suspended", "delete_protected", "full", "draft"].sort(),
      );

      const outcomes = new Set<string>();
      const commands = [...rest.join("\n").matchAll(/^# (.*): (\d+)(?: (\w+))?\n(curl .*)$/gm)];
      for (const [, title = "", status, code, curl = ""] of commands) {
        const [, url, key, body] =
          /^curl -s '(.*?)' -H 'Authorization: Bearer (.*?)' -H 'Content-Type: application\/json' -d '(.*)'$/.exec(
            curl,
          ) ?? [];
        if (url === undefined || key === undefined || body === undefined) throw new Error(curl);
        const answer = await service.call(new URL(url).pathname, key, JSON.parse(body));
        expect([title, String(answer.status), answer.body.error?.type.split("/").at(-1)]).toEqual([
          title,
          status,
          code,
        ]);
        outcomes.add(title.slice(0, 5));
      }
      // The demonstration covers every condition of the contract.
      const conditions = [..."123456"].map((n) => `7.3.${n}`).concat([..."1234567"].map((n) => `7.4.${n}`));
      expect([...outcomes].sort()).toEqual([...conditions, "A key"].sort());

      // Each decision is on standard output. Only the announcement of the demonstration contains secrets.
      const records = service
        .stdout()
        .split("\n")
        .filter((line) => line.startsWith('{"time"'));
      expect(records.length).toBe(commands.length);
      expect(records.join("") + service.stderr()).not.toMatch(/kw_[0-9a-f]{16}/);

      const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
      expect(metrics).toMatch(/^keyward_requests_total\{operation="keys\.createKey",outcome="forbidden"\} 5$/m);
      expect(metrics).toMatch(
        /^keyward_decision_duration_seconds_count\{operation="apis\.deleteApi",outcome="forbidden"\} 2$/m,
      );
      for (const path of ["/healthz", "/readyz"]) expect((await fetch(service.baseUrl + path)).status).toBe(200);
    } finally {
      expect(await service.end()).toBe(0);
    }
  });
});

test.skipIf(NOT_BUILT !== undefined)(`it ends although nobody reads what it says${skipped(NOT_BUILT)}`, async () => {
  const service = await startProcess({ DEMO: "1" });
  const { child } = service;
  await until("it is announced", () => service.stdout().includes('"demo"'));
  const { demo } = JSON.parse(service.stdout().split("\n")[0] ?? "");
  const streams = [child.stdout, child.stderr];
  for (const stream of streams) stream?.pause();
  const ask = async () => (await service.call("/v2/apis.getApi", demo.keys.admin, { apiId: demo.apis.active })).status;
  await until("its log takes no more", async () => (await Promise.all(Array.from({ length: 100 }, ask))).includes(503));
  // Each request logs a line on standard error; this fills that pipe as well.
  for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 100 }, ask));
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  for (const stream of streams) stream?.resume();
});

describe.skipIf(NOT_BUILT !== undefined)(`what it does not start with${skipped(NOT_BUILT)}`, () => {
  test.each<[string, NodeJS.ProcessEnv, number, RegExp]>([
    [
      "two stores",
      { DATABASE_URL: "postgres://u:hunter2@h/d", DATA_DIR: "x" },
      2,
      /^DATA_DIR must not be set together/,
    ],
    ["no store", {}, 2, /^DATABASE_URL or DATA_DIR must be set; or DEMO=1/],
    [
      "an empty variable",
      { DATABASE_URL: "", DATA_DIR: "", NODE_ENV: "production" },
      2,
      /^DATABASE_URL must not be empty.*\nDATA_DIR must not be empty/,
    ],
    ["a misspelt variable", { DATABSE_URL: "postgres://u:hunter2@h/d", DEMO: "1" }, 2, /did you mean DATABASE_URL\?$/m],
    ["a demonstration in production", { DEMO: "1", NODE_ENV: "production" }, 2, /^DEMO must not be set/],
    ["no policies", { POLICIES: join(home, "nowhere"), DEMO: "1" }, 3, /are not valid\n.* io /],
    ["a store that is not there", { DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/d" }, 1, /ECONNREFUSED/],
  ])("%s", async (_, environment, code, message) => {
    const ended = await run([], { PORT: "0", ...environment });
    expect([ended.code, ended.stdout]).toEqual([code, ""]);
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr).not.toContain("hunter2");
  });

  test("arguments that it does not know", async () => {
    expect(await run(["start"], {})).toMatchObject({ code: 2, stderr: expect.stringContaining("usage: serve") });
    const account = await run(["create-account", "--plan", "gold"], { DATA_DIR: join(home, "none") });
    expect(account).toMatchObject({ code: 2, stderr: expect.stringContaining("usage: create-account") });
    const admin = await run(["admin", "accounts", "suspend", "acc_1"], { DATA_DIR: join(home, "none") });
    expect(admin).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("--operator: is required") });
    for (const [args, usage] of [
      [["admin", "--help"], "usage: admin GROUP"],
      [["--help"], "usage: serve"],
    ] as const) {
      const help = await run(args, {});
      expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining(usage), stderr: "" });
    }
    const issued = await run(["issue-key"], { DATA_DIR: join(home, "none") });
    expect(issued).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("usage: issue-key --account"),
    });
  });
});

/** The service starts repeatedly on one store. */
const stores = [
  ["a data directory", undefined, async () => ({ DATA_DIR: join(home, "data") })],
  ["PostgreSQL", NO_POSTGRES, async () => ({ DATABASE_URL: await newDatabase() })],
] as const;

describe.each(stores)("on %s", (_, missing, environmentOf) => {
  const reason = NOT_BUILT ?? missing;
  test.skipIf(reason !== undefined)(
    `what was answered before a kill -9 is there after it, and nothing half-made${skipped(reason)}`,
    async () => {
      const environment = await environmentOf();
      const made = await run(["create-account"], environment);
      const { accountId, workspaceId } = JSON.parse(made.stdout);
      expect(made.stderr).toBe("");
      const issued = await run(["issue-key", "--account", accountId], environment);
      const { key: admin } = JSON.parse(issued.stdout);
      expect([issued.code, issued.stderr]).toEqual([0, ""]);
      const none = await run(["issue-key", "--account", "acc_none"], environment);
      expect([none.code, none.stdout, none.stderr]).toEqual([2, "", "there is no account acc_none\n"]);
      const get = await run(["admin", "accounts", "get", accountId, "--format", "json"], environment);
      expect([get.code, get.stderr]).toEqual([0, ""]);
      expect(JSON.parse(get.stdout)).toMatchObject({ account: { accountId, usage: { keys: 2 } } });
      const unknown = await run(["admin", "accounts", "get", "acc_none"], environment);
      expect([unknown.code, unknown.stdout, unknown.stderr]).toEqual([2, "", "there is no account acc_none\n"]);
      const records = join(home, `decisions-${Math.random()}.jsonl`);
      const first = await startProcess({ ...environment, DECISION_LOG: records });
      // Without DEMO=1 nothing is announced.
      expect(first.stdout()).toBe("");
      const { body } = await first.call("/v2/apis.createApi", admin, { workspaceId, name: "x", state: "active" });
      const { apiId } = body.data;
      const answered = await createUntilKilled(first, admin, apiId);
      expect(answered.length).toBeGreaterThan(100);
      expect(answered.length).toBeLessThan(1_000);
      const decided = readFileSync(records, "utf8").trim().split("\n");
      expect(decided.length).toBeGreaterThanOrEqual(answered.length);

      const second = await startProcess({ ...environment, DECISION_LOG: records });
      try {
        const listed = await listAll(second, admin, apiId);
        const stored = new Set(listed.map(({ keyId }) => keyId));
        expect(answered.filter(({ keyId }) => !stored.has(keyId))).toEqual([]);
        // Only requests in flight can be stored without an answer. Every stored key is counted.
        expect(stored.size - answered.length).toBeLessThanOrEqual(IN_FLIGHT);
        const api = await second.call("/v2/apis.getApi", admin, { apiId });
        expect(api.body.data.keyCount).toBe(stored.size);
        for (const { keyId, key } of answered.filter((__, i) => i % 7 === 0)) {
          expect((await second.call("/v2/keys.whoami", key, {})).body.data.keyId).toBe(keyId);
        }
      } finally {
        expect(await second.end()).toBe(0);
      }
    },
  );
});

const IN_FLIGHT = 16;

interface Made {
  readonly keyId: string;
  readonly key: string;
}

/** Creates up to 1,000 keys, and kills the service after 150 answers; returns the keys that were answered. */
async function createUntilKilled(service: ServiceProcess, admin: string, apiId: string): Promise<Made[]> {
  const answered: Made[] = [];
  let left = 1_000;
  const worker = async () => {
    while (left-- > 0) {
      const answer = await service.call("/v1/keys.createKey", admin, { apiId, name: "x" }).catch(() => undefined);
      if (answer === undefined) return;
      expect(answer.status).toBe(200);
      answered.push(answer.body.data);
      if (answered.length === 150) service.child.kill("SIGKILL");
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  await service.end("SIGKILL");
  return answered;
}

async function listAll(service: ServiceProcess, key: string, apiId: string): Promise<Made[]> {
  const listed: Made[] = [];
  let cursor: string | null = null;
  do {
    const body: object = cursor === null ? { apiId } : { apiId, cursor };
    const { data } = (await service.call("/v2/apis.listKeys", key, body)).body;
    listed.push(...data.keys);
    cursor = data.nextCursor;
  } while (cursor !== null);
  return listed;
}

const noReplicas = NOT_BUILT ?? NO_POSTGRES;
describe.skipIf(noReplicas !== undefined)(`replicas on one PostgreSQL${skipped(noReplicas)}`, () => {
  test("start together, keep the quota together, and end in order", async () => {
    const policies = join(home, "policies");
    cpSync(shippedPolicies, policies, { recursive: true });
    const environment = {
      DATABASE_URL: await newDatabase(),
      SHUTDOWN_DELAY_MS: "700",
      POLICIES: policies,
      POLICIES_WATCH: "0",
    };
    // Both replicas find no tables; only one of them creates them.
    const [one, two] = await Promise.all([startProcess(environment), startProcess(environment)]);
    try {
      const made = JSON.parse((await run(["create-account", "--keys", "11"], environment)).stdout);
      const { workspaceId, key: admin } = made;
      const { body } = await one.call("/v2/apis.createApi", admin, { workspaceId, name: "x", state: "active" });
      const { apiId } = body.data;
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, i) =>
          (i % 2 === 0 ? one : two).call("/v1/keys.createKey", admin, { apiId, name: `${i}` }),
        ),
      );
      const count = (status: number, end: string) =>
        answers.filter((answer) => answer.status === status && (answer.body.error?.type ?? "ok").endsWith(end)).length;
      expect([count(200, "ok"), count(403, "/authorization/forbidden")]).toEqual([10, 190]);

      // A change through one replica takes effect at once on the other.
      const own = answers.find(({ status }) => status === 200)?.body.data;
      expect((await one.call("/v2/keys.whoami", own.key, {})).status).toBe(200);
      await two.call("/v2/keys.updateKey", admin, { keyId: own.keyId, state: "disabled" });
      expect((await one.call("/v2/keys.whoami", own.key, {})).status).toBe(401);

      // SIGHUP: an invalid set is refused, a valid one is loaded.
      const file = join(policies, "platform", "api.yaml");
      const text = readFileSync(file, "utf8");
      writeFileSync(file, `${text}\n!`);
      two.child.kill("SIGHUP");
      await until("the bad set is refused", () => two.stderr().includes("policies not reloaded"));
      writeFileSync(file, text.replaceAll("apis.getApi", "apis.readApi"));
      two.child.kill("SIGHUP");
      await until("the good set is taken", () => two.stderr().includes('"policies reloaded"'));
      const [old, reloaded] = [
        await one.call("/v2/apis.getApi", admin, { apiId }),
        await two.call("/v2/apis.getApi", admin, { apiId }),
      ];
      expect([old.status, reloaded.status]).toEqual([200, 403]);

      // Shutdown: `/readyz` fails at once, requests are still served, then the process exits.
      const ended = one.end("SIGTERM");
      await until("it is not ready", async () => (await fetch(`${one.baseUrl}/readyz`)).status === 503);
      expect((await one.call("/v2/keys.whoami", admin, {})).status).toBe(200);
      expect(await ended).toBe(0);
      await expect(fetch(one.baseUrl)).rejects.toThrow();
    } finally {
      await Promise.all([one.end("SIGKILL"), two.end()]);
    }
  });
});
