/**
 * Simplifies tests of composed texts against known texts. `"api." + R.id + ".read"` is in `["api.api_1.read", "other"]`
 * exactly if `R.id` is in `["api_1"]`. The result has the same value as the test, and errs where the test errs.
 */

import { type Call, type Expr, operandsOf } from "../../cel/ast.js";
import { requestValueOf } from "../../cel/expression-usage.js";
import { LIST_RELATIONS } from "../../cel/list-functions.js";
import { declaredAt, KIND, type TypeDeclaration } from "../../cel/type-declaration.js";
import { isList } from "../../cel/values.js";
import { mapParts } from "./map-parts.js";
import { FALSE, literal, TRUE } from "./residual-expression.js";

/** `declared`: the declarations of the resource's attributes. */
export function withSimpleTexts(expr: Expr, declared: TypeDeclaration | undefined): Expr {
  const made = mapParts(expr, (part) => withSimpleTexts(part, declared));
  if (made.kind !== "call" && made.kind !== "member") return made;
  const [a, b] = made.kind === "call" ? made.args : [made.target, ...made.args];
  if (a === undefined || b === undefined) return made;
  if (made.fn === "@in") {
    return tested([a], b, declared) ?? tested(elementsOf(b), list(a), declared) ?? withoutFolding(made, a, b);
  }
  if (made.fn === "_==_") return tested([a], list(b), declared) ?? tested([b], list(a), declared) ?? made;
  if (LIST_RELATIONS.get(made.fn) !== "intersects") return made;
  return tested(elementsOf(a), b, declared) ?? tested(elementsOf(b), a, declared) ?? made;
}

/**
 * Checking folds `x in []`, and `1 in [1, x]`, without evaluating `x`. So where the policy does not write the list or the
 * element as a constant, the test has another form.
 */
function withoutFolding(test: Expr, element: Expr, known: Expr): Expr {
  const isEmpty = known.kind === "literal" && isList(known.value) && known.value.length === 0;
  const isPartlyKnown = known.kind === "list" && element.kind === "literal";
  if (!isEmpty && !isPartlyKnown) return test;
  return call("hasIntersection", { kind: "list", at: 0, elements: [element] }, known);
}

/** Is one of `elements` in the known list? The test errs if any of the elements errs. */
function tested(
  elements: readonly Expr[] | undefined,
  known: Expr | undefined,
  declared: TypeDeclaration | undefined,
): Expr | undefined {
  const texts = textsOf(known);
  if (elements === undefined || texts === undefined) return undefined;
  const tests: ElementTest[] = [];
  for (const element of elements) {
    const test = testOf(element, texts, declared);
    if (test === undefined) return undefined;
    tests.push(test);
  }
  const isFound = tests.some(({ holds }) => holds === true);
  const open = tests.flatMap(({ holds }) => (typeof holds === "boolean" ? [] : [holds]));
  const guards = tests.flatMap(({ guard }) => (guard === undefined ? [] : [guard]));
  // Each of them is false, or errs as its guard does.
  const never = guards.map((guard) => call("_&&_", guard, not(guard)));
  if (open.length === 0 && !isFound) return joined("_||_", never) ?? FALSE;
  if (open.length === 1 && tests.length === 1) return open[0];
  // Each of them is true, or errs as its guard does.
  const always = guards.map((guard) => call("_||_", guard, not(guard)));
  const some = isFound ? undefined : joined("_||_", open);
  return joined("_&&_", [...(some === undefined ? [] : [some]), ...always]) ?? TRUE;
}

/** The test of one element: it holds or not, or the expression tells. It errs exactly if the guard errs. */
interface ElementTest {
  readonly holds: boolean | Expr;
  readonly guard: Expr | undefined;
}

function testOf(
  element: Expr,
  texts: readonly string[],
  declared: TypeDeclaration | undefined,
): ElementTest | undefined {
  const parts = element.kind === "call" && element.fn === "_+_" ? operandsOf(element) : [element];
  const fixed = parts.map((part) =>
    part.kind === "literal" && typeof part.value === "string" ? part.value : undefined,
  );
  const at = fixed.indexOf(undefined);
  const open = parts[at];
  if (open === undefined) return { holds: texts.includes(fixed.join("")), guard: undefined };
  if (fixed.lastIndexOf(undefined) !== at) return undefined;
  const value = requestValueOf(open);
  const isId = value?.root.path === "R.id" && value.path.length === 0;
  if (!isId && !isDeclaredText(value?.root.path, value?.path, declared)) return undefined;
  const [before, after] = [fixed.slice(0, at).join(""), fixed.slice(at + 1).join("")];
  const matches = texts
    .filter((text) => text.length >= before.length + after.length && text.startsWith(before) && text.endsWith(after))
    .map((text) => text.slice(before.length, text.length - after.length));
  const guard = isId ? undefined : call("_==_", open, literal(""));
  const [only, ...others] = new Set(matches);
  if (only === undefined) return { holds: false, guard };
  return {
    holds: others.length === 0 ? call("_==_", open, literal(only)) : call("@in", open, literal([...new Set(matches)])),
    guard,
  };
}

/** Reading such an attribute errs unless it is a text. */
function isDeclaredText(
  root: string | undefined,
  path: readonly string[] | undefined,
  declared: TypeDeclaration | undefined,
): boolean {
  return (
    root === "R.attr" && path !== undefined && path.length > 0 && declaredAt(declared, path)?.kinds === KIND.string
  );
}

/** The texts of a known list that has nothing else. */
function textsOf(expr: Expr | undefined): readonly string[] | undefined {
  const value = expr?.kind === "literal" ? expr.value : undefined;
  if (value === undefined || !isList(value)) return undefined;
  const texts = value.filter((one) => typeof one === "string");
  return texts.length === value.length ? texts : undefined;
}

/** A list of one known text. */
function list(expr: Expr): Expr | undefined {
  return expr.kind === "literal" && typeof expr.value === "string" ? literal([expr.value]) : undefined;
}

function elementsOf(expr: Expr): readonly Expr[] | undefined {
  return expr.kind === "list" ? expr.elements : undefined;
}

function not(test: Expr): Expr {
  return { kind: "call", fn: "!_", at: 0, overload: undefined, args: [test] };
}

function joined(fn: "_&&_" | "_||_", parts: readonly Expr[]): Expr | undefined {
  const [first, ...rest] = parts;
  return first && rest.reduce((all, part) => call(fn, all, part), first);
}

function call(fn: string, a: Expr, b: Expr): Call {
  return { kind: "call", fn, at: 0, overload: undefined, args: [a, b] };
}
