/** A policy set: both layers, compiled, ready to decide. */

import * as E from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import type { JsonValue } from "../cel/json.js";
import { FULL_EQUIPMENT } from "../engine/evaluate/full-equipment.js";
import { Layer } from "../engine/evaluate/layer.js";
import type { PolicyIssue } from "../policy/issue.js";
import { byPlace } from "../policy/issue-log.js";
import { type PolicyFile, PolicyReader } from "../policy/parse.js";
import { rightOrThrow } from "../policy/policies-error.js";
import { type PermissionSet, type PolicySet, policySetOf } from "./compiled-set.js";
import { DecisionTables } from "./decision-tables.js";
import { layerIssues } from "./layers.js";
import type { PolicyTypes } from "./policy-types.js";
import { permissionIssues, wallIssues } from "./wall.js";

export type { PermissionSet, PolicySet } from "./compiled-set.js";

/** The version of platform policies, unless another is named. */
const PLATFORM_VERSION = "platform";

/** Options of {@link compilePolicies}. */
export interface CompileOptions {
  /** The version of the permission policies. Default: `default`. */
  readonly permissionVersion?: string;
  /** The version of the platform policies. Default: `platform`. */
  readonly platformVersion?: string;
  /**
   * `none`: the set is permission-only, like any Cerbos repository without a second layer. Then nothing is forbidden,
   * no account is read, and each decision says that no platform layer was asked. It excludes `platformVersion`.
   * Default: there is a platform layer, and a set without one is refused.
   */
  readonly platform?: "none";
  /**
   * Versions of policies that are meant to be in neither layer, for example because a Cerbos server answers for them.
   * Such policies are checked, and no decision asks them. A policy of any other version than those of the layers is
   * refused. (In a permission-only set it is ignored, unless its version looks like the layer's misspelt: that is a
   * warning.) Default: none.
   */
  readonly otherVersions?: readonly string[];
  /**
   * Whether code may be generated for rules that are used often (docs/decisions/generated-code.md). Default: `true`.
   * Answers are the same without it. If the environment forbids generated code, none is generated.
   */
  readonly codegen?: boolean;
  /**
   * The treatment of attributes that do not satisfy the policies' JSON Schemas. Under `reject` a layer that would allow
   * denies instead, with the reason `invalid_attributes`, even if no rule reads the attribute. Default: `none`.
   */
  readonly schemaEnforcement?: "none" | "reject";
  /**
   * Whether reading an attribute is an error if its value is not of the type, or not one of the values, that a JSON
   * Schema of the policies declares. Then `DENY` if `P.attr.frozen == true` also denies if `frozen` is `"true"`
   * (docs/verdicts.md). Default: `true`.
   */
  readonly typedReads?: boolean;
  /** Values that expressions read as `G.name` or `globals.name`. Default: none. */
  readonly globals?: { readonly [name: string]: JsonValue };
}

/** The options of a {@link PermissionSet}. */
export interface PermissionOnly extends CompileOptions {
  readonly platform: "none";
  readonly platformVersion?: never;
}

/**
 * Compiles policy files (YAML or JSON text; schemas are the files under `_schemas/`). Left: every error of every file,
 * in the order of files and lines. A set without platform policies is refused, unless `platform: "none"` declares it
 * permission-only. A set with platform policies that could read the key is refused, too.
 *
 * Throws a `TypeError` for options that contradict each other.
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
  return compileWith(new PolicyReader(), files, options);
}

/**
 * {@link compilePolicies} for files that are watched for changes: the reader is kept from one compilation to the next.
 */
export function compileWith(
  reader: PolicyReader,
  files: readonly PolicyFile[],
  {
    permissionVersion = "default",
    platform,
    platformVersion,
    otherVersions = [],
    schemaEnforcement = "none",
    codegen = true,
    typedReads = true,
    globals = {},
  }: CompileOptions,
): E.Either<NonEmptyArray<PolicyIssue>, PolicySet> {
  if (platform !== undefined && platform !== "none") throw new TypeError('platform must be "none", or absent');
  if (platform === "none" && platformVersion !== undefined) {
    throw new TypeError('platformVersion makes no sense beside platform: "none"');
  }
  const version = platform === "none" ? undefined : (platformVersion ?? PLATFORM_VERSION);
  for (const other of otherVersions) {
    if (other !== permissionVersion && other !== version) continue;
    throw new TypeError(`otherVersions must not have ${other}: it is the version of a layer`);
  }
  const parsed = reader.read(files);
  if (E.isLeft(parsed)) return parsed;
  const model = parsed.right;
  const found = [
    ...(version === undefined
      ? permissionIssues(model, permissionVersion, PLATFORM_VERSION)
      : wallIssues(model, permissionVersion, version)),
    ...layerIssues(model, { permission: permissionVersion, platform: version, others: otherVersions }),
  ].sort(byPlace);
  const [first, ...rest] = found.filter((issue) => issue.severity === "error");
  if (first !== undefined) return E.left([first, ...rest]);
  const options = {
    equipment: FULL_EQUIPMENT,
    codegen,
    globals,
    typedReads,
    enforceSchemas: schemaEnforcement === "reject",
  };
  const permission = new Layer(model, permissionVersion, "not_granted", options);
  const wall = version === undefined ? undefined : new Layer(model, version, "not_available", options);
  const set = policySetOf({
    permission,
    platform: wall,
    tables: new DecisionTables(permission, wall),
    model,
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
