/**
 * `auxData.jwts` of a CheckResources request: tokens by name. The messages of `@cerbos/api` do not have the field yet, so
 * it is read from the JSON of a request before that is decoded.
 */

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import * as E from "fp-ts/lib/Either.js";

export interface NamedTokens {
  /** The request without the field. */
  readonly request: JsonObject;
  /** The tokens' texts by their names. */
  readonly tokens: ReadonlyMap<string, string>;
}

const NONE: ReadonlyMap<string, string> = new Map();

/** Left: what is wrong with them. */
export function namedTokens(request: JsonObject): E.Either<string, NamedTokens> {
  const field = ["auxData", "aux_data"].find((name) => isObject(request[name]));
  const auxData = field === undefined ? undefined : request[field];
  if (field === undefined || !isObject(auxData) || auxData.jwts === undefined) {
    return E.right({ request, tokens: NONE });
  }
  const { jwts, ...rest } = auxData;
  if (!isObject(jwts)) return E.left("aux_data.jwts: must be an object");
  if (rest.jwt !== undefined) return E.left("aux_data: only one of jwt and jwts can be set");
  const tokens = new Map<string, string>();
  for (const [name, value] of Object.entries(jwts)) {
    if (name === "") return E.left('validation error: aux_data.jwts[""]: must be at least 1 characters');
    const token = tokenOf(value);
    if (token === "")
      return E.left(`validation error: aux_data.jwts[${JSON.stringify(name)}].token: value is required`);
    if (token === undefined)
      return E.left(`aux_data.jwts[${JSON.stringify(name)}]: must have a token, and a keySetId at most`);
    tokens.set(name, token);
  }
  return E.right({ request: { ...request, [field]: rest }, tokens });
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function tokenOf(value: JsonValue): string | undefined {
  if (!isObject(value)) return undefined;
  const { token = "", keySetId = "", key_set_id = "", ...others } = value;
  const isWhole = typeof keySetId === "string" && typeof key_set_id === "string" && Object.keys(others).length === 0;
  return isWhole && typeof token === "string" ? token : undefined;
}
