/** The claims of a token, as the server hands them to expressions. */

import { isObject, type JsonObject, type JsonValue } from "../cel/json.js";
import { formatTimestamp, parseTimestamp } from "../cel/time.js";
import { type CelValue, type JsonMap, Timestamp } from "../cel/values.js";

const TIMES: readonly string[] = ["exp", "iat", "nbf"];

/**
 * `exp`, `iat` and `nbf` as RFC 3339 text, `aud` as a list, and claims that are null left out: the server's token
 * library reads them so. A verifier's payload can be passed as it is.
 */
export function serverClaims(payload: JsonMap): JsonMap {
  const claims: { [name: string]: CelValue } = Object.create(null);
  for (const [name, value] of Object.entries(payload)) {
    if (value === null) continue;
    if (name === "aud" && typeof value === "string") claims[name] = [value];
    else if (TIMES.includes(name) && typeof value === "number") claims[name] = timeOf(value);
    else claims[name] = value;
  }
  return claims;
}

function timeOf(seconds: number): string {
  return formatTimestamp(new Timestamp(Math.trunc(seconds), 0));
}

/**
 * The claims of a token whose signature nobody verifies, as under the server's `disableVerification`: it must be well
 * formed, and of its time.
 * @throws {Error} with what is wrong with it
 */
export function unverifiedClaims(token: string, now: Timestamp): JsonMap {
  const [header, payload, signature, ...rest] = token.split(".");
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0) {
    throw new Error("a token has three parts");
  }
  part(header);
  const raw = part(payload);
  const claims = serverClaims(raw);
  for (const name of TIMES) {
    const text = claims[name];
    const time = typeof text === "string" ? parseTimestamp(text) : undefined;
    if (Object.hasOwn(claims, name) && (typeof raw[name] !== "number" || time === undefined)) {
      throw new Error(`the claim ${name} is not a time`);
    }
    if (time === undefined) continue;
    if (name === "exp" ? time.seconds <= now.seconds : time.seconds > now.seconds) {
      throw new Error(name === "exp" ? "the token has expired" : "the token is not valid yet");
    }
  }
  return claims;
}

function part(text: string): JsonObject {
  if (!/^[\w-]*$/.test(text)) throw new Error("a part of the token is not base64url");
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (byte) => byte.charCodeAt(0));
  const value: JsonValue = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  if (!isObject(value)) throw new Error("a part of the token is no object");
  return value;
}
