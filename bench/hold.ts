/**
 * The longest gap of the event loop while a changed set is read, compiled and held, and beside a thread that is only
 * busy: other programs on the machine make gaps as well. Needs `dist/` (npm run build).
 */

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

const ROUNDS = 8;
const FILE = "platform/api.yaml";
const [OLD, NEW] = ["R.attr.keyCount == 0", "R.attr.keyCount <= 1"];

export async function benchHold(): Promise<void> {
  const { LivePolicies }: typeof import("../src/watch/index.js") = await import(
    pathToFileURL(join(process.cwd(), "dist/watch.js")).href
  );
  const directory = mkdtempSync(join(tmpdir(), "keyward-hold-"));
  try {
    cpSync("policies", directory, { recursive: true });
    const events: string[] = [];
    const loaded = await LivePolicies.load(directory, {
      onWidening: "hold",
      onEvent: (event) => events.push(event.kind === "held" ? `held ${event.held.failure ?? ""}` : event.kind),
    })();
    if (loaded._tag === "Left") throw new Error("the policies are not valid");
    const live = loaded.right;
    const text = readFileSync(join(directory, FILE), "utf8");
    for (let i = 0; i < ROUNDS; i++) {
      writeFileSync(join(directory, FILE), `${text.replace(OLD, NEW)}# ${i}\n`);
      const { gap, took } = await gapIn(() => live.reload());
      const other = await gapIn(() => busyThread(took));
      console.log(
        `${events.at(-1)}: longest gap ${gap.toFixed(0)} ms, held after ${took.toFixed(0)} ms; beside a busy thread ${other.gap.toFixed(0)} ms`,
      );
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Both in milliseconds. */
async function gapIn(act: () => Promise<void>): Promise<{ readonly gap: number; readonly took: number }> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  await new Promise((resolve) => setTimeout(resolve, 20));
  delays.reset();
  const start = performance.now();
  await act();
  const took = performance.now() - start;
  await new Promise((resolve) => setTimeout(resolve, 20));
  delays.disable();
  return { gap: delays.max / 1e6, took };
}

async function busyThread(milliseconds: number): Promise<void> {
  const program = `const end = Date.now() + ${milliseconds}; while (Date.now() < end);`;
  const worker = new Worker(program, { eval: true });
  await new Promise((resolve) => worker.once("exit", resolve));
}
