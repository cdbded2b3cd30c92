/** JSON Schemas for the attributes of generated policies. */

import type { JsonValue } from "../../../src/cel/json.js";
import type { Named, PolicyDocument, PolicyDocuments } from "../../reference/documents.js";
import { scopeOf } from "../../reference/names.js";
import { ATTRIBUTES, type Sort, type SubjectName, VERSION, WORDS } from "./vocabulary.js";

/**
 * The policies with references to schemas for all attributes that they read, and these schemas. References in policies
 * of a scope have no effect, so some of those policies have none, and some have schemas that would leave nothing to
 * read.
 */
export function withSchemas(documents: PolicyDocuments): PolicyDocuments {
  const policies = documents.map((document, i): PolicyDocument => {
    const { resourcePolicy: policy } = document;
    if (policy === undefined) return document;
    const principal: SubjectName = policy.version === VERSION.platform ? "account" : "key";
    const own = { principalSchema: { ref: refOf(principal) }, resourceSchema: { ref: refOf("resource") } };
    const unused = { principalSchema: { ref: refOf("unused") }, resourceSchema: { ref: refOf("unused") } };
    const named = scopeOf(policy) === "" ? own : i % 2 === 0 ? unused : undefined;
    return named === undefined ? document : { ...document, resourcePolicy: { ...policy, schemas: named } };
  });
  const subjects: readonly SubjectName[] = ["resource", "key", "account"];
  const unused = Object.fromEntries(
    subjects.flatMap((one) => Object.keys(ATTRIBUTES[one]).map((name) => [name, { type: "null" }])),
  );
  return [
    ...policies,
    ...subjects.map((one) => ({ apiVersion: "", schema: { ref: refOf(one), value: schemaOf(one) } })),
    { apiVersion: "", schema: { ref: refOf("unused"), value: { type: "object", properties: unused } } },
  ];
}

function refOf(name: SubjectName | "unused"): string {
  return `cerbos:///generated/${name}.json`;
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
