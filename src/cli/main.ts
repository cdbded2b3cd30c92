#!/usr/bin/env node
/** The `keyward` command. */

import { EXIT } from "./exit.js";
import { run } from "./run.js";

// A reader that has seen enough (`keyward decide … | head`) is no fault of the command.
process.stdout.on("error", (error: NodeJS.ErrnoException) =>
  process.exit(error.code === "EPIPE" ? EXIT.ok : EXIT.unexpected),
);

process.exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  outIsTerminal: process.stdout.isTTY === true,
  errIsTerminal: process.stderr.isTTY === true,
  // The depth is that of a terminal, and 1 where the environment asks for none (NO_COLOR, TERM=dumb).
  colors: process.stdout.isTTY === true && process.stdout.getColorDepth() > 1,
});
