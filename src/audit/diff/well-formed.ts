/** Requests that the schemas of a policy set allow. */

import { isList, isObject, type JsonValue } from "../../cel/json.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { schemaFaultsOf } from "../../proof/faults.js";
import type { RequestJson } from "../../space/draft.js";
import { questionSpaceOf } from "../../space/question-space.js";

/** Do the schemas of a set allow a request? */
export function isWellFormed(set: PolicySet, request: RequestJson): boolean {
  return schemaFaultsOf(set, request).length === 0;
}

/** A request with the attributes that the schemas of a set require. Values that it has stay. */
export function completedRequest(set: PolicySet, request: RequestJson): RequestJson {
  const { key, account, resource, operation } = request;
  const question = { kind: resource.kind, operation };
  const [permission, platform] = (["permission", "platform"] as const).map(
    (layer) => questionSpaceOf([set], layer, question).schemas,
  );
  const ofResource = { ...permission?.resource?.sample(), ...platform?.resource?.sample() };
  return {
    ...request,
    key: { ...key, attr: filled(key.attr, permission?.principal?.sample()) },
    resource: { ...resource, attr: filled(resource.attr, ofResource) },
    ...(account === undefined
      ? {}
      : { account: { ...account, attr: filled(account.attr, platform?.principal?.sample()) } }),
  };
}

type JsonMembers = { readonly [name: string]: JsonValue };

/** A map with the members of a sample that it lacks, at every depth. */
function filled(map: JsonMembers, sample: JsonMembers = {}): JsonMembers {
  const inner = Object.entries(map).map(([name, value]) => {
    const one = Object.hasOwn(sample, name) ? sample[name] : undefined;
    return [name, isMap(value) && isMap(one) ? filled(value, one) : value] as const;
  });
  return { ...sample, ...Object.fromEntries(inner) };
}

function isMap(value: JsonValue | undefined): value is JsonMembers {
  return value !== undefined && isObject(value) && !isList(value);
}
