/** Reads `principalPolicy` into a raw policy. */

import type { PrincipalRule } from "../model.js";
import { generatedActionName, sanitise } from "../names.js";
import { derivedReason } from "../rule-reason.js";
import type { MapNode } from "../text/tree.js";
import { readCondition, readOutput } from "./condition.js";
import { readDefinitions } from "./definitions.js";
import { mapsField, positionOf, type ReadContext, textField } from "./fields.js";
import { readHead, readScopePermissions } from "./head.js";
import { patternField } from "./patterns.js";
import type { RawPrincipalPolicy } from "./raw.js";
import { RepeatedNames } from "./repeated-names.js";

export function readPrincipalPolicy(body: MapNode, document: MapNode, reading: ReadContext): RawPrincipalPolicy {
  const head = readHead(body, document, "principal", "principal", reading);
  return {
    kind: "principalPolicy",
    scopePermissions: readScopePermissions(body, "principal", reading),
    definitions: readDefinitions(body, document, reading),
    rules: readRules(body, reading),
    ...head,
  };
}

/** Each resource may appear once, as written: `album:object` and `album_object` are different here. */
function readRules(body: MapNode, reading: ReadContext): readonly PrincipalRule[] {
  const resources = new RepeatedNames("rule for the resource", reading.log);
  return mapsField(body, "rules").flatMap((node) => {
    const resource = patternField(node, "resource", reading);
    resources.add(resource, positionOf(node, "resource", reading.source));
    const names = new RepeatedNames("rule", reading.log);
    return mapsField(node, "actions").map((action, index) => {
      const rule = readRule(action, resource, index, reading);
      if (rule.named) names.add(rule.name, positionOf(action, "name", reading.source));
      return rule;
    });
  });
}

function readRule(node: MapNode, resource: string, index: number, reading: ReadContext): PrincipalRule {
  const written = textField(node, "name");
  const words = {
    resource,
    actions: [patternField(node, "action", reading)],
    effect: textField(node, "effect") === "EFFECT_ALLOW" ? "allow" : "deny",
    condition: readCondition(node, reading),
    output: readOutput(node, reading),
  } as const;
  return {
    name: written === "" ? generatedActionName(resource, index) : written,
    named: written !== "",
    derivedReason: written === "" ? derivedReason({ ...words, roles: [], derivedRoles: [] }) : undefined,
    ...words,
    resourceName: sanitise(resource),
    actionPositions: [positionOf(node, "action", reading.source)],
    at: reading.source.position(node.start),
  };
}
