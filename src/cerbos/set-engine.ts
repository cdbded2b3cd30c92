/** The configuration of a policy set, as the options of an engine for checks. */

import type { SetConfiguration } from "../decisions/configuration.js";
import type { CheckEngineOptions } from "../engine/evaluate/check-engine.js";

export function engineOptionsOfSet(configuration: SetConfiguration): CheckEngineOptions {
  const { permissionVersion, schemaEnforcement, lenientScopeSearch, globals } = configuration;
  return { defaultPolicyVersion: permissionVersion, schemaEnforcement, lenientScopeSearch, globals: globals ?? {} };
}
