/** Compares candidates that decide the same requests: checks every answer, and then times all candidates in turns. */

import { leastRatio, show, spread } from "./rounds.js";

/** A candidate decides requests `A`. They are parsed from JSON, and not prepared in any other way. */
export interface Candidate<A> {
  readonly name: string;
  /** A round uses one `share`th of the requests, so that slow candidates finish in time. */
  readonly share: number;
  /**
   * The number of allowed requests. Each candidate has a loop of its own: a shared loop would keep the compiler from
   * inlining fast candidates.
   */
  readonly count: (requests: readonly A[]) => number | Promise<number>;
  readonly end?: () => Promise<void>;
}

/** The unit of all ratios. All candidates must agree with its answers. It decides synchronously. */
export interface Unit<A> extends Candidate<A> {
  readonly count: (requests: readonly A[]) => number;
}

/** Compares, times and prints, and ends the candidates. `warmUp`: passes in advance for candidates with `share` 1. */
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

/** Checks that a candidate agrees with the unit on every request. */
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
  // Synchronous candidates are not awaited: only their processor time counts, not other load on the machine.
  const decides = typeof counted === "number";
  const allowed = decides ? counted : await counted;
  const time = decides ? (user + system) * 1_000 : Number(process.hrtime.bigint() - start);
  if (allowed !== unit.count(some)) throw new Error("other answers than before");
  return time / length;
}
