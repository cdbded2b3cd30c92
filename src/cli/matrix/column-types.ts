/** The types of columns, by the schemas of the policies. */

import { declaredAt, type TypeDeclaration } from "../../cel/type-declaration.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { SchemaTypes } from "../../schema/declared-type.js";
import type { ColumnTypes } from "./records.js";

/** The part of a request that an entry becomes. */
export type EntryPart = "key" | "resource" | "account";

const FIELDS: { readonly [part in EntryPart]: readonly string[] } = {
  key: ["id", "roles", "scope"],
  resource: ["kind", "id", "scope"],
  account: ["id", "scope"],
};

export function columnTypes(set: PolicySet, part: EntryPart): ColumnTypes {
  const { model, permission, platform } = set;
  const documents = new SchemaTypes(model.schemas);
  const layers = { key: [permission], account: [platform], resource: [permission, platform] }[part];
  const versions = new Set(layers.map((layer) => layer?.version));
  const schemas = model.resourcePolicies
    .filter(({ version }) => versions.has(version))
    .flatMap(({ resource, principalSchema, resourceSchema }) => {
      const use = part === "resource" ? resourceSchema : principalSchema;
      const declared = use === undefined ? undefined : documents.at(use.ref);
      return declared === undefined ? [] : [{ kind: resource, declared }];
    });
  /** The schemas of a resource are those of its kind; those of a key or an account can be those of any kind. */
  const declared = (field: (name: string) => unknown): readonly TypeDeclaration[] =>
    schemas.flatMap((one) => (part !== "resource" || one.kind === field("kind") ? [one.declared] : []));
  return {
    fields: FIELDS[part],
    attribute: (path, field) => {
      for (const root of declared(field)) {
        const found = declaredAt(root, path);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    isNullable: (path, field) =>
      declared(field).some((root) => declaredAt(root, path.slice(0, -1))?.nullable.has(path.at(-1) ?? "") === true),
  };
}
