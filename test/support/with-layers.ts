/** Policy sets with replaced layers. */

import { DecisionTables } from "../../src/decisions/decision-tables.js";
import type { Layer } from "../../src/engine/evaluate/layer.js";
import type { PolicySet } from "../../src/index.js";

export function withLayers(set: PolicySet, permission: Layer, platform: Layer | undefined): PolicySet {
  const { model, configuration, files, hash, warnings } = set;
  const tables = new DecisionTables(permission, platform);
  return { permission, platform, tables, model, configuration, files, hash, warnings };
}
