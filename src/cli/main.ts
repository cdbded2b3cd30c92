#!/usr/bin/env node
/** The `keyward` command. */

import { EXIT } from "./exit.js";
import { run } from "./run.js";

// What could not be written was not said: a full disk, or a reader that has gone, must not look like a run that is fine.
process.stdout.on("error", (error) => {
  process.stderr.write(`keyward: cannot write to standard output: ${error.message}\n`);
  process.exit(EXIT.unexpected);
});
process.stderr.on("error", () => process.exit(EXIT.unexpected));

process.exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  outIsTerminal: process.stdout.isTTY === true,
  errIsTerminal: process.stderr.isTTY === true,
  // The depth is that of a terminal, and 1 where the environment asks for none (NO_COLOR, TERM=dumb).
  colors: process.stdout.isTTY === true && process.stdout.getColorDepth() > 1,
});
