#!/usr/bin/env node
/** The `keyward` command. */

import { once } from "node:events";
import { EXIT } from "./exit.js";
import { run } from "./run.js";

// A failed write (full disk, closed pipe) must not look like a successful run.
process.stdout.on("error", (error) => {
  process.stderr.write(`keyward: cannot write to standard output: ${error.message}\n`);
  process.exit(EXIT.unexpected);
});
process.stderr.on("error", () => process.exit(EXIT.unexpected));

async function drained(): Promise<void> {
  if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
}

process.exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  drained,
  outIsTerminal: process.stdout.isTTY === true,
  errIsTerminal: process.stderr.isTTY === true,
  // The colour depth is the terminal's, or 1 if the environment forbids colours (NO_COLOR, TERM=dumb).
  colors: process.stdout.isTTY === true && process.stdout.getColorDepth() > 1,
});
