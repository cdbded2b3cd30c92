/** `keyward decide` on 100,000 lines of JSON: the processor time of a line. Needs `dist/` (npm run build). */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { show, spread } from "./rounds.js";

const LINES = 100_000;
const ROUNDS = 5;

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FILE = `${ROOT}bench/.build/requests.jsonl`;

/** The processor time in seconds, and the peak memory in megabytes, of the command for `lines` lines. */
function decided(lines: number): { readonly seconds: number; readonly megabytes: number } {
  const request = JSON.stringify(JSON.parse(readFileSync(`${ROOT}examples/request.json`, "utf8")));
  writeFileSync(FILE, `${request}\n`.repeat(lines));
  const program = `
    process.argv.splice(1, 1, "keyward", "decide", "--policies", "policies", "--input", ${JSON.stringify(FILE)});
    process.on("exit", () => {
      const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
      process.stderr.write(JSON.stringify([(userCPUTime + systemCPUTime) / 1e6, maxRSS / 1e3]));
    });
    await import("./dist/cli.js");`;
  const command = `${JSON.stringify(process.execPath)} --input-type=module -e "$PROGRAM" 2>&1 >/dev/null`;
  const said = execFileSync("sh", ["-c", command], { cwd: ROOT, encoding: "utf8", env: { PROGRAM: program } });
  const [seconds = Number.NaN, megabytes = Number.NaN]: number[] = JSON.parse(said);
  return { seconds, megabytes };
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
