/** Policy sets as objects that show their findings alone. */

import type { Layer } from "../engine/evaluate/layer.js";
import type { PolicyIssue } from "../policy/issue.js";
import type { PolicyModel } from "../policy/model.js";
import type { PolicyFile } from "../policy/parse.js";
import type { SetConfiguration } from "./configuration.js";
import type { DecisionTables } from "./decision-tables.js";
import type { By, PolicyTypes } from "./policy-types.js";

/**
 * Compiled policies. Made by `compilePolicies`; immutable, and safe to share.
 *
 * `T`: the names of the set, for TypeScript (docs/decisions/generated-types.md).
 */
export interface PolicySet<T extends PolicyTypes = PolicyTypes> extends By<T> {
  /** @internal */
  readonly permission: Layer;
  /** @internal Undefined: the set is permission-only. */
  readonly platform: Layer | undefined;
  /** @internal The decision tables of both layers. */
  readonly tables: DecisionTables;
  /** @internal The checked policies, for tools that read them. */
  readonly model: PolicyModel;
  /** @internal How the set is asked. */
  readonly configuration: SetConfiguration;
  /** @internal The policy files: see `policySetHash`. */
  readonly files: readonly PolicyFile[];
  /** @internal The hash of the policy files of a bundle, which has no files. */
  readonly hash?: string | undefined;
  /** Findings that do not prevent loading. */
  readonly warnings: readonly PolicyIssue[];
}

/** A set that has no platform layer: decisions by it need no account. */
export interface PermissionSet<T extends PolicyTypes = PolicyTypes>
  extends PolicySet<T & { readonly platform: "none" }> {
  /** @internal */
  readonly platform: undefined;
}

/**
 * A policy set. Only `warnings` is enumerable: layers, model and decision tables are the library's own, and a program that
 * prints, copies or serialises a set does not come to depend on them.
 */
class CompiledPolicySet implements PolicySet {
  declare readonly permission: PolicySet["permission"];
  declare readonly platform: PolicySet["platform"];
  declare readonly tables: PolicySet["tables"];
  declare readonly model: PolicySet["model"];
  declare readonly configuration: SetConfiguration;
  declare readonly files: readonly PolicyFile[];
  declare readonly hash: string | undefined;
  readonly warnings: PolicySet["warnings"];

  constructor({ permission, platform, tables, model, configuration, files, hash, warnings }: PolicySet) {
    this.warnings = warnings;
    Object.defineProperties(this, {
      permission: { value: permission },
      platform: { value: platform },
      tables: { value: tables },
      model: { value: model },
      configuration: { value: configuration },
      files: { value: files },
      hash: { value: hash },
    });
  }
}

export function policySetOf(parts: PolicySet): PolicySet {
  return new CompiledPolicySet(parts);
}
