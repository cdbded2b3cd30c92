/** Mutations of a file's text, regardless of its structure. */

import type { Random } from "../differential/random.js";

const SCRAPS = [
  ..."[]{}:,&*!|>'\"-?%@`#~\n\t\0\\/.",
  "<<: ",
  "__proto__: ",
  "---\n",
  "...\n",
  "null",
  ": ",
  "  ",
  "\r\n",
];
const STRANGE = ["\ufeff", "\u2028", "\u00a0", "\ud800", "\u{1f600}", "\u202e", "é", "\u0085"];

/** Mutates a text; returns the same text if the mutation does not apply. */
export type TextMutation = (random: Random, text: string) => string;

export const TEXT_MUTATIONS: { readonly [name: string]: TextMutation } = {
  noise: (random, text) =>
    random
      .times(1, 4, () => random.int(0, text.length))
      .reduce((changed, at) => {
        const scrap = random.pick(random.chance(0.7) ? SCRAPS : STRANGE);
        return changed.slice(0, at) + scrap + changed.slice(at + random.int(0, 3));
      }, text),
  "tokens swapped": (random, text) => swapped(random, text, /[\w./-]+/g),
  "brackets swapped": (random, text) => swapped(random, text, /[[\]{}(),:"'-]/g),
  "line deleted": (random, text) => onLines(random, text, (lines, at) => lines.splice(at, 1)),
  "line twice": (random, text) => onLines(random, text, (lines, at) => lines.splice(at, 0, lines[at] ?? "")),
  "lines swapped": (random, text) =>
    onLines(random, text, (lines, at) => {
      const other = random.int(0, lines.length - 1);
      [lines[at], lines[other]] = [lines[other] ?? "", lines[at] ?? ""];
    }),
  "line indented": (random, text) =>
    onLines(random, text, (lines, at) => {
      const line = lines[at] ?? "";
      const deeper = random.pick([" ", "  ", "    ", "\t"]) + line;
      lines[at] = random.chance(0.5) ? deeper : line.replace(/^ {1,2}/, "");
    }),
  "block moved": (random, text) =>
    onLines(random, text, (lines, at) => {
      const block = lines.splice(at, random.int(1, 6));
      lines.splice(random.int(0, lines.length), 0, ...block);
    }),
  "cut short": (random, text) => text.slice(0, random.int(0, text.length)),
  "two documents": (_, text) => `${text}\n---\n${text}`,
  "deep nesting": (random, text) => {
    const depth = random.pick([20, 300, 5_000, 20_000]);
    const [open, inner, close] = random.pick([
      ["[", "", "]"],
      ['{"a":', "1", "}"],
      ["(", "1", ")"],
      ["{all: {of: [", "{expr: 'true'}", "]}}"],
    ] as const);
    return valueReplaced(random, text, open.repeat(depth) + inner + close.repeat(depth));
  },
  "huge value": (random, text) => valueReplaced(random, text, hugeValue(random)),
  "alias to a part": (random, text) => {
    const anchored = valueReplaced(random, text, (value) => `&anchor ${value}`);
    return random.times(1, 3, () => 0).reduce((changed) => valueReplaced(random, changed, "*anchor"), anchored);
  },
  "alias to its own": (random, text) => valueReplaced(random, text, "&self {again: *self, list: [*self]}"),
  "alias bomb": (random, text) => {
    const levels = random.int(3, 24);
    const bomb = Array.from({ length: levels }, (_, i) =>
      i === 0
        ? "b0: &b0 [x, x, x, x, x, x, x, x, x]"
        : `b${i}: &b${i} [${Array(9)
            .fill(`*b${i - 1}`)
            .join(", ")}]`,
    );
    const within = random.chance(0.5) ? `${bomb.join("\n")}\n${text}` : `${text}\n${bomb.join("\n")}\n`;
    return random.chance(0.5) ? within : valueReplaced(random, text, `{${bomb.join(", ")}}`);
  },
  "merge key": (random, text) =>
    onLines(random, text, (lines, at) => {
      const indent = /^[ -]*/.exec(lines[at] ?? "")?.[0].replace(/-/g, " ") ?? "";
      const merged = random.pick([
        "{effect: EFFECT_DENY}",
        "[{name: x}, {name: y}]",
        "*nothing",
        "text",
        "{<<: {a: 1}}",
      ]);
      lines.splice(at + 1, 0, `${indent}<<: ${merged}`);
    }),
};

/** Patterns that expand to many, long texts, and long regular expressions. */
function hugeValue(random: Random): string {
  const count = random.pick([10, 1_000, 10_000]);
  return random.pick([
    () => `"${"{a,b}".repeat(count)}*"`,
    () => `"${"{a,".repeat(count)}*${"}".repeat(count)}"`,
    () => `"${"*a?".repeat(count)}*"`,
    () => `"${"[a-z]".repeat(count)}*"`,
    () => `"${"[".repeat(count)}*"`,
    () => `"${"x".repeat(count * 10)}"`,
    () => `"${"a.".repeat(count)}b"`,
    () => `'R.id.matches("${"(a+)+".repeat(count)}$")'`,
    () => `'${"R.id + ".repeat(count)}R.id == ""'`,
    () => `'${"!".repeat(count)}true'`,
    () => `[${"a, ".repeat(count)}b]`,
    () => `{${Array.from({ length: count }, (_, i) => `k${i}: V.k${i + 1}`).join(", ")}}`,
  ])();
}

function onLines(random: Random, text: string, change: (lines: string[], at: number) => unknown): string {
  const lines = text.split("\n");
  change(lines, random.int(0, lines.length - 1));
  return lines.join("\n");
}

/** Swaps two random matches of the pattern. */
function swapped(random: Random, text: string, pattern: RegExp): string {
  const found = [...text.matchAll(pattern)];
  if (found.length < 2) return text;
  const [one, other] = random.some(found, 2, 2).sort((a, b) => a.index - b.index);
  if (one === undefined || other === undefined) return text;
  const between = text.slice(one.index + one[0].length, other.index);
  return text.slice(0, one.index) + other[0] + between + one[0] + text.slice(other.index + other[0].length);
}

/** Replaces a random value that stands on one line. */
function valueReplaced(random: Random, text: string, by: string | ((value: string) => string)): string {
  const values = [...text.matchAll(/(?<=: |- |\[|, )("[^"\n]*"|'[^'\n]*'|[\w./@*-]+)/g)];
  if (values.length === 0) return text;
  const value = random.pick(values);
  const made = typeof by === "string" ? by : by(value[0]);
  return text.slice(0, value.index) + made + text.slice(value.index + value[0].length);
}
