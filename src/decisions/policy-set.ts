/** A policy set: both layers, compiled, ready to decide. */

import * as E from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import { FULL_EQUIPMENT } from "../engine/evaluate/full-equipment.js";
import { Layer } from "../engine/evaluate/layer.js";
import type { PolicyIssue } from "../policy/issue.js";
import { byPlace } from "../policy/issue-log.js";
import { checkArgument, checkOptions } from "../policy/options.js";
import { FILES, type PolicyFile, PolicyReader } from "../policy/parse.js";
import { rightOrThrow } from "../policy/policies-error.js";
import { COMPILE_OPTIONS, type CompileOptions, type PermissionOnly, READ_NAMES } from "./compile-options.js";
import { type PermissionSet, type PolicySet, policySetOf } from "./compiled-set.js";
import { configurationOf, layerOptionsOf, PLATFORM_VERSION } from "./configuration.js";
import { DecisionTables } from "./decision-tables.js";
import { layerIssues } from "./layers.js";
import type { PolicyTypes } from "./policy-types.js";
import { withUnlistedKinds } from "./unlisted-kinds.js";
import { permissionIssues, wallIssues } from "./wall.js";

export type { CompileOptions, PermissionOnly } from "./compile-options.js";
export type { PermissionSet, PolicySet } from "./compiled-set.js";

/**
 * Compiles policy files (YAML or JSON text; schemas are the files under `_schemas/`). Left: every error of every file,
 * in the order of files and lines. A set without platform policies is refused, unless `platform: "none"` declares it
 * permission-only. A set with platform policies that could read the key is refused, too.
 *
 * Throws a `TypeError` for `files` of another type, for options that contradict each other, for an unknown option or an
 * invalid value.
 */
export function compilePolicies<T extends PolicyTypes = PolicyTypes>(
  files: readonly PolicyFile[],
  options: PermissionOnly,
): E.Either<NonEmptyArray<PolicyIssue>, PermissionSet<T>>;
export function compilePolicies<T extends PolicyTypes = PolicyTypes>(
  files: readonly PolicyFile[],
  options?: CompileOptions,
): E.Either<NonEmptyArray<PolicyIssue>, PolicySet<T>>;
export function compilePolicies(
  files: readonly PolicyFile[],
  options: CompileOptions = {},
): E.Either<NonEmptyArray<PolicyIssue>, PolicySet> {
  checkArgument("files", files, FILES);
  checkOptions(options, { ...READ_NAMES, ...COMPILE_OPTIONS });
  return compileWith(new PolicyReader(), files, options);
}

/**
 * {@link compilePolicies} with options that are checked already. For files that are watched for changes, the reader is kept
 * from one compilation to the next.
 */
export function compileWith<T extends PolicyTypes = PolicyTypes>(
  reader: PolicyReader,
  files: readonly PolicyFile[],
  options: CompileOptions,
): E.Either<NonEmptyArray<PolicyIssue>, PolicySet<T>>;
export function compileWith(
  reader: PolicyReader,
  files: readonly PolicyFile[],
  options: CompileOptions,
): E.Either<NonEmptyArray<PolicyIssue>, PolicySet> {
  const parsed = reader.read(files, options.cerbos);
  const configuration = configurationOf(E.isLeft(parsed) ? undefined : parsed.right.configuration, options);
  if (E.isLeft(parsed)) return parsed;
  const { permissionVersion, platformVersion, otherVersions } = configuration;
  const model = withUnlistedKinds(parsed.right, configuration);
  const found = [
    ...(platformVersion === null
      ? permissionIssues(model, permissionVersion, PLATFORM_VERSION)
      : wallIssues(model, permissionVersion, platformVersion)),
    ...layerIssues(model, {
      permission: permissionVersion,
      platform: platformVersion ?? undefined,
      others: otherVersions,
    }),
  ].sort(byPlace);
  const [first, ...rest] = found.filter((issue) => issue.severity === "error");
  if (first !== undefined) return E.left([first, ...rest]);
  const layerOptions = layerOptionsOf(configuration, FULL_EQUIPMENT, options.codegen ?? true);
  const permission = new Layer(model, permissionVersion, "not_granted", layerOptions);
  const wall = platformVersion === null ? undefined : new Layer(model, platformVersion, "not_available", layerOptions);
  const set = policySetOf({
    permission,
    platform: wall,
    tables: new DecisionTables(permission, wall),
    model,
    configuration,
    files: files.map(({ path, text }) => ({ path, text })),
    warnings: [...model.warnings, ...found],
  });
  return E.right(set);
}

/**
 * {@link compilePolicies} for programs that cannot go on without their policies. Returns the set, or throws one
 * `PoliciesError` that lists every problem with its place. To show, count or tolerate problems, use the `Either`.
 */
export function compilePoliciesOrThrow<T extends PolicyTypes = PolicyTypes>(
  files: readonly PolicyFile[],
  options: PermissionOnly,
): PermissionSet<T>;
export function compilePoliciesOrThrow<T extends PolicyTypes = PolicyTypes>(
  files: readonly PolicyFile[],
  options?: CompileOptions,
): PolicySet<T>;
export function compilePoliciesOrThrow(files: readonly PolicyFile[], options?: CompileOptions): PolicySet {
  return rightOrThrow(compilePolicies(files, options));
}
