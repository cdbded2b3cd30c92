/** Shrinks a request to the smallest one nearby that still shows the same thing. */

import { isList, isObject, type JsonValue } from "../cel/json.js";
import type { RequestJson } from "../space/draft.js";

/** The number of requests tried at most. */
const MAX_TRIED = 600;

/** Removes everything that is not needed: the time, scopes, roles, attributes and list elements. */
export function shrunk(request: RequestJson, shows: (request: RequestJson) => boolean): RequestJson {
  let tried = 0;
  let best = request;
  const accepts = (one: RequestJson) => tried++ < MAX_TRIED && shows(one);
  for (let isSmaller = true; isSmaller && tried < MAX_TRIED; ) {
    isSmaller = false;
    for (const smaller of smallerThan(best)) {
      if (!accepts(smaller)) continue;
      best = smaller;
      isSmaller = true;
      break;
    }
  }
  return best;
}

function* smallerThan(request: RequestJson): Generator<RequestJson> {
  const { now, ...untimed } = request;
  const { key, resource, account } = untimed;
  if (now !== undefined) yield untimed;
  if (key.scope !== undefined) yield { ...request, key: withoutScope(key) };
  if (resource.scope !== undefined) yield { ...request, resource: withoutScope(resource) };
  if (account?.scope !== undefined) yield { ...request, account: withoutScope(account) };
  if (key.roles.length > 1) {
    for (const role of key.roles) {
      yield { ...request, key: { ...key, roles: key.roles.filter((one) => one !== role) } };
    }
  }
  for (const attr of smallerMaps(key.attr)) yield { ...request, key: { ...key, attr } };
  for (const attr of smallerMaps(resource.attr)) yield { ...request, resource: { ...resource, attr } };
  if (account !== undefined) {
    for (const attr of smallerMaps(account.attr)) yield { ...request, account: { ...account, attr } };
  }
}

function withoutScope<T extends { readonly scope?: string }>({ scope: _taken, ...rest }: T): Omit<T, "scope"> {
  return rest;
}

function* smallerMaps(map: { readonly [name: string]: JsonValue }): Generator<{ [name: string]: JsonValue }> {
  for (const [name, value] of Object.entries(map)) {
    const { [name]: _taken, ...others } = map;
    yield others;
    if (isList(value)) {
      for (const i of value.keys()) yield { ...map, [name]: value.filter((_, at) => at !== i) };
    } else if (isObject(value)) for (const inner of smallerMaps(value)) yield { ...map, [name]: inner };
  }
}

/** A request, or two with the same key. */
export interface FoundRequests {
  readonly request: RequestJson;
  readonly second?: RequestJson;
}

/** The smallest requests nearby that still show the same thing: the first one with its key, then the second one. */
export function shrunkRequests(
  { request, second }: FoundRequests,
  shows: (request: RequestJson, second?: RequestJson) => boolean,
): FoundRequests {
  if (second === undefined) return { request: shrunk(request, (one) => shows(one)) };
  const first = shrunk(request, (one) => shows(one, { ...second, key: one.key }));
  const { key } = first;
  return { request: first, second: { ...shrunk({ ...second, key }, (one) => shows(first, { ...one, key })), key } };
}
