/** Reads policy files from a directory. */

import { stat } from "node:fs/promises";
import { type Either, isRight, left, right } from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import { map, type TaskEither } from "fp-ts/lib/TaskEither.js";
import { COMPILE_OPTIONS } from "../decisions/compile-options.js";
import { MAX_FILES } from "../limits.js";
import { directoryRole, fileRole } from "../policy/file-rules.js";
import type { PolicyIssue } from "../policy/issue.js";
import { compareText, IssueLog } from "../policy/issue-log.js";
import { LOCK_FILE } from "../policy/lock.js";
import { checkArgument, checkOptions, ignored, TEXT } from "../policy/options.js";
import type { PolicyFile } from "../policy/parse.js";
import { FileReader, reasonOf } from "./file-reader.js";
import { maxSizeOf, type ReadFiles, withoutLock } from "./lock.js";
import { READ_OPTIONS, type ReadOptions } from "./read-options.js";
import { warnUnlocked } from "./unlocked.js";

/** The number of files read at the same time. */
const CONCURRENCY = 32;

/**
 * The policy and schema files of a directory, by path. Paths are relative to the directory, with `/`. Hidden files, tests
 * (`*_test.yaml`, `*.decisions.yaml`) and `testdata` directories are left out. Links to files are followed within the
 * directory. A link to a directory is an error (`io`), because the server ignores the files behind it.
 *
 * Left: every file that cannot be read (`io`), is too large or is not text, or `no_policies`; or every difference from
 * the set's lock (`lock`). Never rejects. Throws a `TypeError` for an unknown option or an invalid value.
 */
export function readPolicyDirectory(
  directory: string,
  options: ReadOptions = {},
): TaskEither<NonEmptyArray<PolicyIssue>, readonly PolicyFile[]> {
  checkOptions(options, { ...ignored(COMPILE_OPTIONS), ...READ_OPTIONS });
  return map(({ files }: ReadFiles) => files)(readLockedDirectory(directory, options));
}

/** {@link readPolicyDirectory} with options that are checked already; also tells whether the files have a lock. */
export function readLockedDirectory(
  directory: string,
  options: ReadOptions,
): TaskEither<NonEmptyArray<PolicyIssue>, ReadFiles> {
  checkArgument("directory", directory, TEXT);
  return async () => {
    const read = await new DirectoryReader(directory, options).read();
    if (isRight(read) && !read.right.locked && options.lock !== "ignored") warnUnlocked(directory);
    return read;
  };
}

class DirectoryReader {
  private readonly root: string;
  private readonly options: ReadOptions;
  private readonly log = new IssueLog();
  private readonly reader: FileReader;
  private readonly paths: string[] = [];

  constructor(root: string, options: ReadOptions) {
    this.root = root;
    this.options = options;
    this.reader = new FileReader(root, this.log, options);
  }

  async read(): Promise<Either<NonEmptyArray<PolicyIssue>, ReadFiles>> {
    if (await this.isDirectory()) await this.list([]);
    if (this.paths.length > MAX_FILES) this.reader.report("too_large", this.root, `more than ${MAX_FILES} files`);
    const read = this.log.size > 0 && this.paths.length > MAX_FILES ? [] : await this.readAll();
    const hasPolicy = this.paths.some((path) => fileRole(path.split("/")) === "policy");
    if (this.log.size === 0 && !hasPolicy) this.reader.report("no_policies", this.root, "there is no policy file here");
    // An unreadable file is reported as unreadable only, not as different from the lock.
    const files = withoutLock(read, this.log.size > 0 ? { lock: "ignored" } : this.options, this.log);
    const [first, ...others] = this.log.issues;
    return first === undefined ? right(files) : left([first, ...others]);
  }

  private async isDirectory(): Promise<boolean> {
    try {
      if ((await stat(this.root)).isDirectory()) return true;
      this.reader.report("io", this.root, "not a directory");
    } catch (error) {
      this.reader.report("io", this.root, reasonOf(error));
    }
    return false;
  }

  /** Collects the files below a directory, which is given by its path segments from the root. */
  private async list(directory: readonly string[]): Promise<void> {
    for (const entry of await this.reader.entries(directory)) {
      const path = [...directory, entry.name];
      if (!entry.isDirectory()) {
        if (isRead(path)) this.paths.push(path.join("/"));
        else if (entry.isSymbolicLink()) await this.link(path);
        continue;
      }
      const role = directoryRole(path);
      if (isOfRoot(path)) this.reader.report("io", path.join("/"), "a directory in the place of a file");
      else if (role === "misplaced_schema")
        this.reader.report("schema", path.join("/"), "_schemas must be at the root of the policies");
      else if (role !== "ignored") await this.list(path);
    }
  }

  /** Reports a link to a directory: the policies behind it would silently be left out. */
  private async link(path: readonly string[]): Promise<void> {
    const at = path.join("/");
    if (directoryRole(path) === "ignored" || !(await this.reader.leadsToDirectory(at))) return;
    this.reader.report("io", at, "a link to a directory, which is not followed", LINK_HINT);
  }

  private async readAll(): Promise<readonly PolicyFile[]> {
    this.paths.sort(compareText);
    const files = new Map<string, PolicyFile>();
    const queue = this.paths.values();
    const worker = async () => {
      for (const path of queue) {
        const text = await this.reader.read(path, maxSizeOf(path));
        if (text !== undefined) files.set(path, { path, text });
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    return this.paths.flatMap((path) => files.get(path) ?? []);
  }
}

const LINK_HINT = "put the files where the link is, or link each of them";

/** Whether to read a file, given by its path segments: a policy, a schema or the lock. */
export function isRead(path: readonly string[]): boolean {
  return fileRole(path) !== "ignored" || isOfRoot(path);
}

/** True for the configuration and the lock. Containers make a directory of a missing mount. */
function isOfRoot(path: readonly string[]): boolean {
  return fileRole(path) === "configuration" || (path.length === 1 && path[0] === LOCK_FILE);
}
