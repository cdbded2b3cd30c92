/** A checked document to a raw policy. */

import type { ShapedDocument } from "../shape/validate.js";
import type { MapNode } from "../text/tree.js";
import { readCondition } from "./condition.js";
import { readConstants, readDefinitions, readVariables } from "./definitions.js";
import { entriesField, mapsField, positionOf, type Reading, referencesField, textField } from "./fields.js";
import type { RawDerivedRole, RawDerivedRoles, RawPolicy } from "./raw.js";
import { anyRole, namesOf, readResourcePolicy } from "./resource-policy.js";

/** The policy of a document of a kind that is supported (see `unsupported.ts`); undefined for the others. */
export function readPolicy(shaped: ShapedDocument, reading: Reading): RawPolicy | undefined {
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
    case "rolePolicy":
      return undefined;
  }
}

function readDerivedRoles(body: MapNode, document: MapNode, reading: Reading): RawDerivedRoles {
  return {
    kind: "derivedRoles",
    name: textField(body, "name"),
    at: positionOf(body, "name", reading.source),
    faults: reading.faults,
    definitions: readDefinitions(body, document, reading),
    roles: readRoles(body, reading),
  };
}

function readRoles(body: MapNode, reading: Reading): readonly RawDerivedRole[] {
  const lines = new Map<string, number>();
  return mapsField(body, "definitions").map((node) => {
    const name = textField(node, "name");
    const at = positionOf(node, "name", reading.source);
    const first = lines.get(name);
    if (first === undefined) lines.set(name, at.line);
    else reading.log.error("duplicate", at, `the derived role "${name}" is defined twice: first in line ${first}`);
    const parentRoles = namesOf(anyRole(referencesField(node, "parentRoles", reading)));
    return { name, at, parentRoles, condition: readCondition(node, reading) };
  });
}
