/** Every rule of both layers, with its condition in words and its place in the source. */

import { hasBooleanForm, nameOf, usageOf } from "../../cel/expression-usage.js";
import { reasonOf } from "../../engine/plan/reason.js";
import type {
  AnyPolicy,
  AnyRule,
  Condition,
  Definitions,
  DerivedRole,
  ResourcePolicy,
  RolePolicy,
  Rule,
} from "../../policy/model.js";
import { expressionsOfCondition } from "../../policy/policy-expressions.js";
import { clauseOf } from "../clauses.js";
import { permissionsIn } from "../known-permissions.js";
import { needsPermission } from "../operations/permission-need.js";
import { type LayeredPolicy, type LayerName, PRINCIPAL_NAMES, ruleId } from "../policies.js";
import { conditionWords } from "../words/condition.js";
import type { WordingContext } from "../words/expression.js";
import { valueWordsOf, wordsOf } from "../words/expression.js";
import { testOf } from "../words/functions.js";
import { type ConditionWords, code, plain } from "../words/phrase.js";
import type { SourceLines } from "./snippet.js";
import type { ConditionFacts, DerivedRoleFacts, NameFacts, RuleFacts } from "./types.js";

export interface WrittenFacts {
  readonly rules: readonly RuleFacts[];
  readonly derivedRoles: readonly DerivedRoleFacts[];
  readonly names: readonly NameFacts[];
}

export function writtenFacts(policies: readonly LayeredPolicy[], sources: SourceLines): WrittenFacts {
  const writer = new RuleFactsCollector(sources);
  for (const { layer, policy } of policies) writer.policy(policy, layer);
  return writer;
}

/** The permissions of a rule that only keys with a permission of their own can meet. */
function permissionsOf(policy: AnyPolicy, rule: AnyRule): Pick<RuleFacts, "permissions"> {
  if (!needsPermission(policy, rule)) return {};
  const sought = permissionsIn(policy, rule, "permissions").map((pieces) => pieces.join("[…]"));
  return { permissions: [...new Set(sought)] };
}

function derivedRoleId(policy: ResourcePolicy, name: string): string {
  return `${policy.key}@${name}`;
}

class RuleFactsCollector implements WrittenFacts {
  readonly rules: RuleFacts[] = [];
  readonly derivedRoles: DerivedRoleFacts[] = [];
  readonly names: NameFacts[] = [];
  private readonly sources: SourceLines;

  constructor(sources: SourceLines) {
    this.sources = sources;
  }

  policy(policy: AnyPolicy, layer: LayerName): void {
    const subjects = { principal: PRINCIPAL_NAMES[layer], constants: policy.definitions.constants };
    this.define(policy.key, policy.definitions, subjects);
    if (policy.kind === "resource") {
      for (const role of policy.derivedRoles.values()) this.derivedRole(policy, role, layer);
    }
    policy.rules.forEach((rule, i) => {
      const id = ruleId(policy, i);
      const condition = this.condition(rule.condition, subjects);
      const { kind: policyKind, scope } = policy;
      const place = this.sources.place(rule.at);
      const permissions = layer === "permission" ? permissionsOf(policy, rule) : {};
      const named = { id, layer, policy: policy.key, policyKind, scope, name: rule.name };
      const common = { ...named, place, ...condition, ...permissions };
      this.rules.push(
        "allowActions" in rule ? { ...common, ...ofRole(policy, rule) } : { ...common, ...ofRule(policy, rule) },
      );
    });
  }

  private derivedRole(policy: ResourcePolicy, role: DerivedRole, layer: LayerName): void {
    const { name, parentRoles, definitions } = role;
    const id = derivedRoleId(policy, name);
    const subjects = { principal: PRINCIPAL_NAMES[layer], constants: definitions.constants };
    this.define(id, definitions, subjects);
    const condition = this.condition(role.condition, subjects);
    this.derivedRoles.push({
      id,
      policy: policy.key,
      name,
      parentRoles,
      place: this.sources.place(role.at),
      ...condition,
    });
  }

  private condition(
    condition: Condition | undefined,
    subjects: WordingContext,
  ): { readonly condition?: ConditionFacts } {
    if (condition === undefined) return {};
    const words = conditionWords(condition, subjects);
    const names = namesIn(expressionsOfCondition(condition));
    return { condition: { words, text: plain(words), names } };
  }

  private define(owner: string, { variables, constants }: Definitions, subjects: WordingContext): void {
    const truths = truthsOf(variables);
    for (const [name, value] of constants) {
      const source = JSON.stringify(value);
      const words: ConditionWords = { kind: "phrase", phrase: code(source) };
      this.names.push({ owner, name, kind: "constant", words, text: plain(words), source, names: [] });
    }
    for (const [name, expr] of variables) {
      const isTruth = truths.has(name);
      const words: ConditionWords = isTruth
        ? wordsOf(expr, subjects)
        : { kind: "phrase", phrase: valueWordsOf(expr, subjects) };
      const place = this.sources.place(expr.position(0));
      const { source } = expr;
      this.names.push({
        owner,
        name,
        kind: "variable",
        words,
        text: plain(words),
        source,
        names: namesIn([expr]),
        place,
      });
    }
  }
}

/** The facts of a rule in a resource or principal policy. */
function ofRule(policy: AnyPolicy, rule: Rule) {
  const { actions, effect } = rule;
  const reason = reasonOf(rule);
  const clause = clauseOf(policy, rule);
  const common = { reason, actions, effect, ...(clause === undefined ? {} : { clause }) };
  if (policy.kind === "resource") {
    const written = policy.rules.find((each) => each === rule);
    const derivedRoles = (written?.derivedRoles ?? []).map((name) => derivedRoleId(policy, name));
    return { ...common, kind: policy.name, roles: written?.roles ?? [], derivedRoles };
  }
  const kind = "resource" in rule && typeof rule.resource === "string" ? rule.resource : "";
  return { ...common, kind, subject: subjectOf(policy), roles: ["*"], derivedRoles: [] };
}

function ofRole(policy: AnyPolicy, rule: RolePolicy["rules"][number]) {
  const clause = clauseOf(policy, rule);
  return {
    kind: rule.resource,
    subject: subjectOf(policy),
    reason: "",
    effect: "restrict" as const,
    actions: rule.allowActions,
    roles: [subjectOf(policy)],
    derivedRoles: [],
    ...(clause === undefined ? {} : { clause }),
  };
}

function subjectOf(policy: AnyPolicy): string {
  return policy.kind === "role" ? policy.role : policy.name;
}

function namesIn(expressions: readonly { readonly expr: Parameters<typeof usageOf>[0] }[]): readonly string[] {
  const facts = expressions.map(({ expr }) => usageOf(expr));
  return [...new Set(facts.flatMap(({ variables, constants }) => [...variables, ...constants]))];
}

/** The variables that are true or false by their form; those that are another variable follow it. */
function truthsOf(variables: Definitions["variables"]): ReadonlySet<string> {
  const truths = new Set<string>();
  for (const [name, expr] of variables) {
    const node = expr.expr;
    const isNamed = (node.kind === "call" || node.kind === "member") && testOf(node) !== undefined;
    const other = nameOf(node, "variable");
    if (hasBooleanForm(node) || isNamed || (other !== undefined && truths.has(other))) truths.add(name);
  }
  return truths;
}
