/** `--output FILE`: what a command says goes to a file. */

import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type ExitCode, type Streams, UsageError } from "./exit.js";
import { REPORT_FORMATS } from "./findings/print.js";

/** Words that are hardly meant as the name of a file. */
const FORMS: ReadonlySet<string> = new Set(["text", "json", ...REPORT_FORMATS]);

/** Runs a command; what it writes to `out` goes to the file, if one is named. It is written once the command has ended. */
export async function intoFile(
  file: string | undefined,
  streams: Streams,
  command: (streams: Streams) => Promise<ExitCode>,
): Promise<ExitCode> {
  if (file === undefined) return command(streams);
  if (FORMS.has(file)) throw new UsageError(`--output names a file, and --format a form: --format ${file}`);
  const parts: string[] = [];
  const code = await command({ ...streams, out: (text) => parts.push(text), outIsTerminal: false, colors: false });
  await writeOutput(file, parts.join(""), streams.cwd);
  return code;
}

/** Writes a file that was named at the terminal. */
export async function writeOutput(file: string, text: string, cwd = process.cwd()): Promise<void> {
  try {
    await writeFile(resolve(cwd, file), text);
  } catch (error) {
    throw new UsageError(`cannot write ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
