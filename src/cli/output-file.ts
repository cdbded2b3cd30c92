/** `--output FILE`: redirects the output of a command to a file. The file is written completely or not at all. */

import { closeSync, fchmodSync, openSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { reasonOf } from "../node/file-reader.js";
import type { Arguments } from "./arguments.js";
import { pathFrom } from "./directory.js";
import { type ExitCode, type Streams, UsageError } from "./exit.js";
import { REPORT_FORMATS } from "./findings/print.js";
import { expectSeparateFiles } from "./separate-files.js";

export const OUTPUT_OPTION = { value: "FILE", does: "write the output to a file instead of standard output (-)" };

/** Unlikely file names: probably meant as `--format`. */
const FORMS: ReadonlySet<string> = new Set(["text", "json", ...REPORT_FORMATS]);

/** The file of `--output`; undefined for standard output, which is the default and `-`. */
export function outputOf({ texts }: Pick<Arguments, "texts">): string | undefined {
  const file = texts.get("output");
  return file === "-" ? undefined : file;
}

/** Runs a command and writes its output to the file, if one is named. If the command throws, the file stays unchanged. */
export async function intoFile(
  given: Arguments,
  streams: Streams,
  command: (given: Arguments, streams: Streams) => Promise<ExitCode>,
): Promise<ExitCode> {
  expectSeparateFiles(given, streams);
  const file = outputOf(given);
  if (file !== undefined && FORMS.has(file)) {
    throw new UsageError(`--output names a file, and --format a form: --format ${file}`);
  }
  return await intoNamedFile(file, streams, (to) => command(given, to));
}

/** Runs a command and writes its output to `file`; to standard output if it is undefined. */
export async function intoNamedFile(
  file: string | undefined,
  streams: Streams,
  command: (streams: Streams) => Promise<ExitCode>,
): Promise<ExitCode> {
  if (file === undefined) return await command(streams);
  return await written(file, streams.cwd, (out) => command({ ...streams, out, outIsTerminal: false, colors: false }));
}

/** Writes a file that was named on the command line. */
export async function writeOutput(file: string, content: string | Uint8Array, cwd?: string): Promise<void> {
  await written(file, cwd, async (write) => write(content));
}

/** Codes of the system for a write that the path did not cause: a full disk, a closed pipe. */
const NOT_OF_THE_PATH: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "EPIPE", "EIO"]);

/** The error of a failed write: bad usage, unless the disk is full or the pipe is closed. */
export function writeError(message: string, cause: unknown): Error {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return NOT_OF_THE_PATH.has(code) ? new Error(message) : new UsageError(message);
}

/** Writes a file in pieces. The file is replaced once all pieces are written; until then it stays unchanged. */
async function written<T>(
  file: string,
  cwd: string | undefined,
  act: (write: (content: string | Uint8Array) => void) => Promise<T>,
): Promise<T> {
  const attempt = <R>(action: () => R): R => {
    try {
      return action();
    } catch (error) {
      throw writeError(`cannot write ${file}: ${reasonOf(error)}`, error);
    }
  };
  const output = attempt(() => new OutputFile(pathFrom(cwd, file)));
  let isWhole = false;
  try {
    const result = await act((content) => attempt(() => output.write(content)));
    isWhole = true;
    return result;
  } finally {
    attempt(() => output.end(isWhole));
  }
}

class OutputFile {
  private readonly path: string;
  /** The path being written: a temporary file beside the target, or the target itself if it is not a file (a pipe). */
  private readonly part: string;
  private readonly descriptor: number;

  constructor(path: string) {
    const there = statSync(path, { throwIfNoEntry: false });
    // For a link, its target is written.
    this.path = there === undefined ? path : realpathSync(path);
    const isReplaced = there === undefined || there.isFile();
    this.part = isReplaced ? `${this.path}.${process.pid}.part` : this.path;
    this.descriptor = openSync(this.part, "w");
    if (isReplaced && there !== undefined) fchmodSync(this.descriptor, there.mode);
  }

  write(content: string | Uint8Array): void {
    writeFileSync(this.descriptor, content);
  }

  end(isWhole: boolean): void {
    closeSync(this.descriptor);
    if (this.part === this.path) return;
    try {
      if (isWhole) renameSync(this.part, this.path);
    } finally {
      rmSync(this.part, { force: true });
    }
  }
}
