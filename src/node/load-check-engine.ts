/** Loads policy directories as engines for checks. */

import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import * as TE from "fp-ts/lib/TaskEither.js";
import type { CheckEngine } from "../engine/evaluate/check-engine.js";
import { type CompileCheckOptions, compileCheckEngine } from "../engine/evaluate/compile-check-engine.js";
import type { PolicyIssue } from "../policy/issue.js";
import type { PolicyFile } from "../policy/parse.js";
import { rightOrThrow } from "../policy/policies-error.js";
import { readPolicyDirectory } from "./directory.js";
import type { ReadOptions } from "./read-options.js";

/**
 * Loads and compiles a directory of any Cerbos policies, for `EmbeddedClient` of `keyward/cerbos`. Left: every error of
 * every file. Files are chosen as for `loadPolicies`.
 */
export function loadCheckEngine(
  directory: string,
  options: CompileCheckOptions & ReadOptions = {},
): TE.TaskEither<NonEmptyArray<PolicyIssue>, CheckEngine> {
  return TE.chainEitherK((files: readonly PolicyFile[]) => compileCheckEngine(files, options))(
    readPolicyDirectory(directory, options),
  );
}

/** Like {@link loadCheckEngine}, but rejects with one `PoliciesError` that lists every problem with its position. */
export async function loadCheckEngineOrThrow(
  directory: string,
  options?: CompileCheckOptions & ReadOptions,
): Promise<CheckEngine> {
  return rightOrThrow(await loadCheckEngine(directory, options)());
}
