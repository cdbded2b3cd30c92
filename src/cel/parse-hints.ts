/** What to write where an expression is written as in another language. */

/** Of the text from a syntax error on, and of the text before it. */
const AHEAD: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [/^(&&|\|\|)\s*$/, "something has to stand behind it"],
  [/^&(?!&)/, "did you mean `&&`?"],
  [/^\|(?!\|)/, "did you mean `||`?"],
  [/^and\b/i, "did you mean `&&`?"],
  [/^or\b/i, "did you mean `||`?"],
  [/^===/, "did you mean `==`?"],
  [/^!==/, "did you mean `!=`?"],
  [/^(<>|=!|is\s+not\b)/i, "did you mean `!=`?"],
  [/^(is|eq|equals)\b/i, "did you mean `==`?"],
  [/^=>/, "did you mean `>=`?"],
  [/^=</, "did you mean `<=`?"],
  [/^=(?!=)/, "did you mean `==`?"],
  [/^not\s+in\b/i, "did you mean `!(x in list)`?"],
  [/^in\s*\(/, "did you mean `in [a, b]`? A list has square brackets"],
  [/^\?\?/, "did you mean `x.?field.orValue(other)`?"],
  [/^if\b/, "did you mean `condition ? a : b`?"],
];
const BEHIND = /(?:^|[^\w.])not\s*$/i;

/** The mend for a syntax error at `at`, if it is one of those. */
export function syntaxHint(source: string, at: number): string | undefined {
  const rest = source.slice(at).trimStart();
  const found = AHEAD.find(([pattern]) => pattern.test(rest))?.[1];
  return found ?? (BEHIND.test(source.slice(0, at)) ? "did you mean `!`?" : undefined);
}
