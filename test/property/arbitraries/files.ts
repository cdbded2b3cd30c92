/** Documents as policy files, and the same documents reordered. */

import fc from "fast-check";
import { stringify } from "yaml";
import type { JsonValue } from "../../../src/cel/json.js";
import { SeededChoices } from "../../../src/testing/laws/choices.js";
import { reorderedDocument } from "../../../src/testing/laws/reorder.js";
import type { PolicyDocument, PolicyDocuments } from "../../reference/documents.js";

export interface PolicyText {
  readonly path: string;
  readonly text: string;
}

/** One file for each document, named `.yaml`: alternately in YAML's block style and in JSON. Paths are unique. */
export function toFiles(documents: PolicyDocuments): PolicyText[] {
  return documents.map((document, i) => {
    const { schema } = document;
    if (schema !== undefined) {
      return { path: schema.ref.replace("cerbos:///", "_schemas/"), text: JSON.stringify(schema.value) };
    }
    return {
      path: `${folder(document)}/${String(i + 1).padStart(2, "0")}.yaml`,
      text: i % 2 === 0 ? stringify(document) : JSON.stringify(document, null, 2),
    };
  });
}

function folder(document: PolicyDocument): string {
  const policy = document.resourcePolicy;
  if (policy === undefined) return "shared";
  return policy.version === "platform" ? "platform" : "permissions";
}

/** The same policies with files and their content reordered: see {@link reorderedDocument}. */
export function permuted(documents: PolicyDocuments): fc.Arbitrary<PolicyDocuments> {
  return fc.nat().map((seed) => {
    const choices = new SeededChoices(seed);
    return choices
      .shuffled(documents)
      .map((document) =>
        document.schema === undefined
          ? (reorderedDocument(json(document), choices) as unknown as PolicyDocument)
          : document,
      );
  });
}

function json(document: PolicyDocument): JsonValue {
  return JSON.parse(JSON.stringify(document));
}
