/** Hints for expressions with the syntax of another language. */

/** Patterns for the text from the syntax error on. */
const AHEAD: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [/^(&&|\|\|)\s*$/, "an operand must follow"],
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
  [/^\?\?/, "did you mean `x.?field.orValue(other)`?"],
  [/^if\b/, "did you mean `condition ? a : b`?"],
];
/** Patterns for the text before the syntax error. */
const BEHIND: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [/\bin\s*\([^()]*$/, "did you mean `in [a, b]`? A list has square brackets"],
  [/(?:^|[^\w.])not\s*$/i, "did you mean `!`?"],
];

/** The hint for a syntax error at offset `at`; undefined if there is none. */
export function syntaxHint(source: string, at: number): string | undefined {
  const rest = source.slice(at).trimStart();
  const before = source.slice(0, at);
  const [, hint] =
    AHEAD.find(([pattern]) => pattern.test(rest)) ?? BEHIND.find(([pattern]) => pattern.test(before)) ?? [];
  return hint;
}
