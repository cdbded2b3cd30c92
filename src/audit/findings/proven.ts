/**
 * Findings that a solver proves, in addition to those visible in the text of policies. Unproven findings are left out.
 * A finding from both sources is reported once, from the text, at its position in the rule.
 */

import type { PolicySet } from "../../decisions/policy-set.js";
import { allPolicies } from "../../policy/all-policies.js";
import { sanitise } from "../../policy/names.js";
import type { QuestionProver } from "../../proof/question-prover.js";
import { allQuestions } from "../../proof/questions.js";
import { forbiddenGrants } from "../../proof/rules/grants.js";
import { faultyRules } from "../../proof/rules/rules.js";
import type { FaultyRule, ForbiddenGrant, RuleFault, RulePlace } from "../../proof/rules/types.js";
import { isSolver, type NoSolver } from "../../solver/no-solver.js";
import type { Solver } from "../../solver/solver.js";
import { policiesOf } from "../../space/deciding-rules.js";
import { ANY_OTHER } from "../operations/facts.js";
import type { OperationFacts } from "../operations/types.js";
import { ruleId } from "../policies.js";
import type { Finding } from "./finding.js";
import { type FindingOptions, findingsOf, operationsOf, rolesNamed, sorted } from "./findings.js";

/** All findings of {@link findingsOf}, and those about rules and permissions that a solver, if there is one, proves. */
export async function provenFindings(
  policies: PolicySet,
  solver: Solver | NoSolver | undefined,
  options: FindingOptions = {},
): Promise<readonly Finding[]> {
  const operations = options.operations ?? operationsOf(policies, rolesNamed(policies, options.roles));
  const found = findingsOf(policies, { ...options, operations });
  if (!isSolver(solver)) return found;
  const { questions, proverOf, gaps } = allQuestions([policies]);
  // A proof for some questions holds for all only if the list of questions is complete.
  if (gaps.length > 0) return found;
  const asked = questions.map(proverOf);
  for (const prover of asked) prover.close(policies);
  const rules = await faultyRules(policies, asked, solver);
  const grants = await forbiddenGrants(policies, asked, (one) => grantees(operations, one), solver);
  const proven = [...rules.map((one) => ofRule(policies, one)), ...grants.map((one) => ofGrant(policies, one))].filter(
    (one) => one !== undefined,
  );
  return sorted([...found, ...proven.filter((one) => !found.some((other) => isSaidBy(one, other)))]);
}

/** By the code of a proved finding: the codes of text findings that report the same fault. */
const SAME: { readonly [code in Finding["code"]]?: readonly Finding["code"][] } = {
  contradictory_condition: ["contradictory_condition", "always_errs", "not_boolean"],
  always_errs: ["always_errs", "not_boolean", "contradictory_condition"],
};

function isSaidBy({ code, rule, file, line }: Finding, other: Finding): boolean {
  const isSame = (SAME[code] ?? [code]).includes(other.code);
  return isSame && (rule === undefined ? other.file === file && other.line === line : other.rule === rule);
}

/** The names of the roles that a rule grants something. */
function grantees(operations: readonly OperationFacts[], { question }: QuestionProver): readonly string[] {
  const roles = operations
    .filter(({ kind, operation }) => kind === question.kind && operation === question.operation)
    .flatMap(({ scopes }) => scopes.flatMap(({ cells }) => cells))
    .filter(({ role, chance, through }) => role !== ANY_OTHER && chance !== "never" && through === "role");
  return [...new Set(roles.map(({ role }) => role))];
}

type Worded = Pick<Finding, "code" | "severity" | "message" | "hint">;

function ofRule({ model }: PolicySet, { policy: key, order, fault }: FaultyRule): Finding | undefined {
  const policies = allPolicies(model);
  const policy = policies.find((one) => one.key === key);
  const rule = policy?.rules[order];
  if (policy === undefined || rule === undefined) return undefined;
  const nameOf = ({ policy: of, order: at }: RulePlace) => {
    const other = policies.find((one) => one.key === of);
    const name = other?.rules[at]?.name ?? "";
    return of === key ? name : `${name} of ${of}`;
  };
  const by = "by" in fault ? fault.by.map(nameOf) : [];
  return { ...worded(rule.name || `a rule of ${key}`, fault, by), ...rule.at, rule: ruleId(policy, order) };
}

function worded(name: string, { kind }: RuleFault, by: readonly string[]): Worded {
  switch (kind) {
    case "never_holds":
      return {
        code: "contradictory_condition",
        severity: "warning",
        message: `rule ${name}: its condition is never true, because no request satisfies it`,
        hint: "write || if one part is enough, or remove the rule",
      };
    case "always_errs":
      return {
        code: "always_errs",
        severity: "error",
        message: `rule ${name}: its condition errs for every request, so the operations of this rule are always denied`,
        hint: "check the types of the values that it reads",
      };
    case "never_fails":
      return {
        code: "tautological_condition",
        severity: "warning",
        message: `rule ${name}: its condition is never false, so the rule always applies (unless the condition errs)`,
        hint: "write && if all parts are needed, or remove the condition",
      };
    case "shadowed": {
      const denial = by.length === 0 ? "the request is denied" : `${listed(by)} ${by.length === 1 ? "denies" : "deny"}`;
      return {
        code: "shadowed_rule",
        severity: "warning",
        message: `rule ${name} never allows anything: whenever it holds, ${denial}`,
        hint: "remove one of the rules, or narrow the DENY rule",
      };
    }
    case "redundant": {
      const others = by.length === 0 ? "other rules decide" : `${listed(by)} ${by.length === 1 ? "decides" : "decide"}`;
      return {
        code: "redundant_rule",
        severity: "note",
        message: `rule ${name} changes no decision: whenever it holds, ${others} the same`,
        hint: "remove it",
      };
    }
  }
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

/** Reported at the first rule that grants the permission. */
function ofGrant(policies: PolicySet, { kind, operation, role }: ForbiddenGrant): Finding | undefined {
  for (const policy of policiesOf(policies, "permission").resources) {
    if (policy.resource !== sanitise(kind)) continue;
    for (const [i, { effect, actions, roles, actionPositions, at }] of policy.rules.entries()) {
      const index = actions.indexOf(operation);
      if (effect !== "allow" || index < 0 || (role !== undefined && !roles.includes(role))) continue;
      const who = role === undefined ? "some" : `the role ${role}`;
      const message = `${operation} on ${kind} is permitted to ${who}, but the platform always forbids it to them`;
      const hint = "remove the permission, or let the platform support the operation";
      const place = actionPositions?.[index] ?? at;
      return { code: "unsupported_operation", severity: "warning", message, hint, ...place, rule: ruleId(policy, i) };
    }
  }
  return undefined;
}
