/** Compiles policy files to engines for checks. */

import * as E from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import { CERBOS_LEVELS } from "../../cel/levels.js";
import type { PolicyIssue } from "../../policy/issue.js";
import { among, checkArgument, checkOptions, type OptionTable } from "../../policy/options.js";
import { FILES, type PolicyFile, parsePolicyFiles } from "../../policy/parse.js";
import { rightOrThrow } from "../../policy/policies-error.js";
import { CHECK_ENGINE_OPTIONS, type CheckEngine, type CheckEngineOptions, checkEngineOf } from "./check-engine.js";
import { FULL_EQUIPMENT } from "./full-equipment.js";

export interface CompileCheckOptions extends CheckEngineOptions {
  /** The level of the policy language. Default: that of the policies' `keyward.yaml`, or `0.55`. */
  readonly cerbos?: "0.55" | "0.58";
}

export const COMPILE_CHECK_OPTIONS = {
  ...CHECK_ENGINE_OPTIONS,
  cerbos: among(CERBOS_LEVELS),
} satisfies OptionTable<CompileCheckOptions>;

/**
 * Compiles any Cerbos policy set. Left: every error of every file. Throws a `TypeError` for an unknown option or an
 * invalid value.
 */
export function compileCheckEngine(
  files: readonly PolicyFile[],
  options: CompileCheckOptions = {},
): E.Either<NonEmptyArray<PolicyIssue>, CheckEngine> {
  checkArgument("files", files, FILES);
  checkOptions(options, COMPILE_CHECK_OPTIONS);
  return compiledEngine(files, options);
}

/** {@link compileCheckEngine} with options that are checked already. */
export function compiledEngine(
  files: readonly PolicyFile[],
  options: CompileCheckOptions,
): E.Either<NonEmptyArray<PolicyIssue>, CheckEngine> {
  const parsed = parsePolicyFiles(files, options.cerbos);
  return E.isLeft(parsed) ? parsed : E.right(checkEngineOf(parsed.right, FULL_EQUIPMENT, options));
}

/** {@link compileCheckEngine}, or one `PoliciesError` that lists every problem with its place. */
export function compileCheckEngineOrThrow(files: readonly PolicyFile[], options?: CompileCheckOptions): CheckEngine {
  return rightOrThrow(compileCheckEngine(files, options));
}
