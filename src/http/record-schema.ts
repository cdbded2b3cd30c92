/** The shape of decision records: `schemas/decision-record.schema.json`. */

import { OUTCOMES } from "../decisions/types.js";

const TEXT = { type: "string" };
const NAMES = { type: "array", items: TEXT };
const EFFECT = { enum: ["allow", "deny"] };

/** The fields of every record. */
const FIELDS = {
  requestId: TEXT,
  keyId: TEXT,
  operation: TEXT,
  resourceKind: TEXT,
  resourceId: TEXT,
  accountId: TEXT,
  outcome: { enum: OUTCOMES },
  permissionEffect: EFFECT,
  permissionRules: NAMES,
  permissionReasons: NAMES,
  permissionErrors: NAMES,
  platformEffect: EFFECT,
  platformRules: NAMES,
  platformReasons: NAMES,
  platformErrors: NAMES,
  policySetHash: TEXT,
  durationMs: { type: "number", minimum: 0 },
};

const ATTRIBUTES = {
  attr: {
    type: "object",
    description: "by name; a masked value is hmac-sha256: and 64 hexadecimal digits",
  },
  absent: { ...NAMES, description: "attributes that the rules may read, and the request did not have" },
  masked: { ...NAMES, description: "attributes in attr with masked values" },
  unreadable: { ...NAMES, description: "attributes with values that are not JSON: attr does not have them" },
  whole: { const: true, description: "every attribute was recorded" },
  scope: TEXT,
};

function part(more: { readonly [name: string]: object }): object {
  return {
    type: "object",
    required: ["attr", "absent", ...Object.keys(more)],
    additionalProperties: false,
    properties: { ...ATTRIBUTES, ...more },
  };
}

const READS = {
  type: "object",
  description: "the attributes that the rules may read: keyward replay decides by them again",
  required: ["key", "resource"],
  additionalProperties: false,
  properties: {
    key: part({ roles: NAMES }),
    ancestors: {
      type: "array",
      description: "the keys above it, the parent first; null: a key that could not be used",
      items: { anyOf: [part({ id: TEXT, roles: NAMES }), { type: "null" }] },
    },
    resource: part({}),
    account: part({}),
    now: { type: "string", format: "date-time" },
  },
};

/** Records of services may have further fields. */
export const RECORD_SCHEMA = {
  type: "object",
  required: Object.keys(FIELDS),
  properties: {
    ...FIELDS,
    fault: TEXT,
    refusedBy: { ...TEXT, description: "the key above keyId that lacks the permission" },
    version: { const: 2, description: "the version of the shape; absent in records without reads" },
    reads: READS,
  },
  dependencies: { version: ["reads"], reads: ["version"] },
};
