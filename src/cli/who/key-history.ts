/** Reads the history of keys: each entry is a state of a key, from a moment on. */

import { createHash } from "node:crypto";
import { contradiction, type KeyState } from "../../audit/who/key-history.js";
import { isObject } from "../../cel/json.js";
import { dateOf, parseTimestamp } from "../../cel/time.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { issueText } from "../../decisions/request-issues.js";
import type { PermissionRequest } from "../../decisions/types.js";
import type { Streams } from "../exit.js";
import type { JsonText } from "../json-values.js";
import { columnTypes } from "../matrix/column-types.js";
import { askedKey, keyFaults, type RefusedEntry } from "../matrix/data.js";
import { isQuery, MatrixDatabase } from "../matrix/postgres.js";
import { sourceEntries } from "../matrix/sources.js";
import { readRequest } from "../read-request.js";

export interface KeyHistory {
  /** The states of each key, by its id. A key with a refused entry is in `doubtful`, too. */
  readonly states: ReadonlyMap<string, readonly KeyState[]>;
  /** The reason for each key with a state that is not known, by its id. */
  readonly doubtful: ReadonlyMap<string, string>;
  readonly refused: readonly RefusedEntry[];
  /** Are there refused entries that do not tell their key? */
  readonly isIncomplete: boolean;
}

/** Fields of an entry besides those of a key. */
const TIMES = ["from", "to"] as const;
const FIELDS = ["id", "roles", "attr", "scope", "revoked", ...TIMES];

/** Reads a source of any form that `keyward matrix` reads. */
export async function readKeyHistory(source: string, set: PolicySet, streams: Streams): Promise<KeyHistory> {
  const database = new MatrixDatabase();
  const keyTypes = columnTypes(set, "key");
  const types = { ...keyTypes, fields: [...keyTypes.fields, "revoked", ...TIMES] };
  const states = new Map<string, KeyState[]>();
  const doubtful = new Map<string, string>();
  const refused: RefusedEntry[] = [];
  let [entry, isIncomplete] = [0, false];
  const file = isQuery(source) ? "the query of the keys" : source;
  try {
    for await (const { json, line } of sourceEntries(source, types, {
      streams,
      database,
      hash: createHash("sha256"),
    })) {
      entry += 1;
      const read = stateIn(json);
      const { id } = read;
      if (id !== "") states.set(id, states.get(id) ?? []);
      if ("state" in read) states.get(id)?.push(read.state);
      else {
        const place = line === undefined ? `entry ${entry}` : `line ${line}`;
        refused.push({ file, entry, ...(line === undefined ? {} : { line }), message: read.message });
        if (id === "") isIncomplete = true;
        else doubtful.set(id, `${place} of its history is refused`);
      }
    }
  } finally {
    await database.close();
  }
  for (const [id, all] of states) {
    const fault = contradiction(all);
    if (fault !== undefined) doubtful.set(id, fault);
  }
  return { states, doubtful, refused, isIncomplete };
}

/** The faults of a key by the schemas of a set. */
export function schemaFaults(set: PolicySet, key: PermissionRequest["key"]): readonly string[] {
  return keyFaults(set, key, new Set(set.model.resourcePolicies.map(({ resource }) => resource)));
}

type StateRead = { readonly id: string } & ({ readonly state: KeyState } | { readonly message: string });

function stateIn(json: JsonText): StateRead {
  if (!json.ok) return { id: "", message: json.message };
  const { value } = json;
  const given = isObject(value) ? value : {};
  const id = typeof given.id === "string" ? given.id : "";
  const refusal = (message: string) => ({ id, message });
  if (id === "") return refusal("it has no id");
  const unknown = Object.keys(given).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) return refusal(`unknown field ${unknown}`);
  const [from, to] = TIMES.map((name) => (Object.hasOwn(given, name) ? momentIn(given[name]) : undefined));
  for (const [i, time] of [from, to].entries()) {
    if (time !== undefined && Number.isNaN(time)) {
      return refusal(`${TIMES[i]} must be an RFC 3339 timestamp, or a date (its start, in UTC)`);
    }
  }
  const times = { id, from: from ?? Number.NEGATIVE_INFINITY, ...(to === undefined ? {} : { to }) };
  const { revoked = false } = given;
  if (typeof revoked !== "boolean") return refusal("revoked must be true or false");
  if (revoked) return { id, state: { ...times, key: undefined } };
  const key = Object.fromEntries(["id", "roles", "attr", "scope"].flatMap((name) => fieldOf(given, name)));
  const read = readRequest({ ok: true, value: askedKey(key) }, {});
  if (read.ok) return { id, state: { ...times, key: read.request.key } };
  return refusal(read.invalid.invalid.map(issueText).join("; "));
}

function fieldOf(given: { readonly [name: string]: unknown }, name: string): readonly (readonly [string, unknown])[] {
  return Object.hasOwn(given, name) ? [[name, given[name]]] : [];
}

/** Milliseconds since 1970; NaN for what is no time. */
export function momentIn(value: unknown): number {
  if (typeof value !== "string") return Number.NaN;
  const time = parseTimestamp(isDay(value) ? `${value}T00:00:00Z` : value);
  return time === undefined ? Number.NaN : dateOf(time).getTime();
}

/** Is it a date without a time? */
export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text);
}
