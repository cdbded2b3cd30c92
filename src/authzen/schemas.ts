/** The JSON Schemas of the mapping and the data, for the readers and for editors. docs/authzen.md explains the fields. */

const NAME = { type: "string", minLength: 1 };
const PATH = {
  type: "string",
  pattern: "^(subject|action|resource|context)(\\.[^.]+)+$",
  description: "a path into the request: action.properties.soft",
};
const PATHS = { type: "object", additionalProperties: PATH };
const PROPERTIES = { type: "object", description: "the attributes" };

export const MAPPING_SCHEMA = {
  type: "object",
  additionalProperties: false,
  properties: {
    $schema: { type: "string" },
    attributes: {
      type: "object",
      additionalProperties: false,
      description: "attributes that policies read from other places of the request than the entity's properties",
      properties: { key: PATHS, resource: PATHS, account: PATHS },
    },
    roles: { ...PATH, description: "the path of the subject's roles, for subjects that the data does not list" },
    account: { ...PATH, description: "the path of the id of the account that owns the resource" },
  },
};

export const DATA_SCHEMA = {
  type: "object",
  additionalProperties: false,
  properties: {
    $schema: { type: "string" },
    subjects: {
      type: "array",
      items: {
        type: "object",
        required: ["type", "id"],
        additionalProperties: false,
        properties: { type: NAME, id: NAME, roles: { type: "array", items: NAME }, properties: PROPERTIES },
      },
    },
    resources: {
      type: "array",
      items: {
        type: "object",
        required: ["type", "id"],
        additionalProperties: false,
        properties: { type: NAME, id: NAME, properties: PROPERTIES },
      },
    },
    accounts: {
      type: "array",
      items: {
        type: "object",
        required: ["id"],
        additionalProperties: false,
        properties: { id: NAME, properties: PROPERTIES },
      },
    },
  },
};
