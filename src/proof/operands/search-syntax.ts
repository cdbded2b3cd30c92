/**
 * The generated functions that search a list for one of some texts (`engine/generate/intersections.ts`), and the indexes
 * of such lists. Only functions of exactly this form are known:
 *
 * - they decline other values than lists, and lists that are too long;
 * - they may look in an index;
 * - then they test each element that is a text, in a loop, and return 1 for the first that passes a test;
 * - they decline a list with other elements than texts, or skip these elements.
 *
 * So the answer is 1 if and only if an element passes a test, or the lookup holds; or the function declines. Counted
 * steps are a whole number times 4 in each answer.
 */

import type { Expression, FunctionDeclaration, Statement } from "acorn";

export interface SearchSyntax {
  /** The parameters with texts. */
  readonly texts: readonly string[];
  /** The condition on the index `b`. Undefined: the function takes no index. */
  readonly lookup: Expression | undefined;
  /** The constants before the loop. */
  readonly constants: readonly { readonly name: string; readonly value: Expression }[];
  /** True if the function declines lists with other elements than texts. */
  readonly areTexts: boolean;
  /** The tests of an element `s` of the length `w`. */
  readonly tests: readonly Expression[];
}

/** The index of a list for texts, and for texts with a prefix and a suffix. */
export interface IndexSyntax {
  /** Its place among the indexes of a kept frame, which all judges share. */
  readonly place: number;
  /** The name of the list. */
  readonly list: string;
  readonly known: readonly string[];
  readonly built: readonly (readonly [prefix: string, suffix: string])[];
}

const PARAMETERS = /^l,k(,b)?((?:,m\d+)*)$/;

/** Undefined: the function has another form. */
export function searchSyntax({ params, body }: FunctionDeclaration, source: string): SearchSyntax | undefined {
  const textOf = (node: { readonly start: number; readonly end: number }) => source.slice(node.start, node.end);
  const names = params.map((one) => (one.type === "Identifier" ? one.name : "?")).join();
  const [all, index, texts = ""] = PARAMETERS.exec(names) ?? [];
  const rest = [...body.body];
  const skip = (form: RegExp) => {
    const next = rest.shift();
    return next !== undefined && form.test(textOf(next));
  };
  if (all === undefined || !skip(/^if \(!L\(l\)\) return 2;$/) || !skip(/^const n = l\.length;$/)) return undefined;
  if (!skip(/^if \(n > \d+\) return 2;$/)) return undefined;
  const steps = constantIn(rest.shift());
  if (steps?.name !== "c" || !isCount(steps.value) || !skip(/^if \(k \+ c > \d+\) return 2;$/)) return undefined;
  const lookup = index === undefined ? undefined : lookupIn(rest.shift(), textOf);
  if (index !== undefined && lookup === undefined) return undefined;
  const constants: { name: string; value: Expression }[] = [];
  for (let next = constantIn(rest[0]); next !== undefined; next = constantIn(rest[0])) {
    if (!/^[dew]\d+$/.test(next.name)) return undefined;
    constants.push(next);
    rest.shift();
  }
  const tests = testsIn(rest.shift(), textOf);
  if (tests === undefined || !skip(/^return c \* 4;$/) || rest.length > 0) return undefined;
  return { texts: texts.split(",").slice(1), lookup, constants, ...tests };
}

function constantIn(statement: Statement | undefined): { name: string; value: Expression } | undefined {
  if (statement?.type !== "VariableDeclaration" || statement.kind !== "const") return undefined;
  const [made, ...more] = statement.declarations;
  if (made?.id.type !== "Identifier" || !made.init || more.length > 0) return undefined;
  return { name: made.id.name, value: made.init };
}

/** True for code of whole numbers and the length `n`, which cannot be negative. */
function isCount(code: Expression): boolean {
  switch (code.type) {
    case "Literal":
      return Number.isSafeInteger(code.value) && Number(code.value) >= 0;
    case "Identifier":
      return code.name === "n";
    case "ConditionalExpression":
      return isCount(code.test) && isCount(code.consequent) && isCount(code.alternate);
    case "BinaryExpression":
      return (
        ["+", "*", ">>", ">"].includes(code.operator) &&
        code.left.type !== "PrivateIdentifier" &&
        isCount(code.left) &&
        isCount(code.right)
      );
    default:
      return false;
  }
}

type TextOf = (node: { readonly start: number; readonly end: number }) => string;

/** `if (b !== null) return c * 4 + (… ? 1 : 0);` */
function lookupIn(statement: Statement | undefined, textOf: TextOf): Expression | undefined {
  if (statement?.type !== "IfStatement" || statement.alternate) return undefined;
  const { test, consequent } = statement;
  const sum = consequent.type === "ReturnStatement" ? consequent.argument : undefined;
  if (textOf(test) !== "b !== null" || sum?.type !== "BinaryExpression" || sum.operator !== "+") return undefined;
  const { left, right } = sum;
  if (textOf(left) !== "c * 4" || right.type !== "ConditionalExpression") return undefined;
  return textOf(right.consequent) === "1" && textOf(right.alternate) === "0" ? right.test : undefined;
}

/** The statements of the loop that decline other elements than texts, or skip them; and those for a found element. */
const DECLINING = ['if (typeof s !== "string") return 3;', "return X(l, i + 1, n) ? c * 4 + 1 : 3;"];
const SKIPPING = ['if (typeof s !== "string") continue;', "return c * 4 + 1;"];

function testsIn(loop: Statement | undefined, textOf: TextOf): Pick<SearchSyntax, "areTexts" | "tests"> | undefined {
  if (loop?.type !== "ForStatement" || loop.body.type !== "BlockStatement") return undefined;
  const head = textOf({ start: loop.start, end: loop.body.start });
  const [element, guard, length, ...rest] = loop.body.body;
  if (element === undefined || guard === undefined || length === undefined) return undefined;
  if (head.trim() !== "for (let i = 0; i < n; i++)" || textOf(element) !== "const s = l[i];") return undefined;
  const areTexts = textOf(guard) === DECLINING[0];
  const [skipped, found] = areTexts ? DECLINING : SKIPPING;
  if (textOf(guard) !== skipped || textOf(length) !== "const w = s.length;") return undefined;
  const tests: Expression[] = [];
  for (const one of rest) {
    if (one.type !== "IfStatement" || one.alternate || textOf(one.consequent) !== found) return undefined;
    tests.push(one.test);
  }
  return { areTexts, tests };
}

const INDEX =
  /^p\.indexes === null \? null : PA\(p\.indexes, (\d+)\) === undefined \? PP\(p\.indexes, \1, B\((a\d+), (.*)\)\) : PA\(p\.indexes, \1\)$/s;

/** The index that a constant of the judge is. Undefined: it is something else. */
export function indexSyntax(source: string): IndexSyntax | undefined {
  const [, place, list, texts] = INDEX.exec(source) ?? [];
  if (list === undefined) return undefined;
  try {
    const [known, built, ...more]: readonly unknown[] = JSON.parse(`[${texts}]`);
    if (more.length > 0 || !areTexts(known) || !Array.isArray(built)) return undefined;
    const pairs = built.map((pair: unknown) => (areTexts(pair) && pair.length === 2 ? pair : undefined));
    if (pairs.includes(undefined)) return undefined;
    return { place: Number(place), list, known, built: pairs.map((pair) => [pair?.[0] ?? "", pair?.[1] ?? ""]) };
  } catch {
    // It is not JSON.
    return undefined;
  }
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
