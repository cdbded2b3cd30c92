/**
 * `hasIntersection(attribute, ["a", "b" + R.id + "c"])`, or of two attributes, in generated code; see
 * `cel/compile/intersections.ts`.
 */

import type { Expr } from "../../cel/ast.js";
import { concatenation } from "../../cel/compile/strings.js";
import { requestValueOf } from "../../cel/expression-usage.js";
import { LONG_LIST, LONG_TEXT, MAX_COUNTED } from "../frame/budget.js";
import { type Js, joined, js, quoted } from "../frame/js.js";
import { NOT_TEXTS } from "./answers.js";
import type { FunctionDraft } from "./draft.js";
import { answer, type JsOperand, text } from "./operands.js";

type IntersectionOperands = (expr: Expr, draft: FunctionDraft) => JsOperand | undefined;

/** A string of the list: `prefix` alone, or with an attribute between it and `suffix`. */
interface SoughtText {
  readonly prefix: string;
  readonly middle: Js | undefined;
  readonly suffix: string;
  /** Whether it is written as a constant, or as a constant, a middle and perhaps a constant. */
  readonly isPlain: boolean;
}

/** `isMember`: the call is written `a.hasIntersection(b)`, for which closures have only the general function. */
export function intersection(
  left: Expr,
  right: Expr,
  isMember: boolean,
  draft: FunctionDraft,
  operand: IntersectionOperands,
): Js | undefined {
  const [attribute, list] = right.kind === "list" ? [left, right] : [right, left];
  if (list.kind !== "list") return ofLists(js`M`, left, right, draft, operand);
  const among = operand(attribute, draft);
  if (among?.kind !== "any") return undefined;
  const sought: SoughtText[] = [];
  for (const element of list.elements) {
    const one = soughtOf(element, draft, operand);
    if (one === undefined) return undefined;
    sought.push(one);
  }
  const isPlain = !isMember && isAttribute(attribute) && sought.every((one) => one.isPlain);
  if (!isPlain && !draft.pays(JOINING * sought.length)) return undefined;
  const cost = isPlain ? plainCost(sought.length) : generalCost(sought.length);
  const areTexts = isAttribute(attribute) && draft.reads.leavesTexts(among.code);
  const index = draft.reads.indexOf(among.code, indexed(sought));
  const name = draft.helper(search(sought, cost, areTexts, index !== undefined));
  // The middles are arguments: each is evaluated and must be a string, even if another text is found.
  const middles = sought.map(({ middle }) => middle).filter((middle) => middle !== undefined);
  return draft.search(name, among.code, index === undefined ? [] : [draft.use(index)], middles);
}

/** Whether all elements of an attribute's list are in the list of another attribute. */
export function subset(left: Expr, right: Expr, draft: FunctionDraft, operand: IntersectionOperands): Js | undefined {
  return ofLists(js`Z`, left, right, draft, operand);
}

/** Calls a helper with two attributes. */
function ofLists(
  helper: Js,
  left: Expr,
  right: Expr,
  draft: FunctionDraft,
  operand: IntersectionOperands,
): Js | undefined {
  const a = operand(left, draft);
  const b = operand(right, draft);
  if (a?.kind !== "any" || b?.kind !== "any") return undefined;
  return answer(js`${helper}(${a.code}, ${b.code}, k)`, draft.temp());
}

/** Whether closures search in place (`compileIntersection`) if the strings are plain. */
function isAttribute(expr: Expr): boolean {
  return requestValueOf(expr) !== undefined;
}

/** The most that closures pay to join a constant with two short texts, where they do not search in place. */
const JOINING = 12;

function soughtOf(element: Expr, draft: FunctionDraft, operand: IntersectionOperands): SoughtText | undefined {
  if (!draft.pays()) return undefined;
  if (element.kind === "literal") {
    const { value } = element;
    return typeof value === "string" && isShort(value) ? known(value, true) : undefined;
  }
  const parts = concatenation(element);
  const { prefix, middle, suffix } = parts ?? { prefix: "", middle: element, suffix: "" };
  if (!isShort(prefix) || !isShort(suffix)) return undefined;
  const found = operand(middle, draft);
  if (found?.kind === "constant") {
    return typeof found.value === "string" ? known(prefix + found.value + suffix, parts !== undefined) : undefined;
  }
  const code = found?.kind === "any" ? text(found) : undefined;
  return code === undefined ? undefined : { prefix, middle: code, suffix, isPlain: parts !== undefined };
}

function known(prefix: string, isPlain: boolean): SoughtText {
  return { prefix, middle: undefined, suffix: "", isPlain };
}

function isShort(value: string): boolean {
  return value.length < LONG_TEXT;
}

/** The cost of a search: the longest list that it accepts, and the steps for a list of length `n`. */
interface SearchCost {
  readonly longest: number;
  readonly ofLength: Js;
}

/** The cost of `intersection` of `cel/compile/intersections.ts`. */
function plainCost(strings: number): SearchCost {
  return {
    longest: Math.floor((MAX_COUNTED * 16) / Math.max(strings, 1)),
    ofLength: js`n > ${LONG_LIST} ? n * ${strings} >> 4 : 0`,
  };
}

/**
 * No less than the cost of the general function of `cel/functions/cerbos-lists.ts`, with the comparisons. A built
 * string is no longer than three short ones, so comparing it takes two steps at most.
 */
function generalCost(strings: number): SearchCost {
  const each = strings * 3;
  return { longest: Math.floor(MAX_COUNTED / Math.max(each, 1)), ofLength: js`1 + n * ${each}` };
}

/**
 * A function that searches a list for one of some strings, and builds none of them. `areTexts`: it declines other
 * elements. `isIndexed`: it gets the index of the list or null, and looks in the index; the counted steps are those of
 * the search.
 */
function search(
  sought: readonly SoughtText[],
  { longest, ofLength }: SearchCost,
  areTexts: boolean,
  isIndexed: boolean,
): Js {
  const parameters = sought.flatMap(({ middle }, i) => (middle === undefined ? [] : [js`m${i}`]));
  const constants = sought.flatMap((one, i) => (one.middle === undefined ? [] : [measured(one, i)]));
  const found = areTexts ? js`return X(l, i + 1, n) ? c * 4 + 1 : ${NOT_TEXTS};` : js`return c * 4 + 1;`;
  const tests = sought.map((one, i) => js`if (${matches(one, i)}) ${found}`);
  const built = parameters.map((middle, i) => js`K(${middle}, b.middles[${i}])`);
  const lookup = isIndexed
    ? js`if (b !== null) return c * 4 + (${joined([js`b.has`, ...built], " || ")} ? 1 : 0);`
    : js``;
  return js`(${joined([js`l`, js`k`, ...(isIndexed ? [js`b`] : []), ...parameters], ", ")}) {
if (!L(l)) return 2;
const n = l.length;
if (n > ${longest}) return 2;
const c = ${areTexts ? js`(${ofLength}) + (n + 15 >> 4)` : ofLength};
if (k + c > ${MAX_COUNTED}) return 2;
${lookup}
${joined(constants, "\n")}
for (let i = 0; i < n; i++) {
const s = l[i];
if (typeof s !== "string") ${areTexts ? js`return ${NOT_TEXTS}` : js`continue`};
const w = s.length;
${joined(tests, "\n")}
}
return c * 4;
}`;
}

/** The arguments of a list's index: the constants, and the prefix and suffix around each middle. */
function indexed(sought: readonly SoughtText[]): Js {
  const known = sought.filter(({ middle }) => middle === undefined).map(({ prefix }) => quoted(prefix));
  const built = sought
    .filter(({ middle }) => middle !== undefined)
    .map(({ prefix, suffix }) => js`[${quoted(prefix)}, ${quoted(suffix)}]`);
  return js`[${joined(known, ", ")}], [${joined(built, ", ")}]`;
}

/**
 * The length of a built string, and the place and code of the last character of its middle. They tell most strings
 * apart.
 */
function measured({ prefix, suffix }: SoughtText, i: number): Js {
  return js`const e${i} = m${i}.length - 1;
const w${i} = e${i} + ${prefix.length + suffix.length + 1};
const d${i} = m${i}.charCodeAt(e${i});`;
}

function matches({ prefix, middle, suffix }: SoughtText, i: number): Js {
  if (middle === undefined) return js`w === ${prefix.length} && s === ${quoted(prefix)}`;
  if (prefix === "" && suffix === "") return js`w === w${i} && s === m${i}`;
  const last = js`(e${i} < 0 || s.charCodeAt(e${i} + ${prefix.length}) === d${i})`;
  return js`w === w${i} && ${last} && J(s, ${quoted(prefix)}, m${i}, ${quoted(suffix)})`;
}
