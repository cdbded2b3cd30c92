/** What decides the same requests, side by side: every answer compared, and then all timed in turns. */

import { leastRatio, show, spread } from "./rounds.js";

/** Something that decides requests `A`. What it is given has been parsed from JSON, and nothing else. */
export interface Candidate<A> {
  readonly name: string;
  /** Requests of a round: that part of all, for what takes long. */
  readonly share: number;
  /**
   * How many of some requests are allowed. Each candidate has a loop of its own: one for all would keep the compiler from
   * making what is fast a part of it.
   */
  readonly count: (requests: readonly A[]) => number | Promise<number>;
  readonly end?: () => Promise<void>;
}

/** The first is the unit of all ratios, and has the answers that all must have. It decides at once. */
export interface Unit<A> extends Candidate<A> {
  readonly count: (requests: readonly A[]) => number;
}

/** Compares, times and prints; ends the candidates. `warmUp`: times that those which decide at once go through all before. */
export async function sideBySide<A>(
  unit: Unit<A>,
  others: readonly Candidate<A>[],
  all: readonly A[],
  rounds: number,
  warmUp = 10,
): Promise<void> {
  const those = [unit, ...others];
  try {
    console.log(`${all.length} requests, ${unit.count(all)} of them allowed; ${rounds} rounds\n`);
    for (const candidate of those) await checked(candidate, unit, all);
    for (let pass = 0; pass < warmUp; pass++) {
      for (const candidate of those) if (candidate.share === 1) await nanoseconds(candidate, unit, all, 0);
    }
    const times: number[][] = those.map(() => []);
    for (let round = 0; round < rounds; round++) {
      for (const [i, candidate] of those.entries()) times[i]?.push(await nanoseconds(candidate, unit, all, round));
    }
    const [hand = []] = times;
    those.forEach(({ name, share }, i) => {
      const own = times[i] ?? [];
      const ratio = show(spread(own.map((time, j) => time / (hand[j] ?? Number.NaN))));
      const least = leastRatio(own, hand);
      const part = share === 1 ? "" : `, on a ${share}th of the requests each round`;
      const time = Math.min(...own).toFixed(0);
      console.log(`${name.padEnd(56)} ${ratio} × ${unit.name}; least by least ${least}, of ${time} ns${part}`);
    });
  } finally {
    for (const { end } of those) await end?.();
  }
}

/** A candidate has the unit's answer to every request. */
async function checked<A>({ name, count }: Candidate<A>, unit: Unit<A>, all: readonly A[]): Promise<void> {
  for (const request of all) {
    if ((await count([request])) !== unit.count([request])) {
      throw new Error(`${name}: another answer on ${JSON.stringify(request)}`);
    }
  }
  console.log(`${name}: ${all.length} answers, all equal`);
}

async function nanoseconds<A>(
  { share, count }: Candidate<A>,
  unit: Unit<A>,
  all: readonly A[],
  round: number,
): Promise<number> {
  const length = all.length / share;
  const from = (round % share) * length;
  const some = all.slice(from, from + length);
  globalThis.gc?.();
  const start = process.hrtime.bigint();
  const used = process.cpuUsage();
  const counted = count(some);
  const { user, system } = process.cpuUsage(used);
  // What decides at once is not made to wait: what it takes is time of the processor, whatever else runs meanwhile.
  const decides = typeof counted === "number";
  const allowed = decides ? counted : await counted;
  const time = decides ? (user + system) * 1_000 : Number(process.hrtime.bigint() - start);
  if (allowed !== unit.count(some)) throw new Error("other answers than before");
  return time / length;
}
