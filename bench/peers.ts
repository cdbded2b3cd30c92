/** Sixteen rules decided by hand, by keyward, and by what else decides in a process; and by the Cerbos server. */

import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { type Candidate, candidates } from "./peers/candidates.js";
import { type Asked, byHand, requests } from "./peers/workload.js";
import { leastRatio, show, spread } from "./rounds.js";

const REQUESTS = 40_000;
const ROUNDS = 15;

const HOME = new URL("../peers/", import.meta.url);

/** What is compared with is installed when it is first needed, beside the lock file of its folder. */
function install(): void {
  const [installed, lock] = ["node_modules/.package-lock.json", "package-lock.json"].map((name) => new URL(name, HOME));
  if (installed === undefined || lock === undefined) return;
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: HOME, stdio: "inherit" });
}

export async function benchPeers(): Promise<void> {
  install();
  const all = requests(REQUESTS);
  const those = await candidates();
  try {
    const allowed = all.filter((one) => byHand(one).allowed).length;
    console.log(`16 rules; ${REQUESTS} requests of 200 keys, ${allowed} of them allowed; ${ROUNDS} rounds\n`);
    for (const candidate of those) await checked(candidate, all);
    for (let pass = 0; pass < 10; pass++) {
      for (const candidate of those) if (candidate.share === 1) await nanoseconds(candidate, all, 0);
    }
    const times: number[][] = those.map(() => []);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, candidate] of those.entries()) times[i]?.push(await nanoseconds(candidate, all, round));
    }
    const [hand = []] = times;
    those.forEach(({ name, share }, i) => {
      const own = times[i] ?? [];
      const ratio = show(spread(own.map((time, j) => time / (hand[j] ?? Number.NaN))));
      const least = leastRatio(own, hand);
      const part = share === 1 ? "" : `, on a ${share}th of the requests each round`;
      console.log(`${name.padEnd(56)} ${ratio} × by hand; least by least ${least}${part}`);
    });
  } finally {
    for (const { end } of those) await end?.();
  }
}

/** Every request of a candidate's share has the answer of the same by hand. */
async function checked({ name, share, count }: Candidate, all: readonly Asked[]): Promise<void> {
  const some = all.slice(0, all.length / share);
  for (const request of some) {
    const isAllowed = (await count([request])) === 1;
    if (isAllowed !== byHand(request).allowed) throw new Error(`${name}: another answer on ${JSON.stringify(request)}`);
  }
  console.log(`${name}: ${some.length} answers, all equal`);
}

async function nanoseconds({ share, count }: Candidate, all: readonly Asked[], round: number): Promise<number> {
  const length = all.length / share;
  const from = (round % share) * length;
  const some = all.slice(from, from + length);
  globalThis.gc?.();
  const start = process.hrtime.bigint();
  // What decides at once is not made to wait.
  const counted = count(some);
  const allowed = typeof counted === "number" ? counted : await counted;
  const time = Number(process.hrtime.bigint() - start);
  if (allowed !== some.filter((one) => byHand(one).allowed).length) throw new Error("other answers than before");
  return time / length;
}
