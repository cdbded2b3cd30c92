/**
 * Vocabulary of generated policies and requests. Constants in expressions and values in requests come from the same
 * small pools, so equalities often hold and every branch is taken.
 */

import fc from "fast-check";
import type { JsonValue } from "../../../src/cel/json.js";

export const API_VERSION = "api.cerbos.dev/v1";

export type Layer = "permission" | "platform";

/** Prefixes for the names of a layer's definitions. */
export const PREFIX = { permission: "perm", platform: "plat" } as const;
export const VERSION = { permission: "default", platform: "platform" } as const;

/** `album:object` and `album_object` are one kind (docs/cerbos-semantics.md §2.3). */
export const KINDS = ["doc", "album:object", "key", "team"] as const;
export const OPERATIONS = ["read", "doc:read", "doc:write", "doc:share:link", "keys.create", "keys.list"] as const;
/** Patterns that match some of {@link OPERATIONS}, and two without matches. */
export const ACTION_PATTERNS = [
  "*",
  "doc:*",
  "doc:**",
  "*:read",
  "keys.*",
  "doc:share:*",
  "{doc,key}:w*",
  "?*.c*",
  "[ar-t]*",
  "nothing:*",
] as const;
export const ROLES = ["reader", "writer", "owner", "admin"] as const;

export const WORDS = ["red", "green", "blue"] as const;
export const IDS = ["u1", "u2", "u3"] as const;
export const NUMBERS = [0, 1, 2, 3, 1.5] as const;
export const TIMES = [
  "2024-01-15T08:30:00Z",
  "2024-06-01T00:00:00Z",
  "2024-06-01T02:00:00+02:00",
  "2024-11-30T23:59:59.5Z",
  "2025-03-01T12:00:00-05:30",
] as const;
export const NOWS = ["2024-03-01T10:00:00Z", "2024-09-01T18:00:00Z", "2025-06-01T00:00:00Z"] as const;
export const PATHS = ["acme", "acme.eu", "acme.eu.web", "acme.us", "other"] as const;

export const SPANS = ["24h", "4380h", "2190h30m", "90s"] as const;

/** The scopes of policies. Together with the root they are closed under parents. */
export const SCOPES = ["acme", "acme.eu", "acme.us", "other"] as const;
/** Versions of generated policies that are in neither layer, for `otherVersions`. */
export const OTHER_VERSIONS = ["legacy_perm", "legacy_plat"] as const;
/** Roles with role policies, which restrict them and include others. */
export const RESTRICTED_ROLES = ["intern", "lead"] as const;
/** The value of `G` in every policy set. */
export const GLOBALS = {
  environment: "test",
  limit: 2,
  words: ["red", "blue"],
  limits: { max: 3, label: "green" },
} as const;

/** The type of an attribute. `tuples` are lists of words whose order no expression can detect. */
export type Sort = "word" | "id" | "num" | "bool" | "words" | "tuples" | "nums" | "map" | "log" | "time" | "path";

export type SubjectName = "resource" | "key" | "account";

type Attributes = { readonly [name: string]: Sort };

/** The attributes of each subject. The key and the account share no name, since neither layer can read the other's. */
export const ATTRIBUTES: { readonly [subject in SubjectName]: Attributes } = {
  resource: {
    owner: "id",
    status: "word",
    label: "word",
    level: "num",
    size: "num",
    locked: "bool",
    shared: "bool",
    tags: "words",
    scores: "nums",
    meta: "map",
    history: "log",
    createdAt: "time",
    path: "path",
  },
  key: {
    user: "id",
    team: "word",
    rank: "num",
    active: "bool",
    permissions: "tuples",
    groups: "words",
    profile: "map",
    quota: "log",
    since: "time",
    home: "path",
  },
  account: {
    holder: "id",
    plan: "word",
    seats: "num",
    paid: "bool",
    holds: "words",
    usage: "map",
    term: "log",
    renewedAt: "time",
    region: "path",
  },
};

/** Attributes that are absent more often. */
export const OPTIONAL: ReadonlySet<string> = new Set(["label"]);

export function valueFor(sort: Sort): fc.Arbitrary<JsonValue> {
  switch (sort) {
    case "word":
      return fc.constantFrom(...WORDS);
    case "id":
      return fc.constantFrom(...IDS);
    case "num":
      return fc.constantFrom(...NUMBERS);
    case "bool":
      return fc.boolean();
    case "words":
    case "tuples":
      return fc.array(fc.constantFrom(...WORDS), { maxLength: 3 });
    case "nums":
      return fc.array(fc.constantFrom(...NUMBERS), { maxLength: 3 });
    case "map":
      return fc.record(
        { k: fc.constantFrom(...WORDS), n: fc.constantFrom(...NUMBERS), z: fc.constant(true) },
        { requiredKeys: ["k", "n"] },
      );
    case "log":
      return fc.record(
        { at: fc.constantFrom(...TIMES), span: fc.constantFrom(...SPANS), n: fc.constantFrom(...NUMBERS) },
        { requiredKeys: ["at", "span"] },
      );
    case "time":
      return fc.constantFrom(...TIMES);
    case "path":
      return fc.constantFrom(...PATHS);
  }
}

/** True with a probability of `n` in ten. */
export function mostly(n: number): fc.Arbitrary<boolean> {
  return fc.nat({ max: 9 }).map((roll) => roll < n);
}
