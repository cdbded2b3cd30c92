/** Pieces of Markdown: text and code in which nothing is Markdown or HTML. */

import { HASHES, visible, visibleJson } from "../../policy/escape.js";
import { inline, type Phrase } from "../words/phrase.js";
import type { ChangedLine } from "./change/lines.js";
import type { RuleFacts } from "./types.js";

export function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line), ""];
}

/** The subjects of a rule. */
export function whoText(rule: RuleFacts): string {
  if (rule.policyKind === "principal") return `the principal ${code(rule.subject ?? "")}`;
  const roles = rule.roles.includes("*") ? ["every role"] : rule.roles.map(code);
  return [...roles, ...rule.derivedRoles.map(code)].join(", ");
}

/** When a rule, or a derived role, holds: `if …`, `unless …`. */
export function whenText({ condition }: Pick<RuleFacts, "condition">): string {
  if (condition === undefined) return "always";
  const { words } = condition;
  const [only] = words.kind === "none" ? words.of : [];
  if (words.kind === "none" && words.of.length === 1 && only !== undefined) return `unless ${phraseText(inline(only))}`;
  return `if ${phraseText(inline(words))}`;
}

/** Plain words; text between backticks becomes code. */
export function worded(words: string): string {
  return words
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") && part.length > 1 ? code(part.slice(1, -1)) : text(part)))
    .join("");
}

/** Text in which nothing is Markdown or HTML. */
export function text(words: string): string {
  return line(words).replace(/[\\`*_{}[\]<>()#+\-!|~&]/g, (char) => (char === "-" ? char : `\\${char}`));
}

/** Code; backticks and bars in it are escaped. */
export function code(source: string): string {
  const shown = line(source).replaceAll("|", "\\|");
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = /^`|`$|^ | $/.test(shown) || shown === "" ? " " : "";
  return `${fence}${pad}${shown}${pad}${fence}`;
}

function line(words: string): string {
  return visible(words).replace(/\s+/g, " ").replace(HASHES, "\\u0023");
}

export function phraseText(words: Phrase): string {
  return words.map(({ kind, text: written }) => (kind === "text" ? text(written) : code(written))).join("");
}

/** A value as JSON in a block of its own, exactly. */
export function jsonBlock(value: unknown): readonly string[] {
  return block("json", [visibleJson(JSON.stringify(value))]);
}

/**
 * Changed lines, each with its sign. No line may start like a command of a CI system: an unchanged line begins
 * with a space, so its double colons are split. No line can end the block.
 */
export function diffBlock(lines: readonly ChangedLine[]): readonly string[] {
  const signed = lines.map(({ sign, text: line }) => {
    const shown = visible(line).replace(HASHES, "\\u0023");
    return `${sign} ${sign === " " ? shown.replace(/^(\s*:)(?=:)/, "$1 ") : shown}`;
  });
  return block("diff", signed);
}

function block(language: string, lines: readonly string[]): readonly string[] {
  const longest = Math.max(2, ...lines.flatMap((one) => one.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return [fence + language, ...lines, fence, ""];
}
