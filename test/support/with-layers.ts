/** Policy sets whose layers are others. */

import { DecisionTables } from "../../src/decisions/decision-tables.js";
import type { Layer } from "../../src/engine/evaluate/layer.js";
import type { PolicySet } from "../../src/index.js";

export function withLayers(set: PolicySet, permission: Layer, platform: Layer | undefined): PolicySet {
  return { ...set, permission, platform, tables: new DecisionTables(permission, platform) };
}
