/** Requests for a generated store: CheckResources messages as JSON. */

import {
  ATTRIBUTES,
  IDS,
  NUMBERS,
  OPERATIONS,
  PATHS,
  type Sort,
  SPANS,
  TIMES,
  WORDS,
} from "../property/arbitraries/vocabulary.js";
import { isObject, type Json, type JsonObject, objectAt, textAt } from "./json.js";
import type { Random } from "./random.js";
import { KINDS, PRINCIPALS, ROLES, type Store, VERSIONS } from "./store.js";

const SCOPES = ["", "acme", "acme.eu", "acme.eu.web", "acme.us", "other", "other.deep.er", "roles_only"];
const INVALID_SCOPES = [".acme", "acme.", "a b"];
const ODD_SCOPES = [".", "acme.nowhere", "acme.eu.web.more", "nowhere", "roles_only.below"];
const SANITISED_KINDS = ["album_object", "a_b_c", "unknown", "doctor"];
const ACTIONS = [...OPERATIONS, "read:more", "keys", "doc:", "doc:x:link", "other"];

export interface GeneratedRequest {
  readonly body: JsonObject;
  /** The claims of its token, and by name those of its named tokens. */
  readonly claims: JsonObject | undefined;
  readonly named: JsonObject;
}

/** Subjects of the store's policies. Most requests are about them. */
export interface Targets {
  readonly resources: readonly Target[];
  readonly principals: readonly Target[];
}

interface Target {
  readonly name: string;
  readonly version: string;
  readonly scope: string;
}

export function targetsOf({ files }: Store): Targets {
  const documents = Object.values(files);
  const targets = (type: string, name: string): Target[] =>
    documents.flatMap((document) => {
      const policy = document[type];
      if (!isObject(policy)) return [];
      return [{ name: textAt(policy, name), version: textAt(policy, "version"), scope: textAt(policy, "scope") }];
    });
  return { resources: targets("resourcePolicy", "resource"), principals: targets("principalPolicy", "principal") };
}

export function generateRequest(random: Random, targets: Targets): GeneratedRequest {
  const principal = targets.principals.length > 0 && random.chance(0.4) ? random.pick(targets.principals) : undefined;
  const claims = random.chance(0.3) ? generateClaims(random) : undefined;
  const named: JsonObject = {};
  if (claims === undefined && random.chance(0.3)) {
    for (const name of random.some(["main", "peer"], 1, 2)) named[name] = { claims: generateClaims(random) };
  }
  const body: JsonObject = {
    requestId: "d",
    includeMeta: true,
    principal: {
      id: principal?.name ?? random.pick([...PRINCIPALS, "u3", "nobody", "we_ird.id"]),
      roles: random.some([...ROLES, "guest"], 1, 3),
      attr: attributes(random, ATTRIBUTES.key),
      ...place(random, principal),
    },
    resources: random.times(1, 4, () => resourceEntry(random, targets)),
    ...(claims === undefined ? {} : { auxData: { jwt: { token: unsigned(claims) } } }),
    ...(Object.keys(named).length === 0 ? {} : { auxData: { jwts: tokensOf(named) } }),
  };
  return { body, claims, named };
}

function tokensOf(named: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.keys(named).map((name) => [name, { token: unsigned(objectAt(objectAt(named, name), "claims")) }]),
  );
}

function resourceEntry(random: Random, { resources }: Targets): JsonObject {
  const target = random.chance(0.8) ? random.pick(resources) : undefined;
  return {
    actions: random.some(ACTIONS, 1, 6),
    resource: {
      kind: target?.name ?? random.pick([...KINDS, ...SANITISED_KINDS]),
      id: random.pick(["r1", "r2"]),
      attr: attributes(random, ATTRIBUTES.resource),
      ...place(random, target),
    },
  };
}

/** A place for the question: the target's own, a scope below or beside it, or any other. */
function place(random: Random, target: Target | undefined): JsonObject {
  if (target === undefined || random.chance(0.15)) {
    const odd = random.chance(0.05) ? { scope: random.pick(INVALID_SCOPES) } : {};
    return { ...version(random), ...scope(random, random.pick(random.chance(0.8) ? SCOPES : ODD_SCOPES)), ...odd };
  }
  const stays = random.chance(0.9);
  const named = target.version !== "default" || random.chance(0.3);
  return {
    ...(stays ? (named ? { policyVersion: target.version } : {}) : version(random)),
    ...scope(random, random.chance(0.9) ? target.scope : random.pick(SCOPES)),
  };
}

function version(random: Random): JsonObject {
  return random.chance(0.55) ? {} : { policyVersion: random.chance(0.9) ? random.pick(VERSIONS) : "v9" };
}

/** `.` means the root even if there is a default scope. */
function scope(random: Random, chosen: string): JsonObject {
  return chosen === "" ? (random.chance(0.3) ? { scope: "." } : {}) : { scope: chosen };
}

function generateClaims(random: Random): JsonObject {
  return {
    sub: random.pick(IDS),
    team: random.pick(WORDS),
    ...(random.chance(0.7) ? { scopes: random.some(["audit", "admin"], 0, 2) } : {}),
    ...(random.chance(0.7) ? { level: random.pick(NUMBERS) } : {}),
  };
}

/** An unsigned token, for a server that does not verify tokens. */
export function unsigned(claims: JsonObject): string {
  const part = (value: Json) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none", typ: "JWT" })}.${part(claims)}.${Buffer.from("x").toString("base64url")}`;
}

/** Attributes of a resource; some are missing, and some have other types. */
export function resourceAttributes(random: Random): JsonObject {
  return attributes(random, ATTRIBUTES.resource);
}

function attributes(random: Random, sorts: { readonly [name: string]: Sort }): JsonObject {
  const attr: JsonObject = {};
  for (const [name, sort] of Object.entries(sorts)) {
    if (random.chance(name === "label" ? 0.4 : 0.07)) continue;
    attr[name] = random.chance(0.05) ? oddValue(random) : valueFor(random, sort);
  }
  return attr;
}

function oddValue(random: Random): Json {
  return random.pick<Json>([null, "text", 7, true, [], {}, ["red", 1], { k: 1 }, "", 1e21, -0.5]);
}

function valueFor(random: Random, sort: Sort): Json {
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
    case "log":
      return { at: random.pick(TIMES), span: random.pick(SPANS), n: random.pick(NUMBERS) };
    case "time":
      return random.pick(TIMES);
    case "path":
      return random.pick(PATHS);
  }
}
