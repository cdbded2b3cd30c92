/** Loading and deciding as policies grow: n rules over n/2 kinds, each request touching one kind. */

import { compilePolicies, decide, type PolicyFile, type PolicySet } from "../src/index.js";
import { interleave, show, spread } from "./rounds.js";

const SIZES = [10, 100, 1_000, 10_000];

/** Two rules a kind in the permission layer, with conditions that differ from kind to kind. */
function permissionPolicy(i: number): string {
  return `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: kind_${i}
  version: default
  rules:
    - name: owner
      actions: [read, write]
      roles: [user]
      effect: EFFECT_ALLOW
      condition:
        match:
          expr: R.attr.owner_${i} == P.id && R.attr.level > ${i}
    - name: locked
      actions: [write]
      roles: ["*"]
      effect: EFFECT_DENY
      condition:
        match:
          expr: R.attr.state_${i} != "open"
`;
}

const PLATFORM = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: kind_0
  version: platform
  rules:
    - name: supported
      actions: [read, write]
      roles: [account]
      effect: EFFECT_ALLOW
`;

function filesFor(rules: number): PolicyFile[] {
  const policies = Array.from({ length: rules / 2 }, (_, i) => ({
    path: `p/kind_${i}.yaml`,
    text: permissionPolicy(i),
  }));
  return [...policies, { path: "platform.yaml", text: PLATFORM }];
}

function load(files: readonly PolicyFile[]): PolicySet {
  const compiled = compilePolicies(files);
  if (compiled._tag === "Left") throw new Error(JSON.stringify(compiled.left[0]));
  return compiled.right;
}

export async function benchScale(): Promise<void> {
  load(filesFor(100));
  const sets = SIZES.map((rules) => {
    const files = filesFor(rules);
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    const start = performance.now();
    const set = load(files);
    const millis = performance.now() - start;
    globalThis.gc?.();
    const megabytes = (process.memoryUsage().heapUsed - before) / 1e6;
    return { rules, set, millis, megabytes, requests: requestsFor(rules) };
  });
  const loops = sets.map(({ set, requests }) => () => {
    for (const request of requests) decide(set, request);
  });
  // Long enough for functions to be generated before the measured rounds.
  for (let i = 0; i < 14; i++) for (const loop of loops) loop();
  const times = interleave(loops, 15, 20_000);
  const base = spread(times[0] ?? []).median;
  sets.forEach(({ rules, millis, megabytes }, i) => {
    const time = spread(times[i] ?? []);
    const ratio = (time.median / base).toFixed(2);
    console.log(
      `${String(rules).padStart(6)} rules: loaded from text in ${millis.toFixed(0)} ms, ${megabytes.toFixed(0)} MB; ` +
        `a decision ${show(time, 0)} ns = ${ratio} × that with 10 rules`,
    );
  });
}

function requestsFor(rules: number) {
  const kinds = rules / 2;
  return Array.from({ length: 20_000 }, (_, n) => {
    const i = (n * 7919) % kinds;
    return {
      key: { id: "u1", roles: ["user"], attr: {} },
      operation: n % 2 === 0 ? "read" : "write",
      resource: {
        kind: `kind_${i}`,
        id: "r1",
        attr: { [`owner_${i}`]: "u1", level: i + (n % 3), [`state_${i}`]: "open" },
      },
      account: { id: "acc", attr: {} },
    };
  });
}
