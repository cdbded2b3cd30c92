/** Compares two answers to one CheckResources request. */

import { generatedRuleName, policyKey } from "../../src/policy/names.js";
import { canonical, isObject, type Json, type JsonObject, listAt, objectAt, textAt } from "./json.js";
import type { LocalAnswer } from "./local.js";
import type { Store } from "./store.js";

export type Aspect =
  | "load"
  | "status"
  | "effect"
  | "policy"
  | "scope"
  | "derivedRoles"
  | "outputs"
  | "validationErrors";

export interface Difference {
  readonly aspect: Aspect;
  readonly detail: string;
  /** The result and the action, for a difference inside one. */
  readonly resource?: number;
  readonly action?: string;
}

/** All differences, the most telling first; empty if the answers agree. `loose`: see {@link looseSources}. */
export function compareAnswers(
  server: JsonObject,
  { body, cuts }: LocalAnswer,
  loose: ReadonlySet<string>,
): readonly Difference[] {
  if (server.status !== undefined || body.status !== undefined) {
    return (server.status === undefined) === (body.status === undefined)
      ? []
      : [{ aspect: "status", detail: `${JSON.stringify(server)} / ${JSON.stringify(body)}` }];
  }
  const ours = listAt(body, "results").filter(isObject);
  return listAt(server, "results")
    .filter(isObject)
    .flatMap((theirs, resource) =>
      compareResults(theirs, ours[resource] ?? {}, cuts[resource] ?? new Set(), loose).map((difference) => ({
        ...difference,
        resource,
      })),
    );
}

function compareResults(
  server: JsonObject,
  local: JsonObject,
  cuts: ReadonlySet<string>,
  loose: ReadonlySet<string>,
): readonly Difference[] {
  const meta = { server: objectAt(server, "meta"), local: objectAt(local, "meta") };
  const differences: Difference[] = [];
  const compare = (aspect: Aspect, what: string, theirs: Json, ours: Json, place: Pick<Difference, "action"> = {}) => {
    const [a, b] = [canonical(theirs), canonical(ours)];
    if (a !== b) differences.push({ aspect, detail: `${what}: server ${a}, here ${b}`, ...place });
  };
  compare("effect", "resource", objectAt(server, "resource"), objectAt(local, "resource"));
  compare("effect", "effects", objectAt(server, "actions"), objectAt(local, "actions"));
  const found = { server: objectAt(meta.server, "actions"), local: objectAt(meta.local, "actions") };
  for (const action of Object.keys(objectAt(server, "actions"))) {
    const [theirs, ours] = [objectAt(found.server, action), objectAt(found.local, action)];
    compare("policy", `policy of ${action}`, textAt(theirs, "matchedPolicy"), textAt(ours, "matchedPolicy"), {
      action,
    });
    compare("scope", `scope of ${action}`, textAt(theirs, "matchedScope"), textAt(ours, "matchedScope"), { action });
  }
  const roles = (side: JsonObject) => [...new Set(listAt(side, "effectiveDerivedRoles"))].sort();
  compare("derivedRoles", "derived roles", roles(meta.server), roles(meta.local));
  const faults = (side: JsonObject) => [...new Set(listAt(side, "validationErrors").map(faultOf))].sort();
  compare("validationErrors", "validation errors", faults(server), faults(local));
  differences.push(...compareOutputs(server, local, cuts, loose));
  return differences;
}

function faultOf(error: Json): string {
  return isObject(error) ? `${textAt(error, "source")} ${textAt(error, "path")}` : "";
}

/**
 * Compares outputs as multisets. Where a DENY rule ends the examination early, either side may lack outputs. Then a
 * rule's outputs are compared only if both sides have some.
 */
function compareOutputs(
  server: JsonObject,
  local: JsonObject,
  cuts: ReadonlySet<string>,
  loose: ReadonlySet<string>,
): readonly Difference[] {
  const [theirs, ours] = [outputsBySource(server), outputsBySource(local)];
  const differences: Difference[] = [];
  for (const key of new Set([...theirs.keys(), ...ours.keys()])) {
    const action = key.slice(key.indexOf(" ") + 1);
    const denied = cuts.has(action) || deniedByPrincipal(server, action);
    let [a, b] = [theirs.get(key) ?? [], ours.get(key) ?? []];
    if (denied) {
      if (a.length === 0 || b.length === 0) continue;
      [a, b] = [[...new Set(a)], [...new Set(b)]];
      // A rule can be examined for several roles, and its condition may hold for only one of them.
      if (a.some((value) => b.includes(value)) || cuts.has(action)) continue;
    }
    if (loose.has(key.slice(0, key.indexOf(" ")))) a = without(a, b);
    const [x, y] = [a.sort().join(" "), b.sort().join(" ")];
    if (x !== y) differences.push({ aspect: "outputs", detail: `output of ${key}: server ${x}, here ${y}` });
  }
  return differences;
}

/** The intersection of two multisets. It equals `fewer` if `more` only has additional values. */
function without(more: readonly string[], fewer: readonly string[]): string[] {
  const left = [...more];
  return fewer.filter((value) => {
    const at = left.indexOf(value);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/**
 * The rules with derived roles, as outputs name them. The server reports their `conditionNotMet` at random: not when it
 * first finds the derived role inactive, but again for every later action and role, because it remembers the result. It
 * takes actions in random order.
 */
export function looseSources({ files }: Store): ReadonlySet<string> {
  const sources = new Set<string>();
  for (const file of Object.values(files)) {
    const policy = objectAt(file, "resourcePolicy");
    const key = policyKey("resource", textAt(policy, "resource"), textAt(policy, "version"), textAt(policy, "scope"));
    for (const [i, rule] of listAt(policy, "rules").filter(isObject).entries()) {
      const when = objectAt(objectAt(rule, "output"), "when");
      if (listAt(rule, "derivedRoles").length === 0 || when.conditionNotMet === undefined) continue;
      sources.add(`${key}#${textAt(rule, "name") || generatedRuleName(i)}`);
    }
  }
  return sources;
}

function deniedByPrincipal(server: JsonObject, action: string): boolean {
  const found = objectAt(objectAt(objectAt(server, "meta"), "actions"), action);
  // The server also reports `NO_MATCH` where only the resource's version has a policy for the principal.
  const decides = /^(principal\.|NO_MATCH$)/.test(textAt(found, "matchedPolicy"));
  return decides && textAt(objectAt(server, "actions"), action) === "EFFECT_DENY";
}

/** The server's error quotes an invalid timestamp. This engine's errors contain no values of a request. */
function errorOf(output: JsonObject): string {
  return textAt(output, "error").replace(
    /^invalid RFC 3339 timestamp .*$/s,
    "type conversion error from 'string' to 'google.protobuf.Timestamp'",
  );
}

/** The values of outputs, grouped by `src action`. */
function outputsBySource(side: JsonObject): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const output of listAt(side, "outputs")) {
    if (!isObject(output)) continue;
    const key = `${textAt(output, "src")} ${textAt(output, "action")}`;
    const said = output.error === undefined ? canonical(output.val ?? null) : `error ${errorOf(output)}`;
    groups.set(key, [...(groups.get(key) ?? []), said]);
  }
  return groups;
}
