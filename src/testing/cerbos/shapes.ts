/**
 * The shapes of Cerbos's test suites and fixtures (docs/cerbos-semantics.md §5). They are read as policies are, since
 * the server does so too. They are shipped for editors as JSON Schemas.
 */

import { EFFECT } from "../../policy/shape/parts.js";
import {
  type DocumentShape,
  FLAG,
  listOf,
  mapOf,
  matching,
  message,
  nonEmptyListOf,
  REQUIRED_TEXT,
  TEXT,
  VALUE,
} from "../../policy/shape/shape.js";

const NAMES: DocumentShape = { ...listOf(REQUIRED_TEXT), uniqueItems: true };
const SOME_NAMES: DocumentShape = { ...NAMES, minItems: 1 };
const VERSION = matching("^[0-9A-Z_a-z]*$", "letters, digits and `_`");
const SCOPE = matching(
  "^(^$|\\.|[0-9A-Za-z][\\-0-9A-Z_a-z]*(\\.[0-9A-Z_a-z][\\-0-9A-Z_a-z]*)*)$",
  "names of letters, digits, `_` and `-`, joined by `.`",
);

function ref(name: string): DocumentShape {
  return { $ref: `#/$defs/${name}` };
}

const ATTRIBUTES: DocumentShape = { ...mapOf(VALUE), propertyNames: REQUIRED_TEXT };

const OUTPUTS = message(
  { action: REQUIRED_TEXT, expected: nonEmptyListOf(message({ src: TEXT, val: VALUE, action: TEXT })) },
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
    actions: { ...mapOf(EFFECT), minProperties: 1, propertyNames: REQUIRED_TEXT, description: "an action" },
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
  now: TEXT,
  lenientScopeSearch: FLAG,
  strictEvaluation: FLAG,
  globals: mapOf(VALUE),
  defaultPolicyVersion: TEXT,
  defaultScope: TEXT,
});

const TEST = message(
  {
    name: REQUIRED_TEXT,
    description: TEXT,
    skip: FLAG,
    skipReason: TEXT,
    options: OPTIONS,
    input: INPUT,
    expected: nonEmptyListOf(EXPECTATION),
  },
  "name",
  "input",
  "expected",
);

const PRINCIPALS: ShapeFields = { principals: mapOf(ref("principal")), principalGroups: mapOf(ref("principalGroup")) };
const RESOURCES: ShapeFields = { resources: mapOf(ref("resource")), resourceGroups: mapOf(ref("resourceGroup")) };
const AUX_DATA: ShapeFields = { auxData: mapOf(ref("auxData")) };

const DEFINITIONS: ShapeFields = {
  principal: message(
    { id: REQUIRED_TEXT, policyVersion: VERSION, roles: SOME_NAMES, attr: ATTRIBUTES, scope: SCOPE },
    "id",
    "roles",
  ),
  principalGroup: message({ principals: SOME_NAMES }, "principals"),
  resource: message(
    { kind: REQUIRED_TEXT, policyVersion: VERSION, id: REQUIRED_TEXT, attr: ATTRIBUTES, scope: SCOPE },
    "kind",
    "id",
  ),
  resourceGroup: message({ resources: SOME_NAMES }, "resources"),
  auxData: message({ jwt: mapOf(VALUE), jwts: mapOf(message({ claims: mapOf(VALUE) })) }),
};

type ShapeFields = { readonly [name: string]: DocumentShape };

function document(properties: ShapeFields, ...required: readonly string[]): DocumentShape {
  return { ...message({ $schema: TEXT, ...properties }, ...required), $defs: DEFINITIONS };
}

/** The shapes by kind of file. */
export const CERBOS_SHAPES = {
  suite: document(
    {
      name: REQUIRED_TEXT,
      description: TEXT,
      skip: FLAG,
      skipReason: TEXT,
      options: OPTIONS,
      ...PRINCIPALS,
      ...RESOURCES,
      ...AUX_DATA,
      tests: nonEmptyListOf(TEST),
    },
    "name",
    "tests",
  ),
  principals: document(PRINCIPALS),
  resources: document(RESOURCES),
  auxData: document(AUX_DATA),
} as const;

export type CerbosFileKind = keyof typeof CERBOS_SHAPES;
