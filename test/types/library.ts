/** A permission-only set with attributes of every sort that TypeScript can express. */

import type { PolicyFile } from "../../src/index.js";

const BOOK = {
  type: "object",
  properties: {
    title: { type: "string" },
    pages: { type: "integer" },
    tags: { type: "array", items: { type: "string" } },
    span: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], minItems: 2, items: false },
    counts: { type: "object", additionalProperties: { type: "number" } },
    shelf: { type: ["string", "null"] },
    size: {
      type: "object",
      properties: { w: { type: "number" }, h: { type: "number" }, weight: { type: "number" } },
      anyOf: [{ required: ["w", "h"] }, { required: ["weight"] }],
    },
  },
  required: ["title", "pages"],
};

const READER = { type: "object", properties: { age: { type: "integer" } } };

export const libraryFiles: readonly PolicyFile[] = [
  {
    path: "book.yaml",
    text: `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: book
  version: default
  schemas:
    principalSchema: {ref: cerbos:///reader.json}
    resourceSchema: {ref: cerbos:///book.json}
  rules:
    - {name: readers, actions: [read, lend], roles: [reader], effect: EFFECT_ALLOW}
`,
  },
  {
    path: "room.yaml",
    text: `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: room
  version: default
  rules:
    - {name: visitors, actions: [enter, "admin:*"], roles: [reader], effect: EFFECT_ALLOW}
`,
  },
  { path: "_schemas/book.json", text: JSON.stringify(BOOK) },
  { path: "_schemas/reader.json", text: JSON.stringify(READER) },
];
