/**
 * What Cerbos's test suites and fixtures look like (docs/cerbos-semantics.md §5), as JSON Schemas. A file is held to
 * them in the server's order and words, so that what it refuses is refused here with the same text. They are shipped
 * for editors.
 */

import type { JsonValue } from "../../cel/json.js";

type Schema = { readonly [keyword: string]: JsonValue };

const TEXT: Schema = { type: "string" };
const NAME: Schema = { type: "string", minLength: 1 };
const FLAG: Schema = { type: "boolean" };
const NAMES: Schema = { type: "array", items: NAME, uniqueItems: true };
const SOME_NAMES: Schema = { ...NAMES, minItems: 1 };
const VERSION: Schema = { type: "string", pattern: "^[0-9A-Z_a-z]*$" };
/** As the server has it, since it is part of its message. */
const SCOPE: Schema = {
  type: "string",
  pattern: "^(^$|\\.|[0-9A-Za-z][\\-0-9A-Z_a-z]*(\\.[0-9A-Z_a-z][\\-0-9A-Z_a-z]*)*)$",
};

function message(properties: Schema, ...required: readonly string[]): Schema {
  const schema = { type: "object", additionalProperties: false, properties };
  return required.length === 0 ? schema : { ...schema, required };
}

function mapOf(values: JsonValue): Schema {
  return { type: "object", additionalProperties: values };
}

function listOf(items: JsonValue): Schema {
  return { type: "array", items };
}

function ref(name: string): Schema {
  return { $ref: `#/$defs/${name}` };
}

const ATTRIBUTES: Schema = { ...mapOf(true), propertyNames: NAME };

const OUTPUTS = message(
  { action: NAME, expected: { ...listOf(message({ src: TEXT, val: true, action: TEXT })), minItems: 1 } },
  "action",
  "expected",
);

const EXPECTATION = message(
  {
    principal: TEXT,
    principals: NAMES,
    principalGroups: NAMES,
    resource: TEXT,
    resources: NAMES,
    resourceGroups: NAMES,
    actions: {
      type: "object",
      minProperties: 1,
      additionalProperties: { type: "string", enum: ["EFFECT_ALLOW", "EFFECT_DENY"] },
      propertyNames: NAME,
    },
    outputs: listOf(OUTPUTS),
  },
  "actions",
);

const INPUT = message(
  {
    principals: NAMES,
    principalGroups: NAMES,
    resources: NAMES,
    resourceGroups: NAMES,
    actions: SOME_NAMES,
    auxData: TEXT,
  },
  "actions",
);

const OPTIONS = message({
  now: { type: "string", format: "date-time" },
  lenientScopeSearch: FLAG,
  strictEvaluation: FLAG,
  globals: mapOf(true),
  defaultPolicyVersion: TEXT,
  defaultScope: TEXT,
});

const TEST = message(
  {
    name: NAME,
    description: TEXT,
    skip: FLAG,
    skipReason: TEXT,
    options: OPTIONS,
    input: INPUT,
    expected: { ...listOf(EXPECTATION), minItems: 1 },
  },
  "name",
  "input",
  "expected",
);

const PRINCIPALS: Schema = { principals: mapOf(ref("principal")), principalGroups: mapOf(ref("principalGroup")) };
const RESOURCES: Schema = { resources: mapOf(ref("resource")), resourceGroups: mapOf(ref("resourceGroup")) };
const AUX_DATA: Schema = { auxData: mapOf(ref("auxData")) };

const DEFINITIONS: Schema = {
  principal: message(
    { id: NAME, policyVersion: VERSION, roles: SOME_NAMES, attr: ATTRIBUTES, scope: SCOPE },
    "id",
    "roles",
  ),
  principalGroup: message({ principals: SOME_NAMES }, "principals"),
  resource: message({ kind: NAME, policyVersion: VERSION, id: NAME, attr: ATTRIBUTES, scope: SCOPE }, "kind", "id"),
  resourceGroup: message({ resources: SOME_NAMES }, "resources"),
  auxData: message({ jwt: mapOf(true), jwts: mapOf(message({ claims: mapOf(true) })) }),
};

const DRAFT = "https://json-schema.org/draft/2020-12/schema";

function document(title: string, properties: Schema, ...required: readonly string[]): Schema {
  return { $schema: DRAFT, title, ...message({ $schema: TEXT, ...properties }, ...required), $defs: DEFINITIONS };
}

/** By the kind of file. */
export const CERBOS_SCHEMAS = {
  suite: document(
    "A Cerbos policy test suite (*_test.yaml)",
    {
      name: NAME,
      description: TEXT,
      skip: FLAG,
      skipReason: TEXT,
      options: OPTIONS,
      ...PRINCIPALS,
      ...RESOURCES,
      ...AUX_DATA,
      tests: { ...listOf(TEST), minItems: 1 },
    },
    "name",
    "tests",
  ),
  principals: document("Principals of Cerbos policy tests (testdata/principals.yaml)", PRINCIPALS),
  resources: document("Resources of Cerbos policy tests (testdata/resources.yaml)", RESOURCES),
  auxData: document("Auxiliary data of Cerbos policy tests (testdata/auxdata.yaml)", AUX_DATA),
} as const;

export type CerbosFileKind = keyof typeof CERBOS_SCHEMAS;
