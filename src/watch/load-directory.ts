/** Loads a directory of policies that is followed. */

import { type Either, isLeft, left, right } from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import { compileWith, type PolicySet } from "../decisions/policy-set.js";
import { policySetHash } from "../decisions/policy-set-hash.js";
import type { PolicyTypes } from "../decisions/policy-types.js";
import { readLockedDirectory } from "../node/directory.js";
import type { LoadOptions } from "../node/load.js";
import type { ReadFiles } from "../node/lock.js";
import type { PolicyIssue } from "../policy/issue.js";
import type { PolicyReader } from "../policy/parse.js";
import { type DirectoryLook, isSameLook, lookAt } from "./settling.js";

export interface PoliciesInForce<T extends PolicyTypes = PolicyTypes> {
  readonly set: PolicySet<T>;
  /** See `policySetHash`. */
  readonly hash: string;
}

export interface LoadedDirectory<T extends PolicyTypes> {
  readonly inForce: PoliciesInForce<T>;
  readonly read: ReadFiles;
  /** The look at the directory after it was read. */
  readonly look: DirectoryLook | undefined;
}

export interface DirectoryOptions extends LoadOptions {
  /** See `LiveOptions`. */
  readonly requires?: (set: PolicySet) => readonly PolicyIssue[];
}

/**
 * `reader` is kept from one load to the next: it reads only changed files again, so that a reload blocks decisions less.
 * Refuses files that change while they are read: some would be old and some new.
 */
export async function loadDirectory<T extends PolicyTypes>(
  directory: string,
  options: DirectoryOptions,
  reader: PolicyReader,
): Promise<Either<NonEmptyArray<PolicyIssue>, LoadedDirectory<T>>> {
  const look = () => lookAt(directory).catch(() => undefined);
  const before = await look();
  const read = await readLockedDirectory(directory, options)();
  if (isLeft(read)) return read;
  const after = await look();
  if (before !== undefined && after !== undefined && !isSameLook(before, after)) {
    return left([
      { file: directory, line: 1, column: 1, severity: "error", code: "io", message: "changed while it was read" },
    ]);
  }
  const compiled = compileWith<T>(reader, read.right.files, options);
  if (isLeft(compiled)) return compiled;
  const set = compiled.right;
  const [problem, ...more] = options.requires?.(set) ?? [];
  if (problem !== undefined) return left([problem, ...more]);
  return right({ inForce: { set, hash: await policySetHash(set) }, read: read.right, look: after });
}
