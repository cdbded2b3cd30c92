/** A mistake in an expression that parses. */
export interface ExpressionIssue {
  /** Offset into the expression's source. */
  readonly at: number;
  readonly code: "undefined_variable" | "undefined_constant" | "unknown_function" | "expression_type" | "unsupported";
  readonly message: string;
  readonly hint?: string;
}
