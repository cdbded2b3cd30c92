/** The API key of a request: `Authorization: Bearer <API_KEY>` (docs/contract.md §5). */

import { type Either, left, right } from "fp-ts/lib/Either.js";

/**
 * Why a request has no usable key. For logs: a caller is told the same for each, and for a key that nobody knows.
 *
 * - `missing`: there is no `Authorization` field, or it is empty.
 * - `several`: there is more than one, or more than one credential in it.
 * - `other_scheme`: the scheme is not `Bearer`.
 * - `malformed`: what follows is no token (RFC 6750 §2.1: letters, digits, `-._~+/`, then `=`).
 * - `too_long`: the field is longer than the limit.
 */
export type BearerFault = "missing" | "several" | "other_scheme" | "malformed" | "too_long";

/**
 * Fields of a request: the Fetch API's `Headers`, or an object of them by name, in any case.
 *
 * In Node pass `request.headersDistinct`: of two `Authorization` fields `request.headers` has the first alone.
 */
export type HeaderFields =
  | Pick<Headers, "get">
  | { readonly [name: string]: string | readonly string[] | null | undefined };

export interface BearerKeyOptions {
  /** Longest `Authorization` field, in characters. Default: 1,024. */
  readonly maxLength?: number;
}

/**
 * The key that a request carries, as it was sent; left, why there is none. Strict: the scheme in any case (RFC 9110
 * §11.1), spaces, and one token. Nothing of the field is in a fault.
 */
export function bearerKey(
  headers: HeaderFields,
  { maxLength = 1024 }: BearerKeyOptions = {},
): Either<BearerFault, string> {
  const [field = "", ...others] = fieldsOf(headers);
  if (others.length > 0) return left("several");
  if (field.length > maxLength) return left("too_long");
  const credentials = trimmed(field);
  if (credentials === "") return left("missing");
  const [scheme = ""] = credentials.split(" ", 1);
  if (scheme.toLowerCase() !== "bearer") return left(scheme.includes(",") ? "several" : "other_scheme");
  const token = credentials.slice(scheme.length).replace(SPACES, "");
  // Fields of one name arrive joined with a comma, which no token has.
  if (token.includes(",")) return left("several");
  return TOKEN.test(token) ? right(token) : left("malformed");
}

/** RFC 6750 §2.1, `b64token`. */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;
const SPACES = /^ +/;

function fieldsOf(headers: HeaderFields): readonly string[] {
  if (isHeaders(headers)) return [headers.get("authorization") ?? []].flat();
  return Object.entries(headers)
    .filter(([name]) => name.length === 13 && name.toLowerCase() === "authorization")
    .flatMap(([, value]) => value ?? []);
}

function isHeaders(headers: HeaderFields): headers is Pick<Headers, "get"> {
  return typeof headers.get === "function";
}

/** Without the white space that a field may have around it (RFC 9110 §5.5). */
function trimmed(field: string): string {
  let start = 0;
  let end = field.length;
  while (start < end && isBlank(field[start])) start++;
  while (end > start && isBlank(field[end - 1])) end--;
  return field.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t";
}
