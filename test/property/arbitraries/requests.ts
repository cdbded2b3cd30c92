/** Requests that fit a policy set. */

import fc from "fast-check";
import type { JsonValue } from "../../../src/cel/json.js";
import { SeededChoices } from "../../../src/testing/laws/choices.js";
import { otherTypes } from "../../../src/testing/laws/damage.js";
import type { PlainRequest, PlainValue, RequestAttributes } from "../../../src/testing/laws/plain-request.js";
import type { PolicyDocuments } from "../../reference/documents.js";
import { actionMatches } from "../../reference/glob.js";
import {
  ATTRIBUTES,
  IDS,
  KINDS,
  type Layer,
  NOWS,
  OPERATIONS,
  OPTIONAL,
  RESTRICTED_ROLES,
  ROLES,
  type Sort,
  type SubjectName,
  VERSION,
  valueFor,
} from "./vocabulary.js";

export interface RequestOptions {
  /** Do all present attributes have their declared type? Default: occasionally one does not. */
  readonly wellTyped?: boolean;
}

/** A request that mostly uses kinds, operations and values of the policies in `documents`. */
export function request(documents: PolicyDocuments, options: RequestOptions = {}): fc.Arbitrary<PlainRequest> {
  const versions: readonly string[] = Object.values(VERSION);
  const policies = documents.flatMap(({ disabled, resourcePolicy: policy }) =>
    disabled || !policy || !versions.includes(policy.version) ? [] : [policy],
  );
  const { keys, accounts, principalScopes, resourceScopes, roles } = targetsIn(documents);
  const kind = fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...policies.map((policy) => policy.resource)) },
    { weight: 1, arbitrary: fc.constantFrom(...KINDS, "nothing") },
  );
  return kind.chain((chosen) => {
    const rules = policies.filter((policy) => policy.resource === chosen).flatMap((policy) => policy.rules ?? []);
    const patterns = rules.flatMap((rule) => rule.actions);
    const mentioned = OPERATIONS.filter((one) => patterns.some((pattern) => actionMatches(pattern, one)));
    const id = fc.constantFrom(...IDS);
    const ownScopes = policies.filter((policy) => policy.resource === chosen).map(({ scope = "" }) => scope);
    const now = fc.constantFrom(...NOWS).map((text) => ({ now: new Date(text) }));
    return fc
      .record({
        key: fc.record({
          id: fc.constantFrom(...IDS, ...keys),
          roles: fc.shuffledSubarray([...ROLES, ...roles], { minLength: 1, maxLength: 3 }),
          attr: attributes("key", options),
          scope: scopeAmong(principalScopes, principalScopes),
        }),
        operation: fc.oneof(
          { weight: 15, arbitrary: fc.constantFrom<string>(...(mentioned.length > 0 ? mentioned : OPERATIONS)) },
          { weight: 1, arbitrary: fc.constantFrom<string>(...OPERATIONS, "unheard:of", "doc:") },
        ),
        resource: fc.record({
          kind: chosen === "album:object" ? fc.constantFrom("album:object", "album_object") : fc.constant(chosen),
          id,
          attr: attributes("resource", options),
          scope: scopeAmong(ownScopes, resourceScopes),
        }),
        account: fc.record({
          id: fc.constantFrom(...IDS, ...accounts),
          attr: attributes("account", options),
          scope: scopeAmong(principalScopes, principalScopes),
        }),
        time: fc.option(now, { nil: {}, freq: 60 }),
      })
      .map(({ time, key, resource, account, ...rest }) => ({
        ...rest,
        key: placed(key),
        resource: placed(resource),
        account: placed(account),
        ...time,
      }));
  });
}

/** Scopes, roles and ids in the policies. Sets that do not use the whole language have none. */
function targetsIn(documents: PolicyDocuments) {
  const enabled = documents.filter((document) => document.disabled !== true);
  const principals = enabled.flatMap(({ principalPolicy }) => principalPolicy ?? []);
  const restricted = enabled.flatMap(({ rolePolicy }) => rolePolicy ?? []);
  const resources = enabled.flatMap(({ resourcePolicy }) => resourcePolicy ?? []);
  const idsOf = (layer: Layer) =>
    principals.filter(({ version }) => version === VERSION[layer]).map(({ principal }) => principal);
  const names = [...restricted.flatMap(({ role, parentRoles = [] }) => [role, ...parentRoles])];
  return {
    keys: idsOf("permission"),
    accounts: idsOf("platform"),
    principalScopes: principals.map(({ scope = "" }) => scope),
    resourceScopes: [...resources, ...restricted.filter(({ rules = [] }) => rules.length > 0)].map(
      ({ scope = "" }) => scope,
    ),
    roles: RESTRICTED_ROLES.filter((role) => names.includes(role)),
  };
}

/** Mostly one of `near`, otherwise one of `all`, with or without a leading dot; rarely a scope below, or an unknown one. */
function scopeAmong(near: readonly string[], all: readonly string[]): fc.Arbitrary<string | undefined> {
  if (all.every((scope) => scope === "")) return fc.constant(undefined);
  const known = (scopes: readonly string[]) => fc.constantFrom(...(scopes.length > 0 ? scopes : all));
  const scope = fc.oneof(
    { weight: 30, arbitrary: known([...new Set(near)]) },
    { weight: 10, arbitrary: known([...new Set(all)]) },
    { weight: 1, arbitrary: fc.constantFrom("acme.eu.web", "nowhere", "acme.nowhere") },
  );
  return fc
    .tuple(scope, fc.nat({ max: 19 }))
    .map(([chosen, roll]) => (roll === 0 ? `.${chosen}` : chosen === "" && roll < 15 ? undefined : chosen));
}

function placed<T extends object>({ scope, ...rest }: T & { readonly scope: string | undefined }) {
  return scope === undefined ? rest : { ...rest, scope };
}

const ABSENT = Symbol("absent");

function attributes(subject: SubjectName, { wellTyped = false }: RequestOptions): fc.Arbitrary<RequestAttributes> {
  const fields = Object.entries(ATTRIBUTES[subject]).map(
    ([name, sort]) => [name, attribute(name, sort, wellTyped)] as const,
  );
  return fc.record(Object.fromEntries(fields)).map((all) => {
    const there = Object.entries(all).filter((entry): entry is [string, JsonValue] => entry[1] !== ABSENT);
    return Object.fromEntries(there) as RequestAttributes;
  });
}

function attribute(name: string, sort: Sort, wellTyped: boolean): fc.Arbitrary<JsonValue | typeof ABSENT> {
  const value = valueFor(sort);
  return fc.oneof(
    { weight: OPTIONAL.has(name) ? 8 : 150, arbitrary: value },
    { weight: OPTIONAL.has(name) ? 2 : 1, arbitrary: fc.constant(ABSENT) },
    {
      weight: wellTyped || OPTIONAL.has(name) ? 0 : 1,
      arbitrary: value.chain((right) => fc.constantFrom(...otherTypes(right as PlainValue))),
    },
  );
}

/** The same request with the key's roles and permissions reordered. */
export function permutedRequest(original: PlainRequest): fc.Arbitrary<PlainRequest> {
  return fc.nat().map((seed) => {
    const choices = new SeededChoices(seed);
    const { key } = original;
    const { permissions } = key.attr;
    const attr = Array.isArray(permissions) ? { ...key.attr, permissions: choices.shuffled(permissions) } : key.attr;
    return { ...original, key: { ...key, roles: choices.shuffled(key.roles), attr } };
  });
}
