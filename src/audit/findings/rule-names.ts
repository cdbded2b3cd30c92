/** Names for the rules that have none: the reasons that they have today, so that no decision changes. */

import type { SourcePosition } from "../../policy/issue.js";
import type { PolicyModel, Rule } from "../../policy/model.js";
import type { PolicyFile } from "../../policy/parse.js";
import { Source } from "../../policy/text/source.js";
import { plural } from "../plural.js";
import type { Finding } from "./finding.js";

/** A rule without a name, and a name for it that no other rule of its policy has. */
export interface RuleNaming extends SourcePosition {
  readonly name: string;
  /** The sources of the rule's outputs, before and after. */
  readonly sources: readonly [before: string, after: string];
}

/** One for each rule without a name in resource and principal policies, by policy. */
export function ruleNamings({ resourcePolicies, principalPolicies }: PolicyModel): readonly RuleNaming[] {
  return [...resourcePolicies, ...principalPolicies].flatMap(namingsIn);
}

function namingsIn({ key, rules }: { readonly key: string; readonly rules: readonly Rule[] }): readonly RuleNaming[] {
  const taken = new Set(rules.flatMap(({ name, named }) => (named ? [name] : [])));
  return rules.flatMap(({ name: before, derivedReason, at }) => {
    if (derivedReason === undefined) return [];
    let name = derivedReason;
    for (let i = 2; taken.has(name); i++) name = `${derivedReason}_${i}`;
    taken.add(name);
    return [{ ...at, name, sources: [`${key}#${before}`, `${key}#${name}`] }];
  });
}

/** One note for the whole set: large sets often name no rule at all. */
export function unnamedRules(model: PolicyModel): readonly Finding[] {
  const [first, ...others] = ruleNamings(model);
  if (first === undefined) return [];
  const { name, sources: _, ...at } = first;
  const files = new Set([first, ...others].map(({ file }) => file));
  const where = files.size === 1 ? "" : ` in ${plural(files.size, "file")}`;
  const message =
    others.length === 0
      ? `this rule has no name, so its reason is made of its words: ${name}`
      : `${others.length + 1} rules have no name${where}, so their reasons are made of their words: ${name}`;
  const hint = "keyward check DIR --name-rules writes these reasons into the files, as names";
  return [{ code: "unnamed_rules", severity: "note", message, hint, ...at }];
}

/** The files that change, with a `name` at the beginning of each rule. */
export function namedFiles(files: readonly PolicyFile[], namings: readonly RuleNaming[]): readonly PolicyFile[] {
  return files.flatMap(({ path, text }) => {
    const own = namings.filter(({ file }) => file === path);
    return own.length === 0 ? [] : [{ path, text: withNames(new Source(path, text), own) }];
  });
}

/** The test suites that change: they expect outputs of a rule by its source. */
export function renamedSources(suites: readonly PolicyFile[], namings: readonly RuleNaming[]): readonly PolicyFile[] {
  const after = new Map(namings.map(({ sources }) => sources));
  return suites.flatMap(({ path, text }) => {
    const renamed = text.replace(SOURCE, (source) => after.get(source) ?? source);
    return renamed === text ? [] : [{ path, text: renamed }];
  });
}

/** A text without white space and quotes, such as `resource.doc.vdefault/acme#rule-001`. */
const SOURCE = /[^\s"'{},#]+#[^\s"'{},]+/g;

function withNames({ text, hasMark }: Source, namings: readonly RuleNaming[]): string {
  const lines = text.split("\n");
  for (const { line, column, name } of [...namings].sort((a, b) => b.line - a.line || b.column - a.column)) {
    const before = lines[line - 1]?.slice(0, column - 1) ?? "";
    const rest = lines[line - 1]?.slice(column - 1) ?? "";
    lines[line - 1] = before + nameField(rest, name, " ".repeat(column - 1));
  }
  return (hasMark ? "\ufeff" : "") + lines.join("\n");
}

/** The text of a rule with a name in front: JSON, YAML in braces, or a block of YAML, which is indented. */
function nameField(rule: string, name: string, indent: string): string {
  if (!rule.startsWith("{")) return `name: ${name}\n${indent}${rule}`;
  const isJson = /^\{\s*("|$)/.test(rule);
  return `{${isJson ? `"name": ${JSON.stringify(name)}` : `name: ${name}`}, ${rule.slice(1).trimStart()}`;
}
