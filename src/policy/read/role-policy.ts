/** `rolePolicy`, from the document to the raw policy. */

import type { RolePolicyRule } from "../model.js";
import type { MapNode } from "../text/tree.js";
import { readCondition } from "./condition.js";
import { mapsField, namesOf, type Reading, referencesField } from "./fields.js";
import { readHead } from "./head.js";
import { patternField, patternsField } from "./patterns.js";
import type { RawRolePolicy } from "./raw.js";

export function readRolePolicy(body: MapNode, document: MapNode, reading: Reading): RawRolePolicy {
  const deprecated = document.entries.get("variables");
  if (deprecated !== undefined) {
    const at = reading.source.position(deprecated.key.start);
    reading.log.warning("shape", at, "role policies have no variables: these are not read");
  }
  return {
    ...readHead(body, document, "role", "role", reading),
    kind: "rolePolicy",
    parentRoles: namesOf(referencesField(body, "parentRoles", reading)),
    rules: mapsField(body, "rules").map((node) => readRule(node, reading)),
  };
}

function readRule(node: MapNode, reading: Reading): RolePolicyRule {
  return {
    name: "",
    resource: patternField(node, "resource", reading),
    allowActions: patternsField(node, "allowActions", reading),
    condition: readCondition(node, reading),
    at: reading.source.position(node.start),
  };
}
