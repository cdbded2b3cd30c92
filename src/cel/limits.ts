/** Limits on one expression. Past them it is refused when policies are loaded. */

/** Length of an expression's source text, in UTF-16 code units. */
export const MAX_EXPRESSION_LENGTH = 64 * 1024;

/** Depth of nested brackets in the source text, and of the tree that it makes. */
export const MAX_EXPRESSION_DEPTH = 200;
