/**
 * Answers as they are compared: without the id of the call, and of a refusal without the details, which name the fields
 * of its message once more.
 */

import { canonical, isObject, type Json, type JsonObject } from "../differential/json.js";
import { treeText } from "../query/trees.js";

/** Lists whose order the server leaves open: its actions come in any, and with them what is reported of them. */
const UNORDERED: ReadonlySet<string> = new Set(["outputs", "effectiveDerivedRoles", "validationErrors"]);

/** Where the words of an error quote a value, or are those of Go (docs/differences-from-cerbos.md): the server's, ours. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^invalid RFC 3339 timestamp .*$/s, "type conversion error from 'string' to 'google.protobuf.Timestamp'"],
  [/^IP Address "(.*)" parse error .*$/s, "not an IP address: $1"],
];

/** The same answer with the keys of objects, and the lists without an order, sorted. */
export function comparable({ cerbosCallId: _, ...answer }: JsonObject): Json {
  if (typeof answer.message !== "string") return inOrder(answer);
  // The server keeps to itself what is wrong with a token.
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

/** What an answer to PlanResources says, with its tree as a text; the server fails in one way, whatever is the reason. */
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

/** What is said of attributes that do not satisfy their schemas. */
export function comparableFaults(faults: readonly { readonly path: string; readonly message: string }[]): string[] {
  return faults.map(({ path, message }) => `${path} ${message}`).sort();
}
