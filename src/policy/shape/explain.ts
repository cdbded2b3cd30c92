/** What ajv says of a document, in plain words, with a position and a hint. */

import type { SchemaError } from "../../schema/ajv.js";
import { didYouMean } from "../distance.js";
import type { IssueCode } from "../issue.js";
import { nodeAt, type TreeNode } from "../text/tree.js";

export interface Finding {
  readonly code: IssueCode;
  /** Offset into the file. */
  readonly at: number;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** One error of ajv's; undefined if another one says it better. */
export function explain(error: SchemaError, root: TreeNode): Finding | undefined {
  // What is wrong with a key is said of the map.
  if (error.propertyName !== undefined) return undefined;
  const path = error.instancePath.split("/").slice(1).map(unescapePointer);
  const node = nodeAt(root, path) ?? root;
  const shape = describe(error.parentSchema);
  const field = fieldName(path);
  switch (error.keyword) {
    case "additionalProperties": {
      const name = parameter(error, "additionalProperty");
      const key = node.kind === "map" ? node.entries.get(name)?.key : undefined;
      const hint = didYouMean(name, shape.fields) ?? ownerHint(name);
      return { code: "shape", at: key?.start ?? node.start, message: `unknown field "${name}"`, hint };
    }
    case "minProperties":
    case "maxProperties":
      // An unknown field is reported by its name.
      if (node.kind === "map" && [...node.entries.keys()].some((key) => !shape.fields.includes(key))) return undefined;
      return { code: "shape", at: node.start, message: `${field} must have ${shape.description}` };
    case "enum": {
      const hint = typeof error.data === "string" ? memberHint(error.data, shape.values) : undefined;
      return { code: "shape", at: node.start, message: `${field} must be one of ${shape.values.join(", ")}`, hint };
    }
    case "pattern": {
      const message = `${JSON.stringify(error.data)} is not allowed as ${field}: it takes ${shape.description}`;
      return { code: "name", at: node.start, message };
    }
    case "type": {
      const isEmpty = node.kind === "scalar" && node.data === null && path.length > 0;
      const hint = isEmpty ? `what belongs to ${field} is indented deeper than it` : undefined;
      return { code: "shape", at: node.start, message: plainMessage(error, field), hint };
    }
    default:
      return { code: "shape", at: node.start, message: plainMessage(error, field) };
  }
}

/** The member that was meant, of which perhaps the last word was written: `DENY` for `EFFECT_DENY`. */
function memberHint(written: string, members: readonly string[]): string | undefined {
  const short = `_${written.toUpperCase()}`;
  const whole = members.find((member) => member.endsWith(short));
  return whole === undefined ? didYouMean(written, members) : `did you mean ${JSON.stringify(whole)}?`;
}

/** What fields belong to that are found elsewhere where indentation is off. */
const OWNERS: ReadonlyMap<string, string> = new Map([
  ["match", "condition"],
  ["expr", "match"],
  ["all", "match"],
  ["any", "match"],
  ["none", "match"],
  ["of", "all, any or none"],
  ["when", "output"],
  ["ruleActivated", "when"],
  ["conditionNotMet", "when"],
  ["local", "variables or constants"],
  ...["resource", "version", "scope", "importDerivedRoles", "schemas", "rules"].map((field): [string, string] => [
    field,
    "the policy",
  ]),
  ...["actions", "roles", "derivedRoles", "effect", "condition", "output"].map((field): [string, string] => [
    field,
    "a rule",
  ]),
]);

function ownerHint(field: string): string | undefined {
  const owner = OWNERS.get(field);
  return owner === undefined ? undefined : `it belongs to ${owner}: indent it as what stands there`;
}

function plainMessage(error: SchemaError, field: string): string {
  switch (error.keyword) {
    case "required":
      return `the field "${parameter(error, "missingProperty")}" is missing`;
    case "type":
      return `${field} must be ${TYPE_NAMES.get(parameter(error, "type")) ?? "of another type"}`;
    case "const":
      return `${field} must be "${parameter(error, "allowedValue")}"`;
    case "uniqueItems":
      return `${field} must not name anything twice`;
    case "propertyNames":
      return `${field} must not have ${JSON.stringify(parameter(error, "propertyName"))} for a key`;
    case "minLength":
    case "minItems":
      return `${field} must not be empty`;
    default:
      return `${field} is not valid (${error.keyword})`;
  }
}

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ["object", "a mapping"],
  ["array", "a list"],
  ["string", "text"],
  ["boolean", "true or false"],
]);

/** `"effect"`, `"actions[0]"`. */
function fieldName(path: readonly string[]): string {
  const last = path.at(-1);
  if (last === undefined) return "the document";
  return /^\d+$/.test(last) ? `"${path.at(-2) ?? ""}[${last}]"` : `"${last}"`;
}

interface Described {
  readonly fields: readonly string[];
  readonly values: readonly string[];
  readonly description: string;
}

/** What messages need of a shape. ajv hands it back as an unknown object. */
function describe(shape: unknown): Described {
  if (typeof shape !== "object" || shape === null) return { fields: [], values: [], description: "" };
  const { properties, values, description } = { properties: {}, values: [], description: "", ...renamed(shape) };
  return {
    fields: typeof properties === "object" && properties !== null ? Object.keys(properties) : [],
    values: Array.isArray(values) ? values.map(String) : [],
    description: typeof description === "string" ? description : "",
  };
}

/** `enum` is a reserved word. */
function renamed(shape: object): {
  readonly properties?: unknown;
  readonly values?: unknown;
  readonly description?: unknown;
} {
  return "enum" in shape ? { ...shape, values: shape.enum } : shape;
}

function parameter(error: SchemaError, name: string): string {
  const params: unknown = error.params;
  if (typeof params !== "object" || params === null) return "";
  return String(Object.entries(params).find(([key]) => key === name)?.[1] ?? "");
}

function unescapePointer(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
