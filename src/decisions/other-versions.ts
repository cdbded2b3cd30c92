/** The policies of versions that no layer asks: a Cerbos server answers for them, when a request names such a version. */

import { Layer } from "../engine/evaluate/layer.js";
import { policyVersions } from "../policy/all-policies.js";
import { type PolicySet, policySetOf } from "./compiled-set.js";
import { layerOptionsOf } from "./configuration.js";
import { DecisionTables } from "./decision-tables.js";

/** The versions of a set's policies that are in neither layer, in alphabetical order. */
export function otherVersionsOf({ model, configuration }: PolicySet): readonly string[] {
  const { permissionVersion, platformVersion } = configuration;
  return policyVersions(model).filter((version) => version !== permissionVersion && version !== platformVersion);
}

/** A set that proofs are about. */
export interface ProvedVersion {
  readonly set: PolicySet;
  /** The version of its policies, if no layer asks it. */
  readonly version?: string;
}

/**
 * A set, and its other versions as sets of their own, unless the set declares them as belonging to no layer. Proofs are
 * about all of these.
 */
export function setsToProve(set: PolicySet): readonly ProvedVersion[] {
  const declared = set.configuration.otherVersions;
  const others = otherVersionsOf(set).filter((version) => !declared.includes(version));
  return [{ set }, ...others.map((version) => ({ version, set: setOfVersion(set, version) }))];
}

/** The policies of one version, as a permission-only set that is otherwise configured like `set`. */
export function setOfVersion(set: PolicySet, version: string): PolicySet {
  const { model, permission, files, hash } = set;
  const configuration = { ...set.configuration, permissionVersion: version, platformVersion: null, otherVersions: [] };
  const layer = new Layer(model, version, "not_granted", layerOptionsOf(configuration, permission.equipment, false));
  const tables = new DecisionTables(layer, undefined);
  return policySetOf({
    permission: layer,
    platform: undefined,
    tables,
    model,
    configuration,
    files,
    hash,
    warnings: [],
  });
}
