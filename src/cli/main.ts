#!/usr/bin/env node
/** The `keyward` command. */

import { run } from "./run.js";

process.exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
