/**
 * The naive evaluator: what a decision means, read straight off `reference/cerbos.md` (its section numbers are quoted)
 * and DESIGN.md. It takes policy files as plain data, looks at all of them for each request, and shares no code with
 * `src/`; the engine is compared with it.
 *
 * It assumes what the loader checks: no name is defined twice, every import and every variable exists, every
 * expression parses. Scopes, principal policies, role policies, globals and `runtime` are not in it, nor are the
 * expressions of versions after 0.51: no generated policy uses them (`test/cel/optionals.test.ts` has laws of its own).
 */

import type { JsonValue } from "../../src/cel/json.js";
import type { Account, DecisionRequest, Outcome } from "../../src/decisions/types.js";
import type { LayerEffect, LayerVerdict, Reason } from "../../src/engine/plan/verdict.js";
import type {
  Definitions,
  DerivedRoleDocument,
  Match,
  Named,
  PolicyDocument,
  PolicyDocuments,
  ResourcePolicyDocument,
  RuleDocument,
} from "./documents.js";
import { actionMatches } from "./glob.js";
import { error, fromJson, list, mapFromJson, string, toJson, type Val } from "./values.js";
import { type Environment, evaluate, stringLiteral } from "./walk.js";

export interface NaiveError {
  readonly policy: string;
  readonly rule: string;
  /** The expression of the condition or output that failed (not that of a variable it reads). */
  readonly expression: string;
  readonly message: string;
}

export interface NaiveVerdict extends Omit<LayerVerdict, "errors"> {
  readonly errors: readonly NaiveError[];
}

export interface NaiveDecision {
  readonly outcome: Outcome;
  readonly permission: NaiveVerdict;
  readonly platform: NaiveVerdict;
}

/** A principal or a resource, as far as policies can see it. */
export interface Subject {
  readonly id: string;
  readonly attr?: Named<unknown> | undefined;
  readonly policyVersion?: string | undefined;
  readonly scope?: string | undefined;
}
export interface NaivePrincipal extends Subject {
  readonly roles: readonly string[];
}
export interface NaiveResource extends Subject {
  readonly kind: string;
}

/**
 * DESIGN.md §1, in this order: the platform denies → `forbidden`; the permission layer denies →
 * `insufficient_permissions`; else `allow`. Both layers are always evaluated.
 */
export function naiveDecide(documents: PolicyDocuments, request: DecisionRequest): NaiveDecision {
  const { key, operation, resource, account, now } = request;
  const permission = naiveLayer(documents, "default", key, resource, operation, now);
  const platform = naiveLayer(documents, "platform", accountPrincipal(account), resource, operation, now);
  const outcome =
    platform.effect === "deny" ? "forbidden" : permission.effect === "deny" ? "insufficient_permissions" : "allow";
  return { outcome, permission, platform };
}

/** DESIGN.md §2: "In the platform layer `P` is the account, with the single role `account`." */
export function accountPrincipal(account: Account): NaivePrincipal {
  return { id: account.id, roles: ["account"], attr: account.attr };
}

/** The verdict of the layer whose policies have this version. */
export function naiveLayer(
  documents: PolicyDocuments,
  version: string,
  principal: NaivePrincipal,
  resource: NaiveResource,
  action: string,
  now: Date | undefined,
): NaiveVerdict {
  return examineLayer(documents, version, principal, resource, action, now).verdict;
}

/** A rule whose action matches, and for which a role of the principal or a derived role was considered. */
export interface ExaminedRule {
  readonly name: string;
  readonly effect: LayerEffect;
  /** What it gives as its reason when it decides (see `Reason.reason`). */
  readonly reason: string;
  /** The principal's roles that it applies to. */
  readonly roles: readonly string[];
  /** Its condition holds, for those roles. */
  readonly holds: boolean;
  /** Its condition, or that of a derived role that it lists, cannot be said. */
  readonly errs: boolean;
}

/** The verdict and how it came about. */
export interface Examination {
  readonly verdict: NaiveVerdict;
  readonly rules: readonly ExaminedRule[];
  /** What each role of the principal comes to by itself. */
  readonly roles: ReadonlyMap<string, RoleEffect>;
}

type RoleEffect = "allow" | "deny" | "nothing";

export function examineLayer(
  documents: PolicyDocuments,
  version: string,
  principal: NaivePrincipal,
  resource: NaiveResource,
  action: string,
  now: Date | undefined,
): Examination {
  const document = findPolicy(documents, version, resource.kind);
  const policy = document?.resourcePolicy;
  if (document === undefined || policy === undefined) return noPolicy(version);
  const key = `resource.${sanitised(policy.resource)}.v${policy.version}`; // §2.3
  const request = requestNames(principal, resource);
  const env = environment(documents, policy, document.variables, request, now);
  const errors: NaiveError[] = [];
  const outputs: LayerVerdict["outputs"][number][] = [];
  const rules: ExaminedRule[] = [];
  const active = new Set<string>();

  // DESIGN.md §1, theorem 4: every applicable rule is looked at, whatever the ones before it said.
  policy.rules?.forEach((rule, i) => {
    if (!rule.actions.some((pattern) => actionMatches(pattern, action))) return; // §2.8
    const name = rule.name ?? `rule-${String(i + 1).padStart(3, "0")}`; // §2.3
    const fail: Fail = (expression, message) => errors.push({ policy: key, rule: name, expression, message });

    // §2.5: a rule is a row for every role that it names, and one for every parent role of every derived role that it
    // names. Here: the principal's roles for which there is such a row, and its derived-role condition holds.
    const roles = new Set(matchingRoles(rule.roles ?? [], principal.roles));
    let errs = false;
    let considered = roles.size > 0;
    for (const listed of rule.derivedRoles ?? []) {
      const { set, role } = derivedRole(documents, policy, listed);
      const parents = matchingRoles(role.parentRoles, principal.roles); // §2.9
      if (parents.length === 0) continue;
      considered = true;
      // A set of derived roles has variables and constants of its own (§2.9).
      const holds = matchHolds(role.condition?.match, environment(documents, set, undefined, request, now), fail);
      if (holds === "error") errs = true; // an erring derived role is an error of every rule that lists it
      if (holds !== true) continue;
      active.add(listed);
      for (const parent of parents) roles.add(parent);
    }

    let holds: boolean | "error" = false;
    if (roles.size > 0) {
      holds = matchHolds(rule.condition?.match, env, fail);
      if (holds === "error") errs = true;
      else {
        const output = outputOf(rule, holds, env, fail);
        if (output !== undefined) outputs.push({ src: `${key}#${name}`, action, val: output });
      }
    }
    const effect = rule.effect === "EFFECT_ALLOW" ? "allow" : "deny";
    const reason = constantOutput(rule) ?? name;
    if (considered) rules.push({ name, effect, reason, roles: [...roles], holds: holds === true, errs });
  });

  const roles = new Map(principal.roles.map((role) => [role, roleEffect(role, rules)]));
  const derivedRoles = definedRoles(documents, policy).filter((role) => active.has(role));
  const verdict = { ...conclude(version, key, rules, roles), policy: key, scope: "", errors, outputs, derivedRoles };
  return { verdict, rules, roles };
}

/** §0.2: "DENY only beats ALLOW within one request role." */
function roleEffect(role: string, rules: readonly ExaminedRule[]): RoleEffect {
  const holding = rules.filter((rule) => rule.holds && rule.roles.includes(role));
  if (holding.some((rule) => rule.effect === "deny")) return "deny";
  return holding.some((rule) => rule.effect === "allow") ? "allow" : "nothing";
}

/** Deny if anything that was reached errs (DESIGN.md §1); else allow if one role allows (§0.2); else deny. */
function conclude(
  version: string,
  policy: string,
  rules: readonly ExaminedRule[],
  roles: ReadonlyMap<string, RoleEffect>,
): Pick<LayerVerdict, "effect" | "reasons"> {
  const reason =
    (kind: Reason["kind"]) =>
    (rule: ExaminedRule): Reason => ({ kind, reason: rule.reason, rule: rule.name, policy });
  const erring = rules.filter((rule) => rule.errs);
  if (erring.length === 0 && [...roles.values()].includes("allow")) {
    const allowing = rules.filter(
      (rule) => rule.effect === "allow" && rule.holds && rule.roles.some((role) => roles.get(role) === "allow"),
    );
    return { effect: "allow", reasons: allowing.map(reason("rule")) };
  }
  const denying = rules.filter((rule) => rule.effect === "deny" && rule.holds);
  const reasons = [...denying.map(reason("rule")), ...erring.map(reason("error"))];
  return { effect: "deny", reasons: reasons.length > 0 ? reasons : [unlisted(version, policy)] };
}

function unlisted(version: string, policy: string): Reason {
  return { kind: "default", reason: version === "platform" ? "not_available" : "not_granted", rule: "", policy };
}

/** §2.6: "if neither -> NO_MATCH DENY for all". */
function noPolicy(version: string): Examination {
  const verdict: NaiveVerdict = {
    effect: "deny",
    policy: "NO_MATCH",
    scope: "",
    reasons: [unlisted(version, "")],
    errors: [],
    outputs: [],
    derivedRoles: [],
  };
  return { verdict, rules: [], roles: new Map() };
}

/** The resource policy of this version and kind. Disabled ones are as if absent (§2.1). */
function findPolicy(documents: PolicyDocuments, version: string, kind: string): PolicyDocument | undefined {
  return documents.find(({ disabled, resourcePolicy: policy }) => {
    if (disabled === true || policy === undefined) return false;
    return policy.version === version && sanitised(policy.resource) === sanitised(kind);
  });
}

/** §2.3, "Sanitise": policy names and request kinds alike, so `album:object` and `album_object` are one. */
function sanitised(kind: string): string {
  const regular = /^[A-Za-z][\w@.\-/]*(:[A-Za-z][\w@.\-/]*)*$/.test(kind);
  return regular ? kind.replace(/[^\w.]+/g, "_") : kind;
}

/** §2.8: exact or `*`. */
function matchingRoles(listed: readonly string[], roles: readonly string[]): readonly string[] {
  return roles.filter((role) => listed.includes(role) || listed.includes("*"));
}

type Fail = (expression: string, message: string) => void;

/**
 * §2.11, strict: left to right, and an error that is reached is the answer. `all` ends at the first that is false,
 * `any` and `none` at the first that is true. A leaf that is not a bool is an error too.
 */
function matchHolds(match: Match | undefined, env: Environment, fail: Fail): boolean | "error" {
  if (match === undefined) return true;
  if ("expr" in match) {
    const value = evaluate(match.expr, env);
    if (value.t === "bool") return value.v;
    fail(match.expr, value.t === "error" ? value.msg : "not a boolean");
    return "error";
  }
  const [of, decisive, then, otherwise] =
    "all" in match
      ? [match.all.of, false, false, true]
      : "any" in match
        ? [match.any.of, true, true, false]
        : [match.none.of, true, false, true];
  for (const part of of) {
    const holds = matchHolds(part, env, fail);
    if (holds === "error") return "error";
    if (holds === decisive) return then;
  }
  return otherwise;
}

/** §2.12. An output that fails, or has no JSON form, is null, and an error that denies nothing. */
function outputOf(rule: RuleDocument, holds: boolean, env: Environment, fail: Fail): JsonValue | undefined {
  const source = holds ? activatedOutput(rule) : rule.output?.when?.conditionNotMet;
  if (source === undefined) return undefined;
  const value = evaluate(source, env);
  const json = value.t === "error" ? undefined : toJson(value);
  if (json !== undefined) return json;
  fail(source, value.t === "error" ? value.msg : "the value has no JSON form");
  return null;
}

function activatedOutput({ output }: RuleDocument): string | undefined {
  return output?.when?.ruleActivated ?? output?.expr;
}

/** The text that the rule's `ruleActivated` output always is, if that is a string. */
function constantOutput(rule: RuleDocument): string | undefined {
  const source = activatedOutput(rule);
  return source === undefined ? undefined : stringLiteral(source);
}

interface FoundRole {
  readonly set: Definitions;
  readonly role: DerivedRoleDocument;
}

/** A derived role by name, among the sets that the policy imports. */
function derivedRole(documents: PolicyDocuments, policy: ResourcePolicyDocument, name: string): FoundRole {
  for (const set of importedSets(documents, policy)) {
    const role = set.definitions.find((definition) => definition.name === name);
    if (role !== undefined) return { set, role };
  }
  throw new Error(`no derived role ${name}`);
}

/** The names of the derived roles that the policy imports, in the order of their definition. */
function definedRoles(documents: PolicyDocuments, policy: ResourcePolicyDocument): readonly string[] {
  return importedSets(documents, policy).flatMap((set) => set.definitions.map((definition) => definition.name));
}

function importedSets(documents: PolicyDocuments, policy: ResourcePolicyDocument) {
  return (policy.importDerivedRoles ?? []).map((name) =>
    required(
      documents.find((document) => document.disabled !== true && document.derivedRoles?.name === name)?.derivedRoles,
      name,
    ),
  );
}

function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`no policy file defines ${name}`);
  return value;
}

/** §3.1: the names that every expression can start from, but for variables and constants. */
function requestNames(principal: NaivePrincipal, resource: NaiveResource): ReadonlyMap<string, Val> {
  // §2.4: "The `request` object seen by CEL holds the raw values": a version or scope that is not given is "".
  const common = (subject: Subject): [string, Val][] => [
    ["id", string(subject.id)],
    ["attr", mapFromJson(subject.attr ?? {})],
    ["policyVersion", string(subject.policyVersion ?? "")],
    ["policy_version", string(subject.policyVersion ?? "")],
    ["scope", string(subject.scope ?? "")],
  ];
  const message = (fields: readonly (readonly [string, Val])[]): Val => ({ t: "message", v: new Map(fields) });
  const p = message([...common(principal), ["roles", list(principal.roles.map(string))]]);
  const r = message([...common(resource), ["kind", string(resource.kind)]]);
  const auxData = message([["jwt", mapFromJson({})]]);
  const request = message([
    ["principal", p],
    ["resource", r],
    ["auxData", auxData],
    ["aux_data", auxData],
  ]);
  return new Map([
    ["request", request],
    ["P", p],
    ["R", r],
  ]);
}

/**
 * §2.10: imported, local and deprecated top-level definitions form one namespace. A variable is worked out anew each
 * time it is read, so one that nothing reads cannot fail, and one that fails is an error at each use. Constants are
 * protobuf values, so their numbers are doubles.
 */
function environment(
  documents: PolicyDocuments,
  { variables, constants }: Definitions,
  topLevel: Named<string> | undefined,
  request: ReadonlyMap<string, Val>,
  now: Date | undefined,
): Environment {
  const enabled = documents.filter((document) => document.disabled !== true);
  const imported = <T>(
    names: readonly string[] | undefined,
    exported: readonly ({ readonly name: string; readonly definitions: Named<T> } | undefined)[],
  ): readonly Named<T>[] =>
    (names ?? []).map(
      (name) =>
        required(
          exported.find((one) => one?.name === name),
          name,
        ).definitions,
    );

  const expressions: Named<string> = Object.assign(
    Object.create(null),
    ...imported(
      variables?.import,
      enabled.map((document) => document.exportVariables),
    ),
    variables?.local,
    topLevel,
  );
  const values: Named<JsonValue> = Object.assign(
    Object.create(null),
    ...imported(
      constants?.import,
      enabled.map((document) => document.exportConstants),
    ),
    constants?.local,
  );

  const names = new Map(request);
  const env: Environment = { names, now };
  const variable: Val = {
    t: "lookup",
    read: (name) => {
      const source = expressions[name];
      return source === undefined ? error(`undefined variable ${name}`) : evaluate(source, env);
    },
  };
  const constant: Val = {
    t: "lookup",
    read: (name) => (name in values ? fromJson(values[name]) : error(`undefined constant ${name}`)),
  };
  for (const name of ["V", "variables"]) names.set(name, variable);
  for (const name of ["C", "constants"]) names.set(name, constant);
  return env;
}
