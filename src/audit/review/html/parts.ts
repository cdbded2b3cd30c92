/** Pieces that several sections are made of. */

import type { ConditionWords, Phrase } from "../../words/phrase.js";
import type { DerivedRoleFacts, FileLines, RuleFacts } from "../types.js";
import { type Html, type HtmlValue, html } from "./html.js";

export function phraseHtml(words: Phrase): readonly Html[] {
  return words.map(({ kind, text }) => {
    if (kind === "text") return html`${text}`;
    return kind === "code" ? html`<code>${text}</code>` : html`<em>${text}</em>`;
  });
}

const HEADS = { all: "all of", any: "at least one of", none: "none of" } as const;

/** Words as a phrase, or as nested lists. */
export function wordsHtml(words: ConditionWords): Html {
  if (words.kind === "phrase") return html`${phraseHtml(words.phrase)}`;
  const [only] = words.of;
  if (words.kind === "none" && words.of.length === 1 && only !== undefined) return html`not true: ${wordsHtml(only)}`;
  return html`${HEADS[words.kind]}<ul>${words.of.map((each) => html`<li>${wordsHtml(each)}`)}</ul>`;
}

/** When a rule holds: `if …`, `unless …`. */
export function whenHtml(rule: Pick<RuleFacts, "condition">): Html {
  const words = rule.condition?.words;
  if (words === undefined) return html`always`;
  const [only] = words.kind === "none" ? words.of : [];
  if (words.kind === "none" && words.of.length === 1 && only !== undefined) return html`unless ${wordsHtml(only)}`;
  return html`if ${wordsHtml(words)}`;
}

export function placeText({ file, line }: Pick<FileLines, "file" | "line">): string {
  return file === "" ? "" : `${file}:${line}`;
}

/** The subjects of a rule. */
export function whoHtml(rule: RuleFacts, derived: (id: string) => Html): Html {
  if (rule.policyKind === "principal") return html`the principal <code>${rule.subject}</code>`;
  const roles = rule.roles.includes("*") ? [html`every role`] : rule.roles.map((role) => html`<code>${role}</code>`);
  return html`${separated([...roles, ...rule.derivedRoles.map(derived)], ", ")}`;
}

/** The effect of a rule, its subjects and its condition. `derived` renders a derived role by its id. */
export function ruleHtml(rule: RuleFacts, derived: (id: string) => Html): Html {
  const verb = {
    allow: rule.layer === "platform" ? "Supports" : "Allows",
    deny: rule.layer === "platform" ? "Forbids" : "Denies",
    restrict: "Limits the role to",
  }[rule.effect];
  const who = rule.layer === "platform" ? undefined : html` to ${whoHtml(rule, derived)}`;
  return html`<p>${verb} ${separated(
    rule.actions.map((action) => html`<code>${action}</code>`),
    ", ",
  )}${rule.effect === "restrict" ? undefined : who}${rule.condition === undefined ? "." : ","}${
    rule.condition === undefined ? undefined : html`<div class="words">${whenHtml(rule)}</div>`
  }`;
}

/** The condition of a derived role. */
export function derivedRoleHtml(role: DerivedRoleFacts): Html {
  return html`<p>Given to a principal with ${
    role.parentRoles.includes("*")
      ? "any role"
      : separated(
          role.parentRoles.map((one) => html`<code>${one}</code>`),
          " or ",
        )
  }, ${whenHtml(role)}.`;
}

/** A table that scrolls sideways in a narrow window. `rows`: one or more bodies. */
export function tableHtml(
  name: string,
  caption: Html,
  head: readonly (string | Html)[],
  rows: HtmlValue,
  look?: string,
): Html {
  return html`<div class="wide" tabindex="0" role="region" aria-label="Table: ${name}"><table${look === undefined ? undefined : html` class="${look}"`}><caption>${caption}</caption>
<thead><tr>${head.map((cell) => html`<th scope="col">${cell}`)}</thead>${rows}</table></div>`;
}

export function separated(items: readonly Html[], separator: string): readonly (Html | string)[] {
  return items.flatMap((item, i) => (i === 0 ? [item] : [separator, item]));
}
