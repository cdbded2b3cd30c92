/** Candidate policies are compared, and decide nothing. */

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shippedPolicies } from "keyward/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLogger } from "../src/observability/logger.js";
import { createMetrics } from "../src/observability/metrics.js";
import { loadCandidate, withCandidate } from "../src/policies/candidate.js";
import { embeddedDecider } from "../src/policies/decider.js";
import { openPolicies, PoliciesInvalid } from "../src/policies/policies.js";
import type { Store } from "../src/store/store.js";
import { openNewPglite } from "./support/databases.js";
import { testService } from "./support/service.js";
import { newAccount } from "./support/world.js";

const directory = mkdtempSync(join(tmpdir(), "keyward-candidate-"));
const file = join(directory, "permissions", "api.yaml");
let store: Store;

beforeAll(async () => {
  cpSync(shippedPolicies, directory, { recursive: true });
  store = await openNewPglite();
});
afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

test("a difference is logged and counted, and the policies in force answer", async () => {
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("- viewer", "- auditor"));
  const base = await testService(store);
  const policies = await openPolicies(shippedPolicies, createLogger("silent", base.log));
  const metrics = createMetrics();
  const candidate = await loadCandidate(directory);
  const decider = withCandidate(embeddedDecider(policies), policies, candidate, 1, {
    logger: createLogger("info", base.log),
    metrics,
  });
  const service = await testService(store, { policies, decider, metrics });
  const world = await newAccount(store);
  const { status } = await service.call("/v2/apis.getApi", world.viewer.secret, { apiId: world.active });
  expect(status).toBe(200);
  const [line = "{}"] = base.logged.filter((one) => one.includes("decide otherwise"));
  expect(JSON.parse(line)).toMatchObject({
    ...{ operation: "apis.getApi", outcome: "allow", candidate: "insufficient_permissions" },
    ...{ resourceId: world.active, candidateHash: candidate.hash, msg: "the candidate policies decide otherwise" },
  });
  expect(line).not.toContain(world.viewer.secret);
  expect(await metrics.text()).toContain(
    'keyward_candidate_differences_total{operation="apis.getApi",outcome="allow",candidate="insufficient_permissions"} 1',
  );
  await service.call("/v2/apis.getApi", world.admin.secret, { apiId: world.active });
  const told = [...(await metrics.text()).matchAll(/^keyward_candidate_decisions\{result="(\w+)"\} (\d+)$/gm)];
  const count = Object.fromEntries(told.map(([, result = "", number]) => [result, Number(number)]));
  // On a slow machine the budget of the second is spent by the first comparison.
  expect(count).toEqual({ same: 1 - (count.left_out ?? 0), different: 1, left_out: expect.any(Number), failed: 0 });
  expect(base.logged.filter((one) => one.includes("decide otherwise"))).toHaveLength(1);
});

test("candidate policies that do not load end the start", async () => {
  writeFileSync(file, "{");
  await expect(loadCandidate(directory)).rejects.toThrow(PoliciesInvalid);
});
