/** Policies that change while requests are served. */

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shippedPolicies } from "keyward/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { embeddedDecider } from "../src/policies/decider.js";
import { Policies } from "../src/policies/policies.js";
import { watchDirectory } from "../src/policies/watch.js";
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
  policies = await Policies.load(directory, createLogger("info", base.log));
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
  const last = await Policies.load(directory, (await import("pino")).pino({ level: "silent" }));
  expect(policies.current.hash).toBe(last.current.hash);
});

test("changes of files are noticed", async () => {
  const before = policies.current.hash;
  const stop = watchDirectory(directory, () => void policies.reload());
  try {
    let i = 0;
    // The watcher says nothing of when it has begun to watch: so the file changes until it is noticed.
    await until("the change is noticed", async () => {
      if (i++ % 10 === 0) writeFileSync(file, `${readFileSync(file, "utf8")}# changed\n`);
      return policies.current.hash !== before;
    });
  } finally {
    await stop();
  }
});
