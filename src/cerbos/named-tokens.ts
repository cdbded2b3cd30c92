/**
 * Reads `auxData.jwts` of a request: tokens by name. The messages of `@cerbos/api` lack the field, so it is read before a
 * request becomes a message.
 */

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import * as E from "fp-ts/lib/Either.js";

export interface Token {
  readonly token: string;
  /** The id of the key set that verifies the token; `""` for the only one. */
  readonly keySetId: string;
}

/** Tokens by their names. */
export type NamedTokens = ReadonlyMap<string, Token>;

export const NO_TOKENS: NamedTokens = new Map();

interface AuxDataFields {
  readonly [name: string]: unknown;
}

/** The named tokens of a JSON request, and the request without the field. Left: the fault of the tokens. */
export function namedTokens(
  request: JsonObject,
): E.Either<string, { readonly request: JsonObject; readonly named: NamedTokens }> {
  const field = ["auxData", "aux_data"].find((name) => isObject(request[name]));
  const auxData = field === undefined ? undefined : request[field];
  if (field === undefined || !isObject(auxData)) return E.right({ request, named: NO_TOKENS });
  const named = namedTokensOf(auxData);
  if (E.isLeft(named)) return named;
  const { jwts: _, ...rest } = auxData;
  return E.right({ request: { ...request, [field]: rest }, named: named.right });
}

/** The named tokens of `auxData`. Left: the fault of the tokens. */
export function namedTokensOf({ jwt, jwts }: AuxDataFields): E.Either<string, NamedTokens> {
  if (jwts === undefined) return E.right(NO_TOKENS);
  if (!isObject(jwts)) return E.left("aux_data.jwts: must be an object");
  if (jwt !== undefined) return E.left("validation error: aux_data: Only one of the jwt or jwts fields must be set");
  const named = new Map<string, Token>();
  for (const [name, value] of Object.entries(jwts)) {
    if (name === "") return E.left('validation error: aux_data.jwts[""]: must be at least 1 characters');
    const path = `aux_data.jwts[${JSON.stringify(name)}]`;
    const token = tokenOf(value);
    if (token === undefined) return E.left(`${path}: must have a token, and a keySetId at most`);
    if (token.token === "") return E.left(`validation error: ${path}.token: value is required`);
    named.set(name, token);
  }
  return E.right(named);
}

function isObject(value: JsonValue | undefined): value is JsonObject;
function isObject(value: unknown): value is AuxDataFields;
function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function tokenOf(value: unknown): Token | undefined {
  if (!isObject(value)) return undefined;
  const { token = "", keySetId = "", key_set_id = "", ...others } = value;
  if (typeof token !== "string" || typeof keySetId !== "string" || typeof key_set_id !== "string") return undefined;
  return Object.keys(others).length === 0 ? { token, keySetId: keySetId === "" ? key_set_id : keySetId } : undefined;
}
