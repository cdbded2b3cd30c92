/** Makes elements without parsing HTML: all content is text. */

import { visible } from "../../../policy/escape.js";

export type ElementAttributes = { readonly [name: string]: string | boolean };

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: ElementAttributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, "");
    else if (value !== false) made.setAttribute(name, value);
  }
  made.append(...children.map((child) => (typeof child === "string" ? visible(child) : child)));
  return made;
}

/**
 * A line of an explanation; wrapped text aligns with the start of the line. Text between backticks becomes code, as
 * elsewhere on the page.
 */
export function lineOf(line: string): HTMLElement {
  const start = line.search(/\S|$/);
  const parts = line.slice(start).split(/(`[^`]*`)/);
  const made = element(
    "span",
    {},
    ...parts.map((part) => (part.length > 1 && part.startsWith("`") ? element("code", {}, part.slice(1, -1)) : part)),
  );
  made.style.paddingLeft = `${start + 2}ch`;
  made.style.textIndent = "-2ch";
  return made;
}

/** An element id for a path; different for different paths, and one word. */
export function idOf(path: readonly string[]): string {
  const parts = path.map((part) => part.replace(/[^A-Za-z0-9]/g, (char) => `_${char.charCodeAt(0).toString(16)}_`));
  return `w-${parts.join("-")}`;
}
