/** Reads the body of a request: an I-JSON object (RFC 7493) within the limits. */

import { type Either, isLeft, left, right } from "fp-ts/lib/Either.js";
import { duplicateKey } from "../cel/duplicate-keys.js";
import { areFinite, isList, isObject, type JsonObject, type JsonValue } from "../cel/json.js";
import { type AuthzenFault, badRequest } from "./fault.js";
import type { AuthzenLimits } from "./limits.js";

export async function readBody(request: Request, limits: AuthzenLimits): Promise<Either<AuthzenFault, JsonObject>> {
  if (!isJson(request.headers.get("content-type") ?? ""))
    return badRequest("the content type must be application/json");
  const bytes = await bytesOf(request, limits.bodyBytes);
  return isLeft(bytes) ? bytes : parsedBody(bytes.right, limits.depth);
}

function isJson(type: string): boolean {
  return /^\s*application\/json\s*(?:;|$)/i.test(type);
}

async function bytesOf(request: Request, most: number): Promise<Either<AuthzenFault, Uint8Array>> {
  const tooLarge = left({ status: 413, message: `the body is larger than ${most} bytes` } as const);
  if (Number(request.headers.get("content-length") ?? 0) > most) return tooLarge;
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    const reader = request.body?.getReader();
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      length += read.value.length;
      if (length > most) {
        await reader?.cancel();
        return tooLarge;
      }
      chunks.push(read.value);
    }
  } catch {
    return badRequest("the body could not be read to its end");
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return right(bytes);
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** The object in a body. */
export function parsedBody(bytes: Uint8Array, depth: number): Either<AuthzenFault, JsonObject> {
  let value: unknown;
  let text: string;
  try {
    text = UTF_8.decode(bytes);
  } catch {
    return badRequest("the body is not UTF-8 text");
  }
  if (isDeeper(text, depth)) return badRequest(`the body is nested deeper than ${depth} levels`);
  try {
    value = JSON.parse(text);
  } catch {
    return badRequest("the body is not JSON");
  }
  if (duplicateKey(text) !== undefined) return badRequest("an object of the body has a name twice");
  if (!isObject(value)) return badRequest("the body must be a JSON object");
  if (!areFinite(value)) return badRequest("the body has a number that is too large");
  // In UTF-8, half a pair can only be escaped.
  if (text.includes("\\u") && !isWhole(value)) return badRequest("a text of the body has half of a surrogate pair");
  return right(value);
}

const [QUOTE, BACKSLASH, OPENING, CLOSING] = [0x22, 0x5c, 0x7b, 0x7d];

/** The bit in which the brackets of lists and objects differ. */
const BRACE = 0x20;

/** True if lists and objects are nested deeper than `most`. The text may not be JSON. */
function isDeeper(text: string, most: number): boolean {
  let depth = 0;
  let inText = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inText) {
      if (code === BACKSLASH) i++;
      else if (code === QUOTE) inText = false;
    } else if (code === QUOTE) inText = true;
    else if ((code | BRACE) === OPENING) {
      depth++;
      if (depth > most) return true;
    } else if ((code | BRACE) === CLOSING) depth--;
  }
  return false;
}

const HALF_A_PAIR = /\p{Surrogate}/u;

/** True if all texts of a value consist of whole characters. */
function isWhole(value: JsonValue): boolean {
  if (typeof value === "string") return !HALF_A_PAIR.test(value);
  if (isList(value)) return value.every(isWhole);
  return !isObject(value) || Object.entries(value).every(([name, inner]) => !HALF_A_PAIR.test(name) && isWhole(inner));
}
