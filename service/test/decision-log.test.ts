/**
 * The decision log under faults: the service does not freeze, answers only recorded decisions, and recovers.
 *
 * @module-tag long
 */

import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDecisionLog } from "../src/observability/decision-log.js";
import { fileOutput, NotWritten, streamOutput } from "../src/observability/line-output.js";
import type { Store } from "../src/store/store.js";
import { openNewPglite, skipped } from "./support/databases.js";
import { NOT_BUILT, type ServiceProcess, startProcess, until } from "./support/process.js";
import { type TestService, testService } from "./support/service.js";
import { smallDisk } from "./support/small-disk.js";
import { newAccount, type World } from "./support/world.js";

const home = mkdtempSync(join(tmpdir(), "keyward-log-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
/** For writes that must time out. */
const QUICK = { timeoutMs: 200, limit: 1_000_000 };
/** For writes that must not time out, even on a busy machine. */
const PATIENT = { ...QUICK, timeoutMs: 60_000 };

/** Whether each write succeeded. */
const settled = async (writes: readonly Promise<void>[]) =>
  (await Promise.allSettled(writes)).map(({ status }) => status === "fulfilled");

describe("lines", () => {
  test("are in the file, whole and in order, when they are said to be", async () => {
    const path = join(home, "deep", "lines");
    const output = fileOutput(path, PATIENT);
    const lines = Array.from({ length: 500 }, (_, i) => `${i} ${"x".repeat(i)}`);
    await Promise.all(lines.map((line) => output.write(line)));
    expect(readFileSync(path, "utf8")).toBe(`${lines.join("\n")}\n`);
    await output.close();
  });

  test("a reader who stops: what waits is refused after a time, and what comes then at once, until it reads again", async () => {
    const path = join(home, "pipe");
    execFileSync("mkfifo", [path]);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const output = fileOutput(path, QUICK);
    const line = "x".repeat(10_000);
    const first = await settled(Array.from({ length: 20 }, () => output.write(line)));
    expect(first).toContain(false);
    await expect(output.ping()).rejects.toThrow(NotWritten);
    await expect(output.write("late")).rejects.toThrow(NotWritten);
    let read = "";
    const buffer = Buffer.alloc(65_536);
    const drain = () => {
      try {
        for (let n = 1; n > 0; ) {
          n = readSync(reader, buffer);
          read += buffer.toString("utf8", 0, n);
        }
      } catch {
        // The pipe is empty for now.
      }
    };
    await until("it is taken again", () => {
      drain();
      return settled([output.write("again")]).then(([done]) => done === true);
    });
    await output.ping();
    drain();
    expect(new Set(read.split("\n"))).toEqual(new Set([line, "again", ""]));
    closeSync(reader);
    await output.close();
  });

  test("no more waits than may", async () => {
    const taken: (() => void)[] = [];
    const stuck = new Writable({ write: (_, __, done) => void taken.push(done) });
    const output = streamOutput(stuck, { timeoutMs: 60_000, limit: 100 });
    const first = output.write("under way");
    const second = output.write("x".repeat(80));
    await expect(output.write("x".repeat(80))).rejects.toThrow(NotWritten);
    taken.shift()?.();
    taken.shift()?.();
    await first;
    taken.shift()?.();
    await second;
  });

  test("a part of a line that was written before the output failed is ended", async () => {
    let text = "";
    let broken = true;
    const stream = new Writable({ autoDestroy: false });
    stream.write = (chunk: string, given: unknown) => {
      const done = given as (error?: Error) => void;
      text += broken ? chunk.slice(0, 4) : chunk;
      done(broken ? new Error("full") : undefined);
      return true;
    };
    const output = streamOutput(stream, PATIENT);
    await expect(output.write("first line")).rejects.toThrow(NotWritten);
    await expect(output.ping()).rejects.toThrow(NotWritten);
    broken = false;
    await output.ping();
    await output.write("second line");
    expect(text.split("\n").filter((line) => line !== "")).toEqual(["firs", "second line"]);
  });
});

describe("a full disk", () => {
  const disk = smallDisk(join(home, "disk"), 65_536);
  let store: Store;
  let service: TestService;
  let world: World;
  beforeAll(async () => {
    store = await openNewPglite();
    world = await newAccount(store);
  });
  afterAll(async () => {
    await store.close();
    if (typeof disk !== "string") disk.remove();
  });

  test.skipIf(typeof disk === "string")(
    `503 for what would be recorded, nothing done, and not ready; then as before${skipped(typeof disk === "string" ? disk : undefined)}`,
    async () => {
      if (typeof disk === "string") return;
      const decisionLog = openDecisionLog(join(disk.path, "decisions"), PATIENT);
      service = await testService(store, { decisionLog });
      const create = () => service.call("/v1/keys.createKey", world.admin.secret, { apiId: world.active, name: "x" });
      const count = async () =>
        (await (await testService(store)).call("/v2/apis.getApi", world.admin.secret, { apiId: world.active })).body
          .data.keyCount;
      expect((await create()).status).toBe(200);
      disk.fill();
      const before = await count();
      await until("records are refused", async () => (await create()).status === 503);
      const made = (await count()) - before;
      const answers = await Promise.all(Array.from({ length: 10 }, create));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      expect((await count()) - before).toBe(made);
      expect((await service.app.request("/readyz")).status).toBe(503);
      expect((await service.app.request("/healthz")).status).toBe(200);
      disk.empty();
      expect((await service.app.request("/readyz")).status).toBe(200);
      expect((await create()).status).toBe(200);
      await decisionLog.close();
      // A truncated line stays as a fragment on a line of its own.
      const lines = readFileSync(join(disk.path, "decisions"), "utf8").trim().split("\n");
      expect(JSON.parse(lines[0] ?? "")).toMatchObject({ outcome: "allow" });
      expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ outcome: "allow" });
    },
  );
});

const small = smallDisk(join(home, "output"), 262_144);
const noDisk = NOT_BUILT ?? (typeof small === "string" ? small : undefined);
afterAll(() => {
  if (typeof small !== "string") small.remove();
});

test.skipIf(noDisk !== undefined)(
  `standard output of the program that is a file on a full disk: what is answered is recorded whole${skipped(noDisk)}`,
  async () => {
    if (typeof small === "string") return;
    const path = join(small.path, "out");
    const file = openSync(path, "a");
    const service = await startProcess({ DEMO: "1" }, file);
    closeSync(file);
    const text = () => readFileSync(path, "utf8");
    const lines = () => text().split("\n");
    try {
      await until("it is announced", () => text().includes("# 7.3.5 It is used as before"));
      const { keys, apis } = JSON.parse(lines()[0] ?? "").demo;
      const answered: string[] = [];
      const read = async () => {
        const { status, body } = await service.call("/v2/apis.getApi", keys.admin, { apiId: apis.active });
        if (status === 200) answered.push(body.meta.requestId);
        return status;
      };
      expect(await read()).toBe(200);
      for (let round = 0; round < 3; round++) {
        small.fill();
        await until("records are refused", async () => (await read()) === 503);
        expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(503);
        small.empty();
        await until("it is ready", async () => (await fetch(`${service.baseUrl}/readyz`)).status === 200);
        expect(await read()).toBe(200);
      }
      const recorded = lines().filter((line) => line.startsWith('{"time"') && line.endsWith("}"));
      const ids = recorded.map((line) => JSON.parse(line).requestId);
      expect(answered.filter((id) => !ids.includes(id))).toEqual([]);
    } finally {
      expect(await service.end()).toBe(0);
    }
  },
);

describe.skipIf(NOT_BUILT !== undefined)(`standard output of the program${skipped(NOT_BUILT)}`, () => {
  const start = async () => {
    const service = await startProcess({ DEMO: "1", LOG_LEVEL: "info" });
    await until("it is announced", () => service.stdout().includes("# 7.3.5 It is used as before"));
    return { service, demo: JSON.parse(service.stdout().split("\n")[0] ?? "").demo };
  };
  const read = (service: ServiceProcess, demo: { keys: { admin: string }; apis: { active: string } }) =>
    service.call("/v2/apis.getApi", demo.keys.admin, { apiId: demo.apis.active }).then(({ status }) => status);

  test("that nobody reads: 503, while it stays alive, until it is read again; and 503 once its reader has gone", async () => {
    const { service, demo } = await start();
    try {
      // Pauses both streams: the service's own log has no reader either.
      service.child.stdout?.pause();
      service.child.stderr?.pause();
      const statuses = new Set<number>();
      await until("records are refused", async () => {
        const answers = await Promise.all(Array.from({ length: 64 }, () => read(service, demo)));
        for (const status of answers) statuses.add(status);
        return answers.includes(503);
      });
      expect([...statuses].sort()).toEqual([200, 503]);
      expect((await fetch(`${service.baseUrl}/healthz`)).status).toBe(200);
      await until("it is not ready", async () => (await fetch(`${service.baseUrl}/readyz`)).status === 503);
      service.child.stdout?.resume();
      service.child.stderr?.resume();
      await until("it is ready", async () => (await fetch(`${service.baseUrl}/readyz`)).status === 200);
      await until("it is served", async () => (await read(service, demo)) === 200);

      // A reader that is gone never comes back: the operator has to restart the service.
      service.child.stdout?.destroy();
      await until("records are refused", async () => (await read(service, demo)) === 503);
      expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(503);
      expect((await fetch(`${service.baseUrl}/healthz`)).status).toBe(200);
    } finally {
      expect(await service.end()).toBe(0);
    }
  });
});
