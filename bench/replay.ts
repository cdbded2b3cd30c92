/**
 * `keyward replay` and `keyward tighten` on a log of standard input: the processor time of a line, and as a multiple of
 * reading the line as JSON and deciding it once. Needs `dist/` (npm run build).
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decide } from "../src/index.js";
import { usageOf } from "./cli-usage.js";
import { shippedSet } from "./decide.js";
import { type LogForm, logText } from "./replay-log.js";
import { workload } from "./requests.js";

const LINES = 50_000;
/** Subtracted, so that the time to start does not count. */
const FEW = 10_000;
const ROUNDS = 3;

/** The processor time of reading as many lines as JSON, and of deciding as many requests. */
function reference(text: string, decideAll: () => void): number {
  const { user, system } = process.cpuUsage();
  for (const line of text.split("\n")) if (line !== "") JSON.parse(line);
  decideAll();
  const after = process.cpuUsage();
  return (after.user - user + after.system - system) / 1e6;
}

export async function benchReplay(): Promise<void> {
  const policies = await shippedSet();
  const requests = workload(LINES);
  const decideAll = () => {
    for (const request of requests) decide(policies, request);
  };
  const directory = mkdtempSync(join(tmpdir(), "keyward-replay-"));
  try {
    for (const form of ["records", "entries"] satisfies readonly LogForm[]) {
      const text = [...logText(policies, { lines: LINES, form })].join("");
      const [all, few] = [join(directory, "all.log"), join(directory, "few.log")];
      writeFileSync(all, text);
      writeFileSync(few, [...logText(policies, { lines: FEW, form })].join(""));
      for (const command of ["replay", "tighten"]) {
        const [times, ratios]: [number[], number[]] = [[], []];
        let most = 0;
        for (let round = 0; round < ROUNDS; round++) {
          const once = reference(text, decideAll) / LINES;
          const whole = usageOf(command, all, "policies");
          const time = (whole.seconds - usageOf(command, few, "policies").seconds) / (LINES - FEW);
          times.push(time * 1e6);
          ratios.push(time / once);
          most = Math.max(most, whole.megabytes);
        }
        console.log(
          `${command} of ${LINES} ${form}: ${Math.min(...times).toFixed(1)} µs a line, ${Math.min(...ratios).toFixed(1)} times one JSON.parse and decide; ${most.toFixed(0)} MB at most`,
        );
      }
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
}
