/** A policy set: both layers, compiled, ready to decide. */

import * as E from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import type { JsonValue } from "../cel/json.js";
import { Layer } from "../engine/evaluate/layer.js";
import type { PolicyIssue } from "../policy/issue.js";
import type { PolicyModel } from "../policy/model.js";
import { type PolicyFile, parsePolicyFiles } from "../policy/parse.js";
import { rightOrThrow } from "../policy/policies-error.js";
import type { By, PolicyTypes } from "./policy-types.js";
import { permissionIssues, wallIssues } from "./wall.js";

/** The version of platform policies, unless another is named. */
const PLATFORM_VERSION = "platform";

/** How policies are compiled. */
export interface CompileOptions {
  /** The version of the permission policies. Default: `default`. */
  readonly permissionVersion?: string;
  /** The version of the platform policies. Default: `platform`. */
  readonly platformVersion?: string;
  /**
   * `none`: the set is permission-only, as any Cerbos repository is that knows of no second layer. Nothing is forbidden
   * then, no account is read, and each decision says that no platform layer was asked. `platformVersion` cannot be given
   * beside it. Default: there is a platform layer, and a set without one is refused.
   */
  readonly platform?: "none";
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

/**
 * Compiled policies. Made by {@link compilePolicies}; immutable, and safe to share.
 *
 * `T` is what TypeScript knows of them (docs/decisions/generated-types.md).
 */
export interface PolicySet<T extends PolicyTypes = PolicyTypes> extends By<T> {
  readonly permission: Layer;
  /** Undefined: the set is permission-only. */
  readonly platform: Layer | undefined;
  /** The checked policies, for tools that read them. */
  readonly model: PolicyModel;
  /** What it was compiled from: see `policySetHash`. */
  readonly files: readonly PolicyFile[];
  /** Findings that do not prevent loading. */
  readonly warnings: readonly PolicyIssue[];
}

/** A set that has no platform layer: decisions by it need no account. */
export interface PermissionSet<T extends PolicyTypes = PolicyTypes>
  extends PolicySet<T & { readonly platform: "none" }> {
  readonly platform: undefined;
}

/** The options of a {@link PermissionSet}. */
export interface PermissionOnly extends CompileOptions {
  readonly platform: "none";
  readonly platformVersion?: never;
}

/**
 * Compiles policy files (YAML or JSON text; schemas are the files under `_schemas/`).
 * On the left, every error of every file, in the order of files and lines. A set without platform policies is refused
 * unless `platform: "none"` says that there are none, and so is one with platform policies that could read the key.
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
  {
    permissionVersion = "default",
    platform,
    platformVersion,
    schemaEnforcement = "none",
    codegen = true,
    globals = {},
  }: CompileOptions = {},
): E.Either<NonEmptyArray<PolicyIssue>, PolicySet> {
  if (platform !== undefined && platform !== "none") throw new TypeError('platform must be "none", or absent');
  if (platform === "none" && platformVersion !== undefined) {
    throw new TypeError('platformVersion makes no sense beside platform: "none"');
  }
  const parsed = parsePolicyFiles(files);
  if (E.isLeft(parsed)) return parsed;
  const model = parsed.right;
  const version = platform === "none" ? undefined : (platformVersion ?? PLATFORM_VERSION);
  const found =
    version === undefined
      ? permissionIssues(model, permissionVersion, PLATFORM_VERSION)
      : wallIssues(model, permissionVersion, version);
  const [first, ...rest] = found.filter((issue) => issue.severity === "error");
  if (first !== undefined) return E.left([first, ...rest]);
  const options = { codegen, globals, enforceSchemas: schemaEnforcement === "reject" };
  return E.right({
    permission: new Layer(model, permissionVersion, "not_granted", options),
    platform: version === undefined ? undefined : new Layer(model, version, "not_available", options),
    model,
    files: files.map(({ path, text }) => ({ path, text })),
    warnings: [...model.warnings, ...found],
  });
}

/**
 * {@link compilePolicies} for programs that cannot go on without their policies: returns the set, or throws one
 * `PoliciesError` that lists every problem with its place. Where problems are to be shown, counted or lived with, take the
 * `Either`.
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
