/** Loads policy directories as engines for checks. */

import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import * as TE from "fp-ts/lib/TaskEither.js";
import type { CheckEngine } from "../engine/evaluate/check-engine.js";
import {
  COMPILE_CHECK_OPTIONS,
  type CompileCheckOptions,
  compiledEngine,
} from "../engine/evaluate/compile-check-engine.js";
import type { PolicyIssue } from "../policy/issue.js";
import { checkOptions } from "../policy/options.js";
import { rightOrThrow } from "../policy/policies-error.js";
import { readLockedDirectory } from "./directory.js";
import type { ReadFiles } from "./lock.js";
import { READ_OPTIONS, type ReadOptions } from "./read-options.js";

/**
 * Loads and compiles a directory of any Cerbos policies, for `EmbeddedClient` of `keyward/cerbos`. Left: every error of
 * every file. Files are chosen as for `loadPolicies`. Throws a `TypeError` for an unknown option or an invalid value.
 */
export function loadCheckEngine(
  directory: string,
  options: CompileCheckOptions & ReadOptions = {},
): TE.TaskEither<NonEmptyArray<PolicyIssue>, CheckEngine> {
  checkOptions(options, { ...COMPILE_CHECK_OPTIONS, ...READ_OPTIONS });
  return TE.chainEitherK(({ files }: ReadFiles) => compiledEngine(files, options))(
    readLockedDirectory(directory, options),
  );
}

/** Like {@link loadCheckEngine}, but rejects with one `PoliciesError` that lists every problem with its position. */
export async function loadCheckEngineOrThrow(
  directory: string,
  options?: CompileCheckOptions & ReadOptions,
): Promise<CheckEngine> {
  return rightOrThrow(await loadCheckEngine(directory, options)());
}
