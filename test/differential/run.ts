/** Runs the differential test: generates stores and requests, compares both answers. */

import { Refused } from "../support/server.js";
import { compareAnswers, type Difference, looseSources } from "./compare.js";
import { Coverage } from "./coverage.js";
import type { JsonObject } from "./json.js";
import { LocalStore } from "./local.js";
import { Random } from "./random.js";
import { alsoRefuses } from "./refusals.js";
import { type GeneratedRequest, generateRequest, targetsOf } from "./requests.js";
import { type StoreServer, startStore } from "./server.js";
import { generateStore, type Store } from "./store.js";

export interface Finding {
  readonly store: Store;
  /** Undefined if the store itself is the difference: only one side loads it. */
  readonly request: GeneratedRequest | undefined;
  readonly server: JsonObject | undefined;
  readonly local: JsonObject | undefined;
  readonly differences: readonly Difference[];
}

export interface RunOptions {
  readonly requests: number;
  readonly requestsPerStore: number;
  readonly seed: number;
  /** The number of stores to skip at the beginning, so that an interrupted run can continue. */
  readonly skip?: number;
  /** Ends the run after this many findings. */
  readonly findings: number;
  readonly progress?: (line: string) => void;
}

export interface RunResult {
  readonly findings: readonly Finding[];
  readonly coverage: Coverage;
}

/** Runs until there have been enough requests or findings. Only one server runs at a time. */
export async function run({
  requests,
  requestsPerStore,
  seed,
  skip = 0,
  findings,
  progress,
}: RunOptions): Promise<RunResult> {
  const random = new Random(seed);
  for (let i = 0; i < skip; i++) random.seed();
  const coverage = new Coverage();
  const found: Finding[] = [];
  while (coverage.requests < requests && found.length < findings) {
    const storeSeed = random.seed();
    const own = new Random(storeSeed);
    const store = generateStore(own);
    const count = Math.min(requestsPerStore, requests - coverage.requests);
    const targets = targetsOf(store);
    const generated = Array.from({ length: count }, () => generateRequest(own, targets));
    coverage.store(store);
    const differing = await compareStore(store, generated, coverage);
    found.push(...differing);
    // Reported at once, since a long run may be interrupted before its report.
    for (const one of differing) progress?.(`store ${coverage.stores} differs: ${JSON.stringify(one)}`);
    if (coverage.stores % 25 === 0) {
      progress?.(`${coverage.requests} requests, ${coverage.stores} stores, ${found.length} differences`);
    }
  }
  return { findings: found, coverage };
}

export async function compareStore(
  store: Store,
  requests: readonly GeneratedRequest[],
  coverage: Coverage | undefined,
): Promise<readonly Finding[]> {
  const local = LocalStore.load(store);
  let server: StoreServer;
  try {
    server = await startStore(store);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    coverage?.refused(requests.length);
    if (!(local instanceof LocalStore)) return [];
    return [loadFinding(store, `the server refuses the store: ${error.message}`)];
  }
  try {
    if (!(local instanceof LocalStore)) {
      coverage?.refused(requests.length);
      return [loadFinding(store, `only the server loads the store: ${JSON.stringify(local.slice(0, 3))}`)];
    }
    for (let i = 0; i < requests.length; i += PARALLEL) {
      const batch = requests.slice(i, i + PARALLEL);
      const answers = await Promise.all(batch.map(({ body }) => server.check(body)));
      for (const [j, request] of batch.entries()) {
        const finding = compareOne(store, local, request, answers[j] ?? {}, coverage);
        if (finding !== undefined) return [finding];
      }
    }
    return [];
  } finally {
    await server.stop();
  }
}

const PARALLEL = 4;

function loadFinding(store: Store, detail: string): Finding {
  const differences: Difference[] = [{ aspect: "load", detail }];
  return { store, request: undefined, server: undefined, local: undefined, differences };
}

function compareOne(
  store: Store,
  local: LocalStore,
  request: GeneratedRequest,
  server: JsonObject,
  coverage: Coverage | undefined,
): Finding | undefined {
  const answer = local.check(request);
  coverage?.answer(store, request, server, answer, local);
  const differences = compareAnswers(server, answer, looseSources(store)).filter(
    (difference) => !alsoRefuses(store, request, server, difference),
  );
  return differences.length === 0 ? undefined : { store, request, server, local: answer.body, differences };
}
