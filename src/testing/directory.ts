/** Reads suites and fixtures from a directory. */

import { type Either, left, right } from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import type { TaskEither } from "fp-ts/lib/TaskEither.js";
import { MAX_FILES } from "../limits.js";
import { FileReader } from "../node/file-reader.js";
import { LINK_OPTIONS, type LinkOptions } from "../node/read-options.js";
import type { PolicyIssue } from "../policy/issue.js";
import { compareText, IssueLog } from "../policy/issue-log.js";
import { checkArgument, checkOptions, TEXT } from "../policy/options.js";
import { isTestFile, type SuiteFiles } from "./files.js";

/**
 * Reads the test suites in a directory and below it, and the files in its `testdata` directories. As on the server,
 * links to files are followed within the directory, and links to directories are not followed.
 *
 * Left: every file that cannot be read (`io`), is too large (the limits are those of policies) or is not text. Never
 * rejects. Throws a `TypeError` for a `followLinks` that is not true or false.
 */
export function readSuiteDirectory(
  directory: string,
  options: LinkOptions = {},
): TaskEither<NonEmptyArray<PolicyIssue>, SuiteFiles> {
  checkArgument("directory", directory, TEXT);
  // Programs give the options of `loadPolicies`, too.
  checkOptions({ followLinks: options.followLinks }, LINK_OPTIONS);
  return () => new SuiteReader(directory, options).read();
}

class SuiteReader {
  private readonly root: string;
  private readonly log = new IssueLog();
  private readonly reader: FileReader;
  private readonly paths: string[] = [];

  constructor(root: string, options: LinkOptions) {
    this.root = root;
    this.reader = new FileReader(root, this.log, options);
  }

  async read(): Promise<Either<NonEmptyArray<PolicyIssue>, SuiteFiles>> {
    await this.list([]);
    this.paths.sort(compareText);
    const files = new Map<string, string>();
    const tooMany = this.paths.length > MAX_FILES;
    if (tooMany) this.reader.report("too_large", this.root, `more than ${MAX_FILES} files of tests`);
    for (const path of tooMany ? [] : this.paths) {
      const text = await this.reader.read(path);
      if (text !== undefined) files.set(path, text);
    }
    const [first, ...others] = this.log.issues;
    return first === undefined ? right(files) : left([first, ...others]);
  }

  private async list(directory: readonly string[]): Promise<void> {
    for (const entry of await this.reader.entries(directory)) {
      const parts = [...directory, entry.name];
      const path = parts.join("/");
      if (entry.isDirectory()) await this.list(parts);
      else if (isTestFile(path) && !(entry.isSymbolicLink() && (await this.reader.leadsToDirectory(path)))) {
        this.paths.push(path);
      }
    }
  }
}
