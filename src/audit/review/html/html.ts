/** HTML in which every value is escaped unless it is HTML already. */

/** HTML that is safe to put into a page: made by {@link html} and {@link trusted} only. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Value = string | number | Html | undefined | readonly Value[];

/** A template: `html\`<p>${text}</p>\``. Values may stand between tags and in quoted attributes. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  let text = strings[0] ?? "";
  for (let i = 0; i < values.length; i++) text += rendered(values[i]) + (strings[i + 1] ?? "");
  return new Html(text);
}

/** HTML that this project has written itself. */
export function trusted(text: string): Html {
  return new Html(text);
}

function rendered(value: Value): string {
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

export function escapeHtml(text: string): string {
  return visible(text).replace(/[&<>"']/g, (char) => SPECIAL[char] ?? char);
}

/**
 * Control characters, and those that turn the direction of text or take no room, as escapes: an auditor must see what is
 * there, not what it wants to look like.
 */
export function visible(text: string): string {
  return text.replace(HIDDEN, (char) => {
    const point = char.codePointAt(0) ?? 0;
    return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, "0")}`;
  });
}

const HIDDEN = /[^\P{Cc}\t\n]|[\p{Cf}\p{Cs}\p{Co}\u2028\u2029\u3164\uffa0]/gu;

/** JSON that means the same, with {@link visible} characters alone. */
export function visibleJson(json: string): string {
  return json.replace(HIDDEN, (char) =>
    Array.from({ length: char.length }, (_, i) => unitEscape(char.charAt(i))).join(""),
  );
}

function unitEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
