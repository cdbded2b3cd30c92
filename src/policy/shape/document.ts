/** The shape of a policy document of each kind (`cerbos.policy.v1.Policy`). */

import { DEFINITIONS } from "./parts.js";
import { PRINCIPAL_POLICY } from "./principal-policy.js";
import { RESOURCE_POLICY } from "./resource-policy.js";
import { ROLE_POLICY } from "./role-policy.js";
import { DERIVED_ROLES, EXPORT_CONSTANTS, EXPORT_VARIABLES } from "./sets.js";
import { type DocumentShape, FLAG, mapOf, matching, message, TEXT, VALUE } from "./shape.js";

/** A document has exactly one of these fields. */
export const KINDS = [
  "resourcePolicy",
  "derivedRoles",
  "principalPolicy",
  "rolePolicy",
  "exportVariables",
  "exportConstants",
] as const;

export type DocumentKind = (typeof KINDS)[number];

const BODIES: { readonly [K in DocumentKind]: DocumentShape } = {
  resourcePolicy: RESOURCE_POLICY,
  derivedRoles: DERIVED_ROLES,
  principalPolicy: PRINCIPAL_POLICY,
  rolePolicy: ROLE_POLICY,
  exportVariables: EXPORT_VARIABLES,
  exportConstants: EXPORT_CONSTANTS,
};

const METADATA = message({
  sourceFile: TEXT,
  annotations: mapOf(TEXT),
  hash: matching("^(?:\\d{1,19}|1\\d{19})$", "a whole number"),
  storeIdentifier: TEXT,
  storeIdentifer: TEXT,
  sourceAttributes: message({ attributes: mapOf(VALUE) }),
});

const HEAD = {
  apiVersion: { type: "string", const: "api.cerbos.dev/v1" },
  $schema: TEXT,
  description: TEXT,
  disabled: FLAG,
  metadata: METADATA,
} satisfies { [name: string]: DocumentShape };

function shapeOf(kind: DocumentKind): DocumentShape {
  const exports = kind === "exportVariables" || kind === "exportConstants";
  const deprecated = exports ? {} : { variables: mapOf(TEXT) };
  return { ...message({ ...HEAD, ...deprecated, [kind]: BODIES[kind] }, "apiVersion", kind), $defs: DEFINITIONS };
}

/** The shape of the whole document, by kind of policy. */
export const DOCUMENT_SHAPES: { readonly [K in DocumentKind]: DocumentShape } = {
  resourcePolicy: shapeOf("resourcePolicy"),
  derivedRoles: shapeOf("derivedRoles"),
  principalPolicy: shapeOf("principalPolicy"),
  rolePolicy: shapeOf("rolePolicy"),
  exportVariables: shapeOf("exportVariables"),
  exportConstants: shapeOf("exportConstants"),
};

/** All fields that documents of any kind can have. */
export const DOCUMENT_FIELDS: readonly string[] = [...Object.keys(HEAD), "variables", ...KINDS];
