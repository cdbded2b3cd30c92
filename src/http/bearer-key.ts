/** Reads the API key of a request: `Authorization: Bearer <API_KEY>` (docs/contract.md §5). */

import { type Either, left, right } from "fp-ts/lib/Either.js";
import { checkOptions, LIMIT, type OptionTable } from "../policy/options.js";

/**
 * Why a request has no usable key. This is for logs: the caller gets the same response for each fault, and for an unknown
 * key.
 *
 * - `missing`: there is no `Authorization` field, or it is empty.
 * - `several`: there is more than one field, or more than one credential in it.
 * - `other_scheme`: the scheme is not `Bearer`.
 * - `malformed`: the scheme is not followed by a token (RFC 6750 §2.1: letters, digits, `-._~+/`, then `=`).
 * - `too_long`: the field is longer than the limit.
 */
export type BearerFault = "missing" | "several" | "other_scheme" | "malformed" | "too_long";

/**
 * The header fields of a request: the request itself (of Node, Express, Fastify, Hono or the Fetch API), the Fetch API's
 * `Headers`, Node's `rawHeaders`, or an object of fields by name, in any case.
 *
 * For Node, pass the request, not its `headers`: if there are two `Authorization` fields, `headers` has only the first.
 */
export type HeaderFields =
  | RequestWithFields
  | { readonly raw: RequestWithFields }
  | Pick<Headers, "get">
  | readonly string[]
  | { readonly [name: string]: string | readonly string[] | null | undefined };

/** A request of Node or of the Fetch API. */
export type RequestWithFields =
  | { readonly rawHeaders: readonly string[]; readonly headers: object }
  | { readonly headers: Pick<Headers, "get"> };

export interface BearerKeyOptions {
  /** Longest `Authorization` field, in characters. Default: 1,024. */
  readonly maxLength?: number;
}

const BEARER_KEY_OPTIONS = { maxLength: LIMIT } satisfies OptionTable<BearerKeyOptions>;

/**
 * The key of a request, exactly as sent. Left: why there is none. Accepts only the scheme in any case (RFC 9110 §11.1),
 * spaces, and one token. A fault contains nothing of the field. Throws a `TypeError` for a value that is no request and
 * no header fields, for an unknown option, and for a `maxLength` that is not a whole number of 1 or more.
 */
export function bearerKey(headers: HeaderFields, options: BearerKeyOptions = {}): Either<BearerFault, string> {
  checkOptions(options, BEARER_KEY_OPTIONS);
  const { maxLength = 1024 } = options;
  const [field = "", ...others] = fieldsOf(headers);
  if (others.length > 0) return left("several");
  if (field.length > maxLength) return left("too_long");
  const credentials = trimmed(field);
  if (credentials === "") return left("missing");
  const [scheme = ""] = credentials.split(" ", 1);
  if (scheme.toLowerCase() !== "bearer") return left(scheme.includes(",") ? "several" : "other_scheme");
  const token = credentials.slice(scheme.length).replace(SPACES, "");
  // Repeated fields arrive joined with a comma, which a token cannot contain.
  if (token.includes(",")) return left("several");
  return TOKEN.test(token) ? right(token) : left("malformed");
}

/** RFC 6750 §2.1, `b64token`. */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;
const SPACES = /^ +/;

function fieldsOf(source: HeaderFields): readonly string[] {
  if (typeof source !== "object" || source === null)
    throw new TypeError("there are no header fields to read a key from");
  const raw = memberOf(source, "raw");
  return requestFields(raw) ?? requestFields(source) ?? valuesIn(source);
}

/**
 * The fields of a request; undefined for other values. Header fields are not objects, so a sender cannot imitate a
 * request.
 */
function requestFields(request: unknown): readonly string[] | undefined {
  const headers = isPart(request) ? memberOf(request, "headers") : undefined;
  if (!isPart(request) || !isPart(headers)) return undefined;
  const sent = memberOf(request, "rawHeaders");
  return valuesIn(Array.isArray(sent) && sent.length > 0 ? sent : headers);
}

/** A member of `source`. Members of `Object.prototype` are ignored, because other code may have polluted it. */
function memberOf(source: object, name: string): unknown {
  const value: unknown = Reflect.get(source, name);
  return value === Reflect.get(Object.prototype, name) ? undefined : value;
}

function isPart(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function valuesIn(fields: object): readonly string[] {
  if (Array.isArray(fields))
    return fields.filter((_, i) => i % 2 === 1 && isAuthorization(fields[i - 1])).filter(isText);
  if (isHeaders(fields)) return [fields.get("authorization") ?? []].flat();
  return Object.entries(fields)
    .filter(([name]) => isAuthorization(name))
    .flatMap(([, value]: readonly [string, unknown]) => value ?? [])
    .filter(isText);
}

function isAuthorization(name: unknown): boolean {
  return isText(name) && name.length === 13 && name.toLowerCase() === "authorization";
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isHeaders(fields: object): fields is Pick<Headers, "get"> {
  return typeof memberOf(fields, "get") === "function";
}

/** Removes the white space that may surround a field (RFC 9110 §5.5). */
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
