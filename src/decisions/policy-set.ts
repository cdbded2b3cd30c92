/** A policy set: both layers, compiled, ready to decide. */

import * as E from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import type { JsonValue } from "../cel/json.js";
import { Layer } from "../engine/evaluate/layer.js";
import type { PolicyIssue } from "../policy/issue.js";
import type { PolicyModel } from "../policy/model.js";
import { type PolicyFile, parsePolicyFiles } from "../policy/parse.js";
import { wallIssues } from "./wall.js";

/** How policies are compiled. */
export interface CompileOptions {
  /** The version of the permission policies. Default: `default`. */
  readonly permissionVersion?: string;
  /** The version of the platform policies. Default: `platform`. */
  readonly platformVersion?: string;
  /**
   * Whether code may be generated for rules that are used often (docs/decisions/generated-code.md). Default: `true`.
   * Answers are the same without, and where the environment forbids it nothing is generated.
   */
  readonly codegen?: boolean;
  /**
   * What to do about attributes that do not satisfy the policies' JSON Schemas. Under `reject` a layer that would allow
   * denies instead, with the reason `invalid_attributes`, also where no rule reads the attribute. Default: `none`.
   */
  readonly schemaEnforcement?: "none" | "reject";
  /** Values that expressions read as `G.name` or `globals.name`. Default: none. */
  readonly globals?: { readonly [name: string]: JsonValue };
}

/** Compiled policies. Made by {@link compilePolicies}; immutable, and safe to share. */
export interface PolicySet {
  readonly permission: Layer;
  readonly platform: Layer;
  /** The checked policies, for tools that read them. */
  readonly model: PolicyModel;
  /** What it was compiled from: see `policySetHash`. */
  readonly files: readonly PolicyFile[];
  /** Findings that do not prevent loading. */
  readonly warnings: readonly PolicyIssue[];
}

/**
 * Compiles policy files (YAML or JSON text; schemas are the files under `_schemas/`).
 * On the left, every error of every file, in the order of files and lines. A set without platform policies, or with
 * platform policies that could read the key, is refused.
 */
export function compilePolicies(
  files: readonly PolicyFile[],
  {
    permissionVersion = "default",
    platformVersion = "platform",
    schemaEnforcement = "none",
    codegen = true,
    globals = {},
  }: CompileOptions = {},
): E.Either<NonEmptyArray<PolicyIssue>, PolicySet> {
  const parsed = parsePolicyFiles(files);
  if (E.isLeft(parsed)) return parsed;
  const model = parsed.right;
  const found = wallIssues(model, permissionVersion, platformVersion);
  const [first, ...rest] = found.filter((issue) => issue.severity === "error");
  if (first !== undefined) return E.left([first, ...rest]);
  const options = { codegen, globals, enforceSchemas: schemaEnforcement === "reject" };
  return E.right({
    permission: new Layer(model, permissionVersion, "not_granted", options),
    platform: new Layer(model, platformVersion, "not_available", options),
    model,
    files: files.map(({ path, text }) => ({ path, text })),
    warnings: [...model.warnings, ...found],
  });
}
