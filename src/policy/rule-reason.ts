/**
 * The reasons of rules without a name. Such a reason comes from the rule's own words, so it stays when other rules come
 * and go, when the order of actions or roles changes, and when the file is formatted otherwise. It is a valid rule name:
 * written as the rule's `name`, it gives the same reason.
 */

import { tokensOf } from "../cel/tokens.js";
import { compareText } from "./issue-log.js";
import type { Condition, Expression, OutputExpressions, Rule } from "./model.js";

type RuleWords = Pick<Rule, "effect" | "actions" | "condition" | "output"> & {
  readonly roles: readonly string[];
  readonly derivedRoles: readonly string[];
  /** The resource of a principal policy's rule. */
  readonly resource?: string;
};

/** Most characters of a reason before its digest. */
const LONGEST = 60;

/**
 * The reason of a rule without a name, such as `allow_view_for_user_if_R.attr.owner_eq_P.id_5f0c21ab`: its words, and a
 * digest that tells apart rules with the same first words. Rules of the same words have the same reason.
 */
export function derivedReason(rule: RuleWords): string {
  const { effect, resource } = rule;
  const [actions, roles] = [rule.actions, [...rule.roles, ...rule.derivedRoles]].map(sorted);
  const condition = rule.condition === undefined ? undefined : partsOf(rule.condition);
  const words = [
    ...[effect, ...(actions ?? []).map(word), ...(resource === undefined ? [] : ["on", word(resource)])],
    ...(roles === undefined || roles.length === 0 ? [] : ["for", ...roles.map(word)]),
    ...(condition === undefined ? [] : ["if", ...wordsIn(condition)]),
  ].join("_");
  const lists = [actions, sorted(rule.roles), sorted(rule.derivedRoles)];
  const whole = JSON.stringify([effect, resource ?? null, ...lists, condition ?? null, outputParts(rule.output)]);
  return `${words.slice(0, LONGEST).replace(/_+$/, "")}_${digest(whole)}`;
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort(compareText);
}

/** A condition as the texts of its expressions' tokens. */
type Parts = readonly (string | Parts)[];

function partsOf(condition: Condition): Parts {
  return condition.kind === "expr" ? tokenTexts(condition.expr) : [condition.kind, ...condition.of.map(partsOf)];
}

function outputParts(output: OutputExpressions | undefined): readonly (Parts | null)[] {
  const { ruleActivated, conditionNotMet } = output ?? {};
  return [ruleActivated, conditionNotMet].map((expression) =>
    expression === undefined ? null : tokenTexts(expression),
  );
}

/** The whole text of an expression that has no tokens: its fault is reported where it is parsed. */
function tokenTexts({ source }: Expression): readonly string[] {
  try {
    return tokensOf(source).map(({ text }) => text);
  } catch {
    return [source];
  }
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ["*", "any"],
  ["==", "eq"],
  ["!=", "ne"],
  ["<", "lt"],
  ["<=", "le"],
  [">", "gt"],
  [">=", "ge"],
  ["&&", "and"],
  ["||", "or"],
  ["!", "not"],
]);

/** A name in the characters that rule names have. */
function word(name: string): string {
  return WORDS.get(name) ?? name.replace(/[^\w@.-]+/g, "_").replace(/^_+|_+$/g, "");
}

/** The words of a condition; the names of a path stay together. */
function wordsIn(parts: Parts): readonly string[] {
  const words: string[] = [];
  let isPath = false;
  for (const part of parts) {
    if (typeof part !== "string") {
      words.push(...wordsIn(part));
      continue;
    }
    const last = words.at(-1);
    if (part === "." && last !== undefined) {
      isPath = true;
      continue;
    }
    const next = word(part);
    if (next === "") continue;
    if (isPath && last !== undefined) words.splice(-1, 1, `${last}.${next}`);
    else words.push(next);
    isPath = false;
  }
  return words;
}

/** FNV-1a over UTF-16 units, as eight hexadecimal digits. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
