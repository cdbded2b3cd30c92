/** Reads policy files from a revision of a git repository. Nothing is checked out, and no shell is used. */

import { execFile } from "node:child_process";
import { posix } from "node:path";
import { type Either, left, right } from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import { MAX_FILES, MAX_TOTAL_SIZE } from "../limits.js";
import { directoryRole, fileRole } from "../policy/file-rules.js";
import type { PolicyIssue } from "../policy/issue.js";
import { compareText, IssueLog } from "../policy/issue-log.js";
import type { PolicyFile } from "../policy/parse.js";
import { SizeTally } from "../policy/size-tally.js";
import { isRead } from "./directory.js";
import { maxSizeOf, withoutLock } from "./lock.js";
import type { LockOptions } from "./read-options.js";
import { decodeText } from "./text.js";

/** Git, the repository, the revision or the directory in it does not exist. */
export class GitError extends Error {}

/** Bytes for a listing of {@link MAX_FILES} files with long names. */
const MAX_LISTING = 64 * 1024 * 1024;

/**
 * The policy and schema files of a directory in a revision (`HEAD~1`, a branch, a commit), chosen as
 * `readPolicyDirectory` chooses them. `path` is relative to the directory `cwd`, which must be in the repository.
 *
 * Left: every file that is too large or not text; links, which are not followed here; and every difference from the
 * revision's lock. Rejects with a {@link GitError}.
 */
export async function readPolicyRevision(
  cwd: string,
  revision: string,
  path: string,
  options: LockOptions = {},
): Promise<Either<NonEmptyArray<PolicyIssue>, readonly PolicyFile[]>> {
  const log = new IssueLog();
  const listed = await listing(cwd, revision, path);
  const entries = within(listed, policiesAmong(listed, log), log);
  const read = await contents(cwd, entries, log);
  if (log.size === 0 && !entries.some((entry) => fileRole(entry.path.split("/")) === "policy")) {
    log.error("no_policies", DIRECTORY, "there is no policy file here");
  }
  const { files } = withoutLock(read, log.size > 0 ? { lock: "ignored" } : options, log);
  const [first, ...others] = log.issues;
  return first === undefined ? right(files) : left([first, ...others]);
}

/**
 * The files of a directory in a revision for which `isWanted` is true. Left and rejections are as for
 * {@link readPolicyRevision}.
 */
export async function readRevisionFiles(
  cwd: string,
  revision: string,
  path: string,
  isWanted: (path: string) => boolean,
): Promise<Either<NonEmptyArray<PolicyIssue>, readonly PolicyFile[]>> {
  const log = new IssueLog();
  const listed = await listing(cwd, revision, path);
  const files = await contents(cwd, within(listed, isWanted, log), log);
  const [first, ...others] = log.issues;
  return first === undefined ? right(files) : left([first, ...others]);
}

export interface GitCommit {
  /** Its full name. */
  readonly commit: string;
  /** The time of the commit, in milliseconds since 1970. */
  readonly time: number;
}

/**
 * The last commit of the current branch, in the repository of `cwd`, that was made at a moment or before it
 * (milliseconds since 1970). Commits of merged branches count from their merge on. Rejects with a {@link GitError} that
 * names the oldest commit if all are later.
 */
export async function lastCommitAt(cwd: string, moment: number): Promise<GitCommit> {
  await git(cwd, ["rev-parse", "--git-dir"]);
  await commitOf(cwd, "HEAD");
  // Only the first parents of merges: the commits that the branch itself had.
  const history = (...options: string[]) =>
    git(cwd, ["rev-list", "--first-parent", "--timestamp", ...options, "HEAD", "--"]);
  const [found] = commitsIn(await history("-1", `--min-age=${Math.floor(moment / 1_000)}`));
  if (found !== undefined) return found;
  const oldest = commitsIn(await history()).at(-1);
  const start = oldest === undefined ? "" : `, which starts at ${new Date(oldest.time).toISOString()}`;
  const isShallow = (await git(cwd, ["rev-parse", "--is-shallow-repository"])).toString("utf8").trim() === "true";
  const hint = isShallow ? "; this clone is shallow: git fetch --unshallow gets its whole history" : "";
  throw new GitError(`the time ${new Date(moment).toISOString()} is before the history of this branch${start}${hint}`);
}

function commitsIn(lines: Buffer): readonly GitCommit[] {
  return lines
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      const [seconds = "", commit = ""] = line.split(" ");
      return commit === "" ? [] : [{ commit, time: Number(seconds) * 1_000 }];
    });
}

interface GitTreeEntry {
  readonly mode: string;
  readonly object: string;
  readonly size: number;
  readonly path: string;
}

async function commitOf(cwd: string, revision: string): Promise<string> {
  try {
    const name = await git(cwd, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`]);
    return name.toString("utf8").trim();
  } catch {
    throw new GitError(`there is no revision ${JSON.stringify(revision)} in this repository`);
  }
}

/** The position of issues about the directory itself. */
const DIRECTORY = { file: ".", line: 1, column: 1 };

async function listing(cwd: string, revision: string, path: string): Promise<readonly GitTreeEntry[]> {
  if (revision === "" || revision.startsWith("-")) throw new GitError(`not a revision: ${JSON.stringify(revision)}`);
  const prefix = (await git(cwd, ["rev-parse", "--show-prefix"])).toString("utf8").trimEnd();
  const directory = posix.normalize(posix.join("/", prefix, path)).replace(/^\/|\/$/g, "");
  const commit = await commitOf(cwd, revision);
  let text: string;
  try {
    text = (await git(cwd, ["ls-tree", "-r", "-z", "-l", "--full-tree", `${commit}:${directory}`])).toString("utf8");
  } catch {
    throw new GitError(`there is no directory ${JSON.stringify(directory)} in revision ${JSON.stringify(revision)}`);
  }
  return text.split("\0").flatMap((line) => {
    const [head = "", path] = line.split("\t");
    const [mode, , object, size] = head.split(/ +/);
    if (path === undefined || mode === undefined || object === undefined) return [];
    return [{ mode, object, size: Number(size) || 0, path }];
  });
}

/** Selects the files that are policies and schemas. */
function policiesAmong(entries: readonly GitTreeEntry[], log: IssueLog): (path: string) => boolean {
  const misplaced = new Set<string>();
  const chosen = entries.filter(({ path }) => {
    const parts = path.split("/");
    for (let depth = 1; depth < parts.length; depth++) {
      const role = directoryRole(parts.slice(0, depth));
      if (role === "misplaced_schema") misplaced.add(parts.slice(0, depth).join("/"));
      if (role === "misplaced_schema" || role === "ignored") return false;
    }
    return isRead(parts);
  });
  for (const file of misplaced) {
    log.error("schema", { file, line: 1, column: 1 }, "_schemas must be at the root of the policies");
  }
  const paths = new Set(chosen.map(({ path }) => path));
  return (path) => paths.has(path);
}

/** The wanted files, in order of path. A file that cannot be read is an issue. */
function within(
  entries: readonly GitTreeEntry[],
  isWanted: (path: string) => boolean,
  log: IssueLog,
): readonly GitTreeEntry[] {
  const sizes = new SizeTally("bytes");
  const files = entries.filter(({ path, mode, size }) => {
    if (!isWanted(path)) return false;
    const at = { file: path, line: 1, column: 1 };
    if (mode !== "100644" && mode !== "100755") log.error("io", at, "not a file: links are not followed in a revision");
    const refusal = sizes.refusal(size, maxSizeOf(path));
    if (refusal !== undefined) log.error("too_large", at, refusal);
    return true;
  });
  return [...files].sort((a, b) => compareText(a.path, b.path));
}

/** Reads all files in one run of git. For each file git prints a line, the bytes and a line feed. */
async function contents(cwd: string, entries: readonly GitTreeEntry[], log: IssueLog): Promise<readonly PolicyFile[]> {
  if (entries.length > MAX_FILES) {
    log.error("too_large", DIRECTORY, `more than ${MAX_FILES} files`);
  }
  if (log.size > 0) return [];
  const names = entries.map(({ object }) => `${object}\n`).join("");
  const bytes = entries.length === 0 ? Buffer.alloc(0) : await git(cwd, ["cat-file", "--batch"], names);
  const files: PolicyFile[] = [];
  let at = 0;
  for (const { path, size } of entries) {
    const start = bytes.indexOf(0x0a, at) + 1;
    const text = decodeText(bytes.subarray(start, start + size), path, log);
    if (text !== undefined) files.push({ path, text });
    at = start + size + 1;
  }
  return files;
}

function git(cwd: string, args: readonly string[], input = ""): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = {
      cwd,
      encoding: "buffer",
      maxBuffer: MAX_TOTAL_SIZE + MAX_LISTING,
      windowsHide: true,
      env: { ...process.env, GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" },
    } as const;
    const child = execFile("git", args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new GitError(reasonOf(error, stderr)));
    });
    // If git ends early, its own error message is reported.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

function reasonOf(error: Error, stderr: Buffer): string {
  if ("code" in error && error.code === "ENOENT") return "git is not installed, or the directory does not exist";
  const [line = ""] = stderr.toString("utf8").split("\n");
  return line.replace(/^fatal: /, "") || error.message;
}
