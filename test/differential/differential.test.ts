/**
 * Compares the engine with the real server: 2,000 requests over 100 generated stores. Each store has its own server,
 * which starts in about 0.3 s. `npm run differential` runs longer and minimizes differences.
 *
 * @module-tag long
 */

import { describe, expect, test } from "vitest";
import { SEED, say } from "../support/seed.js";
import { NO_SERVER } from "../support/server.js";
import { run } from "./run.js";

if (NO_SERVER !== undefined) say(`differential test skipped: ${NO_SERVER}`);

describe.skipIf(NO_SERVER !== undefined)("the engine and the server", () => {
  test("answer the same", { timeout: 600_000 }, async () => {
    const { findings, coverage } = await run({ requests: 2000, requestsPerStore: 20, seed: SEED, findings: 1 });
    say(String(coverage));
    const repeat = `npm run differential -- --requests 2000 --per-store 20 --seed ${SEED}`;
    expect(findings.map(({ differences, store, request }) => ({ differences, store, request, repeat }))).toEqual([]);
    expect(coverage.stores).toBeGreaterThanOrEqual(100);
    expect(coverage.shortfalls()).toEqual([]);
  });
});
