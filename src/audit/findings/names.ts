/** The names that policies write, and the texts that they compare, with their positions. */

import type { Call, MemberCall } from "../../cel/ast.js";
import { LIST_FUNCTIONS } from "../../cel/list-functions.js";
import { OPERATORS } from "../../cel/operators.js";
import type { SourcePosition } from "../../policy/issue.js";
import type { AnyPolicy, AnyRule, Expression } from "../../policy/model.js";
import { reachable } from "../../policy/policy-expressions.js";
import { type LayeredPolicy, ruleId } from "../policies.js";
import { actionsIn, rolesIn } from "./mentions.js";
import { partsOf, readsOf, textOperands } from "./reads.js";

/** A name of policies, an attribute that a rule reads, or a text that a condition compares. */
export interface WrittenText extends SourcePosition {
  /** `the action`. */
  readonly what: string;
  readonly text: string;
  /** Whether it names an action, a role or a policy. Other texts may have spaces and commas. */
  readonly isName: boolean;
  readonly rule?: string;
}

/** Everything that is compared with names and texts of requests. */
export function writtenTexts(layered: readonly LayeredPolicy[]): readonly WrittenText[] {
  const policies = layered.map(({ policy }) => policy);
  return [
    ...actionsIn(layered).map(({ action, file, line, column, rule }) =>
      nameOf("the action", action, { file, line, column }, rule),
    ),
    ...rolesIn(policies).map(({ role, ...at }) => nameOf("the role", role, at)),
    ...policies.flatMap(namesOfPolicy),
    ...policies.flatMap((policy) =>
      policy.rules.flatMap((rule, i) => [
        ...partsOf(policy, rule)
          .flatMap(reachable)
          .flatMap((expression) => comparedTexts(expression, ruleId(policy, i))),
        ...attributeNames(policy, rule, ruleId(policy, i)),
      ]),
    ),
  ];
}

function nameOf(what: string, text: string, at: SourcePosition, rule?: string): WrittenText {
  return { what, text, isName: true, ...at, ...(rule === undefined ? {} : { rule }) };
}

/** The name in the head, the kinds of rules, and the actions that a schema leaves out. */
function namesOfPolicy(policy: AnyPolicy): readonly WrittenText[] {
  if (policy.kind === "resource") {
    const schemas = [policy.principalSchema, policy.resourceSchema].filter((schema) => schema !== undefined);
    return [
      nameOf("the name", policy.name, policy.at),
      ...schemas.flatMap(({ ignoreActions, at }) => ignoreActions.map((action) => nameOf("the action", action, at))),
    ];
  }
  const kinds = policy.rules.map(({ resource, at }, i) => nameOf("the resource kind", resource, at, ruleId(policy, i)));
  // The role of a role policy is among the roles.
  return policy.kind === "role" ? kinds : [nameOf("the name", policy.name, policy.at), ...kinds];
}

/** Each name on the path of an attribute that a rule reads: `R.attr["a b"]`. */
function attributeNames(policy: AnyPolicy, rule: AnyRule, id: string): readonly WrittenText[] {
  return partsOf(policy, rule)
    .flatMap(readsOf)
    .flatMap(({ read, expression }) => {
      const { file, line, column } = expression.position(read.at);
      return read.path.map((text) => ({ what: "the attribute", text, isName: false, file, line, column, rule: id }));
    });
}

/** Constants in comparisons and searches. Concatenated texts may legitimately begin with a space. */
function comparedTexts(expression: Expression, rule: string): readonly WrittenText[] {
  return textOperands(expression, isComparison)
    .filter(({ text }) => text.trim() !== "")
    .map(({ text, at }) => ({ what: "the text", text, isName: false, ...at, rule }));
}

function isComparison({ fn }: Call | MemberCall): boolean {
  const operator = OPERATORS.get(fn)?.kind;
  return operator === "equality" || operator === "membership" || LIST_FUNCTIONS.has(fn);
}
