/** The laws that policies can break, proved by a solver: damaged requests and smaller keys gain no permission. */

import { isList, isObject, type JsonValue } from "../../cel/json.js";
import { decideAny } from "../../decisions/decide.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { Formula } from "../../engine/formula/formula.js";
import type { RawValue } from "../../engine/formula/raw-value.js";
import type { NoSolver } from "../../solver/no-solver.js";
import type { Solver } from "../../solver/solver.js";
import { touches } from "../../space/asked-about.js";
import { LAYERS, SUBJECTS } from "../../space/dimension.js";
import { type RequestJson, requestOf } from "../../space/draft.js";
import { schemaFaultsOf } from "../faults.js";
import type { QuestionProver, SearchResult } from "../question-prover.js";
import { SecondRequest } from "./second-request.js";

/** Two requests that break a law: the law forbids that the second is allowed more than the first. */
export interface Opened {
  readonly before: RequestJson;
  readonly after: RequestJson;
}

/** A law about two requests. */
export interface SolvedLaw {
  readonly claim: string;
  /** Searches a question for a request that the law's change opens: in the decision or, more strictly, in one layer. */
  find(prover: QuestionProver, solver: Solver | NoSolver | undefined): Promise<SearchResult>;
  /** The pair of requests that shows the violation; undefined if no changed request that was tried shows one. */
  opened(request: RequestJson): Opened | undefined;
}

/**
 * The law: removing an attribute, or giving it a value of another type, opens nothing. An attribute that no schema
 * declares has no right type: it is removed, or becomes `null`. `asked`: the attributes that policies read.
 */
export function failClosed(set: PolicySet, asked: ReadonlySet<string>): SolvedLaw {
  const untyped = new Set<string>();
  const opened = (request: RequestJson) => firstOpened(set, request, damaged(request, asked, untyped));
  return {
    claim: "Removing an attribute, or giving it another type, never allows more.",
    opened,
    find: async (prover, solver) => {
      const { world } = prover;
      const { formulas } = world;
      const isDamaged = new Map<RawValue, Formula>();
      const limits: Formula[] = [];
      prover.close(set);
      const openRoles = [...prover.plans.openRoles.values()];
      const fresh = new SecondRequest(world, openRoles, (_raw, _first, other) => other);
      const visit = (raw: RawValue, path: string, above: Formula): void => {
        for (const [name, member] of raw.members) {
          const place = `${path}.${name}`;
          const own = touches(place, asked) ? formulas.no : formulas.unknown("bool", `${place} is damaged`);
          const is = formulas.or(above, own);
          isDamaged.set(member, is);
          const declared = formulas.or(...(world.declared.get(member) ?? [formulas.yes]));
          const wholes = world.wholes.filter((one) => one.raw === member).map(({ fit }) => fit);
          const isRight = formulas.and(
            member.isThere(),
            declared,
            wholes.length > 0 ? formulas.or(...wholes) : formulas.yes,
          );
          if (declared === formulas.yes) untyped.add(place);
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
      const second = new SecondRequest(world, openRoles, (raw, first, other) =>
        formulas.choose(isDamaged.get(raw) ?? formulas.no, other, first),
      );
      return findOpening(prover, set, solver, second, limits, (request) => opened(request) !== undefined);
    },
  };
}

/** The law: removing a role from a key with several roles, or a member from one of its lists, opens nothing. */
export function reduction(set: PolicySet): SolvedLaw {
  const opened = (request: RequestJson) => firstOpened(set, request, reduced(request));
  return {
    claim: "Removing a role or a permission from a key never allows more.",
    opened,
    find: async (prover, solver) => {
      const { world } = prover;
      const { formulas } = world;
      const limits: Formula[] = [];
      prover.close(set);
      const lists = new Set([world.roles, ...below(world.attributes("key"))]);
      const openRoles = [...prover.plans.openRoles.values()];
      const second = new SecondRequest(world, openRoles, (raw, first, other) => {
        if (!lists.has(raw) || first.op !== "unknown") return first;
        if (first === raw.size) limits.push(formulas.atMost(other, first));
        // Every member of the shorter list is in the longer one. How the shorter list compares with other values is
        // unknown.
        if (first === raw.size || first.name.startsWith("same ")) return other;
        return first.name.startsWith(`${raw.key} has `) || openRoles.includes(first)
          ? formulas.and(first, other)
          : first;
      });
      for (const list of lists) {
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
): Promise<SearchResult> {
  const { formulas, facts } = prover.world;
  const { permitted, supported } = prover.outcomes(set);
  for (const layer of [permitted, supported]) {
    const opens = formulas.and(second.of(layer), formulas.not(layer));
    const others = [...[...facts].map((fact) => second.of(fact)), ...limits];
    const found = await prover.find(opens, solver, replays, { others });
    if (found.kind !== "none") return found;
  }
  return { kind: "none" };
}

function below(raw: RawValue): readonly RawValue[] {
  return [...raw.members.values()].flatMap((member) => [member, ...below(member)]);
}

function firstOpened(set: PolicySet, before: RequestJson, others: Iterable<RequestJson>): Opened | undefined {
  if (hasFaults(set, before)) return undefined;
  const first = decideAny(set, requestOf(before));
  for (const after of others) {
    const second = decideAny(set, requestOf(after));
    const isAllowed = first.outcome !== "allow" && second.outcome === "allow";
    if (isAllowed || LAYERS.some((layer) => first[layer].effect === "deny" && second[layer].effect === "allow")) {
      return { before, after };
    }
  }
  return undefined;
}

/**
 * Do the attributes that are present violate the schemas? Missing attributes do not count: they are damage already
 * done.
 */
function hasFaults(set: PolicySet, request: RequestJson): boolean {
  return schemaFaultsOf(set, request).some(({ message }) => !message.startsWith("missing propert"));
}

type Members = { readonly [name: string]: JsonValue };

/** The values tried in the place of an attribute, in addition to removing it. */
type Others = (place: string) => readonly JsonValue[];

const VALUES: readonly JsonValue[] = [null, false, true, 0, 1, 1e9, "", "x", [], {}];

/**
 * The request with each attribute removed, and with values of other types in its place. Then with each pair of
 * attributes set to `null`, because two nulls might count as equal.
 */
function* damaged(
  request: RequestJson,
  asked: ReadonlySet<string>,
  untyped: ReadonlySet<string>,
): Generator<RequestJson> {
  yield* damagedBy(request, asked, (place) => (untyped.has(place) ? [null] : VALUES));
  for (const one of damagedBy(request, asked, () => [null])) yield* damagedBy(one, asked, () => [null]);
}

function* damagedBy(request: RequestJson, asked: ReadonlySet<string>, others: Others): Generator<RequestJson> {
  const { key, resource, account } = request;
  const mapsOf = (subject: string, attr: Members) => damagedMaps(subject, attr, asked, others);
  for (const attr of mapsOf("key", key.attr)) yield { ...request, key: { ...key, attr } };
  for (const attr of mapsOf("resource", resource.attr)) yield { ...request, resource: { ...resource, attr } };
  if (account === undefined) return;
  for (const attr of mapsOf("account", account.attr)) yield { ...request, account: { ...account, attr } };
}

function* damagedMaps(path: string, map: Members, asked: ReadonlySet<string>, values: Others): Generator<Members> {
  for (const [name, value] of Object.entries(map)) {
    const { [name]: _taken, ...others } = map;
    const place = `${path}.${name}`;
    if (isObject(value)) {
      for (const inner of damagedMaps(place, value, asked, values)) yield { ...map, [name]: inner };
    }
    if (touches(place, asked)) continue;
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
function* reduced(request: RequestJson): Generator<RequestJson> {
  const { key } = request;
  for (const role of key.roles) {
    const roles = key.roles.filter((one) => one !== role);
    if (roles.length > 0) yield { ...request, key: { ...key, roles } };
  }
  for (const attr of shorterLists(key.attr)) yield { ...request, key: { ...key, attr } };
}

function* shorterLists(map: Members): Generator<Members> {
  for (const [name, value] of Object.entries(map)) {
    if (isObject(value)) for (const inner of shorterLists(value)) yield { ...map, [name]: inner };
    if (!isList(value)) continue;
    for (const i of value.keys()) yield { ...map, [name]: value.filter((_, at) => at !== i) };
  }
}
