/** A request with another key: some parts of the key have given values. All else is as in the request in question. */

import { isList, isObject, type JsonValue, valueAtPath } from "../../cel/json.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { schemaFaultsOf } from "../../decisions/schema-faults.js";
import type { Formula, JsonKind } from "../../engine/formula/formula.js";
import type { RawValue } from "../../engine/formula/raw-value.js";
import type { FormulaWorld } from "../../engine/formula/world.js";
import { pointerNames } from "../../schema/references.js";
import type { RequestJson } from "../../space/draft.js";
import { sameSearches } from "../laws/searches.js";
import { SecondRequest } from "../laws/second-request.js";
import type { QuestionProver } from "../question-prover.js";
import type { ClaimedKey } from "./types.js";

/** The formulas of a request, and the facts that hold of it. */
export interface OtherRequest {
  of(formula: Formula): Formula;
  readonly facts: readonly Formula[];
}

/** Translates the members of given lists. Call it before {@link keyedRequest}, which closes the prover. */
export function translateKey({ world }: QuestionProver, key: ClaimedKey): void {
  for (const [raw, value] of givenValues(world, key)) {
    for (const item of isList(value) ? value : []) {
      if (typeof item === "string") world.isIn(world.terms.of("text", { text: world.text(item) }), raw);
    }
  }
}

/** Call it after the last translation; it closes the prover. `name` tells several such requests apart. */
export function keyedRequest(prover: QuestionProver, set: PolicySet, key: ClaimedKey, name: string): OtherRequest {
  prover.close();
  const { world, plans } = prover;
  const { formulas } = world;
  const values = givenValues(world, key);
  const open = new Map(plans.roles.flatMap((one) => (one.isOpen ? [[plans.hasRole(one.name), one] as const] : [])));
  const fits = new Set(world.wholes.filter(({ raw }) => isFit(set, prover, key, raw.key)).map(({ fit }) => fit));
  const areSame = sameSearches(world, new Set(values.keys()));
  const isOfSchema = key.attr.length === 0 ? "attributes satisfy " : "\0";
  const change = (raw: RawValue, first: Formula, fresh: Formula): Formula => {
    if (!values.has(raw) || first.op !== "unknown") return first;
    const value = values.get(raw);
    const items = isList(value) ? value : [];
    const role = open.get(first);
    if (role !== undefined) return formulas.bool(items.some((item) => typeof item === "string" && role.has(item)));
    if (first === raw.kind) return formulas.kind(kindOf(value));
    if (first === raw.bool) return formulas.bool(value === true);
    if (first === raw.number) return formulas.number(typeof value === "number" ? value : 0);
    if (first === raw.text) return formulas.text(typeof value === "string" ? value : "");
    if (first === raw.size) return formulas.number(items.length);
    if (fits.has(first)) return formulas.yes;
    const [argument] = first.args;
    const equal = (type: string, constant: (item: JsonValue) => Formula) =>
      formulas.or(
        ...items
          .filter((item) => typeof item === type)
          .map((item) => (argument === undefined ? formulas.no : formulas.same(argument, constant(item)))),
      );
    switch (first.name.slice(raw.key.length)) {
      case " has null":
        return formulas.bool(items.includes(null));
      case " has text":
        return equal("string", (item) => formulas.text(String(item)));
      case " has number":
        return equal("number", (item) => formulas.number(Number(item)));
      case " has truth":
        return equal("boolean", (item) => formulas.bool(item === true));
      default:
        return fresh;
    }
  };
  const isSame = (unknown: Parameters<typeof areSame>[0]) => areSame(unknown) || unknown.name.startsWith(isOfSchema);
  const other = new SecondRequest(world, open.keys(), change, { isSame, name });
  return { of: (formula) => other.of(formula), facts: [...world.facts].map((fact) => other.of(fact)) };
}

/** The request with the parts of the key. */
export function withKey(request: RequestJson, { roles, attr }: ClaimedKey): RequestJson {
  const { key } = request;
  const given = roles === undefined ? {} : { roles: roles.map(({ name }) => name) };
  const values = Object.fromEntries(attr.map(({ name, value }) => [name, value]));
  return { ...request, key: { ...key, ...given, attr: { ...key.attr, ...values } } };
}

/** The values that a claim gives parts of a key. Undefined: the part is absent. */
function givenValues(world: FormulaWorld, { roles, attr }: ClaimedKey): ReadonlyMap<RawValue, JsonValue | undefined> {
  const values = new Map<RawValue, JsonValue | undefined>();
  const give = (raw: RawValue, value: JsonValue | undefined): void => {
    values.set(raw, value);
    for (const [name, member] of raw.members) {
      give(member, isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined);
    }
  };
  if (roles !== undefined) {
    give(
      world.roles,
      roles.map(({ name }) => name),
    );
  }
  for (const { name, value } of attr) give(world.attributes("key").member(name), value);
  return values;
}

function kindOf(value: JsonValue | undefined): JsonKind {
  if (value === undefined) return "absent";
  if (value === null) return "null";
  if (isList(value)) return "list";
  if (isObject(value)) return "map";
  return typeof value === "string" ? "text" : typeof value === "number" ? "number" : "bool";
}

/** True if the schemas allow the given value at the place of a part of the key. */
function isFit(set: PolicySet, { question }: QuestionProver, key: ClaimedKey, place: string): boolean {
  const { kind, operation } = question;
  const empty: RequestJson = {
    key: { id: "key_1", roles: ["role"], attr: {} },
    operation,
    resource: { kind, id: "id", attr: {} },
  };
  const request = withKey(empty, key);
  const names = [...place.matchAll(/\."((?:[^"\\]|\\.)*)"/g)].map(([, name = ""]) => name);
  if (names.length === 0 || valueAtPath(request.key.attr, names) === undefined) return false;
  return !schemaFaultsOf(set, request).some(({ path, source }) => {
    const at = pointerNames(path);
    return source === "principal" && names.every((name, i) => at[i] === undefined || at[i] === name) && at.length > 0;
  });
}
