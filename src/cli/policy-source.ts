/** Sources of a policy set: a directory, a directory in a revision of a git repository, or a bundle. */

import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import * as E from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import { compilePolicies, type PolicySet } from "../decisions/policy-set.js";
import { GitError, readPolicyRevision, readRevisionFiles } from "../node/git.js";
import { type LoadOptions, loadPolicies } from "../node/load.js";
import type { LinkOptions } from "../node/read-options.js";
import { printable } from "../policy/escape.js";
import { isClaimsFile } from "../policy/file-rules.js";
import type { PolicyIssue } from "../policy/issue.js";
import { readSuiteDirectory } from "../testing/directory.js";
import { isTestFile, type SuiteFiles } from "../testing/files.js";
import type { Arguments } from "./arguments.js";
import { existingDirectory, pathFrom } from "./directory.js";
import { UsageError } from "./exit.js";
import { issueLine } from "./issues.js";
import { expectBundle, loadBundle } from "./load-set.js";
import { claimsIn, type ReadClaims, readClaimFiles } from "./read-claims.js";

export type LoadedPolicies = E.Either<NonEmptyArray<PolicyIssue>, PolicySet>;

/** A set of policies, with the claims and suites beside it. Reading from a missing revision throws a `UsageError`. */
export interface PolicySource {
  /** The name of the directory in findings. */
  readonly directory: string;
  policies(options: LoadOptions): Promise<LoadedPolicies>;
  claims(options: LinkOptions): Promise<ReadClaims>;
  suites(options: LinkOptions): Promise<E.Either<NonEmptyArray<PolicyIssue>, SuiteFiles>>;
  /** An issue, as a line. */
  line(issue: PolicyIssue): string;
}

/** An existing directory is taken as one; any other text with a colon is a directory in a revision. */
export async function sourceOf(text: string, cwd?: string): Promise<PolicySource> {
  const colon = text.indexOf(":");
  if (colon <= 0 || (await isDirectory(pathFrom(cwd, text)))) return inDirectory(text, cwd);
  return inRevision(text.slice(0, colon), text.slice(colon + 1), cwd);
}

export async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

export function inDirectory(directory: string, cwd?: string): PolicySource {
  const path = pathFrom(cwd, directory);
  return {
    directory,
    policies: async (options) => await loadPolicies(await existingDirectory(path), options)(),
    claims: (options) => claimsIn(path, options),
    suites: (options) => readSuiteDirectory(path, options)(),
    line: (issue) => issueLine(issue, directory),
  };
}

/** A bundle: policies that have already been validated, without claims or suites. */
export function inBundle(path: string, given: Arguments): PolicySource {
  const directory = dirname(path);
  return {
    directory,
    policies: async () => {
      const loaded = await loadBundle(path, given);
      if (E.isRight(loaded)) return loaded;
      expectBundle(path, loaded.left);
      const message = `the bundle is refused (${loaded.left.kind}): ${loaded.left.message}`;
      return E.left([{ file: basename(path), line: 1, column: 1, severity: "error", code: "io", message }]);
    },
    claims: async () => ({ files: [], claims: [], issues: [] }),
    suites: async () => E.right(new Map()),
    line: (issue) => issueLine(issue, directory),
  };
}

export function inRevision(revision: string, directory: string, cwd = process.cwd()): PolicySource {
  return {
    directory,
    policies: async (options) => {
      const files = await known(() => readPolicyRevision(cwd, revision, directory, options));
      return E.isLeft(files) ? files : compilePolicies(files.right, options);
    },
    claims: async () => {
      const files = await known(() => readRevisionFiles(cwd, revision, directory, isClaimsFile));
      return E.isLeft(files) ? { files: [], claims: [], issues: files.left } : readClaimFiles(files.right);
    },
    suites: async () => {
      const files = await known(() => readRevisionFiles(cwd, revision, directory, isTestFile));
      return E.map((all: readonly { readonly path: string; readonly text: string }[]) => {
        return new Map(all.map(({ path, text }) => [path, text]));
      })(files);
    },
    line: (issue) => `${printable(revision)}:${issueLine(issue, directory)}`,
  };
}

async function known<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof GitError) throw new UsageError(error.message);
    throw error;
  }
}
