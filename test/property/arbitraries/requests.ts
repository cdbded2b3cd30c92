/** Requests that fit a policy set. */

import fc from "fast-check";
import type { JsonValue } from "../../../src/cel/json.js";
import { Choices } from "../../../src/testing/laws/choices.js";
import { otherTypes } from "../../../src/testing/laws/damage.js";
import type { Attr, PlainRequest, Value } from "../../../src/testing/laws/plain-request.js";
import type { PolicyDocuments } from "../../reference/documents.js";
import { actionMatches } from "../../reference/glob.js";
import {
  ATTRIBUTES,
  IDS,
  KINDS,
  NOWS,
  OPERATIONS,
  OPTIONAL,
  ROLES,
  type Sort,
  type SubjectName,
  VERSION,
  valueFor,
} from "./vocabulary.js";

export interface RequestOptions {
  /** Every attribute has its type (some may be absent). Default: now and then one has another. */
  readonly wellTyped?: boolean;
}

/** A request about what the policies of `documents` mention: mostly their kinds, their operations and their values. */
export function request(documents: PolicyDocuments, options: RequestOptions = {}): fc.Arbitrary<PlainRequest> {
  const versions: readonly string[] = Object.values(VERSION);
  const policies = documents.flatMap(({ disabled, resourcePolicy: policy }) =>
    disabled || !policy || !versions.includes(policy.version) ? [] : [policy],
  );
  const kind = fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...policies.map((policy) => policy.resource)) },
    { weight: 1, arbitrary: fc.constantFrom(...KINDS, "nothing") },
  );
  return kind.chain((chosen) => {
    const rules = policies.filter((policy) => policy.resource === chosen).flatMap((policy) => policy.rules ?? []);
    const patterns = rules.flatMap((rule) => rule.actions);
    const mentioned = OPERATIONS.filter((one) => patterns.some((pattern) => actionMatches(pattern, one)));
    const id = fc.constantFrom(...IDS);
    const now = fc.constantFrom(...NOWS).map((text) => ({ now: new Date(text) }));
    return fc
      .record({
        key: fc.record({
          id,
          roles: fc.shuffledSubarray([...ROLES], { minLength: 1, maxLength: 3 }),
          attr: attributes("key", options),
        }),
        operation: fc.oneof(
          { weight: 15, arbitrary: fc.constantFrom<string>(...(mentioned.length > 0 ? mentioned : OPERATIONS)) },
          { weight: 1, arbitrary: fc.constantFrom<string>(...OPERATIONS, "unheard:of", "doc:") },
        ),
        resource: fc.record({
          kind: chosen === "album:object" ? fc.constantFrom("album:object", "album_object") : fc.constant(chosen),
          id,
          attr: attributes("resource", options),
        }),
        account: fc.record({ id, attr: attributes("account", options) }),
        time: fc.option(now, { nil: {}, freq: 60 }),
      })
      .map(({ time, ...rest }) => ({ ...rest, ...time }));
  });
}

const ABSENT = Symbol("absent");

function attributes(subject: SubjectName, { wellTyped = false }: RequestOptions): fc.Arbitrary<Attr> {
  const fields = Object.entries(ATTRIBUTES[subject]).map(
    ([name, sort]) => [name, attribute(name, sort, wellTyped)] as const,
  );
  return fc.record(Object.fromEntries(fields)).map((all) => {
    const there = Object.entries(all).filter((entry): entry is [string, JsonValue] => entry[1] !== ABSENT);
    return Object.fromEntries(there) as Attr;
  });
}

function attribute(name: string, sort: Sort, wellTyped: boolean): fc.Arbitrary<JsonValue | typeof ABSENT> {
  const value = valueFor(sort);
  return fc.oneof(
    { weight: OPTIONAL.has(name) ? 8 : 150, arbitrary: value },
    { weight: OPTIONAL.has(name) ? 2 : 1, arbitrary: fc.constant(ABSENT) },
    {
      weight: wellTyped || OPTIONAL.has(name) ? 0 : 1,
      arbitrary: value.chain((right) => fc.constantFrom(...otherTypes(right as Value))),
    },
  );
}

/** The same request, with the key's roles and permissions in another order. */
export function permutedRequest(original: PlainRequest): fc.Arbitrary<PlainRequest> {
  return fc.nat().map((seed) => {
    const choices = new Choices(seed);
    const { key } = original;
    const { permissions } = key.attr;
    const attr = Array.isArray(permissions) ? { ...key.attr, permissions: choices.shuffled(permissions) } : key.attr;
    return { ...original, key: { ...key, roles: choices.shuffled(key.roles), attr } };
  });
}
