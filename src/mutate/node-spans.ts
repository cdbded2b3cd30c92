/** Finds where nodes of a document begin and end in the file, and edits lists and scalars without touching the rest. */

import type { Span } from "../cel/spans.js";
import { scalarOffset } from "../policy/text/offsets.js";
import type { ListNode, ScalarNode, TreeNode } from "../policy/text/tree.js";

const CLOSING: ReadonlyMap<string, string> = new Map([
  ["[", "]"],
  ["{", "}"],
]);

/** The end of a node: one past its last character. */
export function endOf(text: string, node: TreeNode): number {
  if (node.kind === "scalar") return node.start + text.slice(node.start, node.end).trimEnd().length;
  if (CLOSING.has(text[node.start] ?? "")) return closingBracket(text, node.start) + 1;
  const inner = node.kind === "list" ? node.items : [...node.entries.values()].map(({ value }) => value);
  return Math.max(node.start, ...inner.map((one) => endOf(text, one)));
}

/** The offset of the bracket that closes the one at `start`. Brackets in quoted texts do not count. */
function closingBracket(text: string, start: number): number {
  const open: string[] = [];
  for (let at = start; at < text.length; at++) {
    const one = text[at] ?? "";
    const isQuote = (one === '"' || one === "'") && /[\s,[{:]/.test(text[at - 1] ?? "");
    if (isQuote) at = closingQuote(text, at);
    const closing = CLOSING.get(one);
    if (closing !== undefined) open.push(closing);
    else if (one === open.at(-1)) open.pop();
    if (open.length === 0) return at;
  }
  return text.length - 1;
}

function closingQuote(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at++) {
    if (quote === '"' && text[at] === "\\") at++;
    else if (text[at] === quote) return at;
  }
  return text.length;
}

/**
 * The part of the text to remove so that a list lacks an item. Undefined: the item is an alias, or has a form that this
 * does not follow.
 */
export function itemSpan(text: string, { items, start }: ListNode, index: number): Span | undefined {
  const item = items[index];
  if (item === undefined || !areInOrder(items, start)) return undefined;
  const end = endOf(text, item);
  if (text[start] !== "[") {
    const dash = text.lastIndexOf("-", item.start - 1);
    return dash >= start && /^-\s+$/.test(text.slice(dash, item.start)) ? { start: dash, end } : undefined;
  }
  const [before, after] = [items[index - 1], items[index + 1]];
  if (after !== undefined) return { start: item.start, end: after.start };
  return { start: before === undefined ? item.start : endOf(text, before), end };
}

/** True if the items stand one after the other: those of aliases stand elsewhere. */
function areInOrder(items: readonly TreeNode[], start: number): boolean {
  return items.every((item, i) => item.start >= (items[i - 1]?.start ?? start - 1) + 1);
}

/** The span of a scalar's value, without its quotes. */
export function valueSpan(text: string, node: ScalarNode): Span {
  const isQuoted = node.style === "single" || node.style === "double";
  const end = endOf(text, node);
  return isQuoted ? { start: node.start + 1, end: end - 1 } : { start: scalarOffset(text, node, 0), end };
}

/** A text as it stands in a scalar of this style. */
export function inStyle(value: string, { style }: ScalarNode): string {
  if (style === "single") return value.replaceAll("'", "''");
  return style === "double" ? JSON.stringify(value).slice(1, -1) : value;
}

/** A name in the place of another: with the quotes of that one, or with quotes of its own if it needs them. */
export function nameInStyle(name: string, node: ScalarNode): string {
  if (node.style !== "plain" || /^[A-Za-z_][\w.-]*$/.test(name)) return inStyle(name, node);
  return JSON.stringify(name);
}
