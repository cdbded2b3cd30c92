/** JSON Schemas for the attributes of generated policies. */

import type { JsonValue } from "../../../src/cel/json.js";
import type { Named, PolicyDocument, PolicyDocuments } from "../../reference/documents.js";
import { ATTRIBUTES, type Sort, type SubjectName, VERSION, WORDS } from "./vocabulary.js";

/** The policies, which name schemas for all that they read, and these schemas. */
export function withSchemas(documents: PolicyDocuments): PolicyDocuments {
  const policies = documents.map((document): PolicyDocument => {
    const { resourcePolicy: policy } = document;
    if (policy === undefined) return document;
    const principal: SubjectName = policy.version === VERSION.platform ? "account" : "key";
    const schemas = { principalSchema: { ref: refOf(principal) }, resourceSchema: { ref: refOf("resource") } };
    return { ...document, resourcePolicy: { ...policy, schemas } };
  });
  const subjects: readonly SubjectName[] = ["resource", "key", "account"];
  return [
    ...policies,
    ...subjects.map((one) => ({ apiVersion: "", schema: { ref: refOf(one), value: schemaOf(one) } })),
  ];
}

function refOf(subject: SubjectName): string {
  return `cerbos:///generated/${subject}.json`;
}

function schemaOf(subject: SubjectName): Named<JsonValue> {
  const properties = Object.entries(ATTRIBUTES[subject]).map(([name, sort]) => [name, SCHEMAS[sort]]);
  return { type: "object", properties: Object.fromEntries(properties), $defs: { text: { type: "string" } } };
}

const TEXT = { $ref: "#/$defs/text" };

const SCHEMAS: { readonly [sort in Sort]: JsonValue } = {
  word: { enum: [...WORDS] },
  id: TEXT,
  num: { type: "number" },
  bool: { type: "boolean" },
  words: { type: "array", items: { enum: [...WORDS] } },
  tuples: { type: "array", items: TEXT },
  nums: { type: "array", items: { type: "number" } },
  map: { type: "object", properties: { k: TEXT, n: { type: "number" }, z: { type: "boolean" } } },
  log: { type: "object", properties: { at: TEXT, span: TEXT, n: { type: "number" } } },
  time: { type: "string" },
  path: { type: "string" },
};
