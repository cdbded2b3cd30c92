/** Keeps the outputs of a command apart from its inputs and from each other. */

import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Arguments } from "./arguments.js";
import { type Streams, UsageError } from "./exit.js";

/** Options with a path that a command writes. */
const WRITTEN: readonly string[] = ["output", "evidence", "register", "coverage-file", "write", "decisions"];

/** Placeholders of options with a path. */
const PATHS: readonly (string | undefined)[] = ["FILE", "KEYFILE", "DIR", "DIR|BUNDLE", "SOURCE", "OLD", "EARLIER"];

/** Names of streams of the process. Two of them may lead to one file. */
const STREAMS = /^\/(?:dev|proc)\//;

/**
 * Throws a {@link UsageError} if an output would replace an input or another output. `beside`: further files that the
 * command writes. Only `--output` may be `-`.
 */
export function expectSeparateFiles(
  { usage, texts, lists, positionals }: Arguments,
  { cwd = process.cwd() }: Pick<Streams, "cwd">,
  beside: readonly string[] = [],
): void {
  const named = (written: string, path: string) => ({ written, path: withoutLinks(resolve(cwd, path)) });
  const outputs = beside.map((path) => named(path, path));
  const inputs = positionals.filter((path) => existsSync(resolve(cwd, path))).map((path) => named(path, path));
  for (const [option, paths] of [...[...texts].map(([name, text]) => [name, [text]] as const), ...lists]) {
    if (!PATHS.includes(usage.options[option]?.value)) continue;
    const isWritten = WRITTEN.includes(option);
    for (const path of paths) {
      if (STREAMS.test(path)) continue;
      if (path !== "-") (isWritten ? outputs : inputs).push(named(`--${option} ${path}`, path));
      else if (isWritten && option !== "output") {
        throw new UsageError(`--${option} needs the name of a file: only --output may be - (standard output)`);
      }
    }
  }
  for (const [index, output] of outputs.entries()) {
    if (isDeviceOrDirectory(output.path)) continue;
    const same = [...inputs, ...outputs.slice(0, index)].find(({ path }) => path === output.path);
    if (same !== undefined) {
      throw new UsageError(`${output.written} and ${same.written} are the same file: write to another one`);
    }
  }
}

/** The path without links. The file need not exist. */
function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(withoutLinks(parent), basename(path));
  }
}

/** Devices may be written twice, such as `/dev/null`; a directory is refused when it is opened. */
function isDeviceOrDirectory(path: string): boolean {
  try {
    return !statSync(path).isFile();
  } catch {
    return false;
  }
}
