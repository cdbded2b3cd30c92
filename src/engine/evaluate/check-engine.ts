/** Policies compiled for checks: what a Cerbos server makes of its policy directory and its configuration. */

import * as E from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import type { CelValue, JsonMap } from "../../cel/values.js";
import { type CelVersion, DEFAULT_CEL_VERSION } from "../../cel/versions.js";
import type { PolicyIssue } from "../../policy/issue.js";
import { type PolicyFile, parsePolicyFiles } from "../../policy/parse.js";
import { CheckPolicies } from "./check.js";
import type { CheckOptions } from "./check-types.js";

/** A value of the configuration: JSON, and `bigint` for integers that are no safe numbers. */
export type GlobalValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly GlobalValue[]
  | { readonly [key: string]: GlobalValue };

/** Settings of the same names, meanings and defaults as in the server's configuration, but for `celVersion`. */
export interface CheckEngineOptions {
  /** Default: `default`. */
  readonly defaultPolicyVersion?: string;
  /** Default: the root scope. */
  readonly defaultScope?: string;
  /** A request's scope that has no policies is searched from its nearest ancestor that has. Default: `false`. */
  readonly lenientScopeSearch?: boolean;
  /** An expression that errs denies the action; otherwise it counts as false. Default: `false`, as on the server. */
  readonly strictEvaluation?: boolean;
  /**
   * The Cerbos version whose expression language the policies are written in: what later versions added is refused
   * unless it is asked for (docs/policies.md). Default: `0.51`, the version that answers are checked against.
   */
  readonly celVersion?: CelVersion;
  /** What to do about attributes that do not satisfy the policies' JSON Schemas. Default: `none`. */
  readonly schemaEnforcement?: "none" | "warn" | "reject";
  /**
   * Values that expressions read as `G.name`. Default: none. Whole numbers are integers (`int`), unlike those of
   * attributes: the server reads its configuration so, `5.0` included.
   */
  readonly globals?: { readonly [name: string]: GlobalValue };
}

/** Made by {@link compileCheckEngine}; immutable, and safe to share. */
export interface CheckEngine {
  readonly policies: CheckPolicies;
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
    celVersion = DEFAULT_CEL_VERSION,
    schemaEnforcement = "none",
    globals = {},
  }: CheckEngineOptions = {},
): E.Either<NonEmptyArray<PolicyIssue>, CheckEngine> {
  const parsed = parsePolicyFiles(files, celVersion);
  if (E.isLeft(parsed)) return parsed;
  return E.right({
    policies: new CheckPolicies(parsed.right, strictEvaluation ? "strict" : "server"),
    options: {
      defaultPolicyVersion,
      defaultScope,
      lenientScopeSearch,
      schemaEnforcement,
      globals: mapOf(globals),
    },
    warnings: parsed.right.warnings,
  });
}

function mapOf(globals: { readonly [name: string]: GlobalValue }): JsonMap {
  const map: { [name: string]: CelValue } = Object.create(null);
  for (const [name, value] of Object.entries(globals)) map[name] = globalOf(value);
  return map;
}

function globalOf(value: GlobalValue): CelValue {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== "object" || value === null) return value;
  return isList(value) ? value.map(globalOf) : mapOf(value);
}

function isList(value: GlobalValue): value is readonly GlobalValue[] {
  return Array.isArray(value);
}
