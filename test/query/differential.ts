/** Compares query plans for generated stores with the real server's. */

import { fromJson, toJson } from "@bufbuild/protobuf";
import { PlanResourcesRequestSchema } from "@cerbos/api/cerbos/request/v1/request_pb";
import { PlanResourcesResponseSchema } from "@cerbos/api/cerbos/response/v1/response_pb";
import * as E from "fp-ts/lib/Either.js";
import { ATTRIBUTES, ROOT } from "../../src/cel/roots.js";
import { Timestamp } from "../../src/cel/values.js";
import { type CheckEngine, compileCheckEngine } from "../../src/cerbos/engine.js";
import { namedTokens } from "../../src/cerbos/named-tokens.js";
import { planRequestFault } from "../../src/cerbos/plan-request-faults.js";
import { planResources } from "../../src/cerbos/plan-resources.js";
import { DEFAULT_LIMITS } from "../../src/cerbos/request-faults.js";
import { Activation } from "../../src/engine/evaluate/activation.js";
import { isObject, type Json, type JsonObject, listAt, objectAt, textAt } from "../differential/json.js";
import { Random } from "../differential/random.js";
import { generateRequest, resourceAttributes, type Targets, targetsOf } from "../differential/requests.js";
import { type StoreServer, startStore } from "../differential/server.js";
import { generateStore, ROLES, type Store } from "../differential/store.js";
import { OPERATIONS } from "../property/arbitraries/vocabulary.js";
import { Refused } from "../support/server.js";
import { treeCode, treeText } from "./trees.js";

export interface PlanQuestion {
  readonly body: JsonObject;
  readonly claims: JsonObject;
  readonly named: JsonObject;
}

export interface Finding {
  /**
   * `trees`: different trees with the same meaning. `meaning`: trees of different meaning. `rest`: differences beside
   * the filter.
   */
  readonly kind: "trees" | "meaning" | "rest" | "refusal";
  readonly store: Store;
  readonly body: JsonObject;
  readonly server: JsonObject;
  readonly local: JsonObject;
  readonly detail: string;
}

export class Counts {
  stores = 0;
  plans = 0;
  conditional = 0;
  allowed = 0;
  denied = 0;
  unmatched = 0;
  equal = 0;
  trees = 0;
  /**
   * The server confused two parts of a tree, and put a known value in the wrong place
   * (docs/differences-from-cerbos.md).
   */
  misplaced = 0;
  /** The request was invalid. */
  refused = 0;
  /** The server answered with status 500. */
  failing = 0;
  /** The checks that were asked for where the server answered with status 500, and the plan is to allow everything. */
  checked = 0;
  rows = 0;
  matching = 0;

  toString(): string {
    return Object.entries(this)
      .map(([name, count]) => `${name} ${count}`)
      .join(", ");
  }
}

export async function comparePlans(
  options: {
    readonly stores: number;
    readonly plansPerStore: number;
    readonly seed: number;
    readonly until?: () => boolean;
  },
  report: (finding: Finding) => void,
): Promise<Counts> {
  const random = new Random(options.seed);
  const counts = new Counts();
  while (counts.stores < options.stores && options.until?.() !== true) {
    const own = new Random(random.seed());
    const store = generateStore(own);
    const engine = engineOf(store);
    if (engine === undefined) continue;
    let server: StoreServer;
    try {
      server = await startStore(store);
    } catch (error) {
      if (error instanceof Refused) continue;
      throw error;
    }
    counts.stores += 1;
    try {
      const targets = targetsOf(store);
      for (let i = 0; i < options.plansPerStore; i++) {
        const question = questionOf(own, targets);
        const theirs = await server.plan(question.body);
        await compare(engine, server, store, question, theirs, own, counts, report);
      }
    } finally {
      await server.stop();
    }
  }
  return counts;
}

export function engineOf({ files, options }: Store): CheckEngine | undefined {
  const texts = Object.entries(files).map(([path, body]) => ({
    path: path.replace(/^policies\//, ""),
    text: JSON.stringify(body, null, 2),
  }));
  const compiled = compileCheckEngine(texts, options);
  return E.isLeft(compiled) ? undefined : compiled.right;
}

/**
 * A plan question made from a random check request, with few known attributes; mostly about a resource that has
 * policies.
 */
export function questionOf(random: Random, targets: Targets): PlanQuestion {
  const { body, claims = {}, named } = generateRequest(random, targets);
  const { resources, principal, ...rest } = body;
  const [entry] = Array.isArray(resources) ? resources.filter(isObject) : [];
  const { id, attr, ...resource } = objectAt(entry ?? {}, "resource");
  const known = Object.entries(isObject(attr) ? attr : {}).filter(() => random.chance(0.3));
  const given = known.length === 0 || random.chance(0.7) ? {} : { attr: Object.fromEntries(known) };
  const target = random.chance(0.85) && targets.resources.length > 0 ? random.pick(targets.resources) : undefined;
  const about =
    target === undefined
      ? { principal: principal ?? {}, resource: { ...resource, ...given } }
      : {
          principal: { ...objectAt(body, "principal"), roles: random.some(ROLES, 1, 4), scope: target.scope },
          resource: { kind: target.name, policyVersion: target.version, scope: target.scope, ...given },
        };
  const actions =
    target === undefined ? listAt(entry ?? {}, "actions").slice(0, random.int(1, 3)) : random.some(OPERATIONS, 1, 2);
  const asked = random.chance(0.4) ? { action: actions[0] ?? "" } : { actions };
  return { body: { ...rest, ...about, ...asked }, claims, named };
}

async function compare(
  engine: CheckEngine,
  asked: StoreServer,
  store: Store,
  question: PlanQuestion,
  server: JsonObject,
  random: Random,
  counts: Counts,
  report: (finding: Finding) => void,
): Promise<void> {
  counts.plans += 1;
  const local = answer(engine, question);
  const found = (kind: Finding["kind"], detail: string): void =>
    report({ kind, store, body: question.body, server, local, detail });
  if (server.status === 500) {
    // The server fails at every expression that it cannot plan, even if the answer does not depend on it.
    counts.failing += 1;
    // Such an expression may err, which denies strictly. Checks tell whether the plan allows what the server denies.
    const isAllowed = objectAt(local, "filter").kind === "KIND_ALWAYS_ALLOWED";
    if (isAllowed && (await areAllDenied(asked, question.body, random, counts))) {
      found("meaning", "the server makes no plan, and its checks deny");
    }
    return;
  }
  if (server.status !== undefined || local.status !== undefined) {
    counts.refused += 1;
    if (server.status !== local.status) found("refusal", `${String(server.status)} ${JSON.stringify(local)}`);
    return;
  }
  const rest = difference(server, local);
  if (rest !== undefined) found("rest", rest);
  const [theirs, ours] = [objectAt(server, "filter"), objectAt(local, "filter")];
  if (theirs.kind === "KIND_CONDITIONAL") counts.conditional += 1;
  else if (theirs.kind === "KIND_ALWAYS_ALLOWED") counts.allowed += 1;
  else counts.denied += 1;
  if (textAt(objectAt(server, "meta"), "filterDebug") === "NO_MATCH") counts.unmatched += 1;
  const now = Date.now();
  const [a, b] = [treeOf(theirs), treeOf(ours)].map((tree) => treeText(tree, now));
  if (a === b) {
    counts.equal += 1;
    return;
  }
  if (hasMisplaced(a ?? "", b ?? "", objectAt(question.body, "principal"))) {
    counts.misplaced += 1;
    return;
  }
  counts.trees += 1;
  const row = differingRow(store, question, treeOf(theirs), treeOf(ours), random, counts);
  found(
    row === undefined ? "trees" : "meaning",
    `${a}\n  here ${b}${row === undefined ? "" : `\n  ${JSON.stringify(row)}`}`,
  );
}

/**
 * Whether the trees differ only in constants or in `request.resource`, and the server's tree has an attribute value of
 * the principal there. The server numbers the parts of derived roles' conditions twice if a condition
 * reads the active derived roles. A known value of one part then replaces another part with the same number.
 */
function hasMisplaced(theirs: string, ours: string, principal: JsonObject): boolean {
  const [a, b] = [withFields(theirs), ours].map((text) => text.split(/[\s()]+/));
  if (a === undefined || b === undefined || a.length !== b.length || !ours.includes('"dr_')) return false;
  const known = scalarsIn(principal);
  return a.every((part, i) => {
    const own = b[i] ?? "";
    return part === own || known.some((value) => part === value || part === own.replace(/^request\.resource/, value));
  });
}

/** Rewrites field access on other expressions in the notation of field access on names. */
function withFields(text: string): string {
  const made = text.replace(/\(get-field ([^\s()]+) (\w+)\)/g, "$1.$2");
  return made === text ? text : withFields(made);
}

function scalarsIn(value: Json): readonly string[] {
  if (typeof value !== "object" || value === null) return [JSON.stringify(value)];
  return Object.values(value).flatMap(scalarsIn);
}

function treeOf(filter: JsonObject): Json {
  if (filter.kind === "KIND_CONDITIONAL") return objectAt(filter, "condition");
  return { value: filter.kind === "KIND_ALWAYS_ALLOWED" };
}

export function answer(engine: CheckEngine, { body, claims, named }: PlanQuestion): JsonObject {
  const read = namedTokens(body);
  if (E.isLeft(read)) throw new Error(read.left);
  const request = fromJson(PlanResourcesRequestSchema, read.right.request);
  const fault = planRequestFault(request, DEFAULT_LIMITS);
  if (fault !== undefined) return { status: 400, message: fault };
  const millis = Date.now();
  const now = new Timestamp(Math.floor(millis / 1000), (millis % 1000) * 1_000_000);
  const response = planResources(engine, request, { now, jwt: claims, jwts: named, callId: "" });
  if ("fault" in response) return { status: 500, message: response.fault };
  return toJson(PlanResourcesResponseSchema, response) as JsonObject;
}

/** The first difference between two answers, apart from their filters. */
function difference(server: JsonObject, local: JsonObject): string | undefined {
  const { filter: _, cerbosCallId: __, meta: ___, validationErrors: theirs = [], ...a } = server;
  const { filter: ____, meta: _____, validationErrors: ours = [], cerbosCallId: ______, ...b } = local;
  const errors = (list: Json) =>
    (Array.isArray(list) ? list : [])
      .map((one) => (isObject(one) ? `${textAt(one, "source")} ${textAt(one, "path")}` : ""))
      .sort();
  const meta = (side: JsonObject) => {
    const { filterDebug, ...rest } = objectAt(side, "meta");
    return { ...rest, isMatched: filterDebug !== "NO_MATCH" };
  };
  const pairs: [Json, Json][] = [
    [a, b],
    [[...new Set(errors(theirs))], [...new Set(errors(ours))]],
    [meta(server), meta(local)],
  ];
  const other = pairs.find(([x, y]) => canonicalText(x) !== canonicalText(y));
  return other && `${JSON.stringify(other[0])} / ${JSON.stringify(other[1])}`;
}

function canonicalText(value: Json): string {
  return JSON.stringify(value, (_key, one: Json) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one,
  );
}

/** How many resources a check is asked about where the server has no plan. */
const CHECKED_ROWS = 20;

/**
 * Whether the server's checks deny an action of a plan's question on every one of some random resources. (A plan to
 * allow everything may be wider on a few resources: `has()` counts as true in plans.)
 */
async function areAllDenied(server: StoreServer, body: JsonObject, random: Random, counts: Counts): Promise<boolean> {
  const { principal: _, resource: __, action, actions, includeMeta: ___, ...rest } = body;
  const place = objectAt(body, "resource");
  const { policyVersion } = place;
  // Plans find a principal's own policies by the version that the resource names.
  const principal = { ...objectAt(body, "principal"), ...(policyVersion === undefined ? {} : { policyVersion }) };
  const resources = Array.from({ length: CHECKED_ROWS }, (_row, i) => ({
    resource: { ...place, id: `r${i}`, attr: { ...resourceAttributes(random), ...objectAt(place, "attr") } },
    actions: typeof action === "string" ? [action] : (actions ?? []),
  }));
  const answer = await server.check({ ...rest, principal, resources });
  const results = listAt(answer, "results").filter(isObject);
  counts.checked += results.length;
  return results.every((result) =>
    Object.values(objectAt(result, "actions")).some((effect) => effect !== "EFFECT_ALLOW"),
  );
}

const ROWS = 60;

/** The attributes of a random row that satisfies only one of the trees, if any is found. */
function differingRow(
  store: Store,
  { body, claims, named }: PlanQuestion,
  theirs: Json,
  ours: Json,
  random: Random,
  counts: Counts,
): Json | undefined {
  const [a, b] = [treeCode(theirs), treeCode(ours)];
  const principal = objectAt(body, "principal");
  const resource = objectAt(body, "resource");
  const activation = new Activation();
  const millis = Date.now();
  const now = new Timestamp(Math.floor(millis / 1000), 0);
  for (let i = 0; i < ROWS; i++) {
    const attr = { ...resourceAttributes(random), ...objectAt(resource, "attr") };
    activation.begin(
      {
        id: textAt(principal, "id"),
        roles: listAt(principal, "roles").map(String),
        attr: objectAt(principal, "attr"),
        scope: textAt(principal, "scope"),
      },
      { kind: textAt(resource, "kind"), id: random.pick(["r1", "r2"]), attr, scope: textAt(resource, "scope") },
      now,
      store.options.globals,
    );
    activation.roots[ROOT.principalPolicyVersion] = "";
    activation.roots[ROOT.resourcePolicyVersion] = textAt(resource, "policyVersion");
    activation.attributes[ATTRIBUTES.jwt] = claims;
    activation.attributes[ATTRIBUTES.jwts] = named;
    const x = a(activation) === true;
    // The trees have separate slots.
    activation.restart();
    const y = b(activation) === true;
    counts.rows += 1;
    if (x) counts.matching += 1;
    if (x !== y) return attr;
  }
  return undefined;
}
