/** The engine for the whole policy language on the worked example, which does not need it, against the one it uses. */

import { compileTable } from "../src/engine/check/table.js";
import { decide, type PolicySet } from "../src/index.js";
import { shippedSet } from "./decide.js";
import { workload } from "./requests.js";
import { interleave, show, spread } from "./rounds.js";

const REQUESTS = 2_000;

export async function benchScoped(): Promise<void> {
  const policies = await shippedSet();
  const table = compileTable(policies.model, "error");
  const scoped = (layer: PolicySet["permission"]): PolicySet["permission"] => ({
    ...layer,
    scoped: { table, version: layer.version, defaultReason: layer.defaultReason, globals: {} },
  });
  const whole = { ...policies, permission: scoped(policies.permission), platform: scoped(policies.platform) };
  const requests = workload(REQUESTS);
  for (const request of requests) {
    if (decide(whole, request).outcome !== decide(policies, request).outcome) throw new Error("answers differ");
  }
  const run = (set: PolicySet) => () => {
    for (const request of requests) decide(set, request);
  };
  const [fast = [], slow = []] = interleave([run(policies), run(whole)], 31, REQUESTS);
  const ratios = slow.map((time, i) => time / (fast[i] ?? Number.NaN));
  console.log(`tables           ${show(spread(fast), 0)} ns a decision`);
  console.log(`whole language   ${show(spread(slow), 0)} ns a decision`);
  console.log(`ratio            ${show(spread(ratios))}`);
}
