/** Policies compiled for checks: what a Cerbos server makes of its policy directory and its configuration. */

import * as E from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import { compileTable, type RuleTable } from "../engine/check/table.js";
import type { CheckOptions } from "../engine/check/types.js";
import type { PolicyIssue } from "../policy/issue.js";
import type { JsonValue } from "../policy/model.js";
import { type PolicyFile, parsePolicyFiles } from "../policy/parse.js";

/** Settings of the same names, meanings and defaults as in the server's configuration. */
export interface CheckEngineOptions {
  /** Default: `default`. */
  readonly defaultPolicyVersion?: string;
  /** Default: the root scope. */
  readonly defaultScope?: string;
  /** A request's scope that has no policies is searched from its nearest ancestor that has. Default: `false`. */
  readonly lenientScopeSearch?: boolean;
  /** An expression that errs denies the action; otherwise it counts as false. Default: `false`, as on the server. */
  readonly strictEvaluation?: boolean;
  /** What to do about attributes that do not satisfy the policies' JSON Schemas. Default: `none`. */
  readonly schemaEnforcement?: "none" | "warn" | "reject";
  /** Values that expressions read as `G.name`. Default: none. */
  readonly globals?: { readonly [name: string]: JsonValue };
}

/** Made by {@link compileCheckEngine}; immutable, and safe to share. */
export interface CheckEngine {
  readonly table: RuleTable;
  readonly options: CheckOptions;
  /** Findings that do not prevent loading. */
  readonly warnings: readonly PolicyIssue[];
}

/** Compiles any Cerbos policy set. Left: every error of every file. */
export function compileCheckEngine(
  files: readonly PolicyFile[],
  {
    defaultPolicyVersion = "default",
    defaultScope = "",
    lenientScopeSearch = false,
    strictEvaluation = false,
    schemaEnforcement = "none",
    globals = {},
  }: CheckEngineOptions = {},
): E.Either<NonEmptyArray<PolicyIssue>, CheckEngine> {
  const parsed = parsePolicyFiles(files);
  if (E.isLeft(parsed)) return parsed;
  return E.right({
    table: compileTable(parsed.right, strictEvaluation ? "error" : "false"),
    options: {
      defaultPolicyVersion,
      defaultScope,
      lenientScopeSearch,
      strict: strictEvaluation,
      schemaEnforcement,
      globals,
    },
    warnings: parsed.right.warnings,
  });
}
