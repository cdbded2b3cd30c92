/** The shape of an entry of a key history, for editors: `schemas/key-history.schema.json`. */

const TIME = {
  type: "string",
  pattern: "^\\d{4}-\\d{2}-\\d{2}([Tt].*)?$",
};

export const KEY_HISTORY_SCHEMA = {
  type: "object",
  description: "A state of a key: it begins at `from`, and ends at `to` or with the next state of the key.",
  required: ["id"],
  additionalProperties: false,
  properties: {
    id: { type: "string", minLength: 1 },
    from: {
      ...TIME,
      description: "RFC 3339, or a date (its start, in UTC). Absent: the key always had this state.",
    },
    to: {
      ...TIME,
      description:
        "RFC 3339, or a date (its start, in UTC): from then on there is no such key. Absent: the next state ends it.",
    },
    revoked: {
      type: "boolean",
      description: "true: from `from` on the key is revoked. It then needs no roles and attributes.",
    },
    roles: { type: "array", items: { type: "string", minLength: 1 } },
    attr: { type: "object" },
    scope: { type: "string" },
  },
  anyOf: [{ required: ["roles"] }, { required: ["revoked"], properties: { revoked: { const: true } } }],
};
