/** Runs a command with `--watch`. */

import type { Streams } from "../../src/cli/exit.js";
import { run } from "../../src/cli/run.js";
import { type Files, withFiles } from "./terminal.js";

/**
 * Runs `keyward COMMAND DIRECTORY --watch` on these files until `use` returns. `next` waits for the output of another
 * run. Returns the exit code. `streams`: overrides, such as a terminal; `err` gets the rest of the error output.
 */
export async function whileWatching(
  command: "test" | "mutate",
  files: Files,
  use: (directory: string, next: () => Promise<string>) => Promise<void>,
  streams: Pick<Streams, "errIsTerminal"> & { readonly err?: (text: string) => void } = {},
): Promise<number> {
  return await withFiles(files, async (directory) => {
    const ended = new AbortController();
    let out = "";
    let seen = 0;
    let wake = () => {};
    const code = run([command, directory, "--watch"], {
      ...streams,
      stdin: (async function* () {})(),
      out: (text) => {
        out += text;
      },
      err: (text) => {
        streams.err?.(text);
        if (text.includes("waiting for changes")) seen++;
        wake();
      },
      signal: ended.signal,
    });
    let taken = 0;
    const next = async () => {
      while (seen <= taken) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      taken = seen;
      const text = out;
      out = "";
      return text;
    };
    try {
      await use(directory, next);
    } finally {
      ended.abort();
    }
    return await code;
  });
}
