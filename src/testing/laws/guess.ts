/** Guesses JSON Schemas for attributes without a schema, from the expressions that read them. */

import type { SchemaObject } from "../../schema/keywords.js";
import { ELEMENT, type SpaceSubject, sortsOf, type ValueSort, type ValueSpace } from "../../space/dimension.js";

interface GuessedAttribute {
  readonly below: Map<string, GuessedAttribute>;
  readonly sorts: Set<ValueSort>;
  /** Whether a policy tests its absence. */
  optional: boolean;
}

/** The schema of an object with all attributes of a subject that policies read. */
export function guessedSchema(spaces: readonly ValueSpace[], subject: SpaceSubject): SchemaObject {
  const root = newBranch();
  for (const { dimensions } of spaces) {
    for (const dimension of dimensions.values()) {
      const [field, ...path] = dimension.path;
      if (dimension.subject !== subject || field !== "attr") continue;
      let branch = root;
      for (const name of path) {
        const next = branch.below.get(name) ?? newBranch();
        branch.below.set(name, next);
        branch = next;
      }
      for (const sort of sortsOf(dimension, dimensions)) branch.sorts.add(sort);
      branch.optional ||= dimension.tested;
    }
  }
  return schemaOf(root);
}

function newBranch(): GuessedAttribute {
  return { below: new Map(), sorts: new Set(), optional: false };
}

function schemaOf({ below, sorts }: GuessedAttribute): SchemaObject {
  const element = below.get(ELEMENT);
  if (element !== undefined) return { type: "array", items: schemaOf(element) };
  if (below.size > 0 || sorts.size === 0) {
    const required = [...below].filter(([, { optional }]) => !optional).map(([name]) => name);
    const properties = Object.fromEntries([...below].map(([name, branch]) => [name, schemaOf(branch)]));
    return { type: "object", properties, required };
  }
  if (sorts.has("list")) return { type: "array", items: { type: "string" } };
  if (sorts.has("time")) return { type: "string", format: "date-time" };
  return { type: sorts.has("number") ? "number" : sorts.has("boolean") ? "boolean" : "string" };
}
