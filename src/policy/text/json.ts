/** Parses strict JSON and reports the position of a fault, which `JSON.parse` does not give. */

import { duplicateKey } from "../../cel/duplicate-keys.js";
import type { JsonValue } from "../../cel/json.js";
import { matchEnd } from "../../cel/text.js";
import { MAX_NESTING } from "../../limits.js";
import type { IssueLog } from "../issue-log.js";
import { hasLoneReturn } from "./line-ends.js";
import type { Source } from "./source.js";

/** The value of a JSON file; undefined (with an issue) if it is not JSON, or has a duplicate key. */
export function parseJson(source: Source, log: IssueLog): JsonValue | undefined {
  if (hasLoneReturn(source, log)) return undefined;
  const fault = source.hasMark ? MARK : faultOf(source.text);
  if (fault !== undefined) {
    log.error(fault.code, source.position(fault.at), fault.message);
    return undefined;
  }
  const twice = duplicateKey(source.text);
  if (twice !== undefined) {
    const message = `the key ${JSON.stringify(twice.key)} is there twice`;
    log.error("duplicate_key", source.position(twice.start), message);
    return undefined;
  }
  try {
    const value: JsonValue = JSON.parse(source.text);
    return value;
  } catch {
    log.error("schema", source.position(0), "not JSON");
    return undefined;
  }
}

interface JsonFault {
  readonly code: "schema" | "too_large";
  readonly at: number;
  readonly message: string;
}

const MARK: JsonFault = { code: "schema", at: 0, message: "not JSON: a byte order mark" };

const SPACE = /[ \t\r\n]*/y;
const TOKEN =
  /[[\]{},:]|"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy;

/** The tokens that may come next. */
type ExpectedToken = "value" | "value or ]" | "key or }" | "key" | ":" | ", or end" | "end";

/** The first fault of the text; undefined if it is JSON. */
function faultOf(text: string): JsonFault | undefined {
  const open: ("[" | "{")[] = [];
  let expected: ExpectedToken = "value";
  let at = 0;
  for (;;) {
    at = matchAt(SPACE, text, at).end;
    if (at === text.length && expected === "end") return undefined;
    const { token, end } = matchAt(TOKEN, text, at);
    const next = after(token, expected, open);
    if (next === undefined) return unexpected(text, at);
    if (open.length > MAX_NESTING) {
      return { code: "too_large", at, message: `nested more than ${MAX_NESTING} levels deep` };
    }
    expected = next;
    at = end;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): { readonly token: string; readonly end: number } {
  const end = Math.max(at, matchEnd(pattern, text, at));
  return { token: text.slice(at, end), end };
}

/** The tokens that may follow `token`; undefined if `token` is not allowed here. Updates the stack of open brackets. */
function after(token: string, expected: ExpectedToken, open: ("[" | "{")[]): ExpectedToken | undefined {
  const inner = () => (open.length === 0 ? "end" : ", or end");
  if (token === "" || expected === "end") return undefined;
  if (expected === ":") return token === ":" ? "value" : undefined;
  if (expected === "key" || expected === "key or }") {
    if (token.startsWith('"')) return ":";
    if (token !== "}" || expected === "key") return undefined;
    open.pop();
    return inner();
  }
  if (expected === ", or end") {
    const bracket = open.at(-1);
    if (token === ",") return bracket === "{" ? "key" : "value";
    if (token !== (bracket === "{" ? "}" : "]")) return undefined;
    open.pop();
    return inner();
  }
  if (token === "[" || token === "{") {
    open.push(token);
    return token === "[" ? "value or ]" : "key or }";
  }
  if (token === "]" && expected === "value or ]") {
    open.pop();
    return inner();
  }
  return /^[\]},:]/.test(token) ? undefined : inner();
}

function unexpected(text: string, at: number): JsonFault {
  const [found = ""] = /^(?:\w+|.)?/su.exec(text.slice(at, at + 40)) ?? [];
  const message = found === "" ? "not JSON: the text ends too early" : `not JSON: unexpected ${JSON.stringify(found)}`;
  return { code: "schema", at, message };
}
