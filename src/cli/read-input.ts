/** The input of a command: a file, or standard input. */

import { createReadStream } from "node:fs";
import { messageOf, type Streams, UsageError } from "./exit.js";

export const INPUT_OPTION = { value: "FILE", does: "the requests (default, or -: standard input)" };

export function readInput(path: string | undefined, { stdin }: Streams): AsyncIterable<string | Uint8Array> {
  return path === undefined || path === "-" ? stdin : readFile(path);
}

/** Throws a {@link UsageError} if several inputs are standard input: all but the first would find it empty. */
export function requireOneStdin(inputs: readonly (string | undefined)[]): void {
  if (inputs.filter((path) => path === "-").length < 2) return;
  throw new UsageError("standard input (-) is given twice: name a file for one of them");
}

async function* readFile(path: string): AsyncGenerator<string | Uint8Array> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    const reason = messageOf(error);
    throw new UsageError(`cannot read ${path}: ${reason}`);
  }
}
