/** Limits on one expression. An expression beyond them is refused when policies are loaded. */

/**
 * Length of an expression's source text, in UTF-16 code units. Any text of this length is parsed (or refused) and
 * checked within 0.3 s (measured: 0.1-0.2 s; Cerbos accepts 100,000 code points).
 */
export const MAX_EXPRESSION_LENGTH = 32 * 1024;

/** Depth of nested brackets in the source text, and of the tree. */
export const MAX_EXPRESSION_DEPTH = 200;
