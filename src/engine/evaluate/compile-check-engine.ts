/** Compiles policy files to engines for checks. */

import * as E from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import type { PolicyIssue } from "../../policy/issue.js";
import { type PolicyFile, parsePolicyFiles } from "../../policy/parse.js";
import { rightOrThrow } from "../../policy/policies-error.js";
import { type CheckEngine, type CheckEngineOptions, checkEngineOf } from "./check-engine.js";
import { FULL_EQUIPMENT } from "./full-equipment.js";

export interface CompileCheckOptions extends CheckEngineOptions {
  /** The level of the policy language. Default: that of the policies' `keyward.yaml`, or `0.55`. */
  readonly cerbos?: "0.55" | "0.58";
}

/** Compiles any Cerbos policy set. Left: every error of every file. */
export function compileCheckEngine(
  files: readonly PolicyFile[],
  options: CompileCheckOptions = {},
): E.Either<NonEmptyArray<PolicyIssue>, CheckEngine> {
  const parsed = parsePolicyFiles(files, options.cerbos);
  return E.isLeft(parsed) ? parsed : E.right(checkEngineOf(parsed.right, FULL_EQUIPMENT, options));
}

/** {@link compileCheckEngine}, or one `PoliciesError` that lists every problem with its place. */
export function compileCheckEngineOrThrow(files: readonly PolicyFile[], options?: CompileCheckOptions): CheckEngine {
  return rightOrThrow(compileCheckEngine(files, options));
}
