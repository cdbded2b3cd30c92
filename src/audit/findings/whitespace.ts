/**
 * Names and texts with invisible whitespace: at an end, beside a separator, or of a kind that looks like nothing or
 * like an ordinary space. Names are compared exactly, so such a name is a different name.
 */

import type { Call } from "../../cel/ast.js";
import { OPERATORS } from "../../cel/operators.js";
import type { AnyPolicy, Expression } from "../../policy/model.js";
import { reachable } from "../../policy/policy-expressions.js";
import { type LayerOf, ruleId } from "../policies.js";
import type { Finding } from "./finding.js";
import { actionsIn, rolesIn } from "./mentions.js";
import { partsOf, textOperands } from "./reads.js";

const ENDS = /^\s|\s$/u;
const BESIDE_SEPARATOR = /\s[.:/*]|[.:/*]\s/u;
/** Whitespace other than the space, and characters of zero width. */
const ODD = /[^\S ]|[\u00ad\u200b-\u200f\u2060\ufeff]/u;

export function spaceFindings(policies: readonly AnyPolicy[], layerOf: LayerOf): readonly Finding[] {
  const actions = actionsIn(policies, layerOf).map(({ action, ...at }) =>
    finding(`the action ${quoted(action)}`, action, at, true),
  );
  const roles = rolesIn(policies).map(({ role, ...at }) => finding(`the role ${quoted(role)}`, role, at, true));
  const heads = policies.flatMap((policy) => {
    const name = policy.kind === "role" ? policy.role : policy.name;
    return finding(`the name ${quoted(name)}`, name, policy.at, true);
  });
  const texts = policies.flatMap((policy) =>
    policy.rules.flatMap((rule, i) =>
      partsOf(policy, rule)
        .flatMap(reachable)
        .flatMap((expression) => comparedTexts(expression, ruleId(policy, i))),
    ),
  );
  return [...actions, ...roles, ...heads, ...texts].flat();
}

/** Constants in comparisons and searches. Concatenated texts may legitimately begin with a space. */
function comparedTexts(expression: Expression, rule: string): readonly Finding[] {
  return textOperands(expression, isComparison)
    .filter(({ text }) => text.trim() !== "")
    .flatMap(({ text, at }) => finding(`the text ${quoted(text)}`, text, { ...at, rule }, false));
}

function isComparison({ fn }: Call): boolean {
  const operator = OPERATORS.get(fn)?.kind;
  return operator === "equality" || operator === "membership" || LISTS.has(fn);
}

const LISTS: ReadonlySet<string> = new Set([
  "hasIntersection",
  "has_intersection",
  "intersect",
  "isSubset",
  "is_subset",
]);

function finding(
  what: string,
  text: string,
  { file, line, column, rule }: { file: string; line: number; column: number; rule?: string },
  isName: boolean,
): readonly Finding[] {
  const why = fault(text, isName);
  if (why === undefined) return [];
  const clean = text.replaceAll(new RegExp(ODD, "gu"), (c) => (/\s/u.test(c) ? " " : "")).trim();
  const hint =
    why === COMMA
      ? "write a separate entry for each name"
      : `did you mean ${JSON.stringify(isName ? clean.replaceAll(/\s*([.:/*])\s*/gu, "$1") : clean)}?`;
  const message = `${what} ${why}`;
  return [
    {
      code: "odd_space",
      severity: "warning",
      message,
      hint,
      file,
      line,
      column,
      ...(rule === undefined ? {} : { rule }),
    },
  ];
}

const COMMA = "contains a comma, but it counts as one name, not several";

function fault(text: string, isName: boolean): string | undefined {
  if (ENDS.test(text)) return "begins or ends with a space, which counts in comparisons";
  if (ODD.test(text)) return "contains white space or an invisible character that is easily mistaken for another";
  if (!isName) return undefined;
  if (BESIDE_SEPARATOR.test(text)) return "has a space next to a separator";
  return text.includes(",") && !text.includes("{") ? COMMA : undefined;
}

/** Quotes a text so that every character in it is visible. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[^\S ]|[\u00ad\u200b-\u200f\u2060\ufeff]/gu,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
