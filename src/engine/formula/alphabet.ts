/**
 * Where solvers and expressions disagree about texts. The theory of strings ends at {@link MAX_CHAR}, but texts of
 * requests can have any code point, and halves of surrogate pairs. An unsatisfiable query is a proof only if characters
 * that the solver lacks can be replaced by others that it has: each by one of its own, in the same order, and so that the
 * texts of policies stay as they are.
 *
 * That is possible for equality, length and concatenation. Two things prevent it:
 *
 * - `<` beside a constant above U+FFFF: the replacements may have no room in the order.
 * - A half of a pair that meets its other half. So `a + b` is exact only if a constant separates unknown parts, and a
 *   search for a part is exact only if a constant is searched for, or searched.
 */

import type { Formula, FormulaConstant, Formulas } from "./formula.js";

/** The query with unknown functions in the places of inexact operations; undefined if it has no such operation. */
export function withoutInexactTexts(formulas: Formulas, holds: readonly Formula[]): readonly Formula[] | undefined {
  const all = partsOf(holds);
  const hasHighText = all.some((one) => isText(one) && /[^\0-\uffff]|[\ud800-\udfff]/u.test(one.value));
  const inexact = new Set(all.filter((one) => isInexact(one, hasHighText)));
  if (inexact.size === 0) return undefined;
  const made = new Map<Formula, Formula>();
  // The arguments of a formula come before it.
  for (const one of all) {
    if (one.op === "constant") {
      made.set(one, one);
      continue;
    }
    const args = one.args.map((arg) => made.get(arg) ?? arg);
    if (inexact.has(one)) made.set(one, formulas.unknown(one.sort, `some ${one.op}`, args));
    else if (one.op === "unknown") made.set(one, formulas.unknown(one.sort, one.name, args));
    else made.set(one, formulas.applied(one.op, args));
  }
  return holds.map((one) => made.get(one) ?? one);
}

/** Formulas and their parts, each once; the parts of a formula come before it. */
function partsOf(formulas: readonly Formula[]): readonly Formula[] {
  const seen = new Set<Formula>();
  const rest = [...formulas];
  for (let one = rest.at(-1); one !== undefined; one = rest.at(-1)) {
    const missing = one.op === "constant" ? [] : one.args.filter((arg) => !seen.has(arg));
    if (missing.length > 0 && !seen.has(one)) {
      rest.push(...missing);
      continue;
    }
    rest.pop();
    seen.add(one);
  }
  return [...seen];
}

/** A half of a surrogate pair that stands alone. */
const HALF = /[\ud800-\udfff]/u;

interface TextConstant extends FormulaConstant {
  readonly value: string;
}

function isText(formula: Formula): formula is TextConstant {
  return formula.op === "constant" && formula.sort === "text" && typeof formula.value === "string";
}

function isInexact(formula: Formula, hasHighText: boolean): boolean {
  switch (formula.op) {
    case "text.less":
      return hasHighText;
    case "text.join": {
      const [left, right] = formula.args;
      return !endsIn(left, -1) && !endsIn(right, 0);
    }
    case "text.starts":
    case "text.ends":
    case "text.contains": {
      const [text, part] = formula.args;
      const isPlainText = text !== undefined && isText(text) && !/[\ud800-\udfff]/.test(text.value);
      const isWholePart = part !== undefined && isText(part) && !HALF.test(part.value);
      return !isPlainText && !isWholePart;
    }
    default:
      return false;
  }
}

/** Whether a text certainly begins (0) or ends (-1) with a character that is no half of a pair. */
function endsIn(formula: Formula | undefined, side: 0 | -1): boolean {
  if (formula === undefined) return false;
  if (isText(formula)) {
    const char = Array.from(formula.value).at(side);
    return char !== undefined && !HALF.test(char);
  }
  if (formula.op === "text.join") return endsIn(formula.args.at(side), side);
  return formula.op === "ite" && endsIn(formula.args[1], side) && endsIn(formula.args[2], side);
}
