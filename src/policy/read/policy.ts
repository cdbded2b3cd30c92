/** Turns a validated document into a raw policy. */

import type { ShapedDocument } from "../shape/validate.js";
import type { MapNode } from "../text/tree.js";
import { readCondition } from "./condition.js";
import { readConstants, readDefinitions, readVariables } from "./definitions.js";
import { entriesField, mapsField, namesOf, positionOf, type ReadContext, textField } from "./fields.js";
import { patternsField } from "./patterns.js";
import { readPrincipalPolicy } from "./principal-policy.js";
import type { RawDerivedRole, RawDerivedRoles, RawPolicy } from "./raw.js";
import { RepeatedNames } from "./repeated-names.js";
import { anyRole, readResourcePolicy } from "./resource-policy.js";
import { readRolePolicy } from "./role-policy.js";

export function readPolicy(shaped: ShapedDocument, reading: ReadContext): RawPolicy {
  const { kind, document, body } = shaped;
  const base = { name: textField(body, "name"), at: positionOf(body, "name", reading.source), faults: reading.faults };
  switch (kind) {
    case "resourcePolicy":
      return readResourcePolicy(body, document, reading);
    case "derivedRoles":
      return readDerivedRoles(body, document, reading);
    case "exportVariables":
      return { ...base, kind, variables: readVariables(entriesField(body, "definitions"), reading) };
    case "exportConstants":
      return { ...base, kind, constants: readConstants(entriesField(body, "definitions"), reading) };
    case "principalPolicy":
      return readPrincipalPolicy(body, document, reading);
    case "rolePolicy":
      return readRolePolicy(body, document, reading);
  }
}

function readDerivedRoles(body: MapNode, document: MapNode, reading: ReadContext): RawDerivedRoles {
  return {
    kind: "derivedRoles",
    name: textField(body, "name"),
    at: positionOf(body, "name", reading.source),
    faults: reading.faults,
    definitions: readDefinitions(body, document, reading),
    roles: readRoles(body, reading),
  };
}

function readRoles(body: MapNode, reading: ReadContext): readonly RawDerivedRole[] {
  const names = new RepeatedNames("derived role", reading.log);
  return mapsField(body, "definitions").map((node) => {
    const name = textField(node, "name");
    const at = positionOf(node, "name", reading.source);
    names.add(name, at);
    const parentRoles = namesOf(anyRole(patternsField(node, "parentRoles", reading)));
    return { name, at, parentRoles, condition: readCondition(node, reading) };
  });
}
