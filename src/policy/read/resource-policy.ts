/** Reads `resourcePolicy` into a raw policy. */

import { generatedRuleName } from "../names.js";
import { derivedReason } from "../rule-reason.js";
import type { MapNode } from "../text/tree.js";
import { readCondition, readOutput } from "./condition.js";
import { readDefinitions } from "./definitions.js";
import {
  mapField,
  mapsField,
  namesOf,
  positionOf,
  type ReadContext,
  referencesField,
  scalarField,
  textField,
} from "./fields.js";
import { readHead, readScopePermissions } from "./head.js";
import { patternsField } from "./patterns.js";
import type { NamedReference, RawResourcePolicy, RawRule, RawSchemaUse } from "./raw.js";
import { RepeatedNames } from "./repeated-names.js";

export function readResourcePolicy(body: MapNode, document: MapNode, reading: ReadContext): RawResourcePolicy {
  const schemas = mapField(body, "schemas");
  const head = readHead(body, document, "resource", "resource", reading);
  return {
    kind: "resourcePolicy",
    scopePermissions: readScopePermissions(body, "resource", reading),
    imports: referencesField(body, "importDerivedRoles", reading),
    definitions: readDefinitions(body, document, reading),
    rules: readRules(body, reading),
    principalSchema: readSchema(schemas, "principalSchema", reading),
    resourceSchema: readSchema(schemas, "resourceSchema", reading),
    ...head,
  };
}

function readRules(body: MapNode, reading: ReadContext): readonly RawRule[] {
  const names = new RepeatedNames("rule", reading.log);
  return mapsField(body, "rules").map((node, index) => {
    const rule = readRule(node, index, reading);
    if (rule.named) names.add(rule.name, positionOf(node, "name", reading.source));
    return rule;
  });
}

function readRule(node: MapNode, index: number, reading: ReadContext): RawRule {
  const written = textField(node, "name");
  const at = reading.source.position(node.start);
  const roles = anyRole(patternsField(node, "roles", reading));
  const actions = patternsField(node, "actions", reading);
  const derivedRoleReferences = referencesField(node, "derivedRoles", reading);
  if (roles.length === 0 && derivedRoleReferences.length === 0) {
    reading.log.error("shape", at, "a rule needs at least one role or derived role");
  }
  const words = {
    actions: namesOf(actions),
    effect: textField(node, "effect") === "EFFECT_ALLOW" ? "allow" : "deny",
    condition: readCondition(node, reading),
    output: readOutput(node, reading),
    roles: namesOf(roles),
    derivedRoles: namesOf(derivedRoleReferences),
  } as const;
  return {
    name: written === "" ? generatedRuleName(index) : written,
    named: written !== "",
    derivedReason: written === "" ? derivedReason(words) : undefined,
    ...words,
    actionPositions: actions.map((action) => action.at),
    rolePositions: roles.map((role) => role.at),
    derivedRoleReferences,
    at,
  };
}

/** If the list contains `*`, the other roles make no difference. */
export function anyRole(roles: readonly NamedReference[]): readonly NamedReference[] {
  const any = roles.find((role) => role.name === "*");
  return any === undefined ? roles : [any];
}

function readSchema(schemas: MapNode | undefined, name: string, reading: ReadContext): RawSchemaUse | undefined {
  const schema = schemas === undefined ? undefined : mapField(schemas, name);
  if (schema === undefined || scalarField(schema, "ref") === undefined) return undefined;
  const ignored = mapField(schema, "ignoreWhen");
  return {
    ref: textField(schema, "ref"),
    ignoreActions: ignored === undefined ? [] : namesOf(patternsField(ignored, "actions", reading, "all")),
    at: positionOf(schema, "ref", reading.source),
  };
}
