/** The laws that policies can break, proved by a solver: damaged requests and smaller keys gain no permission. */

import { isList, isObject, type JsonValue } from "../../cel/json.js";
import { decideAny } from "../../decisions/decide.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { Formula, Formulas } from "../../engine/formula/formula.js";
import type { RawValue } from "../../engine/formula/raw-value.js";
import { positionText } from "../../policy/issue.js";
import type { NoSolver } from "../../solver/no-solver.js";
import type { Solver } from "../../solver/solver.js";
import { type AttributeInquiry, touches } from "../../space/asked-about.js";
import { LAYERS, type SpaceLayer, SUBJECTS } from "../../space/dimension.js";
import { type RequestJson, requestOf } from "../../space/draft.js";
import type { QuestionProver } from "../question-prover.js";
import { enforcedSchemas } from "../schema-formulas.js";
import { findWellFormed, type WellFormedResult } from "../well-formed.js";
import { type KeyLists, keyLists } from "./key-lists.js";
import { attributesOfSearches, mapsReadWhole, sameSearches } from "./searches.js";
import { SecondRequest } from "./second-request.js";

/** Two requests that break a law: the law forbids that the second is allowed more than the first. */
export interface Opened {
  readonly before: RequestJson;
  readonly after: RequestJson;
  /** The layer that denies the first request and allows the second. */
  readonly layer: SpaceLayer;
}

/**
 * `nulls`: it is proved that no request breaks the law unless two values without a declared type are `null`: attributes,
 * or members of their lists. `found`: with such values it breaks, or that is not proved.
 */
type OpeningResult =
  | WellFormedResult
  | { readonly kind: "nulls"; readonly found: Extract<WellFormedResult, { kind: "request" | "unproven" }> };

/** A law about two requests. */
export interface SolvedLaw {
  readonly claim: string;
  /** The parts of requests that the law leaves out, in words; complete after all questions were searched. */
  exceptions(): readonly string[];
  /** Searches a question for a request that the law's change opens: in the decision or, more strictly, in one layer. */
  find(prover: QuestionProver, solver: Solver | NoSolver | undefined): Promise<OpeningResult>;
  /** The pair of requests that shows the violation; undefined if no changed request that was tried shows one. */
  opened(request: RequestJson): Opened | undefined;
}

/**
 * The law: removing an attribute, or giving it a value of another type, opens nothing. An attribute that no schema
 * declares has no right type: it is removed, or becomes `null`. `inquiries`: the attributes that policies ask about, which
 * are not damaged. Nor are members of a map that no rule names, where a rule reads the map as a whole.
 */
export function failClosed(set: PolicySet, inquiries: ReadonlyMap<string, AttributeInquiry>): SolvedLaw {
  const asked = new Set(inquiries.keys());
  const untyped = new Set<string>();
  const wholes = new Set<string>();
  /** The places of the attributes that are damaged, in the question that was searched last. */
  const places = new Set<string>();
  const openedBy = (request: RequestJson, mostNulls: number) =>
    firstOpened(set, request, damaged(request, places, untyped), (after) => nullsIn(after, untyped) <= mostNulls);
  const opened = (request: RequestJson) => openedBy(request, 1) ?? openedBy(request, Number.POSITIVE_INFINITY);
  return {
    claim: "Removing an attribute, or giving it another type, never allows more.",
    opened,
    exceptions: () => damageExceptions(inquiries, untyped, wholes),
    find: async (prover, solver) => {
      const { world } = prover;
      const { formulas } = world;
      const isDamaged = new Map<RawValue, Formula>();
      const limits: Formula[] = [];
      const untypedValues: RawValue[] = [];
      places.clear();
      prover.close(set);
      const searches = attributesOfSearches(world);
      const readWhole = mapsReadWhole(world, searches);
      const openRoles = [...prover.plans.openRoles.values()];
      const fresh = new SecondRequest(world, openRoles, (_raw, _first, other) => other);
      const visit = (raw: RawValue, path: string, above: Formula): void => {
        if (readWhole.has(raw)) wholes.add(path);
        for (const [name, member] of raw.members) {
          const place = `${path}.${name}`;
          const isLeftOut = touches(place, asked) || world.searchedMembers.has(member);
          const own = isLeftOut ? formulas.no : formulas.unknown("bool", `${place} is damaged`);
          if (!isLeftOut) places.add(place);
          const is = formulas.or(above, own);
          isDamaged.set(member, is);
          const declared = formulas.or(...(world.declared.get(member) ?? [formulas.yes]));
          const fits = world.wholes.filter((one) => one.raw === member).map(({ fit }) => fit);
          const isRight = formulas.and(
            member.isThere(),
            declared,
            fits.length > 0 ? formulas.or(...fits) : formulas.yes,
          );
          if (declared === formulas.yes && own !== formulas.no) {
            untypedValues.push(member);
            untyped.add(place);
          }
          const kind = fresh.of(member.kind);
          const isNothing = formulas.or(...NOTHING.map((one) => formulas.same(kind, formulas.kind(one))));
          const isOther = formulas.and(
            formulas.not(formulas.same(member.kind, kind)),
            declared === formulas.yes ? isNothing : formulas.yes,
          );
          limits.push(formulas.implies(own, formulas.and(isRight, isOther)));
          visit(member, place, is);
        }
      };
      for (const subject of SUBJECTS) visit(world.attributes(subject), subject, formulas.no);
      const second = new SecondRequest(
        world,
        openRoles,
        (raw, first, other) => formulas.choose(isDamaged.get(raw) ?? formulas.no, other, first),
        { parts: searches },
      );
      const search = (mostNulls: number, more: readonly Formula[]) =>
        findOpening(prover, set, solver, second, [...limits, ...more], (one) => openedBy(one, mostNulls) !== undefined);
      const nulls = untypedValues.map(({ kind }) => formulas.same(second.of(kind), formulas.kind("null")));
      // Two nulls are equal, so in a set without schemas almost every comparison of two attributes opens with them.
      const members = untypedValues.map(({ key }) => formulas.not(formulas.unknown("bool", `${key} has null`)));
      const found = await search(1, [...atMostOne(formulas, nulls), ...members]);
      if (found.kind !== "none" || nulls.length < 2) return found;
      const other = await search(Number.POSITIVE_INFINITY, []);
      return other.kind === "request" || other.kind === "unproven" ? { kind: "nulls", found: other } : other;
    },
  };
}

function atMostOne(formulas: Formulas, all: readonly Formula[]): readonly Formula[] {
  let any = formulas.no;
  return all.map((one) => {
    const before = any;
    any = formulas.or(any, one);
    return formulas.not(formulas.and(before, one));
  });
}

/**
 * The law: removing a role from a key with several roles, or a member from one of its lists of permissions, opens
 * nothing. `asked`: a prover for each question.
 */
export function reduction(set: PolicySet, asked: readonly QuestionProver[]): SolvedLaw {
  let known: KeyLists | undefined;
  // Not before the first search: a closed prover translates nothing more.
  const lists = () => {
    known ??= keyLists(set, asked);
    return known;
  };
  const opened = (request: RequestJson) => firstOpened(set, request, reduced(request, lists().permissions));
  return {
    claim: "Removing a role or a permission from a key never allows more.",
    opened,
    exceptions: () => [
      ...(lists().permissions.size === 0 ? ["permissions, because no rule looks for one in a list of the key"] : []),
      ...[...lists().others]
        .sort()
        .map((name) => `members of ${name}, in which no rule looks for a text of the policies`),
    ],
    find: async (prover, solver) => {
      const { world } = prover;
      const { formulas } = world;
      const limits: Formula[] = [];
      prover.close(set);
      const reducible = new Set([world.roles, ...listsBelow(world.attributes("key"), "key.attr", lists().permissions)]);
      const openRoles = [...prover.plans.openRoles.values()];
      const second = new SecondRequest(
        world,
        openRoles,
        (raw, first, other) => {
          if (!reducible.has(raw) || first.op !== "unknown") return first;
          if (first === raw.size) limits.push(formulas.atMost(other, first));
          // Every member of the shorter list is in the longer one. How the shorter list compares with other values is
          // unknown.
          if (first === raw.size || first.name.startsWith("same ")) return other;
          return first.name.startsWith(`${raw.key} has `) || openRoles.includes(first)
            ? formulas.and(first, other)
            : first;
        },
        { isSame: sameSearches(world, reducible) },
      );
      for (const list of reducible) {
        const declared = formulas.or(...(world.declared.get(list) ?? [formulas.yes]));
        const wholes = world.wholes.filter(({ raw }) => raw === list).map(({ fit }) => fit);
        const isRight = formulas.and(declared, wholes.length > 0 ? formulas.or(...wholes) : formulas.yes);
        limits.push(formulas.implies(list.isThere(), isRight));
      }
      for (const [name, has] of prover.plans.openRoles) {
        limits.push(formulas.implies(second.of(world.role(name)), second.of(has)));
      }
      return findOpening(prover, set, solver, second, limits, (request) => opened(request) !== undefined);
    },
  };
}

const NOTHING = ["absent", "null"] as const;

/** Looks for two requests: a layer refuses the first and allows the second. */
async function findOpening(
  prover: QuestionProver,
  set: PolicySet,
  solver: Solver | NoSolver | undefined,
  second: SecondRequest,
  limits: readonly Formula[],
  replays: (request: RequestJson) => boolean,
): Promise<WellFormedResult> {
  const { formulas, facts } = prover.world;
  const { permitted, supported } = prover.outcomes(set);
  // The first request satisfies the schemas that are enforced.
  const isAccepted = enforcedSchemas(set, prover.question, prover);
  const others = [...[...facts].map((fact) => second.of(fact)), ...limits, isAccepted];
  let result: WellFormedResult = { kind: "none" };
  for (const layer of [permitted, supported]) {
    const goal = formulas.and(second.of(layer), formulas.not(layer));
    const found = await findWellFormed(prover, solver, { goal, sets: [set], replays, others });
    if (found.kind === "request") return found;
    if (result.kind === "none" || found.kind === "unproven") result = found;
  }
  return result;
}

function listsBelow(raw: RawValue, path: string, names: ReadonlySet<string>): readonly RawValue[] {
  return [...raw.members].flatMap(([field, member]) => {
    const name = `${path}.${field}`;
    return [...(names.has(name) ? [member] : []), ...listsBelow(member, name, names)];
  });
}

/** The attributes that are not damaged, and those that are damaged in part. */
function damageExceptions(
  inquiries: ReadonlyMap<string, AttributeInquiry>,
  untyped: ReadonlySet<string>,
  wholes: ReadonlySet<string>,
): readonly string[] {
  const asked = [...inquiries].map(([place, { by, at }]) => {
    const isNested = place.split(".").length > 2;
    const above = isNested ? " and the maps that it is in" : "";
    return `${attributeName(place)}${above}, which a rule asks about by ${by} (${positionText(at)})`;
  });
  const listed = (places: ReadonlySet<string>) => [...places].sort().map(attributeName).join(", ");
  return [
    ...asked,
    ...(wholes.size === 0 ? [] : [`members of ${listed(wholes)}, which a rule reads as a whole`]),
    ...(untyped.size === 0 ? [] : [`another type of ${listed(untyped)}, without a declared type`]),
  ];
}

/** `resource.lock.until` as `resource.attr.lock.until`, `resource` as `resource.attr`. */
function attributeName(place: string): string {
  return place.includes(".") ? place.replace(".", ".attr.") : `${place}.attr`;
}

function firstOpened(
  set: PolicySet,
  before: RequestJson,
  others: Iterable<RequestJson>,
  isTried: (after: RequestJson) => boolean = () => true,
): Opened | undefined {
  const first = decideAny(set, requestOf(before));
  let hidden: Opened | undefined;
  for (const after of others) {
    if (!isTried(after)) continue;
    const second = decideAny(set, requestOf(after));
    const layer = LAYERS.find((one) => first[one].effect === "deny" && second[one].effect === "allow");
    if (layer === undefined) continue;
    if (second.outcome === "allow") return { before, after, layer };
    hidden ??= { before, after, layer };
  }
  return hidden;
}

type Members = { readonly [name: string]: JsonValue };

/** How many attributes at these places are `null`. */
function nullsIn({ key, resource, account }: RequestJson, places: ReadonlySet<string>): number {
  let count = 0;
  const visit = (path: string, map: Members): void => {
    for (const [name, value] of Object.entries(map)) {
      const place = `${path}.${name}`;
      if (value === null && places.has(place)) count += 1;
      else if (isObject(value)) visit(place, value);
    }
  };
  visit("key", key.attr);
  visit("resource", resource.attr);
  if (account !== undefined) visit("account", account.attr);
  return count;
}

/** The values tried in the place of an attribute, in addition to removing it. */
type Others = (place: string) => readonly JsonValue[];

const VALUES: readonly JsonValue[] = [null, false, true, 0, 1, 1e9, "", "x", [], {}];

/**
 * The request with each attribute removed, and with values of other types in its place. Then with each pair of
 * attributes set to `null`, because two nulls might count as equal.
 */
function* damaged(
  request: RequestJson,
  places: ReadonlySet<string>,
  untyped: ReadonlySet<string>,
): Generator<RequestJson> {
  yield* damagedBy(request, places, (place) => (untyped.has(place) ? [null] : VALUES));
  for (const one of damagedBy(request, places, () => [null])) yield* damagedBy(one, places, () => [null]);
}

function* damagedBy(request: RequestJson, places: ReadonlySet<string>, others: Others): Generator<RequestJson> {
  const { key, resource, account } = request;
  const mapsOf = (subject: string, attr: Members) => damagedMaps(subject, attr, places, others);
  for (const attr of mapsOf("key", key.attr)) yield { ...request, key: { ...key, attr } };
  for (const attr of mapsOf("resource", resource.attr)) yield { ...request, resource: { ...resource, attr } };
  if (account === undefined) return;
  for (const attr of mapsOf("account", account.attr)) yield { ...request, account: { ...account, attr } };
}

function* damagedMaps(path: string, map: Members, places: ReadonlySet<string>, values: Others): Generator<Members> {
  for (const [name, value] of Object.entries(map)) {
    const { [name]: _taken, ...others } = map;
    const place = `${path}.${name}`;
    if (isObject(value)) {
      for (const inner of damagedMaps(place, value, places, values)) yield { ...map, [name]: inner };
    }
    if (!places.has(place)) continue;
    yield others;
    for (const other of values(place)) {
      if (typeName(other) !== typeName(value)) yield { ...map, [name]: other };
    }
  }
}

function typeName(value: JsonValue): string {
  return value === null ? "null" : isList(value) ? "list" : typeof value;
}

/** The request with one role removed, or one member of a list of the key. */
function* reduced(request: RequestJson, lists: ReadonlySet<string>): Generator<RequestJson> {
  const { key } = request;
  for (const role of key.roles) {
    const roles = key.roles.filter((one) => one !== role);
    if (roles.length > 0) yield { ...request, key: { ...key, roles } };
  }
  for (const attr of shorterLists(key.attr, "key.attr", lists)) yield { ...request, key: { ...key, attr } };
}

function* shorterLists(map: Members, path: string, lists: ReadonlySet<string>): Generator<Members> {
  for (const [name, value] of Object.entries(map)) {
    const place = `${path}.${name}`;
    if (isObject(value)) for (const inner of shorterLists(value, place, lists)) yield { ...map, [name]: inner };
    if (!isList(value) || !lists.has(place)) continue;
    for (const i of value.keys()) yield { ...map, [name]: value.filter((_, at) => at !== i) };
  }
}
