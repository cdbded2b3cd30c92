/**
 * Loading and deciding as policies grow: n rules over n/2 kinds, each request for one kind. The same policies written
 * by hand are measured too, because any code slows down when its data outgrows the processor's caches.
 */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { bundleText } from "../src/bundle/module.js";
import { compilePolicies, type DecisionRequest, decide, type PolicyFile, type PolicySet } from "../src/index.js";
import { interleave, show, spread } from "./rounds.js";

const SIZES = [10, 100, 1_000, 10_000];

/** Two rules for each kind in the permission layer. Their conditions differ from kind to kind. */
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

/** The same policies by hand: a function for each kind, in a `Map`. */
function byHand(rules: number): (request: DecisionRequest) => boolean {
  const kinds = new Map<
    string,
    (key: DecisionRequest["key"], action: string, resource: DecisionRequest["resource"]) => boolean
  >();
  for (let i = 0; i < rules / 2; i++) {
    const [owner, state] = [`owner_${i}`, `state_${i}`];
    kinds.set(`kind_${i}`, ({ id, roles }, action, { attr }) => {
      if (!roles.includes("user")) return false;
      const { level } = attr ?? {};
      const owned = attr?.[owner] === id && typeof level === "number" && level > i;
      return owned && (action === "read" || (action === "write" && attr?.[state] === "open"));
    });
  }
  return ({ key, operation, resource }) => kinds.get(resource.kind)?.(key, operation, resource) === true;
}

/** Requests for every kind in turn, equally often; or for one kind only. */
type Pattern = "every kind in turn" | "one kind";
const PATTERNS: readonly Pattern[] = ["every kind in turn", "one kind"];

export async function benchScale(): Promise<void> {
  const sets: Loaded[] = [];
  for (const rules of SIZES) {
    const files = filesFor(rules);
    const set = load(files);
    fromTexts(rules, files);
    await fromBundle(rules, set);
    sets.push({ rules, set, hand: byHand(rules) });
  }
  for (const pattern of PATTERNS) growth(pattern, sets);
}

function fromTexts(rules: number, files: readonly PolicyFile[]): void {
  const path = beside("policies.json");
  writeFileSync(path, JSON.stringify(files));
  inProcess(`${count(rules)} rules: from texts`, rules, [
    `const { compilePoliciesOrThrow, decide } = await import("keyward");`,
    `const { readFileSync } = await import("node:fs");`,
    `const set = compilePoliciesOrThrow(JSON.parse(readFileSync(${JSON.stringify(path)}, "utf8")));`,
  ]);
}

async function fromBundle(rules: number, set: PolicySet): Promise<void> {
  const path = beside("policies.mjs");
  writeFileSync(path, await bundleText(set));
  inProcess(`${count(rules)} rules: from a bundle`, rules, [
    `const { decide, loadBundleOrThrow } = await import("keyward/runtime");`,
    `const { bundle } = await import(${JSON.stringify(path)});`,
    `const set = loadBundleOrThrow(bundle);`,
  ]);
}

function beside(name: string): string {
  return new URL(`./${name}`, import.meta.url).pathname;
}

/** Starts a process that imports the library, loads a policy set and decides once. */
function inProcess(name: string, rules: number, loading: readonly string[]): void {
  const program = `
    globalThis.gc();
    const before = process.memoryUsage().heapUsed;
    const [start, begin] = [process.cpuUsage(), performance.now()];
    ${loading.join("\n")}
    const outcome = decide(set, ${JSON.stringify(requestsFor(rules, "one kind")[0])}).permission.effect;
    const { user, system } = process.cpuUsage(start);
    const clock = (performance.now() - begin).toFixed(0);
    const millis = ((user + system) / 1000).toFixed(0);
    const { rss } = process.memoryUsage();
    globalThis.gc();
    const kept = process.memoryUsage().heapUsed - before;
    const megabytes = (bytes) => (bytes / 1e6).toFixed(0);
    console.log(\`${name}, with import and decision (\${outcome}): \${millis} ms of the processor, \${clock} by the clock, \${megabytes(rss)} MB resident, \${megabytes(kept)} MB kept\`);`;
  const args = ["--expose-gc", "--input-type=module", "-e", program];
  execFileSync(process.execPath, args, { cwd: new URL("../..", import.meta.url), stdio: "inherit" });
}

interface Loaded {
  readonly rules: number;
  readonly set: PolicySet;
  readonly hand: (request: DecisionRequest) => boolean;
}

function growth(pattern: Pattern, sets: readonly Loaded[]): void {
  const asked = sets.map((one) => ({ ...one, requests: requestsFor(one.rules, pattern) }));
  for (const { set, hand, requests } of asked) {
    for (const request of requests) {
      const allowed = decide(set, request).permission.effect === "allow";
      if (allowed !== hand(request)) throw new Error(`not the same answer: ${JSON.stringify(request)}`);
    }
  }
  const loops = asked.flatMap(({ set, hand, requests }) => [
    () => {
      for (const request of requests) decide(set, request);
    },
    () => {
      for (const request of requests) hand(request);
    },
  ]);
  // Enough decisions for functions to be generated before the measured rounds.
  for (let i = 0; i < 14; i++) for (const loop of loops) loop();
  const times = interleave(loops, 15, REQUESTS).map(spread);
  const [base, baseByHand] = times;
  if (base === undefined || baseByHand === undefined) return;
  console.log(`\n${pattern}: a decision in ns; beside it, how it grew, and how the same by hand did`);
  sets.forEach(({ rules }, i) => {
    const [time, hand] = [times[2 * i], times[2 * i + 1]];
    if (time === undefined || hand === undefined) return;
    const grown = (time.median / base.median).toFixed(2);
    const grownByHand = (hand.median / baseByHand.median).toFixed(2);
    console.log(`${count(rules)} rules: ${show(time, 0)}, × ${grown}; by hand ${show(hand, 0)}, × ${grownByHand}`);
  });
}

function count(rules: number): string {
  return String(rules).padStart(6);
}

const REQUESTS = 20_000;

function requestsFor(rules: number, pattern: Pattern): readonly DecisionRequest[] {
  const kinds = rules / 2;
  return Array.from({ length: REQUESTS }, (_, n) => {
    const i = pattern === "one kind" ? kinds - 1 : (n * 7919) % kinds;
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
