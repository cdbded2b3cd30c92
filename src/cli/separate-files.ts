/** Keeps the outputs of a command apart from its inputs and from each other. */

import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isRead } from "../node/directory.js";
import { printable } from "../policy/escape.js";
import { directoryRole, isClaimsFile } from "../policy/file-rules.js";
import { isTestFile } from "../testing/files.js";
import type { Arguments } from "./arguments.js";
import { type Streams, UsageError } from "./exit.js";

/** Options with a path that a command writes. */
const WRITTEN: readonly string[] = ["output", "evidence", "register", "coverage-file", "write", "decisions"];

/** Placeholders of options with a path. */
const PATHS: readonly (string | undefined)[] = ["FILE", "KEYFILE", "DIR", "DIR|BUNDLE", "SOURCE", "OLD", "EARLIER"];

interface NamedFile {
  /** As on the command line: `--output report.json`. */
  readonly written: string;
  /** The absolute path without links. */
  readonly path: string;
}

/**
 * Throws a {@link UsageError} if an output would replace an input, another output, or one of the policies, tests or claims
 * in a directory. Warns of a new file that will be read as one of them. `beside`: further files that the command writes.
 * Only `--output` may be `-`.
 */
export function expectSeparateFiles(
  { usage, texts, lists, positionals }: Arguments,
  { cwd = process.cwd(), err }: Pick<Streams, "cwd" | "err">,
  beside: readonly string[] = [],
): void {
  const named = (written: string, path: string) => ({ written, path: withoutLinks(resolve(cwd, path)) });
  const outputs = beside.map((path) => named(path, path));
  const inputs = positionals.filter((path) => existsSync(resolve(cwd, path))).map((path) => named(path, path));
  for (const [option, paths] of [...[...texts].map(([name, text]) => [name, [text]] as const), ...lists]) {
    if (!PATHS.includes(usage.options[option]?.value)) continue;
    const isWritten = WRITTEN.includes(option);
    for (const path of paths) {
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
    // The suite of `--write` belongs to the tests.
    const parent = output.written.startsWith("--write ")
      ? undefined
      : inputs.find((input) => isReadFrom(input, output));
    if (parent === undefined) continue;
    if (existsSync(output.path)) {
      throw new UsageError(`${output.written} would replace a part of ${parent.written}: write to another place`);
    }
    err(
      `${printable(`warning: ${output.written} will be read as a part of ${parent.written}: write to another place`)}\n`,
    );
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

/** Tells if a file belongs to the policies, tests or claims of a directory. */
function isReadFrom(directory: NamedFile, file: NamedFile): boolean {
  const below = relative(directory.path, file.path);
  const parts = below.split(sep);
  // On Windows, a path on another drive is absolute.
  if (below === "" || parts[0] === ".." || isAbsolute(below)) return false;
  const path = parts.join("/");
  const isHidden = parts.slice(0, -1).some((_, index) => directoryRole(parts.slice(0, index + 1)) === "ignored");
  return (isRead(parts) && !isHidden) || isTestFile(path) || isClaimsFile(path);
}
