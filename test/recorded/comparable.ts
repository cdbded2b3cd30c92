/**
 * Answers in a comparable form: without the call id, and refusals without their details, which repeat the field names
 * of the message.
 */

import { canonical, isObject, type Json, type JsonObject } from "../differential/json.js";
import { treeText } from "../query/trees.js";

/** Lists in arbitrary order: the server processes actions in any order, and reports in that order. */
const UNORDERED: ReadonlySet<string> = new Set(["outputs", "effectiveDerivedRoles", "validationErrors"]);

/** Error texts that quote a value or come from Go (docs/differences-from-cerbos.md): the server's, then ours. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^invalid RFC 3339 timestamp .*$/s, "type conversion error from 'string' to 'google.protobuf.Timestamp'"],
  [/^IP Address "(.*)" parse error .*$/s, "not an IP address: $1"],
];

/** The answer with sorted object keys; unordered lists are sorted too. */
export function comparable({ cerbosCallId: _, ...answer }: JsonObject): Json {
  if (typeof answer.message !== "string") return inOrder(answer);
  // The server does not tell the fault of a token.
  return { code: answer.code ?? 0, message: answer.message.replace(/^(invalid auxData): .*$/s, "$1") };
}

function inOrder(value: Json): Json {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, memberOf(key, member)]),
  );
}

function memberOf(key: string, value: Json): Json {
  if (key === "error" && typeof value === "string") {
    return WORDS.reduce((text, [theirs, ours]) => text.replace(theirs, ours), value);
  }
  return UNORDERED.has(key) && Array.isArray(value) ? sorted(value) : inOrder(value);
}

function sorted(list: readonly Json[]): Json[] {
  return list.map(inOrder).sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
}

/**
 * The comparable part of a PlanResources answer, with its tree as text. All failures of the server count as the same.
 */
export function comparablePlan(answer: JsonObject, now: number): Json {
  const { cerbosCallId: _, filter, meta, validationErrors = [], ...rest } = answer;
  if (filter === undefined) return { failed: true };
  const { kind = "", condition } = isObject(filter) ? filter : {};
  const { filterDebug, ...others } = isObject(meta) ? meta : {};
  return {
    ...rest,
    kind,
    ...(condition !== undefined && { tree: treeText(condition, now) }),
    ...(meta !== undefined && { meta: { ...others, isMatched: filterDebug !== "NO_MATCH" } }),
    validationErrors: memberOf("validationErrors", validationErrors),
  };
}

/** The validation faults of attributes as sorted lines, `path message`. */
export function comparableFaults(faults: readonly { readonly path: string; readonly message: string }[]): string[] {
  return faults.map(({ path, message }) => `${path} ${message}`).sort();
}
