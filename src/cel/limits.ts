/** Limits on one expression. Past them it is refused when policies are loaded. */

/**
 * Length of an expression's source text, in UTF-16 code units. No text of this length takes more than 0.3 s to be
 * parsed or refused, and checked (measured: 0.1-0.2 s; Cerbos takes 100,000 code points).
 */
export const MAX_EXPRESSION_LENGTH = 32 * 1024;

/** Depth of nested brackets in the source text, and of the tree that it makes. */
export const MAX_EXPRESSION_DEPTH = 200;
