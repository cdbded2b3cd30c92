/** Reads `variables` and `constants` of policies and of export policies. */

import { identifierFault } from "../names.js";
import { dataOf, type MapEntry, type MapNode } from "../text/tree.js";
import { entriesField, mapField, type ReadContext, referencesField } from "./fields.js";
import type { NamedReference, RawConstant, RawDefinitions, RawVariable } from "./raw.js";

/** The definitions of a policy; `document` has the deprecated top-level `variables`. */
export function readDefinitions(body: MapNode, document: MapNode, reading: ReadContext): RawDefinitions {
  const variables = mapField(body, "variables");
  const constants = mapField(body, "constants");
  return {
    variableImports: variables === undefined ? [] : referencesField(variables, "import", reading),
    variables: [
      ...(variables === undefined ? [] : readVariables(entriesField(variables, "local"), reading)),
      ...readVariables(entriesField(document, "variables"), reading),
    ],
    constantImports: constants === undefined ? [] : referencesField(constants, "import", reading),
    constants: constants === undefined ? [] : readConstants(entriesField(constants, "local"), reading),
  };
}

export function readVariables(entries: ReadonlyMap<string, MapEntry>, reading: ReadContext): readonly RawVariable[] {
  return [...entries].flatMap(([name, entry]) => {
    const { value } = entry;
    if (value.kind !== "scalar") return [];
    return { ...named(name, entry, reading), expr: reading.expressions.read(value, reading.source, reading.faults) };
  });
}

export function readConstants(entries: ReadonlyMap<string, MapEntry>, reading: ReadContext): readonly RawConstant[] {
  return [...entries].map(([name, entry]) => ({ ...named(name, entry, reading), value: dataOf(entry.value) }));
}

function named(name: string, entry: MapEntry, reading: ReadContext): NamedReference {
  const at = reading.source.position(entry.key.start);
  const fault = identifierFault(name);
  if (fault !== undefined) reading.faults.error("name", at, fault);
  return { name, at };
}
