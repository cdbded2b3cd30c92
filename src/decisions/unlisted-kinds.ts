/**
 * Kinds that permission policies name and no platform policy does. Under `platform: { unlisted: supported }` each gets a
 * platform policy that allows everything. So every reader of the model sees them as supported.
 */

import { NO_DEFINITIONS, type PolicyModel, type ResourcePolicy } from "../policy/model.js";
import type { SetConfiguration } from "./configuration.js";

/** The annotations of the added policies, which tell them from those of files. */
const ADDED: ReadonlyMap<string, string> = new Map([["added", "no platform policy is for this kind"]]);

/** Does no file have this policy: was it added for a kind without a platform policy? */
export function isAdded({ annotations }: Pick<ResourcePolicy, "annotations">): boolean {
  return annotations === ADDED;
}

/** The name of the rule that supports such a kind. */
const RULE_NAME = "unlisted_kind_supported";

export function withUnlistedKinds(model: PolicyModel, configuration: SetConfiguration): PolicyModel {
  const { permissionVersion, platformVersion, unlisted } = configuration;
  if (unlisted !== "supported" || platformVersion === null) return model;
  const versionOf = (version: string) => model.resourcePolicies.filter((policy) => policy.version === version);
  const listed = new Set(versionOf(platformVersion).map(({ resource }) => resource));
  const kinds = new Map(versionOf(permissionVersion).map((policy) => [policy.resource, policy]));
  const added = [...kinds.values()]
    .filter(({ resource }) => !listed.has(resource))
    .map((policy) => supporting(policy, platformVersion, model));
  return { ...model, resourcePolicies: [...model.resourcePolicies, ...added] };
}

/** A platform policy that allows every operation on the kind of a permission policy. */
function supporting({ name, resource }: ResourcePolicy, version: string, model: PolicyModel): ResourcePolicy {
  const platform = model.configuration?.platform;
  const at = typeof platform === "object" ? platform.at : { file: ".", line: 1, column: 1 };
  return {
    kind: "resource",
    key: `resource.${resource}.v${version}`,
    name,
    resource,
    version,
    versionAt: at,
    scope: "",
    scopePermissions: model.scopePermissions.get("") ?? "override_parent",
    annotations: ADDED,
    definitions: NO_DEFINITIONS,
    rules: [
      {
        name: RULE_NAME,
        named: true,
        derivedReason: undefined,
        actions: ["*"],
        actionPositions: [at],
        effect: "allow",
        condition: undefined,
        output: undefined,
        roles: ["*"],
        rolePositions: [at],
        derivedRoles: [],
        at,
      },
    ],
    derivedRoles: new Map(),
    principalSchema: undefined,
    resourceSchema: undefined,
    at,
  };
}
