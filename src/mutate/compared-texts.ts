/** The text constants of an expression that are compared with a value of the request, and that value. */

import { children, type Syntax } from "../cel/ast.js";
import { OPERATORS } from "../cel/operators.js";
import type { Spans } from "../cel/spans.js";

/** A text constant, and what it is compared with. */
export interface ComparedText {
  readonly literal: Syntax;
  readonly text: string;
  /** The compared value as the policy spells it (`R.attr.state`), with the constant's place in a sum. */
  readonly term: string;
  /** The other constants of its list. The constant cannot become one of them. */
  readonly beside: readonly string[];
}

const COMPARING: ReadonlySet<string> = new Set(["equality", "ordering", "membership"]);

/** The functions that compare two lists or two texts. */
const COMPARING_FUNCTIONS: ReadonlySet<string> = new Set([
  ...["hasIntersection", "has_intersection", "isSubset", "is_subset", "intersect", "except"],
  ...["hasAll", "hasAny", "hasExactly", "hasOnly", "contains", "startsWith", "endsWith"],
]);

export function comparedTexts(root: Syntax, spans: Spans): readonly ComparedText[] {
  const found: ComparedText[] = [];
  const visit = (expr: Syntax): void => {
    const [one, other] = comparedSides(expr);
    if (one !== undefined && other !== undefined) {
      const kind = expr.kind === "member" ? ` ${expr.fn}` : "";
      if (isTerm(other)) collect(one, `${spans.textOf(other)}${kind}`, [], spans, found);
      if (isTerm(one)) collect(other, `${spans.textOf(one)}${kind}`, [], spans, found);
    }
    for (const child of children(expr)) visit(child);
  };
  visit(root);
  return found;
}

/** The two sides of a comparison; empty for other expressions. */
export function comparedSides(expr: Syntax): readonly Syntax[] {
  if (expr.kind === "call" && expr.args.length === 2) {
    const isComparing = COMPARING.has(OPERATORS.get(expr.fn)?.kind ?? "") || COMPARING_FUNCTIONS.has(expr.fn);
    return isComparing ? expr.args : [];
  }
  return expr.kind === "member" && COMPARING_FUNCTIONS.has(expr.fn) ? [expr.target, ...expr.args].slice(0, 2) : [];
}

/** Is an expression a value of the request, a variable or a constant? */
function isTerm(expr: Syntax): boolean {
  if (expr.kind === "select") return isTerm(expr.operand);
  if (expr.kind === "call" && OPERATORS.get(expr.fn)?.kind === "index") return expr.args.slice(0, 1).every(isTerm);
  return expr.kind === "ident";
}

function collect(expr: Syntax, term: string, beside: readonly string[], spans: Spans, found: ComparedText[]): void {
  if (expr.kind === "literal" && typeof expr.value === "string") {
    found.push({ literal: expr, text: expr.value, term, beside: beside.filter((text) => text !== expr.value) });
  } else if (expr.kind === "list") {
    const texts = expr.elements.flatMap((one) =>
      one.kind === "literal" && typeof one.value === "string" ? one.value : [],
    );
    for (const element of expr.elements) collect(element, term, texts, spans, found);
  } else if (expr.kind === "call" && expr.fn === "_+_") {
    const parts = operandsOf(expr, "_+_");
    for (const [i, part] of parts.entries())
      collect(part, `${term}, part ${i + 1} of ${parts.length}`, [], spans, found);
  } else if (expr.kind === "call" && expr.fn === "_?_:_") {
    for (const branch of expr.args.slice(1)) collect(branch, term, beside, spans, found);
  }
}

/** The operands of a chain of one operator, which the parser nests: `a`, `b` and `c` of `a && b && c`. */
export function operandsOf(expr: Syntax, fn: string): readonly Syntax[] {
  return expr.kind === "call" && expr.fn === fn ? expr.args.flatMap((arg) => operandsOf(arg, fn)) : [expr];
}
