/** Suites and fixtures from a directory. */

import { type Dirent, constants as flags } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Either, left, right } from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import type { TaskEither } from "fp-ts/lib/TaskEither.js";
import { decodeText } from "../node/text.js";
import type { IssueCode, PolicyIssue } from "../policy/issue.js";
import { compareText, IssueLog } from "../policy/issue-log.js";
import { MAX_FILE_SIZE, MAX_FILES, MAX_TOTAL_SIZE } from "../policy/limits.js";
import { isTestFile, type SuiteFiles } from "./files.js";

/**
 * The test suites in a directory and below it, and what lies in its `testdata` directories. Links to files are followed,
 * links to directories are not, as the server does.
 *
 * Left: every file that cannot be read (`io`), is too large (the limits are those of policies) or is not text. Never
 * rejects.
 */
export function readSuiteDirectory(directory: string): TaskEither<NonEmptyArray<PolicyIssue>, SuiteFiles> {
  return () => new SuiteReader(directory).read();
}

class SuiteReader {
  private readonly root: string;
  private readonly log = new IssueLog();
  private readonly paths: string[] = [];
  private total = 0;

  constructor(root: string) {
    this.root = root;
  }

  async read(): Promise<Either<NonEmptyArray<PolicyIssue>, SuiteFiles>> {
    await this.list([]);
    this.paths.sort(compareText);
    const files = new Map<string, string>();
    if (this.paths.length > MAX_FILES) this.report("too_large", this.root, `more than ${MAX_FILES} files of tests`);
    else for (const path of this.paths) await this.readFile(path, files);
    const [first, ...others] = this.log.issues;
    return first === undefined ? right(files) : left([first, ...others]);
  }

  private async list(directory: readonly string[]): Promise<void> {
    let entries: readonly Dirent[];
    try {
      entries = await readdir(join(this.root, ...directory), { withFileTypes: true });
    } catch (error) {
      this.report("io", directory.length === 0 ? this.root : directory.join("/"), reasonOf(error));
      return;
    }
    for (const entry of entries) {
      const parts = [...directory, entry.name];
      const path = parts.join("/");
      if (entry.isDirectory()) await this.list(parts);
      else if (isTestFile(path) && !(entry.isSymbolicLink() && (await this.leadsToDirectory(path)))) {
        this.paths.push(path);
      }
    }
  }

  private async leadsToDirectory(path: string): Promise<boolean> {
    return await stat(join(this.root, path)).then(
      (target) => target.isDirectory(),
      () => false,
    );
  }

  private async readFile(path: string, files: Map<string, string>): Promise<void> {
    try {
      // Without O_NONBLOCK, opening a named pipe waits for a writer.
      const file = await open(join(this.root, path), flags.O_RDONLY | (flags.O_NONBLOCK ?? 0));
      try {
        const stats = await file.stat();
        this.total += stats.size;
        if (!stats.isFile()) return this.report("io", path, "not a file");
        if (stats.size > MAX_FILE_SIZE) return this.report("too_large", path, `larger than ${MAX_FILE_SIZE} bytes`);
        if (this.total > MAX_TOTAL_SIZE) {
          return this.report("too_large", path, `with this file, more than ${MAX_TOTAL_SIZE} bytes`);
        }
        const text = decodeText(await file.readFile(), path, this.log);
        if (text !== undefined) files.set(path, text);
      } finally {
        await file.close();
      }
    } catch (error) {
      this.report("io", path, reasonOf(error));
    }
  }

  private report(code: IssueCode, file: string, message: string): void {
    this.log.error(code, { file, line: 1, column: 1 }, message);
  }
}

/** The system's reason, without the path, which the issue has. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "it cannot be read";
  return error.message.replace(/, \w+( '.*')?$/s, "");
}
