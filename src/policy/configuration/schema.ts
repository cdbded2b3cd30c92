/** The JSON Schema of `keyward.yaml`, for the reader and for editors. docs/configuration.md explains the fields. */

import { CERBOS_LEVELS } from "../../cel/levels.js";

export const ENFORCEMENTS = ["none", "warn", "reject"] as const;
export const UNLISTED = ["supported", "forbidden"] as const;

const TEXT = { type: "string", pattern: "\\S" };
const TEXTS = { type: "array", items: TEXT };

const FIELDS_OF_LAYERS = {
  permission: { ...TEXT, description: "the version of the permission policies (default: default)" },
  platform: { ...TEXT, description: "the version of the platform policies (default: platform)" },
  others: { ...TEXTS, description: "versions that are meant to be in neither layer" },
};

const FIELDS = {
  layers: { type: "object", additionalProperties: false, properties: FIELDS_OF_LAYERS },
  platform: {
    anyOf: [
      { const: "none", description: "the set has no platform layer" },
      {
        type: "object",
        required: ["unlisted"],
        additionalProperties: false,
        properties: {
          unlisted: { enum: UNLISTED, description: "whether the platform supports kinds without a platform policy" },
        },
      },
    ],
  },
  globals: { type: "object", description: "the values that expressions read as G.name" },
  schemaEnforcement: { enum: ENFORCEMENTS, description: "the treatment of attributes that the schemas refuse" },
  typedReads: { type: "boolean", description: "whether reading an attribute of an undeclared type is an error" },
  lenientScopeSearch: { type: "boolean", description: "whether an unknown scope is searched from its ancestors" },
  cerbos: { enum: CERBOS_LEVELS, description: "the level of the policy language" },
  roles: { ...TEXTS, description: "the roles that keys can have" },
  title: { ...TEXT, description: "the name of the set, for readers" },
  owner: { ...TEXT, description: "who answers for the set" },
  purpose: { ...TEXT, description: "the purpose of the set, for readers" },
  controls: {
    type: "object",
    description: "clauses that rules carry, each with the names of the controls that it serves",
    additionalProperties: { ...TEXTS, minItems: 1, uniqueItems: true },
  },
};

export const LAYER_FIELDS: readonly string[] = Object.keys(FIELDS_OF_LAYERS);
export const CONFIGURATION_FIELDS: readonly string[] = Object.keys(FIELDS);

export const CONFIGURATION_SCHEMA = { type: "object", additionalProperties: false, properties: FIELDS };
