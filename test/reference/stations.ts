/**
 * A station is the result of a scope's principal policy, or of a scope for one role. All rules of a scope are examined,
 * regardless of earlier results (docs/cerbos-semantics.md §2.6, in the strict form of docs/verdicts.md).
 */

import type { LayerEffect, LayerVerdict } from "../../src/engine/plan/verdict.js";
import { derivedRole, effectiveDerivedRoles, matchingRoles } from "./derived-roles.js";
import type { RulingDocument } from "./documents.js";
import { environment, NO_ROLES, type Runtime } from "./environment.js";
import { actionMatches, listedActionMatches } from "./glob.js";
import { actionName, personalKindMatches, policyKey, restrictedKindMatches, ruleName } from "./names.js";
import {
  hasRoleRule,
  namesOf,
  principalPolicyAt,
  type Question,
  requiresConsent,
  resourcePolicyAt,
  rolePoliciesFor,
} from "./question.js";
import { type Answer, asConsenting, type Fail, matchHolds, type NaiveError, outputOf, reasonOf } from "./rules.js";
import type { Environment } from "./walk.js";

/** A rule that matches the request, for a principal or a role. Its effect is that of a consenting scope. */
export interface ExaminedRule {
  readonly policy: string;
  readonly name: string;
  /** Its index in its policy. */
  readonly order: number;
  readonly effect: LayerEffect;
  /** Its reason when it decides (see `Reason.reason`). */
  readonly reason: string;
  readonly holds: boolean;
  /** Its condition, or that of a derived role that it lists, errs. */
  readonly errs: boolean;
  readonly failures: readonly NaiveError[];
  readonly output: LayerVerdict["outputs"][number] | undefined;
  readonly outputFailures: readonly NaiveError[];
  /** The derived roles by which it applies. */
  readonly derivedRoles: readonly string[];
}

/** A role policy and its reasons to refuse the action. */
export interface Restriction {
  readonly policy: string;
  readonly refuses: boolean;
  readonly failures: readonly NaiveError[];
  readonly outputs: LayerVerdict["outputs"];
  readonly outputFailures: readonly NaiveError[];
}

export interface Station {
  /** Undefined for the principal's own policies. */
  readonly role: string | undefined;
  readonly scope: string;
  readonly restrictions: readonly Restriction[];
  readonly rules: readonly ExaminedRule[];
  readonly ruling: "error" | "deny" | "allow" | "nothing";
}

/** The scopes of the principal's own policies, up to the one that decides. */
export function personalStations(question: Question): readonly Station[] {
  return upToRuling(question.principalChain, (scope) => {
    const rules = personalRules(question, scope);
    return { role: undefined, scope, restrictions: [], rules, ruling: rulingOf(question, scope, [], rules) };
  });
}

/** The scopes of the resource, up to the one that decides for the role. */
export function roleStations(question: Question, role: string): readonly Station[] {
  const names = namesOf(question, role);
  return upToRuling(question.resourceChain, (scope) => {
    const runtime = () => effectiveDerivedRoles(question, scope);
    const restrictions = restrictionsFor(question, scope, names, runtime);
    const rules = resourceRules(question, scope, names, runtime);
    return { role, scope, restrictions, rules, ruling: rulingOf(question, scope, restrictions, rules) };
  });
}

function upToRuling(scopes: readonly string[], stationAt: (scope: string) => Station): readonly Station[] {
  const stations: Station[] = [];
  for (const scope of scopes) {
    const station = stationAt(scope);
    stations.push(station);
    if (station.ruling !== "nothing") break;
  }
  return stations;
}

/** An error denies; then DENY overrides ALLOW; and an ALLOW must not need a parent's consent (§2.6, §2.7). */
function rulingOf(
  question: Question,
  scope: string,
  restrictions: readonly Restriction[],
  rules: readonly ExaminedRule[],
): Station["ruling"] {
  const holding = rules.filter((rule) => rule.holds);
  if (rules.some((rule) => rule.errs) || restrictions.some(({ failures }) => failures.length > 0)) return "error";
  if (restrictions.some(({ refuses }) => refuses) || holding.some(({ effect }) => effect === "deny")) return "deny";
  return holding.length > 0 && !requiresConsent(question, scope) ? "allow" : "nothing";
}

/** A principal policy's rule applies to every role (§2.5). No derived roles are active yet when it is examined. */
function personalRules(question: Question, scope: string): readonly ExaminedRule[] {
  const found = principalPolicyAt(question, scope);
  if (found === undefined) return [];
  const { policy, document } = found;
  const env = environment(question, policy, document.variables, NO_ROLES);
  const key = policyKey("principal", policy.principal, policy.version, scope);
  return (policy.rules ?? [])
    .filter((rule) => personalKindMatches(rule.resource, question.kind))
    .flatMap(({ resource, actions }) => actions.map((rule, i) => ({ rule, name: actionName(rule.name, resource, i) })))
    .flatMap(({ rule, name }, order) => {
      if (!actionMatches(rule.action, question.action)) return [];
      const inScope = requiresConsent(question, scope) ? asConsenting(rule) : rule;
      return [examined(question, { policy: key, name, order }, inScope, env, DIRECTLY)];
    });
}

/**
 * §2.5: the server makes one row of a rule for each of its roles, and for each parent role of its derived roles. This
 * function returns the rules with such a row for one of the names.
 */
function resourceRules(
  question: Question,
  scope: string,
  names: readonly string[],
  runtime: Runtime,
): readonly ExaminedRule[] {
  const found = resourcePolicyAt(question, scope);
  if (found === undefined) return [];
  const { policy, document } = found;
  const env = environment(question, policy, document.variables, runtime);
  const key = policyKey("resource", policy.resource, policy.version, scope);
  return (policy.rules ?? []).flatMap((rule, i) => {
    if (!rule.actions.some((pattern) => actionMatches(pattern, question.action))) return []; // §2.8
    const isDirect = matchingRoles(rule.roles ?? [], names).length > 0;
    const listed = (rule.derivedRoles ?? [])
      .map((name) => derivedRole(question, policy, name))
      .filter(({ role }) => matchingRoles(role.parentRoles, names).length > 0);
    if (!isDirect && listed.length === 0) return [];
    const guards = listed.map(({ set, role }) => ({
      name: role.name,
      // A set of derived roles has its own variables and constants (§2.9).
      holds: (fail: Fail) => matchHolds(role.condition?.match, environment(question, set, undefined, runtime), fail),
    }));
    const inScope = requiresConsent(question, scope) ? asConsenting(rule) : rule;
    const place = { policy: key, name: ruleName(rule.name, i), order: i };
    return [examined(question, place, inScope, env, { isDirect, guards })];
  });
}

/** The reasons why a rule applies. */
interface Applies {
  /** The rule lists one of the roles. */
  readonly isDirect: boolean;
  /** The derived roles that the rule lists and that one of the roles may have. */
  readonly guards: readonly { readonly name: string; readonly holds: (fail: Fail) => Answer }[];
}

const DIRECTLY: Applies = { isDirect: true, guards: [] };

function examined(
  { action }: Question,
  place: Pick<ExaminedRule, "policy" | "name" | "order">,
  rule: RulingDocument,
  env: Environment,
  { isDirect, guards }: Applies,
): ExaminedRule {
  const { policy, name } = place;
  const failures: NaiveError[] = [];
  const outputFailures: NaiveError[] = [];
  const into =
    (errors: NaiveError[]): Fail =>
    (expression, message) =>
      errors.push({ policy, rule: name, expression, message });
  // All derived roles are evaluated: each that errs is an error of this rule.
  const answers = guards.map((guard) => ({ name: guard.name, holds: guard.holds(into(failures)) }));
  const derivedRoles = answers.filter(({ holds }) => holds === true).map((guard) => guard.name);
  const applies = isDirect || derivedRoles.length > 0;
  const holds = applies && matchHolds(rule.condition?.match, env, into(failures));
  const val = applies && holds !== "error" ? outputOf(rule, holds, env, into(outputFailures)) : undefined;
  return {
    ...place,
    effect: rule.effect === "EFFECT_ALLOW" ? "allow" : "deny",
    reason: reasonOf(rule, name),
    holds: holds === true,
    errs: failures.length > 0,
    failures,
    output: val === undefined ? undefined : { src: `${policy}#${name}`, action, val },
    outputFailures,
    derivedRoles,
  };
}

/**
 * §2.13: role policies restrict a scope only where a rule matches the kind and one of the roles: a rule of the resource
 * policy with any action, or a rule of the role policies.
 */
function isAbout(question: Question, scope: string, names: readonly string[]): boolean {
  const policy = resourcePolicyAt(question, scope)?.policy;
  const isNamed = policy?.rules?.some((rule) => {
    const parents = (rule.derivedRoles ?? []).flatMap((name) => derivedRole(question, policy, name).role.parentRoles);
    return matchingRoles([...(rule.roles ?? []), ...parents], names).length > 0;
  });
  return isNamed === true || hasRoleRule(question, scope, (role) => names.includes(role));
}

/**
 * §2.13: a role policy refuses an action that none of its rules for the kind lists. Of several matching rules, each
 * with a false condition refuses.
 */
function restrictionsFor(
  question: Question,
  scope: string,
  names: readonly string[],
  runtime: Runtime,
): readonly Restriction[] {
  if (!isAbout(question, scope, names)) return [];
  return rolePoliciesFor(question, scope, names).map(({ policy: found, document }) => {
    const { role, version = "default", rules = [] } = found;
    const policy = policyKey("role", role, version, scope);
    const [failures, outputFailures]: [NaiveError[], NaiveError[]] = [[], []];
    const outputs: LayerVerdict["outputs"][number][] = [];
    const env = environment(question, found, document.variables, runtime);
    const about = rules.filter(
      (rule) =>
        restrictedKindMatches(rule.resource, question.kind) &&
        rule.allowActions.some((entry) => listedActionMatches(entry, question.action)),
    );
    const answers = about.map((rule) => {
      const { name = "", condition } = rule;
      const into =
        (errors: NaiveError[]): Fail =>
        (expression, message) =>
          errors.push({ policy, rule: name, expression, message });
      const holds = matchHolds(condition?.match, env, into(failures));
      const val = holds === "error" ? undefined : outputOf(rule, holds, env, into(outputFailures));
      if (val !== undefined) outputs.push({ src: `${policy}#${name}`, action: question.action, val });
      return holds;
    });
    return { policy, refuses: about.length === 0 || answers.includes(false), failures, outputs, outputFailures };
  });
}
