/** Type faults in the expressions of rules (`typing.ts`). */

import type { AnyPolicy, DerivedRole, PolicyModel } from "../../policy/model.js";
import { sanitise } from "../../policy/names.js";
import { derivedRolesOf, expressionsOfCondition } from "../../policy/policy-expressions.js";
import { type LayerName, ruleId } from "../policies.js";
import type { Finding, FindingSeverity } from "./finding.js";
import { listOf, ofDeclared, type PossibleValues, possibleTexts, REQUEST_DATA } from "./possible.js";
import type { SchemasOfSubjects, SubjectSchemas } from "./subjects.js";
import { type TypeFault, Typing, type TypingContext } from "./typing.js";

/**
 * An expression that always errs never has its effect; a comparison without effect may stand beside others with one.
 */
const SEVERITIES: { readonly [code in TypeFault["code"]]: FindingSeverity } = {
  always_errs: "error",
  not_boolean: "error",
  impossible_comparison: "warning",
  impossible_value: "warning",
  lossy_integer: "warning",
};

export function expressionFindings(
  policy: AnyPolicy,
  layer: LayerName | undefined,
  subjects: SchemasOfSubjects,
  model: PolicyModel,
): readonly Finding[] {
  return policy.rules.flatMap((rule, i) => {
    const known = knownOf(policy, layer, subjects.of(policy, rule), model);
    const typing = new Typing({ ...known, definitions: policy.definitions });
    for (const expression of expressionsOfCondition(rule.condition)) typing.condition(expression);
    for (const output of [rule.output?.ruleActivated, rule.output?.conditionNotMet]) {
      if (output !== undefined) typing.value(output);
    }
    const ofRoles = derivedRolesOf(policy, rule).flatMap((role) => faultsOf(role, known));
    return [...typing.faults, ...ofRoles].map(({ code, expression, at, message, hint }): Finding => {
      const place = expression.position(at);
      return { code, severity: SEVERITIES[code], message, hint, ...place, rule: ruleId(policy, i) };
    });
  });
}

function faultsOf(
  { condition, definitions }: DerivedRole,
  known: Omit<TypingContext, "definitions">,
): readonly TypeFault[] {
  const typing = new Typing({ ...known, definitions });
  for (const expression of expressionsOfCondition(condition)) typing.condition(expression);
  return typing.faults;
}

function knownOf(
  policy: AnyPolicy,
  layer: LayerName | undefined,
  { principal, resource }: SubjectSchemas,
  model: PolicyModel,
): Omit<TypingContext, "definitions"> {
  const roots = new Map<string, PossibleValues>();
  roots.set("P.attr", principal === undefined ? REQUEST_DATA : ofDeclared(principal.declared, principal.ref));
  roots.set("R.attr", resource === undefined ? REQUEST_DATA : ofDeclared(resource.declared, resource.ref));
  if (layer === "platform") roots.set("P.roles", listOf({ ...possibleTexts(["account"]), by: PLATFORM }));
  const derived = model.resourcePolicies.flatMap(({ derivedRoles }) => [...derivedRoles.keys()]);
  roots.set(
    "runtime.effectiveDerivedRoles",
    listOf({ ...possibleTexts([...new Set(derived)]), by: "the list of derived roles" }),
  );
  return {
    roots,
    isKind: policy.kind === "resource" ? (kind) => sanitise(kind) === policy.resource : undefined,
  };
}

/** The source of the roles in the platform layer, for messages. */
const PLATFORM = "the platform layer (its only role is account)";
