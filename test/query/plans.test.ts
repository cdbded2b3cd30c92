/**
 * Compares query plans with the real server's: 20,000 plans over 500 generated stores, or a tenth without the full
 * sample. Only this test shows that plans of whole policies, with scopes, role policies and principal policies, equal
 * the server's.
 *
 * @module-tag long
 */

import { describe, expect, test } from "vitest";
import { SEED, say } from "../support/seed.js";
import { NO_SERVER } from "../support/server.js";
import { sized } from "../support/size.js";
import { comparePlans, type Finding } from "./differential.js";

if (NO_SERVER !== undefined) say(`differential of query plans skipped: ${NO_SERVER}`);

/** Each store needs its own server, which starts in about 0.3 s. */
const STORES = sized(500, 30);
const PLANS = 40;

describe.skipIf(NO_SERVER !== undefined)("query plans here and on the server", () => {
  test("mean the same, and nearly all have the same trees", { timeout: 7_200_000 }, async () => {
    const findings: Finding[] = [];
    const counts = await comparePlans({ stores: STORES, plansPerStore: PLANS, seed: SEED }, (finding) => {
      findings.push(finding);
      // Reported at once, because a long run may be stopped before its end.
      if (finding.kind !== "trees") say(JSON.stringify(finding));
    });
    say(`query plans: ${counts}`);
    const wrong = findings.filter(({ kind }) => kind !== "trees");
    expect(wrong.map(({ kind, detail, body, server, local }) => ({ kind, detail, body, server, local }))).toEqual([]);
    expect(counts.plans).toBe(STORES * PLANS);
    const compared = counts.equal + counts.trees;
    expect(counts.equal / compared).toBeGreaterThanOrEqual(0.95);
    expect(counts.conditional / counts.plans).toBeGreaterThan(0.08);
    expect(counts.allowed / counts.plans).toBeGreaterThan(0.05);
    expect(compared / counts.plans).toBeGreaterThan(0.9);
  });
});
