/** The processor time and the memory of a command, in a process of its own. Needs `dist/` (npm run build). */

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface Usage {
  /** Processor time. */
  readonly seconds: number;
  /** The peak memory. */
  readonly megabytes: number;
}

/** Runs `keyward` with these arguments, at the root of the repository. Its output is dropped. */
export function usageOf(...args: readonly string[]): Usage {
  const program = `
    process.argv.splice(1, 1, "keyward", ...${JSON.stringify(args)});
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
