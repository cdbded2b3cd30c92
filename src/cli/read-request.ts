/** Reads decision requests of the command line: JSON, with `now` as RFC 3339 text. */

import { isObject } from "../cel/json.js";
import { dateOf, parseTimestamp } from "../cel/time.js";
import { type RequestIssue, type RequestIssuesOptions, requestIssues } from "../decisions/request-issues.js";
import type { PermissionRequest } from "../decisions/types.js";
import type { JsonText } from "./json-values.js";

/** Printed in place of a decision for an invalid request. */
export interface InvalidRequestPart {
  readonly invalid: readonly RequestIssue[];
}

export type RequestRead =
  | { readonly ok: true; readonly request: PermissionRequest }
  | { readonly ok: false; readonly invalid: InvalidRequestPart };

/** The fields of each part. Unknown fields are refused: ignoring one would answer a different question. */
const FIELDS: { readonly [part: string]: readonly string[] } = {
  "": ["key", "operation", "resource", "account", "now"],
  key: ["id", "roles", "attr", "scope"],
  resource: ["kind", "id", "attr", "scope"],
  account: ["id", "attr", "scope"],
};

/**
 * Fields that describe a request: the name of the example, and its expectations. They affect no decision, and the
 * expectations are not checked; test suites do that.
 */
const ABOUT: ReadonlySet<string> = new Set(["example", "expect", "reasons"]);

export function readRequest(json: JsonText, options: RequestIssuesOptions): RequestRead {
  if (!json.ok) return refused([{ path: json.path, message: json.message }]);
  if (!isObject(json.value)) return refused([{ path: "", message: "must be an object" }]);
  const value = Object.fromEntries(Object.entries(json.value).filter(([field]) => !ABOUT.has(field)));
  const now = readNow(value);
  const request: unknown = { ...value, now: now instanceof Date ? now : undefined };
  const unknown = [
    ...unknownFields("", value),
    ...["key", "resource", "account"].flatMap((part) => unknownFields(part, value[part])),
  ];
  const issues = [
    ...unknown,
    ...infiniteNumbers("", value),
    ...requestIssues(request, options).filter(({ path }) => !unknown.some((issue) => issue.path === path)),
    ...(typeof now === "string" ? [{ path: "now", message: now }] : []),
  ];
  return issues.length === 0 && isRequest(request, options) ? { ok: true, request } : refused(issues);
}

/** The name of an example. */
export function exampleOf(value: unknown): string | undefined {
  const name: unknown = isObject(value) && Object.hasOwn(value, "example") ? value.example : undefined;
  return typeof name === "string" ? name : undefined;
}

function refused(invalid: readonly RequestIssue[]): RequestRead {
  return { ok: false, invalid: { invalid } };
}

/** A value is a request if `requestIssues` finds no fault. */
function isRequest(value: unknown, options: RequestIssuesOptions): value is PermissionRequest {
  return requestIssues(value, options).length === 0;
}

function unknownFields(part: string, value: unknown): readonly RequestIssue[] {
  if (!isObject(value)) return [];
  const known = FIELDS[part] ?? [];
  return Object.keys(value)
    .filter((field) => !known.includes(field))
    .map((field) => ({ path: part === "" ? field : `${part}.${field}`, message: "unknown field" }));
}

/** The numbers that are too large for a double: `JSON.parse` reads `1e999` as infinity, which is no JSON value. */
function infiniteNumbers(path: string, value: unknown): readonly RequestIssue[] {
  if (typeof value === "number" && !Number.isFinite(value)) {
    return [{ path, message: "the number is too large: it is not a finite number" }];
  }
  if (Array.isArray(value)) return value.flatMap((item, i) => infiniteNumbers(`${path}[${i}]`, item));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    infiniteNumbers(path === "" ? name : `${path}.${name}`, inner),
  );
}

/** The time, undefined if absent, or the text of a fault. */
function readNow(request: { readonly [key: string]: unknown }): Date | undefined | string {
  if (!Object.hasOwn(request, "now")) return undefined;
  const { now } = request;
  const time = typeof now === "string" ? parseTimestamp(now) : undefined;
  if (time === undefined) return "must be an RFC 3339 timestamp";
  return dateOf(time);
}
