/**
 * Counts the instructions of a decision by valgrind (`apt-get install valgrind`). This is the only measure that does
 * not depend on other load on the machine, or on where the garbage collector has placed the requests. It does not
 * include the cost of waiting for memory.
 */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PROGRAM = "bench/.build/counted.mjs";

const REQUESTS = 4_000;
/** The first number covers all compilation, so the difference to the second is the cost of decisions alone. */
const PASSES = [250, 350] as const;

export async function benchInstructions(): Promise<void> {
  if (spawnSync("valgrind", ["--version"]).status !== 0) {
    console.log("left out: there is no valgrind here (apt-get install valgrind)");
    return;
  }
  await build({
    absWorkingDir: ROOT,
    entryPoints: ["bench/counted.ts"],
    outfile: PROGRAM,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    minifySyntax: true,
    logLevel: "warning",
  });
  for (const [workload, title] of [
    ["peers", "sixteen rules over four kinds"],
    ["shipped", "the shipped policies"],
  ] as const) {
    const hand = counted(workload, "hand");
    console.log(`${title}: by hand ${hand.toFixed(0)} instructions`);
    for (const candidate of ["decide", "decider"]) {
      const own = counted(workload, candidate);
      console.log(`  ${candidate.padEnd(8)} ${own.toFixed(0)} instructions, ${(own / hand).toFixed(2)} × by hand`);
    }
  }
}

function counted(workload: string, candidate: string): number {
  const [few, many] = PASSES.map((passes) => {
    const program = ["--single-threaded", PROGRAM, workload, candidate, String(REQUESTS), String(passes)];
    const options = [
      "--tool=cachegrind",
      "--cache-sim=no",
      "--smc-check=all-non-file",
      "--cachegrind-out-file=/dev/null",
    ];
    const { stderr } = spawnSync("valgrind", [...options, process.execPath, ...program], {
      cwd: ROOT,
      encoding: "utf8",
    });
    const found = /I +refs: +([\d,]+)/.exec(stderr)?.[1];
    if (found === undefined) throw new Error(stderr);
    return Number(found.replaceAll(",", ""));
  });
  return ((many ?? Number.NaN) - (few ?? Number.NaN)) / (REQUESTS * (PASSES[1] - PASSES[0]));
}
