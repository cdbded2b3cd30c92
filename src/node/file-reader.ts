/** Reads files below a directory within the limits. Faults become issues. */

import { type Dirent, constants as flags } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import type { IssueCode } from "../policy/issue.js";
import type { IssueLog } from "../policy/issue-log.js";
import { SizeTally } from "../policy/size-tally.js";
import type { LinkOptions } from "./read-options.js";
import { decodeText } from "./text.js";

export class FileReader {
  private readonly root: string;
  private readonly log: IssueLog;
  private readonly followLinks: boolean;
  private realRoot: Promise<string> | undefined;
  private readonly sizes = new SizeTally("bytes");

  constructor(root: string, log: IssueLog, { followLinks = false }: LinkOptions = {}) {
    this.root = root;
    this.log = log;
    this.followLinks = followLinks;
  }

  /** The text of a file; undefined (with an issue) if it cannot be read. The size is checked before reading. */
  async read(path: string, maxSize?: number): Promise<string | undefined> {
    try {
      const real = await this.real(path);
      if (real === undefined) return this.report("io", path, "a link that leads out of the directory", LINK_HINT);
      // Without O_NONBLOCK, opening a named pipe waits for a writer.
      const file = await open(real, flags.O_RDONLY | (flags.O_NONBLOCK ?? 0));
      try {
        const { size, isFile } = await file.stat().then((s) => ({ size: s.size, isFile: s.isFile() }));
        if (!isFile) return this.report("io", path, "not a file");
        const refusal = this.sizes.refusal(size, maxSize);
        if (refusal !== undefined) return this.report("too_large", path, refusal);
        return decodeText(await file.readFile(), path, this.log);
      } finally {
        await file.close();
      }
    } catch (error) {
      return this.report("io", path, reasonOf(error));
    }
  }

  /** The entries of a directory, given by its path segments; empty (with an issue) if it cannot be read. */
  async entries(directory: readonly string[]): Promise<readonly Dirent[]> {
    try {
      return await readdir(join(this.root, ...directory), { withFileTypes: true });
    } catch (error) {
      this.report("io", directory.length === 0 ? this.root : directory.join("/"), reasonOf(error));
      return [];
    }
  }

  async leadsToDirectory(path: string): Promise<boolean> {
    return await stat(join(this.root, path)).then(
      (target) => target.isDirectory(),
      () => false,
    );
  }

  /** An issue about a whole file or directory. */
  report(code: IssueCode, file: string, message: string, hint?: string): undefined {
    this.log.error(code, { file, line: 1, column: 1 }, message, hint);
    return undefined;
  }

  /** The real path of a file, with links resolved; undefined if it is outside the directory. */
  private async real(path: string): Promise<string | undefined> {
    const given = join(this.root, path);
    if (this.followLinks) return given;
    this.realRoot ??= realpath(this.root);
    const [root, real] = await Promise.all([this.realRoot, realpath(given)]);
    return real.startsWith(root.endsWith(sep) ? root : root + sep) ? real : undefined;
  }
}

const LINK_HINT = "`followLinks`, on the command line `--follow-links`, follows it";

/** The system's error message without the path, which the issue has already. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "it cannot be read";
  return error.message.replace(/, \w+( '.*')?$/s, "");
}
