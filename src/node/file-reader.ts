/** Files below a directory, read within the limits. What is wrong with one is an issue. */

import { type Dirent, constants as flags } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { IssueCode } from "../policy/issue.js";
import type { IssueLog } from "../policy/issue-log.js";
import { MAX_FILE_SIZE, MAX_TOTAL_SIZE } from "../policy/limits.js";
import { decodeText } from "./text.js";

export class FileReader {
  private readonly root: string;
  private readonly log: IssueLog;
  private total = 0;

  constructor(root: string, log: IssueLog) {
    this.root = root;
    this.log = log;
  }

  /** The text of a file; undefined (with an issue) if it cannot be had. Its size is known before it is read. */
  async read(path: string): Promise<string | undefined> {
    try {
      // Without O_NONBLOCK, opening a named pipe waits for a writer.
      const file = await open(join(this.root, path), flags.O_RDONLY | (flags.O_NONBLOCK ?? 0));
      try {
        const { size, isFile } = await file.stat().then((s) => ({ size: s.size, isFile: s.isFile() }));
        if (!isFile) return this.report("io", path, "not a file");
        this.total += size;
        if (size > MAX_FILE_SIZE) return this.report("too_large", path, `larger than ${MAX_FILE_SIZE} bytes`);
        if (this.total > MAX_TOTAL_SIZE)
          return this.report("too_large", path, `with this file, more than ${MAX_TOTAL_SIZE} bytes`);
        return decodeText(await file.readFile(), path, this.log);
      } finally {
        await file.close();
      }
    } catch (error) {
      return this.report("io", path, reasonOf(error));
    }
  }

  /** What is in a directory, given by its parts; nothing (with an issue) if that cannot be had. */
  async entries(directory: readonly string[]): Promise<readonly Dirent[]> {
    try {
      return await readdir(join(this.root, ...directory), { withFileTypes: true });
    } catch (error) {
      this.report("io", directory.length === 0 ? this.root : directory.join("/"), reasonOf(error));
      return [];
    }
  }

  /** An issue about a whole file or directory. */
  report(code: IssueCode, file: string, message: string): undefined {
    this.log.error(code, { file, line: 1, column: 1 }, message);
    return undefined;
  }
}

/** The system's reason, without the path, which the issue has. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "it cannot be read";
  return error.message.replace(/, \w+( '.*')?$/s, "");
}
