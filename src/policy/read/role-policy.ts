/** Reads `rolePolicy` into a raw policy. */

import type { MapNode } from "../text/tree.js";
import { readCondition, readOutput } from "./condition.js";
import { readDefinitions } from "./definitions.js";
import { mapsField, namesOf, type ReadContext, referencesField, textField } from "./fields.js";
import { readHead } from "./head.js";
import { patternField, patternsField } from "./patterns.js";
import type { RawRolePolicy, RawRoleRule } from "./raw.js";

export function readRolePolicy(body: MapNode, document: MapNode, reading: ReadContext): RawRolePolicy {
  const head = readHead(body, document, "role", "role", reading);
  return {
    kind: "rolePolicy",
    parentRoles: namesOf(referencesField(body, "parentRoles", reading)),
    definitions: readDefinitions(body, document, reading),
    rules: mapsField(body, "rules").map((node) => readRule(node, reading)),
    ...head,
  };
}

function readRule(node: MapNode, reading: ReadContext): RawRoleRule {
  const actions = patternsField(node, "allowActions", reading, "all");
  return {
    name: textField(node, "name"),
    resource: patternField(node, "resource", reading),
    allowActions: namesOf(actions),
    actionPositions: actions.map((action) => action.at),
    condition: readCondition(node, reading),
    output: readOutput(node, reading),
    at: reading.source.position(node.start),
  };
}
