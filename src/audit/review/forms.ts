/** The attributes for a request form, from JSON Schemas or from the reads of policies. */

import { usageOf } from "../../cel/expression-usage.js";
import { isList, isObject, type JsonValue } from "../../cel/json.js";
import { compareText } from "../../policy/issue-log.js";
import type { PolicyModel, ResourcePolicy } from "../../policy/model.js";
import { expressionsOf } from "../../policy/policy-expressions.js";
import { type SchemaNode, SchemaTree } from "../../schema/tree.js";

/** One attribute. `json`: anything, as JSON; `texts`: a list of texts. */
export interface Field {
  readonly name: string;
  readonly type: "choice" | "flag" | "number" | "integer" | "text" | "texts" | "group" | "json";
  readonly description?: string;
  /** Of a `choice`. */
  readonly options?: readonly JsonValue[];
  /** Of a `group`. */
  readonly fields?: readonly Field[];
}

/** The forms for requests about one resource kind: indexes into {@link RequestForms.forms}. */
export interface KindForms {
  readonly kind: string;
  readonly key: number;
  readonly account: number;
  readonly resource: number;
}

export interface RequestForms {
  readonly forms: readonly (readonly Field[])[];
  readonly kinds: readonly KindForms[];
}

export function formsOf(
  model: PolicyModel,
  permissionVersion: string,
  platformVersion: string | undefined,
): RequestForms {
  const forms: (readonly Field[])[] = [];
  const indexes = new Map<string, number>();
  const add = (fields: readonly Field[]): number => {
    const key = JSON.stringify(fields);
    const index = indexes.get(key) ?? forms.push(fields) - 1;
    indexes.set(key, index);
    return index;
  };
  const byKind = new Map<string, { permission: ResourcePolicy[]; platform: ResourcePolicy[] }>();
  for (const policy of model.resourcePolicies) {
    const layers = byKind.get(policy.name) ?? { permission: [], platform: [] };
    byKind.set(policy.name, layers);
    if (policy.version === permissionVersion) layers.permission.push(policy);
    if (policy.version === platformVersion) layers.platform.push(policy);
  }
  const kinds = [...byKind].map(([kind, { permission, platform }]) => ({
    kind,
    key: add(fieldsFor(model, permission, "principal")),
    account: add(fieldsFor(model, platform, "principal")),
    resource: add(fieldsFor(model, [...permission, ...platform], "resource")),
  }));
  return { forms, kinds };
}

function fieldsFor(
  model: PolicyModel,
  policies: readonly ResourcePolicy[],
  subject: "principal" | "resource",
): readonly Field[] {
  const refs = new Set(policies.flatMap((one) => one[`${subject}Schema`]?.ref ?? []));
  const fields = new Map<string, Field>();
  for (const ref of refs) {
    for (const field of new FormMaker(model.schemas).fieldsAt(ref)) {
      if (!fields.has(field.name)) fields.set(field.name, field);
    }
  }
  for (const name of readNames(policies, subject === "principal" ? "P.attr" : "R.attr")) {
    if (!fields.has(name)) fields.set(name, { name, type: "json" });
  }
  return [...fields.values()];
}

/** The attributes that policies read, by name. */
function readNames(policies: readonly ResourcePolicy[], root: string): readonly string[] {
  const reads = policies.flatMap(expressionsOf).flatMap(({ expr }) => usageOf(expr).reads);
  return [...new Set(reads.flatMap((read) => (read.root === root ? (read.path[0] ?? []) : [])))].sort(compareText);
}

const MAX_DEPTH = 4;

class FormMaker {
  private readonly tree: SchemaTree;

  constructor(documents: ReadonlyMap<string, JsonValue>) {
    this.tree = new SchemaTree(documents);
  }

  fieldsAt(ref: string): readonly Field[] {
    return this.fields(this.tree.at(ref), 0);
  }

  private fields(node: SchemaNode, depth: number): readonly Field[] {
    const { properties } = node.schema;
    if (!isObject(properties)) return [];
    return Object.keys(properties).map((name) => this.field(name, this.tree.below(node, name), depth));
  }

  private field(name: string, node: SchemaNode, depth: number): Field {
    const { description, type, items, enum: options } = node.schema;
    const common = typeof description === "string" ? { name, description } : { name };
    if (isList(options)) return { ...common, type: "choice", options };
    if (type === "boolean") return { ...common, type: "flag" };
    if (type === "number" || type === "integer") return { ...common, type };
    if (type === "string") return { ...common, type: "text" };
    if (type === "array" && this.tree.child(items, node).schema.type === "string") return { ...common, type: "texts" };
    const fields = depth < MAX_DEPTH ? this.fields(node, depth + 1) : [];
    return fields.length === 0 ? { ...common, type: "json" } : { ...common, type: "group", fields };
  }
}
