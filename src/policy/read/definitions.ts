/** Reads `variables` and `constants` of policies and of export policies. */

import { identifierFault } from "../names.js";
import { dataOf, type MapEntry, type MapNode, type TreeNode } from "../text/tree.js";
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
  return [...entries].map(([name, entry]) => {
    reportLossy(entry.value, reading);
    return { ...named(name, entry, reading), value: dataOf(entry.value) };
  });
}

/** Warns of integers that become other numbers: a constant is JSON, as on the server, so its numbers are doubles. */
function reportLossy(node: TreeNode, reading: ReadContext): void {
  if (node.kind === "list") for (const item of node.items) reportLossy(item, reading);
  if (node.kind === "map") for (const { value } of node.entries.values()) reportLossy(value, reading);
  if (node.kind !== "scalar" || typeof node.data !== "number") return;
  const { text = "", data, start } = node;
  if (!INTEGER.test(text) || Number.isSafeInteger(data) || BigInt(text) === BigInt(data)) return;
  const message = `the constant ${text} becomes ${BigInt(data)}: numbers are doubles; write it as a text`;
  reading.faults.warning("lossy_integer", reading.source.position(start), message);
}

const INTEGER = /^-?\d+$/;

function named(name: string, entry: MapEntry, reading: ReadContext): NamedReference {
  const at = reading.source.position(entry.key.start);
  const fault = identifierFault(name);
  if (fault !== undefined) reading.faults.error("name", at, fault);
  return { name, at };
}
