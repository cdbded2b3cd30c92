/** The JSON Schema of claim files, for the reader and for editors. docs/proving.md explains the fields. */

import { OUTCOMES } from "../../decisions/types.js";

/** A string, or a list of strings. */
function texts(text: object): object {
  return { anyOf: [text, { type: "array", items: text, minItems: 1 }] };
}

const TEXTS = texts({ type: "string", minLength: 1 });
const OUTCOME_TEXTS = texts({ type: "string", enum: OUTCOMES });

const FIELDS_OF_CLAIM = {
  claim: { type: "string", pattern: "\\S", description: "what it claims, in a sentence" },
  operations: TEXTS,
  together: {
    type: "array",
    items: { type: "string", minLength: 1 },
    minItems: 2,
    maxItems: 2,
    description: "two operations: no key is allowed both on one resource (in place of operations, never and always)",
  },
  role: { type: "string", minLength: 1, description: "a role: a key with it may all that `includes` may" },
  includes: {
    type: "string",
    minLength: 1,
    description: "the role that `role` includes: a key with `role` alone may all that it may with this one alone",
  },
  kinds: TEXTS,
  assume: TEXTS,
  never: OUTCOME_TEXTS,
  always: OUTCOME_TEXTS,
};

export const FIELDS: readonly string[] = Object.keys(FIELDS_OF_CLAIM);

export const CLAIMS_SCHEMA = {
  type: "object",
  required: ["claims"],
  additionalProperties: false,
  properties: {
    claims: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["claim"],
        additionalProperties: false,
        properties: FIELDS_OF_CLAIM,
        dependentRequired: { role: ["includes"], includes: ["role"] },
        oneOf: [
          { required: ["never"] },
          { required: ["always"] },
          { required: ["together"], not: { required: ["operations"] } },
          { required: ["role"] },
        ],
      },
    },
  },
};
