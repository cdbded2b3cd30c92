/** Policies like those of Cerbos's load test: batches answered by hand, by keyward's client and by the server. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Client } from "@cerbos/core";
import { GRPC } from "@cerbos/grpc";
import { compileCheckEngineOrThrow, EmbeddedClient } from "../src/cerbos/index.js";
import { compilePoliciesOrThrow, decide, type PolicyFile } from "../src/index.js";
import { NO_SERVER, startServer } from "../test/support/server.js";
import { OLD, unitOf } from "./loadtest/policies.js";
import {
  type Answers,
  answersByHand,
  type Batch,
  batches,
  mayByHand,
  type Question,
  questionsOf,
} from "./loadtest/requests.js";
import { serverVersion } from "./peers/packages.js";
import { type Candidate, sideBySide } from "./side-by-side.js";

/** About 1,000 policies: the server takes a minute to start with 3,000. */
const UNITS = 112;
/** So few units that all data for their questions stays in caches. */
const FEW_UNITS = 4;
const BATCHES = 2_000;
/** The number of concurrent batches of a client. */
const AT_ONCE = 50;
const ROUNDS = 15;
/**
 * Passes before the first round. A plan gets its function after 20 questions; there are half as many plans as
 * questions.
 */
const WARM_UP = 40;

export async function benchLoadtest(): Promise<void> {
  const files = unitsOf(UNITS);
  const all = batches(BATCHES, UNITS);
  console.log(`${files.length} policies in ${UNITS} units\n\n## batches (CheckResources)`);
  const own = embedded(files);
  const those = [candidate(own, 1, 1)];
  await compare(own, all);
  if (NO_SERVER === undefined) {
    const judge = await server(files);
    await compare(judge, all);
    those.push(candidate({ ...judge, end: undefined }, 4, 1), candidate(judge, 4, AT_ONCE));
  } else console.log(`left out: ${NO_SERVER}`);
  await sideBySide({ name: "by hand", share: 1, count: countByHand }, those, all, ROUNDS);
  for (const units of [FEW_UNITS, UNITS]) {
    console.log(`\n## questions of one action (decide), about ${units} units`);
    await benchDecide(unitsOf(units), batches(BATCHES, units));
  }
}

function unitsOf(count: number): readonly PolicyFile[] {
  return Array.from({ length: count }, (_, unit) => unitOf(unit)).flat();
}

function countByHand(all: readonly Batch[]): number {
  let allowed = 0;
  for (const batch of all) allowed += allowedOf(answersByHand(batch));
  return allowed;
}

function allowedOf(answers: Answers): number {
  let allowed = 0;
  for (const answer of answers) {
    for (const action in answer) if (answer[action] === "EFFECT_ALLOW") allowed++;
  }
  return allowed;
}

/** A system under test: it answers batches, through its client. */
interface Asked {
  readonly name: string;
  readonly client: Client;
  readonly end?: (() => Promise<void>) | undefined;
}

function embedded(files: readonly PolicyFile[]): Asked {
  const start = process.hrtime.bigint();
  const client = new EmbeddedClient(compileCheckEngineOrThrow(files));
  console.log(`keyward has loaded them after ${secondsSince(start)} s`);
  return { name: "keyward, EmbeddedClient", client };
}

/** The server, by its own client over a local socket. */
async function server(files: readonly PolicyFile[]): Promise<Asked> {
  const directory = await mkdtemp(join(tmpdir(), "keyward-loadtest-"));
  for (const { path, text } of files) await writeFile(join(directory, path), text);
  const start = process.hrtime.bigint();
  const started = await startServer(directory);
  console.log(`the server answers after ${secondsSince(start)} s`);
  const client = new GRPC(started.grpc, { tls: false });
  const end = async (): Promise<void> => {
    client.close();
    await started.stop();
    await rm(directory, { recursive: true, force: true });
  };
  return { name: `Cerbos server ${serverVersion()}, over gRPC`, client, end };
}

function secondsSince(start: bigint): string {
  return (Number(process.hrtime.bigint() - start) / 1e9).toFixed(1);
}

async function ask(client: Client, batch: Batch): Promise<Answers> {
  return (await client.checkResources(batch)).results.map(({ actions }) => actions);
}

/** Checks that each action of each batch has the same answer as by hand. */
async function compare({ name, client }: Asked, all: readonly Batch[]): Promise<void> {
  let count = 0;
  for (const batch of all) {
    const [found, wanted] = [await ask(client, batch), answersByHand(batch)];
    if (!isDeepStrictEqual(found, wanted)) throw new Error(JSON.stringify({ name, batch, found, wanted }));
    for (const answer of wanted) count += Object.keys(answer).length;
  }
  console.log(`${name}: ${count} answers to actions, all equal`);
}

/** Sends batches one by one, or `atOnce` concurrently. */
function candidate({ name, client, end }: Asked, share: number, atOnce: number): Candidate<Batch> {
  return {
    name: `${name}, ${atOnce === 1 ? "one at a time" : `${atOnce} at once`}`,
    share,
    count: async (all) => {
      let allowed = 0;
      for (let i = 0; i < all.length; i += atOnce) {
        const answers = await Promise.all(all.slice(i, i + atOnce).map((batch) => ask(client, batch)));
        for (const one of answers) allowed += allowedOf(one);
      }
      return allowed;
    },
    ...(end === undefined ? {} : { end }),
  };
}

/** Decides the batches' questions about policies with scopes. The other version is in no layer. */
async function benchDecide(files: readonly PolicyFile[], all: readonly Batch[]): Promise<void> {
  const policies = compilePoliciesOrThrow(files, { platform: "none", otherVersions: [OLD] });
  const count = (some: readonly Question[]): number => {
    let allowed = 0;
    for (const { key, operation, resource } of some) if (mayByHand(key, operation, resource)) allowed++;
    return allowed;
  };
  const decided: Candidate<Question> = {
    name: "keyward, decide",
    share: 1,
    count: (some) => {
      let allowed = 0;
      for (const question of some) if (decide(policies, question).outcome === "allow") allowed++;
      return allowed;
    },
  };
  await sideBySide({ name: "by hand", share: 1, count }, [decided], questionsOf(all), ROUNDS, WARM_UP);
}
