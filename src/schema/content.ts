/** `contentEncoding`, `contentMediaType` and `contentSchema`. The server supports only base64 and JSON. */

import type { JsonValue } from "../cel/json.js";
import { isSchema, own, type Schema, type SchemaDraft, type SchemaObject } from "./keywords.js";

interface Content {
  readonly faults: readonly string[];
  /** The decoded content, and the schema that it has to match. */
  readonly schema?: Schema;
  readonly value?: JsonValue;
}

const BASE64 = /^(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)?$/;

export function checkContent(schema: SchemaObject, text: string, draft: SchemaDraft): Content {
  const encoded = own(schema, "contentEncoding") === "base64";
  const json = own(schema, "contentMediaType") === "application/json";
  const inner = draft >= 2019 ? own(schema, "contentSchema") : undefined;
  if (!encoded && !json) return { faults: [] };
  const content = encoded ? decode(text) : text;
  if (content === undefined) return { faults: ["value is not base64 encoded"] };
  if (!encoded && own(schema, "contentEncoding") !== undefined) return { faults: [] };
  const value = parse(content);
  const faults = json && value === undefined ? ["value is not of mediatype 'application/json'"] : [];
  if (!isSchema(inner)) return { faults };
  return value === undefined ? { faults: [...faults, "value is not valid json"] } : { faults, schema: inner, value };
}

function decode(text: string): string | undefined {
  const base64 = text.replace(/[\r\n]/g, "");
  if (base64.includes("_") || !BASE64.test(base64)) return undefined;
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0)));
}

function parse(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
