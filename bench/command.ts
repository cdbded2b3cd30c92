/** `keyward decide` on 100,000 lines of JSON: the processor time of a line. Needs `dist/` (npm run build). */

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Usage, usageOf } from "./cli-usage.js";
import { show, spread } from "./rounds.js";

const LINES = 100_000;
const ROUNDS = 5;

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FILE = `${ROOT}bench/.build/requests.jsonl`;

/** The command's use for `lines` lines. */
function decided(lines: number): Usage {
  const request = JSON.stringify(JSON.parse(readFileSync(`${ROOT}examples/request.json`, "utf8")));
  writeFileSync(FILE, `${request}\n`.repeat(lines));
  return usageOf("decide", "--policies", "policies", "--input", FILE);
}

export async function benchCommand(): Promise<void> {
  const times: number[] = [];
  let most = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const [few, all] = [decided(1), decided(LINES)];
    times.push(((all.seconds - few.seconds) / LINES) * 1e6);
    most = Math.max(most, all.megabytes);
  }
  console.log(`${LINES} lines: ${show(spread(times), 1)} µs a line; ${most.toFixed(0)} MB at most`);
}
