/** What two answers to one CheckResources request differ in. */

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
  /** Which result and which action, where the difference is in one. */
  readonly resource?: number;
  readonly action?: string;
}

/** Every difference, most telling first; none if the answers agree. `loose`: see {@link looseSources}. */
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
 * Outputs as a multiset. Where a DENY cuts the examination of rules short, only that the outputs of one rule are the
 * same on both sides, as far as both have them.
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
      // A rule can be examined for several roles, and meet its condition for one of them only.
      if (a.some((value) => b.includes(value)) || cuts.has(action)) continue;
    }
    if (loose.has(key.slice(0, key.indexOf(" ")))) a = without(a, b);
    const [x, y] = [a.sort().join(" "), b.sort().join(" ")];
    if (x !== y) differences.push({ aspect: "outputs", detail: `output of ${key}: server ${x}, here ${y}` });
  }
  return differences;
}

/** What of `fewer` is in `more`: all of it, if `more` only has some besides. */
function without(more: readonly string[], fewer: readonly string[]): string[] {
  const left = [...more];
  return fewer.filter((value) => {
    const at = left.indexOf(value);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/**
 * The rules, as outputs name them, of which the server reports `conditionNotMet` at random: those for derived roles.
 * It reports none when it finds that the derived role is not active, but does where it remembers that, which is for
 * every action and role after the first, and it takes actions in random order.
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
  // `NO_MATCH` is also what it says where only the resource's version has a policy for the principal.
  const decides = /^(principal\.|NO_MATCH$)/.test(textAt(found, "matchedPolicy"));
  return decides && textAt(objectAt(server, "actions"), action) === "EFFECT_DENY";
}

/** The server quotes a text that is no timestamp; here what is said of an error has no values of a request in it. */
function errorOf(output: JsonObject): string {
  return textAt(output, "error").replace(
    /^invalid RFC 3339 timestamp .*$/s,
    "type conversion error from 'string' to 'google.protobuf.Timestamp'",
  );
}

/** Values by `src action`. */
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
