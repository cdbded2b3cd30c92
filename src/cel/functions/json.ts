/**
 * `json.encode` (cel-go `ext/encoders.go` of v0.30): a value as protobuf's JSON. Integers beyond 2^53 are strings, and
 * keys are in order. The server's white space differs from build to build by intent; here there is none.
 */

import { type Evaluation, fail, spend } from "../evaluation.js";
import { INCONVERTIBLE, type Json, toJson } from "../json.js";
import { compareStrings } from "../text.js";
import { DYN, STRING } from "../types.js";
import type { CelValue } from "../values.js";
import { type Overload, unary } from "./overload.js";

function encode(ev: Evaluation, value: CelValue): string | undefined {
  const json = toJson(ev, value);
  if (json === undefined) return undefined;
  if (json === INCONVERTIBLE && value !== INCONVERTIBLE) return fail(ev, "the value has no JSON form");
  return textOf(ev, json);
}

function textOf(ev: Evaluation, json: Json): string | undefined {
  if (typeof json === "string") return spend(ev, json.length >> 6) ? JSON.stringify(json) : undefined;
  if (typeof json !== "object" || json === null) return Object.is(json, -0) ? "-0" : String(json);
  if (isJsonList(json)) return listText(ev, json);
  const keys = Object.keys(json).sort(compareStrings);
  if (!spend(ev, 1 + keys.length)) return undefined;
  const entries: string[] = [];
  for (const key of keys) {
    const text = textOf(ev, json[key] ?? null);
    if (text === undefined) return undefined;
    entries.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${entries.join(",")}}`;
}

function listText(ev: Evaluation, list: readonly Json[]): string | undefined {
  if (!spend(ev, 1 + (list.length >> 2))) return undefined;
  const items: string[] = [];
  for (const item of list) {
    const text = textOf(ev, item);
    if (text === undefined) return undefined;
    items.push(text);
  }
  return `[${items.join(",")}]`;
}

function isJsonList(json: Json): json is readonly Json[] {
  return Array.isArray(json);
}

export const jsonFunctions: readonly Overload[] = [unary("global", "json.encode", DYN, STRING, encode)];
