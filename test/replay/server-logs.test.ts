/**
 * Logs that the real server writes over four stores: replayed on the same policies nothing changes, and after a change
 * exactly the lines change on which a server with the changed policies answers otherwise.
 *
 * @module-tag long
 */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { compileCheckEngine } from "../../src/cerbos/engine.js";
import type { CheckEngine } from "../../src/engine/evaluate/check-engine.js";
import { Replay } from "../../src/replay/replay.js";
import { oneLineChanged } from "../audit/one-line.js";
import { isObject, type Json, type JsonObject, listAt, objectAt } from "../differential/json.js";
import { Random } from "../differential/random.js";
import { generateRequest, targetsOf } from "../differential/requests.js";
import { startStore } from "../differential/server.js";
import { generateStore, type Store } from "../differential/store.js";
import { shippedRequest } from "../property/arbitraries/index.js";
import { shippedFiles } from "../support/policies.js";
import { SEED, say } from "../support/seed.js";
import { NO_SERVER, Refused } from "../support/server.js";
import { sized } from "../support/size.js";

if (NO_SERVER !== undefined) say(`logs of the server skipped: ${NO_SERVER}`);

/** The shipped store and generated ones. */
const STORES = 4;
/** Requests that the server answers at a time. */
const AT_ONCE = 16;

const REQUESTS = sized(5_500, 300);
const EDITS = sized(30, 4);

/** Changes of single lines that make one edit: one alone changes few answers. */
const CHANGES = 6;

function shippedStore(): Store {
  const { options } = generateStore(new Random(SEED));
  const files = shippedFiles
    .filter(({ path }) => path !== ".keyward.yaml")
    .map(({ path, text }) => {
      const body: Json = parse(text);
      if (!isObject(body)) throw new Error(`${path} is not an object`);
      return [path.startsWith("_schemas/") ? path : `policies/${path}.json`, body] as const;
    });
  const plain = { defaultPolicyVersion: "default", defaultScope: "", lenientScopeSearch: false, globals: {} } as const;
  return {
    options: { ...options, ...plain, strictEvaluation: false, schemaEnforcement: "none" },
    files: Object.fromEntries(files),
  };
}

function shippedRequests(): readonly JsonObject[] {
  return fc.sample(shippedRequest({}), { numRuns: REQUESTS, seed: SEED }).map(({ key, operation, resource }) => ({
    principal: { id: key.id, roles: [...key.roles], attr: JSON.parse(JSON.stringify(key.attr)) },
    resources: [
      {
        actions: [operation],
        resource: { kind: resource.kind, id: resource.id, attr: JSON.parse(JSON.stringify(resource.attr)) },
      },
    ],
  }));
}

function textsOf({ files }: Store) {
  return Object.entries(files).map(([path, body]) => ({
    path: path.replace(/^policies\//, ""),
    text: JSON.stringify(body, null, 2),
  }));
}

/** Undefined: the store does not load. */
function engineOf(store: Store): CheckEngine | undefined {
  const compiled = compileCheckEngine(textsOf(store), store.options);
  return isLeft(compiled) ? undefined : compiled.right;
}

/** The store with some lines changed, so that it loads. */
function edited(store: Store, random: Random): Store {
  let all = store;
  for (let made = 0; made < CHANGES; ) {
    const { files } = oneLineChanged(textsOf(all), random);
    const bodies = files.map(({ path, text }) => [
      path.startsWith("_schemas/") ? path : `policies/${path}`,
      bodyOf(text),
    ]);
    const next = { ...all, files: Object.fromEntries(bodies) };
    if (!bodies.every(([, body]) => body !== undefined) || engineOf(next) === undefined) continue;
    all = next;
    made += 1;
  }
  return all;
}

function bodyOf(text: string): JsonObject | undefined {
  try {
    const body: Json = JSON.parse(text);
    return isObject(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

interface Served {
  /** The effects of each request; undefined if it was refused. */
  readonly answers: readonly (string | undefined)[];
  readonly log: readonly string[];
}

/** Undefined: the server does not load the store. */
async function served(store: Store, requests: readonly JsonObject[]): Promise<Served | undefined> {
  const directory = await mkdtemp(join(tmpdir(), "keyward-replay-"));
  const path = join(directory, "audit.log");
  const audit = { enabled: true, backend: "file", accessLogsEnabled: true, decisionLogsEnabled: true, file: { path } };
  try {
    const server = await startStore(store, { audit });
    const answered = async (request: JsonObject, id: number) => {
      const answer = await server.check({ ...request, requestId: `r${id}` });
      const effects = listAt(answer, "results").map((one) => objectAt(isObject(one) ? one : {}, "actions"));
      return "status" in answer ? undefined : JSON.stringify(effects);
    };
    const answers: (string | undefined)[] = [];
    while (answers.length < requests.length) {
      const next = requests.slice(answers.length, answers.length + AT_ONCE);
      answers.push(...(await Promise.all(next.map((request, i) => answered(request, answers.length + i)))));
    }
    const log = await flushed(path, answers.filter((answer) => answer !== undefined).length);
    await server.stop();
    return { answers, log };
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The log once it has as many decisions: the server writes it in the background. */
async function flushed(path: string, count: number): Promise<readonly string[]> {
  for (let i = 0; i < 2_000; i++) {
    const lines = (await readFile(path, "utf8")).split("\n").filter((line) => line.includes('"log.kind":"decision"'));
    if (lines.length >= count) return lines;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${path} does not have ${count} decisions`);
}

interface Logged extends Served {
  readonly store: Store;
  readonly engine: CheckEngine;
  readonly requests: readonly JsonObject[];
}

async function logged(store: Store, requests: readonly JsonObject[]): Promise<Logged | undefined> {
  const engine = engineOf(store);
  const found = engine && (await served(store, requests));
  return engine && found && { ...found, store, engine, requests };
}

async function generated(random: Random): Promise<Logged> {
  for (;;) {
    const store = generateStore(random);
    const targets = targetsOf(store);
    const found = await logged(
      store,
      Array.from({ length: REQUESTS }, () => generateRequest(random, targets).body),
    );
    if (found !== undefined) return found;
  }
}

const idOf = (line: string) => Number(/"requestId":"r(\d+)"/.exec(line)?.[1]);

describe.skipIf(NO_SERVER !== undefined)("logs of the server", () => {
  test("the same policies, and changed ones", { timeout: 7_200_000 }, async () => {
    const random = new Random(SEED);
    const counts = { lines: 0, refused: 0, known: 0, edits: 0, replayed: 0, changed: 0 };
    const logs: Logged[] = [];
    for (let i = 0; i < STORES; i++) {
      const found = i === 0 ? await logged(shippedStore(), shippedRequests()) : await generated(random);
      if (found === undefined) throw new Error("the shipped policies do not load");
      const { engine, log, answers } = found;
      const isRefused = (line: string) => answers[idOf(line)] === undefined;
      const [complete, lossy] = [new Replay(engine, { isComplete: true }), new Replay(engine)];
      for (const line of log.filter((one) => !isRefused(one))) {
        expect(complete.line(line).result, line).toEqual({ kind: "same" });
        const { kind } = lossy.line(line).result;
        expect(["same", "undetermined"], line).toContain(kind);
        if (kind === "same") counts.known += 1;
        counts.lines += 1;
      }
      counts.refused += log.filter(isRefused).length;
      logs.push(found);
    }
    while (counts.edits < EDITS) {
      const { store, engine, requests, log, answers } = logs[counts.edits % STORES] ?? random.pick(logs);
      const changed = edited(store, random);
      const [after, now] = [await served(changed, requests), engineOf(changed)];
      // The server refuses some policies that load here.
      if (after === undefined || now === undefined) continue;
      counts.edits += 1;
      const replay = new Replay(now, { old: engine, isComplete: true });
      for (const line of log) {
        const [before, other] = [answers[idOf(line)], after.answers[idOf(line)]];
        if (before === undefined || other === undefined) continue;
        const { kind } = replay.line(line).result;
        const told = () => JSON.stringify({ line, other, files: changed.files });
        expect(kind, told()).toBe(before === other ? "same" : "changed");
        counts.replayed += 1;
        if (kind === "changed") counts.changed += 1;
      }
    }
    say(JSON.stringify(counts));
    expect(counts.lines).toBeGreaterThan(STORES * REQUESTS * 0.8);
    expect(counts.known).toBeGreaterThan(counts.lines / 5);
    expect(counts.changed).toBeGreaterThan(counts.replayed / 100);
  });
});
