/** The JSON Schema of claim files, for the reader and for editors. docs/proving.md explains the fields. */

import { OUTCOMES } from "../../decisions/types.js";

const TEXT = { type: "string", minLength: 1 };

/** A string, or a list of strings. */
function texts(text: object): object {
  return { anyOf: [text, { type: "array", items: text, minItems: 1 }] };
}

const TEXTS = texts(TEXT);
const OUTCOME_TEXTS = texts({ type: "string", enum: OUTCOMES });

const KEY = {
  type: "object",
  minProperties: 1,
  additionalProperties: false,
  properties: {
    roles: texts(TEXT),
    attr: { type: "object", minProperties: 1 },
  },
};

const FIELDS_OF_CLAIM = {
  claim: { type: "string", pattern: "\\S", description: "what it claims, in a sentence" },
  operations: TEXTS,
  kinds: TEXTS,
  assume: {
    ...TEXTS,
    description: "CEL over `key`, `resource`, `account` and `now()`; `valid`: requests that the schemas allow",
  },
  never: { ...OUTCOME_TEXTS, description: "the outcomes that must not occur" },
  always: { ...OUTCOME_TEXTS, description: "the only permitted outcomes" },
  hears: { ...TEXTS, description: "reasons that every refusal gives" },
  hearsOnly: { ...TEXTS, description: "the only reasons that a refusal gives" },
  together: {
    type: "array",
    items: TEXT,
    minItems: 2,
    maxItems: 2,
    description: "two operations: no key is allowed both on one resource (in place of operations)",
  },
  apart: {
    const: true,
    description: "with `together`: nor one on one resource and the other on another",
  },
  role: { ...TEXT, description: "a role: a key with it may do everything that `includes` may do" },
  includes: {
    ...TEXT,
    description:
      "the role that `role` includes: a key with `role` alone may do everything that it may do with this one alone",
  },
  subset: {
    type: "object",
    required: ["child", "of"],
    additionalProperties: false,
    properties: { child: KEY, of: KEY },
    description:
      "roles and attributes of two keys: a key that is like `child` may do no more than one that is like `of`",
  },
  absent: { ...TEXTS, description: "operations that no policy knows (in place of operations)" },
};

export const FIELDS: readonly string[] = Object.keys(FIELDS_OF_CLAIM);

/** The fields that give a claim its form, with their meaning for people. A claim has one of these lines. */
export const FORMS: readonly (readonly [fields: readonly string[], meaning: string])[] = [
  [["never"], "outcomes that must not occur"],
  [["always"], "the only permitted outcomes"],
  [["hears", "hearsOnly"], "the reasons of refusals"],
  [["together"], "two operations: no key may do both"],
  [["role", "includes"], "a role that may do everything that another may do"],
  [["subset"], "a key that may do no more than another"],
  [["absent"], "operations that no policy knows"],
];

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
        dependencies: {
          role: ["includes"],
          includes: ["role"],
          apart: ["together"],
          together: { not: { required: ["operations"] } },
          absent: { not: { required: ["operations"] } },
        },
        oneOf: FORMS.map(([fields]) => ({ anyOf: fields.map((field) => ({ required: [field] })) })),
      },
    },
  },
};
