/** The claims of a token, in the form that the server gives to expressions. */

import { isObject, type JsonObject, type JsonValue } from "../cel/json.js";
import { formatTimestamp, parseTimestamp } from "../cel/time.js";
import { type CelValue, type JsonMap, Timestamp } from "../cel/values.js";
import { Copies } from "../engine/frame/copies.js";

const TIMES: readonly string[] = ["exp", "iat", "nbf"];
const TEXTS: readonly string[] = ["iss", "jti", "sub"];

/**
 * Claims as the server's token library reads them: `exp`, `iat` and `nbf` as RFC 3339 text, `aud` as a list, null claims
 * left out. A verifier's payload can be passed unchanged. A claim that is `undefined` is absent.
 */
export function serverClaims(payload: JsonMap): JsonMap {
  const claims: { [name: string]: CelValue } = Object.create(null);
  for (const [name, value] of Object.entries(new Copies().attributes(payload))) {
    if (value === null) continue;
    if (name === "aud" && typeof value === "string") claims[name] = [value];
    else claims[name] = (TIMES.includes(name) ? timeOf(value) : undefined) ?? value;
  }
  return claims;
}

/** Converts seconds, also in text form, to RFC 3339; undefined for other values. */
function timeOf(value: CelValue): string | undefined {
  const isSeconds = typeof value === "number" || (typeof value === "string" && /^\d+$/.test(value));
  return isSeconds ? formatTimestamp(new Timestamp(Math.trunc(Number(value)), 0)) : undefined;
}

/** The name of a registered claim of the wrong type; undefined if there is none (RFC 7519, 4.1). */
function mistypedClaim(claims: JsonMap): string | undefined {
  const isText = (value: CelValue | undefined) => value === undefined || typeof value === "string";
  const { aud = [] } = claims;
  if (!Array.isArray(aud) || !aud.every(isText)) return "aud";
  return TEXTS.find((name) => !isText(claims[name]));
}

/**
 * The claims of a token. The token must be well formed, not expired, and already valid, within a tolerance. Its signature
 * is not verified: alone, this is the server's `disableVerification`.
 * @throws {Error} with the fault of the token
 */
export function tokenClaims(token: string, now: Timestamp, skewSeconds = 0): JsonMap {
  const [header, payload, signature, ...rest] = token.split(".");
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0) {
    throw new Error("a token has three parts");
  }
  part(header);
  const claims = serverClaims(part(payload));
  const name = mistypedClaim(claims);
  if (name !== undefined) throw new Error(`the claim ${name} is not of its type`);
  for (const name of TIMES) {
    const text = claims[name];
    const time = typeof text === "string" ? parseTimestamp(text) : undefined;
    if (Object.hasOwn(claims, name) && time === undefined) {
      throw new Error(`the claim ${name} is not a time`);
    }
    if (time === undefined) continue;
    if (name === "exp" ? time.seconds + skewSeconds <= now.seconds : time.seconds - skewSeconds > now.seconds) {
      throw new Error(name === "exp" ? "the token has expired" : "the token is not valid yet");
    }
  }
  return claims;
}

function part(text: string): JsonObject {
  if (!/^[\w-]*$/.test(text)) throw new Error("a part of the token is not base64url");
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (byte) => byte.charCodeAt(0));
  const value: JsonValue = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  if (!isObject(value)) throw new Error("a part of the token is not an object");
  return value;
}
