/**
 * The program that `instructions.ts` measures. `counted.mjs WORKLOAD CANDIDATE REQUESTS PASSES` decides REQUESTS
 * requests of a workload PASSES times.
 */

import { compilePoliciesOrThrow, decide, deciderFor } from "../src/index.js";
import { shippedSet } from "./decide.js";
import { handDecide } from "./handwritten.js";
import { byHand, POLICIES, requests } from "./peers/workload.js";
import { workload } from "./requests.js";

type Loop = () => number;

/** Each candidate has a loop of its own: a shared loop would keep the compiler from inlining fast candidates. */
const WORKLOADS: { readonly [name: string]: (candidate: string, count: number) => Promise<Loop> } = {
  async peers(candidate, count) {
    const all = requests(count);
    const policies = compilePoliciesOrThrow(POLICIES, { platform: "none" });
    if (candidate === "hand") return () => tally(all, (request) => byHand(request).allowed);
    if (candidate === "decide") return () => tally(all, (request) => decide(policies, request).outcome === "allow");
    const deciders = new Map<number, ReturnType<typeof of>>();
    const of = (key: (typeof all)[number]["key"]) => deciderFor(policies, { key });
    for (const { key, number } of all) if (!deciders.has(number)) deciders.set(number, of(key));
    const asked = all.map(({ key, operation, resource, number }) => {
      return { decider: deciders.get(number) ?? of(key), operation, resource };
    });
    return () =>
      tally(asked, ({ decider, operation, resource }) => decider.decide({ operation, resource }).outcome === "allow");
  },

  async shipped(candidate, count) {
    const all = workload(count);
    const policies = await shippedSet();
    if (candidate === "hand") return () => tally(all, (request) => handDecide(request).outcome === "allow");
    if (candidate === "decide") return () => tally(all, (request) => decide(policies, request).outcome === "allow");
    const deciders = new Map<string, ReturnType<typeof of>>();
    const of = (key: (typeof all)[number]["key"]) => deciderFor(policies, { key });
    const asked = all.map(({ key, ...rest }) => {
      const name = JSON.stringify(key);
      const decider = deciders.get(name) ?? of(key);
      deciders.set(name, decider);
      return { decider, rest };
    });
    return () => tally(asked, ({ decider, rest }) => decider.decide(rest).outcome === "allow");
  },
};

function tally<A>(all: readonly A[], isAllowed: (one: A) => boolean): number {
  let allowed = 0;
  for (const one of all) if (isAllowed(one)) allowed++;
  return allowed;
}

const [name = "", candidate = "", count, passes] = process.argv.slice(2);
const loop = await WORKLOADS[name]?.(candidate, Number(count));
if (loop === undefined) throw new Error(`no workload ${name}`);
let allowed = 0;
for (let i = 0; i < Number(passes); i++) allowed += loop();
console.log(allowed);
