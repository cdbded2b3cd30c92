/** `hasIntersection(attribute, ["a", "b" + R.id + "c"])` in generated code; see `cel/compile/intersections.ts`. */

import type { Expr } from "../../cel/ast.js";
import { concatenation } from "../../cel/compile/strings.js";
import type { Draft } from "./draft.js";
import { MAX_LIST, MAX_TEXT } from "./helpers.js";
import { type Js, joined, js, quoted } from "./js.js";
import { answer, type Operand, text } from "./operands.js";

type Operands = (expr: Expr, draft: Draft) => Operand | undefined;

/** A string of the list: `prefix` alone, or with an attribute between it and `suffix`. */
interface Sought {
  readonly prefix: string;
  readonly middle: Js | undefined;
  readonly suffix: string;
}

export function intersection(left: Expr, right: Expr, draft: Draft, operand: Operands): Js | undefined {
  const [attribute, list] = right.kind === "list" ? [left, right] : [right, left];
  if (list.kind !== "list") return undefined;
  const among = operand(attribute, draft);
  if (among?.kind !== "any") return undefined;
  const sought: Sought[] = [];
  for (const element of list.elements) {
    const one = soughtOf(element, draft, operand);
    if (one === undefined) return undefined;
    sought.push(one);
  }
  const name = draft.helper(search(sought));
  // The middles are arguments: each is evaluated, and must be a string, whether or not another is found.
  const middles = sought.map(({ middle }) => middle).filter((middle) => middle !== undefined);
  return answer(js`${name}(${joined([among.code, ...middles], ", ")})`, draft.temp());
}

function soughtOf(element: Expr, draft: Draft, operand: Operands): Sought | undefined {
  if (!draft.mayGrow()) return undefined;
  if (element.kind === "literal") {
    const { value } = element;
    return typeof value === "string" && isShort(value) ? { prefix: value, middle: undefined, suffix: "" } : undefined;
  }
  const parts = concatenation(element) ?? { prefix: "", middle: element, suffix: "" };
  if (!isShort(parts.prefix) || !isShort(parts.suffix)) return undefined;
  const found = operand(parts.middle, draft);
  if (found === undefined || found.kind !== "any") return undefined;
  const middle = text(found);
  return middle === undefined ? undefined : { prefix: parts.prefix, middle, suffix: parts.suffix };
}

function isShort(value: string): boolean {
  return value.length < MAX_TEXT;
}

/** A function that looks through a list for one of some strings, without making any. */
function search(sought: readonly Sought[]): Js {
  const parameters = sought.flatMap(({ middle }, i) => (middle === undefined ? [] : [js`m${i}`]));
  const lengths = sought.flatMap(({ prefix, middle, suffix }, i) =>
    middle === undefined ? [] : [js`const w${i} = m${i}.length + ${prefix.length + suffix.length};`],
  );
  const tests = sought.map((one, i) => js`if (${matches(one, i)}) return 1;`);
  return js`(l${joined([js``, ...parameters], ", ")}) {
if (!L(l)) return 2;
const n = l.length;
if (n > ${MAX_LIST}) return 2;
${joined(lengths, "\n")}
for (let i = 0; i < n; i++) {
const s = l[i];
if (typeof s !== "string") continue;
const w = s.length;
${joined(tests, "\n")}
}
return 0;
}`;
}

function matches({ prefix, middle, suffix }: Sought, i: number): Js {
  if (middle === undefined) return js`w === ${prefix.length} && s === ${quoted(prefix)}`;
  if (prefix === "" && suffix === "") return js`s === m${i}`;
  return js`w === w${i} && J(s, ${quoted(prefix)}, m${i}, ${quoted(suffix)})`;
}
