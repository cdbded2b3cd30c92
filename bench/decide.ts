/** One decision on the worked example, against a hand-written function with the same answers. */

import { decide, type PolicySet } from "../src/index.js";
import { loadPolicies } from "../src/node/index.js";
import { handDecide } from "./handwritten.js";
import { workload } from "./requests.js";
import { interleave, leastRatio, show, spread } from "./rounds.js";

const REQUESTS = 10_000;
const ROUNDS = 41;

export async function shippedSet(): Promise<PolicySet> {
  const loaded = await loadPolicies(new URL("../../policies", import.meta.url).pathname)();
  if (loaded._tag === "Left") throw new Error(JSON.stringify(loaded.left));
  return loaded.right;
}

export async function benchDecide(): Promise<void> {
  const policies = await shippedSet();
  const requests = workload(REQUESTS);
  const outcomes = { allow: 0, insufficient_permissions: 0, forbidden: 0 };
  for (const request of requests) {
    const hand = handDecide(request);
    const decision = decide(policies, request);
    const reasons = decision.outcome === "forbidden" ? decision.platform.reasons.map(({ reason }) => reason) : [];
    if (decision.outcome !== hand.outcome || reasons.join() !== hand.reasons.join()) {
      throw new Error(`answers differ: ${JSON.stringify({ request, decision, hand })}`);
    }
    outcomes[hand.outcome]++;
  }
  console.log(
    `${REQUESTS} requests: ${JSON.stringify(outcomes)}; every answer and reason equal (checked); ${ROUNDS} rounds`,
  );
  let asked = requests;
  let sink = 0;
  const byHand = (): void => {
    for (const request of asked) if (handDecide(request).outcome === "allow") sink++;
  };
  const byPolicy = (): void => {
    for (const request of asked) if (decide(policies, request).outcome === "allow") sink++;
  };
  for (let i = 0; i < 20; i++) {
    byHand();
    byPolicy();
  }
  say(interleave([byHand, byPolicy], ROUNDS, REQUESTS));
  console.log("\neach request parsed just before, and asked about once:");
  const text = JSON.stringify(requests);
  const times: number[][] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, run] of [byHand, byPolicy].entries()) {
      asked = JSON.parse(text);
      times[i]?.push(...(interleave([run], 1, REQUESTS, false)[0] ?? []));
    }
  }
  say(times);
  if (sink === 0) throw new Error("nothing was allowed");
}

function say([hand = [], policy = []]: readonly (readonly number[])[]): void {
  const ratios = policy.map((time, i) => time / (hand[i] ?? Number.NaN));
  console.log(`hand-written     ${show(spread(hand), 0)} ns a decision`);
  console.log(`keyward          ${show(spread(policy), 0)} ns a decision`);
  console.log(`ratio            ${show(spread(ratios))} × hand-written   [median (quartiles)]`);
  console.log(`least by least   ${leastRatio(policy, hand)} × hand-written`);
}
