/**
 * Logs that the real server writes: replayed on the same policies nothing changes, and after a change exactly the lines
 * change on which a server with the changed policies answers otherwise.
 *
 * @module-tag long
 */

import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { loadCheckEngine } from "../../src/node/load-check-engine.js";
import { Replay } from "../../src/replay/replay.js";
import { isObject, type JsonObject, listAt, objectAt } from "../differential/json.js";
import { shippedRequest } from "../property/arbitraries/index.js";
import { SHIPPED_ROOT } from "../support/policies.js";
import { SEED, say } from "../support/seed.js";
import { NO_SERVER, startServer } from "../support/server.js";
import { sized } from "../support/size.js";

if (NO_SERVER !== undefined) say(`logs of the server skipped: ${NO_SERVER}`);

const CHECKS = sized(20_000, 2_000);

/** Changes of the shipped permissions: a file, a text in it, and its replacement. */
const EDITS: readonly (readonly [file: string, text: string, other: string])[] = [
  ["api.yaml", "V.in_reach && ", ""],
  ["api.yaml", "EFFECT_ALLOW", "EFFECT_DENY"],
  ["key.yaml", "V.in_reach && R.id == P.id", "R.id != P.id"],
  ["reach.yaml", "V.same_account && ", ""],
  ["workspace.yaml", "V.workspace_in_reach && ", ""],
];

async function withDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "keyward-replay-"));
  try {
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Answers of a server with these policies to the requests, by action, and the log that it writes. */
async function answered(policies: string, directory: string, requests: readonly JsonObject[]) {
  const path = join(directory, `${Math.random()}.log`);
  const audit = { enabled: true, backend: "file", accessLogsEnabled: true, decisionLogsEnabled: true, file: { path } };
  const server = await startServer(policies, { audit });
  const answers: string[] = [];
  for (const request of requests) {
    const { text } = await server.check(request);
    const [result] = listAt(JSON.parse(text), "results").filter(isObject);
    answers.push(JSON.stringify(objectAt(result ?? {}, "actions")));
  }
  const log = await flushed(path, requests.length);
  await server.stop();
  return { answers, log };
}

/** The log once it has as many decisions: the server writes it in the background. */
async function flushed(path: string, count: number): Promise<readonly string[]> {
  for (let i = 0; i < 400; i++) {
    const lines = (await readFile(path, "utf8")).split("\n").filter((line) => line.includes('"log.kind":"decision"'));
    if (lines.length >= count) return lines;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${path} does not have ${count} decisions`);
}

async function engineOf(directory: string) {
  const loaded = await loadCheckEngine(directory)();
  if (isLeft(loaded)) throw new Error(JSON.stringify(loaded.left));
  return loaded.right;
}

function requests(): readonly JsonObject[] {
  return fc.sample(shippedRequest({}), { numRuns: CHECKS, seed: SEED }).map(({ key, operation, resource }, i) => ({
    requestId: `r${i}`,
    principal: { id: key.id, roles: [...key.roles], attr: JSON.parse(JSON.stringify(key.attr ?? {})) },
    resources: [
      {
        actions: [operation],
        resource: { kind: resource.kind, id: resource.id, attr: JSON.parse(JSON.stringify(resource.attr ?? {})) },
      },
    ],
  }));
}

describe.skipIf(NO_SERVER !== undefined)("logs of the server", () => {
  test("the same policies, and changed ones", { timeout: 600_000 }, async () => {
    await withDirectory(async (directory) => {
      const [old, all] = [join(directory, "old"), requests()];
      await cp(SHIPPED_ROOT, old, { recursive: true });
      const { answers, log } = await answered(old, directory, all);
      const engine = await engineOf(old);
      const ids = log.map((line) => Number(/"requestId":"r(\d+)"/.exec(line)?.[1]));
      const complete = new Replay(engine, { isComplete: true });
      expect(log.filter((line) => complete.line(line).result.kind !== "same")).toEqual([]);
      const kinds = log.map((line) => new Replay(engine).line(line).result.kind);
      expect(kinds.filter((kind) => kind !== "same" && kind !== "undetermined")).toEqual([]);
      for (const [i, [path, text, other]] of EDITS.entries()) {
        const changed = join(directory, `changed-${i}`);
        await cp(old, changed, { recursive: true });
        const file = join(changed, "permissions", path);
        const before = await readFile(file, "utf8");
        expect(before).toContain(text);
        await writeFile(file, before.replace(text, other));
        const after = await answered(changed, directory, all);
        const replay = new Replay(await engineOf(changed), { old: engine, isComplete: true });
        const found = log.map((line) => replay.line(line).result.kind);
        expect(found).toEqual(ids.map((id) => (after.answers[id] === answers[id] ? "same" : "changed")));
      }
    });
  });
});
