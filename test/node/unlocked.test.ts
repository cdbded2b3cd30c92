/** In production, a set without a lock is reported once. */

import { on } from "node:events";
import { expect, test, vi } from "vitest";
import { loadPoliciesOrThrow } from "../../src/node/index.js";
import { SHIPPED_ROOT } from "../support/policies.js";

test("the first set without a lock is a process warning, in production alone", async () => {
  const warnings = on(process, "warning");
  const load = (lock?: "ignored") => loadPoliciesOrThrow(SHIPPED_ROOT, lock === undefined ? {} : { lock });
  await load();
  vi.stubEnv("NODE_ENV", "production");
  await load("ignored");
  await load();
  await load();
  process.emitWarning("last");
  const [[first], [last]] = [(await warnings.next()).value, (await warnings.next()).value];
  expect([first.code, first.message]).toEqual(["KEYWARD_UNLOCKED", expect.stringContaining(SHIPPED_ROOT)]);
  expect(last.message).toBe("last");
  vi.unstubAllEnvs();
});
