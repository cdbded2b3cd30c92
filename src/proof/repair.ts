/**
 * Makes requests of a solver well-formed. The solver chooses only the values that policies read, and does not know all
 * keywords of schemas.
 */

import { isList, isObject, type JsonObject, type JsonValue, valueAtPath } from "../cel/json.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { schemaFaultsOf } from "../decisions/schema-faults.js";
import type { ValidationError } from "../engine/evaluate/attribute-schemas.js";
import type { OperationQuestion } from "../engine/plan/questions.js";
import { pointerNames } from "../schema/references.js";
import { LAYERS } from "../space/dimension.js";
import type { RequestJson } from "../space/draft.js";
import { questionSpaceOf } from "../space/question-space.js";

/** The most repairs of one request. */
const MAX_REPAIRS = 20;

/**
 * The request with the required attributes that it lacks, and with sample values in the places of refused values. No
 * request if the schemas of `set` refuse that, too.
 */
export function repaired(set: PolicySet, question: OperationQuestion, found: RequestJson): readonly RequestJson[] {
  const sample = sampleOf(set, question);
  let request = eachAttributes(found, sample, completed);
  for (let n = 0; n < MAX_REPAIRS; n++) {
    const [fault] = schemaFaultsOf(set, request);
    if (fault === undefined) return [request];
    request = withoutFault(request, sample, fault);
  }
  return [];
}

/** Samples of the attributes that schemas require. */
interface Sample {
  readonly key: JsonObject;
  readonly account: JsonObject;
  readonly resource: JsonObject;
}

function sampleOf(set: PolicySet, question: OperationQuestion): Sample {
  const [permission, platform] = LAYERS.map((layer) => questionSpaceOf([set], layer, question).schemas);
  return {
    key: permission?.principal?.sample() ?? {},
    account: platform?.principal?.sample() ?? {},
    resource: { ...permission?.resource?.sample(), ...platform?.resource?.sample() },
  };
}

type AttributeChange = (attributes: JsonObject, sample: JsonObject) => JsonObject;

function eachAttributes(request: RequestJson, sample: Sample, change: AttributeChange): RequestJson {
  return withPrincipals({ ...request, resource: changed(request.resource, sample.resource, change) }, sample, change);
}

function withPrincipals(request: RequestJson, sample: Sample, change: AttributeChange): RequestJson {
  const { key, account } = request;
  return {
    ...request,
    key: changed(key, sample.key, change),
    ...(account === undefined ? {} : { account: changed(account, sample.account, change) }),
  };
}

function changed<T extends { readonly attr: JsonObject }>(subject: T, sample: JsonObject, change: AttributeChange): T {
  return { ...subject, attr: change(subject.attr, sample) };
}

/** The attributes, with those of the sample that are missing. */
function completed(attributes: JsonObject, sample: JsonObject): JsonObject {
  const made = new Map<string, JsonValue>(Object.entries(attributes));
  for (const [name, value] of Object.entries(sample)) {
    const own = made.get(name);
    if (own === undefined) made.set(name, value);
    else if (isObject(own) && isObject(value)) made.set(name, completed(own, value));
  }
  return Object.fromEntries(made);
}

/** The request with the sample's value in the place of a fault; without the value or element if the sample has none. */
function withoutFault(request: RequestJson, sample: Sample, { path, source }: ValidationError): RequestJson {
  const names = pointerNames(path);
  const change: AttributeChange = (own, other) => withValueAt(own, names, valueAtPath(other, names));
  if (source === "principal") return withPrincipals(request, sample, change);
  return { ...request, resource: changed(request.resource, sample.resource, change) };
}

function withValueAt(map: JsonObject, [name, ...inner]: readonly string[], value: JsonValue | undefined): JsonObject {
  if (name === undefined || !Object.hasOwn(map, name)) return map;
  const own = map[name];
  const [index] = inner;
  if (isList(own) && index !== undefined) return { ...map, [name]: own.filter((_, at) => String(at) !== index) };
  if (inner.length > 0) return isObject(own) ? { ...map, [name]: withValueAt(own, inner, value) } : map;
  const { [name]: _refused, ...others } = map;
  return value === undefined ? others : { ...map, [name]: value };
}
