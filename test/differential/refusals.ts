/**
 * Decides whether two answers that name different refusals are both right.
 *
 * Several DENY rules of one scope can hold: rules of the resource policy and refusals of role policies. The server then
 * names the first that it reaches, and it visits included roles in random order. So a difference in the name alone is
 * ignored if the policy that the server names refuses as well.
 *
 * With strict evaluation the same holds for conditions of one scope that err, in rules and in derived roles: the server
 * names the first. An error ends the search through roles, and a denial does not. So the other order of a rule's
 * derived roles may also name another scope.
 */

import { type PolicyKind, policyKey } from "../../src/policy/names.js";
import type { Difference } from "./compare.js";
import { isObject, type JsonObject, listAt, objectAt, textAt } from "./json.js";
import { LocalStore } from "./local.js";
import type { GeneratedRequest } from "./requests.js";
import type { Store } from "./store.js";

/** Does the policy that the server names for a refusal also refuse here, once the policies before it do not? */
export function alsoRefuses(
  store: Store,
  request: GeneratedRequest,
  server: JsonObject,
  { aspect, resource, action }: Difference,
): boolean {
  if ((aspect !== "policy" && aspect !== "scope") || resource === undefined || action === undefined) return false;
  const wanted = refusal(server, resource, action);
  const reversed = LocalStore.load(withReversedRoles(store));
  if (reversed instanceof LocalStore) {
    const found = refusal(reversed.check(request).body, resource, action);
    if (found !== undefined && found.policy === wanted?.policy && found.scope === wanted.scope) return true;
  }
  if (aspect === "scope") return false;
  let current = store;
  for (let i = 0; i < 10; i++) {
    const local = LocalStore.load(current);
    if (!(local instanceof LocalStore)) return false;
    const found = refusal(local.check(request).body, resource, action);
    if (found === undefined || wanted === undefined || found.scope !== wanted.scope) return false;
    if (found.policy === wanted.policy || local.isError(request, resource, action)) return true;
    current = withoutRefusals(current, found);
  }
  return false;
}

/** The store with each rule's derived roles in reverse order. The server's order differs from start to start. */
function withReversedRoles({ options, files }: Store): Store {
  const changed = Object.entries(files).map(([path, file]): [string, JsonObject] => {
    const policy = objectAt(file, "resourcePolicy");
    const rules = listAt(policy, "rules")
      .filter(isObject)
      .map((rule) =>
        rule.derivedRoles === undefined ? rule : { ...rule, derivedRoles: listAt(rule, "derivedRoles").toReversed() },
      );
    return [path, file.resourcePolicy === undefined ? file : { ...file, resourcePolicy: { ...policy, rules } }];
  });
  return { options, files: Object.fromEntries(changed) };
}

interface Refusal {
  readonly policy: string;
  readonly scope: string;
}

function refusal(answer: JsonObject, resource: number, action: string): Refusal | undefined {
  const result = listAt(answer, "results")[resource];
  if (!isObject(result) || objectAt(result, "actions")[action] !== "EFFECT_DENY") return undefined;
  const found = objectAt(objectAt(objectAt(result, "meta"), "actions"), action);
  return { policy: textAt(found, "matchedPolicy"), scope: textAt(found, "matchedScope") };
}

/** The store without the named refusal: a role policy then allows everything, and a resource policy has no rules. */
function withoutRefusals({ options, files }: Store, { policy, scope }: Refusal): Store {
  // The server names a resource policy by the scope of the request, wherever the rule is.
  const [named = ""] = policy.split("/");
  const resourceKey = scope === "" ? named : `${named}/${scope}`;
  const changed = Object.entries(files).map(([path, file]): [string, JsonObject] => {
    const [role, resource] = [objectAt(file, "rolePolicy"), objectAt(file, "resourcePolicy")];
    const key = (kind: PolicyKind, name: string, body: JsonObject) =>
      policyKey(kind, name, textAt(body, "version") || "default", textAt(body, "scope"));
    if (key("role", textAt(role, "role"), role) === policy) {
      return [path, { ...file, rolePolicy: { ...role, rules: [{ resource: "*", allowActions: ["*"] }] } }];
    }
    const isNamed = key("resource", textAt(resource, "resource"), resource) === resourceKey;
    return [path, isNamed ? { ...file, resourcePolicy: { ...resource, rules: [] } } : file];
  });
  return { options, files: Object.fromEntries(changed) };
}
