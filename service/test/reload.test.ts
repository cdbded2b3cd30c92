/**
 * Policies change while requests are served.
 *
 * @module-tag long
 */

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shippedPolicies } from "keyward/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { embeddedDecider } from "../src/policies/decider.js";
import { openPolicies, type Policies, reloadOnSighup } from "../src/policies/policies.js";
import type { Store } from "../src/store/store.js";
import { openNewPglite } from "./support/databases.js";
import { until } from "./support/process.js";
import { type TestService, testService } from "./support/service.js";
import { newAccount, type World } from "./support/world.js";

const directory = mkdtempSync(join(tmpdir(), "keyward-policies-"));
const file = join(directory, "permissions", "api.yaml");
let store: Store;
let service: TestService;
let policies: Policies;
let world: World;

beforeAll(async () => {
  cpSync(shippedPolicies, directory, { recursive: true });
  store = await openNewPglite();
  const { createLogger } = await import("../src/observability/logger.js");
  const base = await testService(store);
  policies = await openPolicies(directory, createLogger("info", base.log));
  service = await testService(store, { policies, decider: embeddedDecider(policies) });
  service.logged.push = (...lines) => base.logged.push(...lines);
  logged = base.logged;
  world = await newAccount(store);
});
afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

let logged: string[];
const read = async () => (await service.call("/v2/apis.getApi", world.viewer.secret, { apiId: world.active })).status;

test("a valid set takes the place of the old one, a bad one does not, and is logged", async () => {
  const before = policies.current;
  const text = readFileSync(file, "utf8");
  expect(await read()).toBe(200);

  writeFileSync(file, text.replaceAll("- viewer", "- auditor"));
  await policies.reload();
  expect(await read()).toBe(403);
  expect(policies.current.hash).not.toBe(before.hash);
  expect(service.records.at(-1)).toMatchObject({ policySetHash: policies.current.hash });

  const kept = policies.current;
  writeFileSync(file, text.replace("EFFECT_ALLOW", "EFFECT_MAYBE"));
  await policies.reload();
  expect(policies.current).toBe(kept);
  expect(await read()).toBe(403);
  const line = logged.map((entry) => JSON.parse(entry)).findLast(({ level }) => level === "error");
  expect(line).toMatchObject({ msg: "policies not reloaded: the set in force stays", policySetHash: kept.hash });
  expect(line.issues.join("\n")).toMatch(/permissions\/api\.yaml:\d+:\d+ shape "effect" must be one of/);

  writeFileSync(file, text);
  await policies.reload();
  expect(policies.current.hash).toBe(before.hash);
  expect(await read()).toBe(200);
});

test("reloads that overlap end with the last state of the files", async () => {
  const text = readFileSync(file, "utf8");
  const reloads = Array.from({ length: 10 }, (_, i) => {
    writeFileSync(file, `${text}# ${i}\n`);
    return policies.reload();
  });
  await Promise.all(reloads);
  const last = await openPolicies(directory, (await import("pino")).pino({ level: "silent" }));
  expect(policies.current.hash).toBe(last.current.hash);
});

describe("what was hardly meant is not taken over, and is told", () => {
  const platform = join(directory, "platform", "api.yaml");
  const refusal = () => logged.map((entry) => JSON.parse(entry)).findLast(({ level }) => level === "error");
  const readyz = async () => (await service.app.request("/readyz")).json();
  const deleteSystem = async () =>
    (await service.call("/v2/apis.deleteApi", world.admin.secret, { apiId: world.system })).body.error.type
      .split("/")
      .at(-1);

  test("half a file, whatever line it ends in, unless somebody says that it is complete", async () => {
    const text = readFileSync(platform, "utf8");
    const before = policies.current;
    const lines = text.split("\n");
    let valid = 0;
    for (let kept = 1; kept < lines.length - 1; kept++) {
      const half = lines.slice(0, kept).join("\n");
      writeFileSync(platform, half);
      await policies.reload("edited");
      expect([kept, policies.current]).toEqual([kept, before]);
      if (refusal()?.issues.some((line: string) => line.includes(" cut "))) valid++;
    }
    // Most prefixes are invalid YAML or invalid policies, but many are valid.
    expect(valid).toBeGreaterThan(20);
    writeFileSync(platform, lines.slice(0, 55).join("\n"));
    await policies.reload("edited");
    expect(refusal().issues).toEqual([expect.stringMatching(/^platform\/api\.yaml:55:1 cut /)]);
    expect(await deleteSystem()).toBe("forbidden");
    expect(await readyz()).toEqual({ status: "ready", policies: { hash: before.hash, refused: true } });
    await policies.reload("asked");
    expect(policies.current.hash).not.toBe(before.hash);
    writeFileSync(platform, text);
    await policies.reload("edited");
    expect(await readyz()).toEqual({ status: "ready", policies: { hash: before.hash, refused: false } });
  });

  test("a file that is gone, however long, unless somebody says that it is meant", async () => {
    const text = readFileSync(platform, "utf8");
    const before = policies.current;
    const look = policies.looks(0, 0);
    rmSync(platform);
    // Four looks: the removal is noticed, it settles, and the old policies still stay in force.
    for (let time = 0; time < 4; time++) await look();
    expect(await readyz()).toEqual({ status: "ready", policies: { hash: before.hash, refused: true } });
    expect(refusal().issues).toEqual([expect.stringMatching(/^platform\/api\.yaml:1:1 removed /)]);
    await policies.reload("asked");
    expect(policies.current.hash).not.toBe(before.hash);
    writeFileSync(platform, text);
    await policies.reload("edited");
    expect(await readyz()).toEqual({ status: "ready", policies: { hash: before.hash, refused: false } });
  });

  test.each(["", "\n\n", "# Nothing.\n"])("an emptied file (%j), even if it is asked for", async (nothing) => {
    const before = policies.current;
    for (const path of [file, platform]) {
      const text = readFileSync(path, "utf8");
      writeFileSync(path, nothing);
      for (const how of ["edited", "asked", "swapped"] as const) {
        await policies.reload(how);
        expect(policies.current).toBe(before);
      }
      expect(refusal().issues).toEqual([expect.stringMatching(/api\.yaml:1:1 cut this file is empty now: /)]);
      writeFileSync(path, text);
    }
    expect(await read()).toBe(200);
    await policies.reload();
  });
});

test("are taken over while the service runs", async () => {
  const before = policies.current.hash;
  const stop = policies.watch({ quietMs: 400, intervalMs: 20 });
  try {
    writeFileSync(file, `${readFileSync(file, "utf8")}# changed\n`);
    await until("the change is noticed", () => policies.current.hash !== before);
  } finally {
    await stop();
  }
});

test("a set that allows more is held where that is configured, is told, and is taken over on SIGHUP", async () => {
  const { createLogger } = await import("../src/observability/logger.js");
  const lines: string[] = [];
  const log = { write: (line: string) => lines.push(line) };
  const held = await openPolicies(directory, createLogger("info", log), { onWidening: "hold" });
  const before = held.current;
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replaceAll("- viewer", "- viewer\n        - auditor"));
  await held.reload("edited");
  expect(held.current).toBe(before);
  const told = JSON.parse(lines.at(-1) ?? "");
  expect(told).toMatchObject({ level: "warn", policySetHash: before.hash, held: held.held?.hash });
  expect(told.widenings).toContainEqual(expect.objectContaining({ operation: "apis.getApi", roles: [["auditor"]] }));
  await reloadOnSighup(held);
  expect(held.current.hash).toBe(told.held);
  writeFileSync(file, text);
});
