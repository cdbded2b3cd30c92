/** Deciders bound to a key, or to a key and its account, against the handwritten function and a loop of `decide`. */

import { guard } from "../src/http/index.js";
import { type Decider, type DecisionRequest, decide, decideAll, deciderFor, keepDeciders } from "../src/index.js";
import { shippedSet } from "./decide.js";
import { handDecide } from "./handwritten.js";
import { workload } from "./requests.js";
import { interleave, leastRatio, show, spread } from "./rounds.js";

const REQUESTS = 10_000;
const ROUNDS = 31;
const RESOURCES = 1_000;

export async function benchDecider(): Promise<void> {
  const policies = await shippedSet();
  const requests = workload(REQUESTS);
  const ofKey = new Map<string, Decider>();
  const ofBoth = new Map<string, Decider>();
  const asked = requests.map((request) => {
    const { key, account, operation, resource } = request;
    const [one, two] = [JSON.stringify(key), JSON.stringify([key, account])];
    const known = ofKey.get(one) ?? deciderFor(policies, { key });
    ofKey.set(one, known);
    const both = ofBoth.get(two) ?? deciderFor(policies, { key, account });
    ofBoth.set(two, both);
    return { request, known, both, ofKey: { operation, resource, account }, ofBoth: { operation, resource } };
  });
  for (const { request, known, both, ...one } of asked) {
    const { outcome } = handDecide(request);
    const found = [decide(policies, request), known.decide(one.ofKey), both.decide(one.ofBoth)];
    if (found.some((decision) => decision.outcome !== outcome))
      throw new Error(`answers differ: ${JSON.stringify(request)}`);
  }
  let sink = 0;
  const loops = [
    () => {
      for (const { request } of asked) if (handDecide(request).outcome === "allow") sink++;
    },
    () => {
      for (const { request } of asked) if (decide(policies, request).outcome === "allow") sink++;
    },
    () => {
      for (const { known, ofKey: one } of asked) if (known.decide(one).outcome === "allow") sink++;
    },
    () => {
      for (const { both, ofBoth: one } of asked) if (both.decide(one).outcome === "allow") sink++;
    },
  ];
  for (let i = 0; i < 20; i++) for (const loop of loops) loop();
  const [hand = [], ...others] = interleave(loops, ROUNDS, REQUESTS);
  console.log(
    `${REQUESTS} requests, ${ofKey.size} keys, ${ofBoth.size} keys and accounts; every outcome equal (checked)`,
  );
  for (const [i, name] of ["decide", "bound to the key", "bound to key and account"].entries()) {
    const ratios = (others[i] ?? []).map((time, j) => time / (hand[j] ?? Number.NaN));
    const least = leastRatio(others[i] ?? [], hand);
    console.log(`${name.padEnd(26)} ${show(spread(ratios))} × hand-written; least by least ${least}`);
  }
  const first = requests.find((one) => one.operation === "apis.getApi" && handDecide(one).outcome === "allow");
  page(policies, first);
  await guarded(policies, first);
  if (sink === 0) throw new Error("nothing was allowed");
}

/** `decideAll` on a page of resources, against a loop. */
function page(
  policies: Awaited<ReturnType<typeof shippedSet>>,
  first: ReturnType<typeof workload>[number] | undefined,
): void {
  if (first === undefined) throw new Error("no requests");
  const { key, account, operation } = first;
  for (const count of [1, 20, 1_000]) {
    const permissions = Array.from({ length: count }, (_, i) => `api.api_${i}.read_api`);
    const caller = { ...key, roles: ["custom"], attr: { ...key.attr, permissions } };
    const resources = Array.from({ length: RESOURCES }, (_, i) => ({
      ...first.resource,
      id: `api_${i}`,
      attr: { ...first.resource.attr },
    }));
    const loop = () =>
      void resources.map((resource) => decide(policies, { key: caller, account, operation, resource }));
    const all = () => void decideAll(policies, { key: caller, account, operation }, resources);
    for (let i = 0; i < 20; i++) {
      loop();
      all();
    }
    for (const collects of [false, true]) {
      const [one = [], other = []] = interleave([loop, all], ROUNDS, RESOURCES, collects);
      const ratios = show(spread(other.map((time, i) => time / (one[i] ?? Number.NaN))));
      const when = collects ? ", all garbage collected before each" : "";
      const what = `decideAll on ${RESOURCES} resources, a key of ${count} permissions${when}`;
      console.log(`${what}: ${ratios} × a loop of decide; least by least ${leastRatio(other, one)}`);
    }
  }
}

/** `guard` with kept deciders, and with `decide`. */
async function guarded(
  policies: Awaited<ReturnType<typeof shippedSet>>,
  first: ReturnType<typeof workload>[number] | undefined,
): Promise<void> {
  if (first === undefined) throw new Error("no requests");
  for (const count of [5, 50, 1_000]) {
    const permissions = Array.from({ length: count }, (_, i) => `api.api_${i}.read_api`);
    const key = { ...first.key, roles: ["custom"], attr: { ...first.key.attr, permissions } };
    const request: DecisionRequest = { ...first, key, resource: { ...first.resource, id: `api_${count - 1}` } };
    const rest = {
      docsUrl: "docs.example.com",
      key: () => request.key,
      operation: request.operation,
      resource: () => request.resource,
      account: () => request.account,
      onError: () => undefined,
    };
    const guards = [
      guard({ ...rest, decide: (one: DecisionRequest) => decide(policies, one) }),
      guard({ ...rest, decide: keepDeciders(policies, { revision: () => "1" }) }),
    ];
    const times: number[][] = guards.map(() => []);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, check] of guards.entries()) {
        const start = process.hrtime.bigint();
        for (let j = 0; j < RESOURCES; j++) if (!(await check(undefined)).allowed) throw new Error("not allowed");
        times[i]?.push(Number(process.hrtime.bigint() - start));
      }
    }
    const [plain = [], kept = []] = times;
    const least = leastRatio(kept, plain);
    console.log(`guard with kept deciders, a key of ${count} permissions: least by least ${least} × guard with decide`);
  }
}
