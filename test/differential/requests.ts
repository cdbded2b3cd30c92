/** Requests for a generated store: CheckResources messages as JSON. */

import {
  ATTRIBUTES,
  IDS,
  NUMBERS,
  OPERATIONS,
  PATHS,
  type Sort,
  TIMES,
  WORDS,
} from "../property/arbitraries/vocabulary.js";
import type { Json, JsonObject } from "./json.js";
import type { Random } from "./random.js";
import { KINDS, PRINCIPALS, ROLES, VERSIONS } from "./store.js";

const SCOPES = ["", "acme", "acme.eu", "acme.eu.web", "acme.us", "other", "other.deep.er", "roles_only"];
const ODD_SCOPES = [".", ".acme", "acme.nowhere", "acme.eu.web.more", "nowhere", "roles_only.below"];
const SANITISED_KINDS = ["album_object", "a_b_c", "unknown", "doctor"];
const ACTIONS = [...OPERATIONS, "read:more", "keys", "doc:", "doc:x:link", "other"];

export interface Claims {
  readonly claims: JsonObject | undefined;
}

export interface GeneratedRequest {
  readonly body: JsonObject;
  readonly claims: JsonObject | undefined;
}

/** `principals` and `kinds` of a store come up more often than others. */
export function generateRequest(random: Random): GeneratedRequest {
  const claims = random.chance(0.4) ? generateClaims(random) : undefined;
  const body: JsonObject = {
    requestId: "d",
    includeMeta: true,
    principal: {
      id: random.chance(0.85) ? random.pick(PRINCIPALS) : random.pick(["u3", "nobody", "we_ird.id"]),
      roles: random.some([...ROLES, "guest"], 1, 3),
      attr: attributes(random, ATTRIBUTES.key),
      ...version(random),
      ...scope(random),
    },
    resources: random.times(1, 4, () => resourceEntry(random)),
    ...(claims === undefined ? {} : { auxData: { jwt: { token: unsigned(claims) } } }),
  };
  return { body, claims };
}

function resourceEntry(random: Random): JsonObject {
  return {
    actions: random.some(ACTIONS, 1, 6),
    resource: {
      kind: random.chance(0.85) ? random.pick(KINDS) : random.pick(SANITISED_KINDS),
      id: random.pick(["r1", "r2"]),
      attr: attributes(random, ATTRIBUTES.resource),
      ...version(random),
      ...scope(random),
    },
  };
}

function version(random: Random): JsonObject {
  return random.chance(0.55) ? {} : { policyVersion: random.chance(0.9) ? random.pick(VERSIONS) : "v9" };
}

function scope(random: Random): JsonObject {
  const chosen = random.chance(0.4) ? "" : random.pick(random.chance(0.85) ? SCOPES : ODD_SCOPES);
  return chosen === "" ? {} : { scope: chosen };
}

function generateClaims(random: Random): JsonObject {
  return {
    sub: random.pick(IDS),
    team: random.pick(WORDS),
    ...(random.chance(0.7) ? { scopes: random.some(["audit", "admin"], 0, 2) } : {}),
    ...(random.chance(0.7) ? { level: random.pick(NUMBERS) } : {}),
  };
}

/** A token that a server reads without verifying it. */
export function unsigned(claims: JsonObject): string {
  const part = (value: Json) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none", typ: "JWT" })}.${part(claims)}.${Buffer.from("x").toString("base64url")}`;
}

function attributes(random: Random, sorts: { readonly [name: string]: Sort }): JsonObject {
  const attr: JsonObject = {};
  for (const [name, sort] of Object.entries(sorts)) {
    if (random.chance(name === "label" ? 0.4 : 0.07)) continue;
    attr[name] = random.chance(0.05) ? oddValue(random) : valueOf(random, sort);
  }
  return attr;
}

function oddValue(random: Random): Json {
  return random.pick<Json>([null, "text", 7, true, [], {}, ["red", 1], { k: 1 }, "", 1e21, -0.5]);
}

function valueOf(random: Random, sort: Sort): Json {
  switch (sort) {
    case "word":
      return random.pick(WORDS);
    case "id":
      return random.pick(IDS);
    case "num":
      return random.pick(NUMBERS);
    case "bool":
      return random.chance(0.5);
    case "words":
    case "tuples":
      return random.times(0, 3, () => random.pick(WORDS));
    case "nums":
      return random.times(0, 3, () => random.pick(NUMBERS));
    case "map":
      return {
        k: random.pick(WORDS),
        n: random.pick(NUMBERS),
        ...(random.chance(0.3) ? { z: true } : {}),
      };
    case "time":
      return random.pick(TIMES);
    case "path":
      return random.pick(PATHS);
  }
}
