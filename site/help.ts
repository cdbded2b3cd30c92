/** Prints the `--help` texts of the command and of each of its subcommands, as JSON. */

import { Readable } from "node:stream";
import { run } from "../src/cli/run.js";

async function said(...args: readonly string[]): Promise<string> {
  const parts: string[] = [];
  await run([...args, "--help"], {
    stdin: Readable.from([]),
    out: (text) => parts.push(text),
    err: (text) => parts.push(text),
    outIsTerminal: false,
    errIsTerminal: false,
    colors: false,
  });
  return parts.join("");
}

const usage = await said();
const names = new Set([...usage.matchAll(/^ {2}keyward ([a-z-]+) /gm)].map(([, name = ""]) => name));
const commands: [string, string][] = [];
for (const name of names) commands.push([name, await said(name)]);
process.stdout.write(JSON.stringify({ usage, commands }));
