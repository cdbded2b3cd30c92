/** HTML in which every value is escaped unless it is HTML already. */

import { HASHES, visible } from "../../../policy/escape.js";

/** HTML that is safe to put into a page: made by {@link html} and {@link trusted} only. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlValue = string | number | Html | undefined | readonly HtmlValue[];

/** A template: `html\`<p>${text}</p>\``. Values may stand between tags and in quoted attributes. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = strings[0] ?? "";
  for (let i = 0; i < values.length; i++) text += rendered(values[i]) + (strings[i + 1] ?? "");
  return new Html(text);
}

/** HTML that this project has written itself. */
export function trusted(text: string): Html {
  return new Html(text);
}

function rendered(value: HtmlValue): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "string" || typeof value === "number") return escapeHtml(String(value));
  return value.map(rendered).join("");
}

const SPECIAL: { readonly [char: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** The only way for text into a page. A page may be printed, too. */
export function escapeHtml(text: string): string {
  return visible(text)
    .replace(/[&<>"']/g, (char) => SPECIAL[char] ?? char)
    .replace(HASHES, "&#35;")
    .replace(/^([^\S\n]*):(?=:)/gm, "$1&#58;");
}
