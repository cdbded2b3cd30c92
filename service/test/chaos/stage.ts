/**
 * The common course of the fault tests: start the service, run a storm of requests, cause a fault, check the
 * invariants.
 */

import { expect } from "vitest";
import { verifyAudit } from "../../src/audit-log.js";
import { openPglite } from "../../src/store/pglite.js";
import { openPostgres } from "../../src/store/postgres.js";
import type { Store } from "../../src/store/store.js";
import { type ServiceProcess, startProcess, until } from "../support/process.js";
import { add, newAccount } from "../support/world.js";
import { type Cast, postTo, Storm } from "./storm.js";

/** Rounds of each fault: 1, or more under `npm run chaos`. */
export const ROUNDS = Number(process.env.KEYWARD_CHAOS ?? 1);

/** Number of storm requests between two events. */
export const A_WHILE = ROUNDS * 100;

const CALLERS = 8;
const ROOM = { limitKeys: 1_000_000 };

function openStoreOf({ DATABASE_URL, DATA_DIR }: NodeJS.ProcessEnv): Promise<Store> {
  if (DATABASE_URL === undefined) return openPglite({ directory: DATA_DIR });
  return openPostgres({ url: DATABASE_URL, connections: 4, timeoutMs: 30_000, onError: () => {} });
}

async function newCastIn(environment: NodeJS.ProcessEnv): Promise<Cast> {
  const store = await openStoreOf(environment);
  try {
    return await newCast(store);
  } finally {
    await store.close();
  }
}

export async function newCast(store: Store): Promise<Cast> {
  const { viewer: _, ...other } = await newAccount(store, ROOM);
  const world = await newAccount(store, ROOM);
  const expiresAt = new Date("2020-01-01T00:00:00Z");
  const expired = await add(store, world, (things) =>
    things.key(world.system, { name: "expired", roles: ["admin"], expiresAt }),
  );
  return { ...world, expired, stranger: other.admin };
}

export interface Fault {
  /** Starts the fault. Gets the services for faults of the process itself, such as its log or its output. */
  readonly begin: (services: readonly ServiceProcess[]) => unknown;
  readonly end: (services: readonly ServiceProcess[]) => unknown;
  /** Whether the fault must cause 503 answers. Default: true; without any 503 the fault did not take effect. */
  readonly shows?: boolean;
}

/** Runs a storm with a fault in it. The same service processes must survive from start to end. */
export async function endure(environment: NodeJS.ProcessEnv, fault: Fault, replicas = 1): Promise<Storm> {
  const cast = await newCastIn(environment);
  const services = await Promise.all(Array.from({ length: replicas }, () => startProcess(environment)));
  const storm = new Storm(postTo(services), cast);
  let slowest = 0;
  try {
    storm.begin(CALLERS);
    await storm.last(A_WHILE);
    for (let round = 0; round < ROUNDS; round++) {
      const before = storm.statuses.get(503) ?? 0;
      await fault.begin(services);
      if (fault.shows !== false) {
        await until("something is unavailable", () => (storm.statuses.get(503) ?? 0) > before + CALLERS);
      }
      await storm.last(A_WHILE / 10);
      for (const { baseUrl } of services) expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200);
      await fault.end(services);
      const ended = performance.now();
      await until("all is as before", async () => storm.violations.length > 0 || (await storm.isCalm()));
      for (const { baseUrl } of services) {
        await until("it is ready", async () => (await fetch(`${baseUrl}/readyz`)).status === 200);
      }
      slowest = Math.max(slowest, performance.now() - ended);
      await storm.last(A_WHILE);
    }
    await storm.end();
    expect(storm.violations).toEqual([]);
    await storm.settle();
    expect(storm.violations).toEqual([]);
    expect(services.map(({ child }) => [child.exitCode, child.signalCode])).toEqual(services.map(() => [null, null]));
  } finally {
    await storm.end();
    const codes = await Promise.all(services.map((service) => service.end()));
    expect(codes).toEqual(services.map(() => 0));
  }
  for (const service of services) expectQuiet(service);
  const store = await openStoreOf(environment);
  await expectAudited(store, storm).finally(() => store.close());
  report(storm, slowest);
  return storm;
}

const SECRET = /kw_[0-9a-f]{16}/;
const SQL = /\b(?:select|insert|update|delete) .{0,80}\b(?:from|into|set)\b/i;
const STACK = /\\n *at /;

/** The output of the service must contain no secret, SQL or stack trace. */
function expectQuiet({ stdout, stderr }: ServiceProcess): void {
  const lines = `${stdout()}\n${stderr()}`.split("\n");
  expect(lines.filter((line) => [SECRET, SQL, STACK].some((form) => form.test(line))).slice(0, 3)).toEqual([]);
}

/** Every key whose creation was answered has an entry in the audit chain, and the chain is intact. */
export async function expectAudited(store: Store, storm: Storm): Promise<void> {
  expect((await verifyAudit(store)).faults).toEqual([]);
  const entries = await store.run<{ entry: string }>({ name: "entries", text: "select entry from audit" }, []);
  const created = new Set(entries.map(({ entry }) => JSON.parse(entry).change?.keyId));
  expect([...storm.made.keys()].filter((keyId) => !created.has(keyId))).toEqual([]);
}

/** Prints figures for the person who runs `npm run chaos`; no test depends on them. */
function report(storm: Storm, slowest: number): void {
  if (ROUNDS === 1) return;
  const statuses = [...storm.statuses].map(([status, count]) => `${status}: ${count}`).join(", ");
  const { testPath = "", currentTestName = "" } = expect.getState();
  process.stderr.write(
    `${testPath.split("/").at(-1)} ${currentTestName}: ${statuses}; 0 lost, 0 opened; ` +
      `as before ${Math.round(slowest)} ms after the fault at the latest\n`,
  );
}
