/** Loads policy directories as policy sets. */

import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import * as TE from "fp-ts/lib/TaskEither.js";
import { COMPILE_OPTIONS, type CompileOptions, type PermissionOnly } from "../decisions/compile-options.js";
import { compileWith, type PermissionSet, type PolicySet } from "../decisions/policy-set.js";
import type { PolicyTypes } from "../decisions/policy-types.js";
import type { PolicyIssue } from "../policy/issue.js";
import { checkOptions, type OptionTable } from "../policy/options.js";
import { PolicyReader } from "../policy/parse.js";
import { rightOrThrow } from "../policy/policies-error.js";
import { readLockedDirectory } from "./directory.js";
import type { ReadFiles } from "./lock.js";
import { READ_OPTIONS, type ReadOptions } from "./read-options.js";

/** How policies are read and compiled. */
export type LoadOptions = CompileOptions & ReadOptions;

export const LOAD_OPTIONS = { ...COMPILE_OPTIONS, ...READ_OPTIONS } satisfies OptionTable<LoadOptions>;

/**
 * Loads and compiles the policies of a directory. Left: every error of every file.
 *
 * Files are chosen as the Cerbos server chooses them: `.yaml`, `.yml` and `.json`, except files with names that start
 * with `.` or end in `_test`, and `testdata` directories. `_schemas` at the top contains the JSON Schemas. A set with a
 * lock (`keyward.lock`) loads only if it has exactly the files of the lock. Throws a `TypeError` for an unknown option
 * or an invalid value.
 *
 * `T` is the type that `keyward types` wrote for these policies.
 */
export function loadPolicies<T extends PolicyTypes = PolicyTypes>(
  directory: string,
  options: PermissionOnly & ReadOptions,
): TE.TaskEither<NonEmptyArray<PolicyIssue>, PermissionSet<T>>;
export function loadPolicies<T extends PolicyTypes = PolicyTypes>(
  directory: string,
  options?: LoadOptions,
): TE.TaskEither<NonEmptyArray<PolicyIssue>, PolicySet<T>>;
export function loadPolicies(
  directory: string,
  options: LoadOptions = {},
): TE.TaskEither<NonEmptyArray<PolicyIssue>, PolicySet> {
  checkOptions(options, LOAD_OPTIONS);
  return TE.chainEitherK(({ files }: ReadFiles) => compileWith(new PolicyReader(), files, options))(
    readLockedDirectory(directory, options),
  );
}

/**
 * {@link loadPolicies} for programs that cannot run without their policies. The promise gives the set, or rejects with
 * one `PoliciesError` that lists every problem with its position. To show, count or tolerate problems, use the `Either`.
 */
export function loadPoliciesOrThrow<T extends PolicyTypes = PolicyTypes>(
  directory: string,
  options: PermissionOnly & ReadOptions,
): Promise<PermissionSet<T>>;
export function loadPoliciesOrThrow<T extends PolicyTypes = PolicyTypes>(
  directory: string,
  options?: LoadOptions,
): Promise<PolicySet<T>>;
export async function loadPoliciesOrThrow(directory: string, options?: LoadOptions): Promise<PolicySet> {
  return rightOrThrow(await loadPolicies(directory, options)());
}
