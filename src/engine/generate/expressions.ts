/** Generates the code of expressions. Forms that are missing here are left to closures. */

import type { Call, Expr, Has, MemberCall } from "../../cel/ast.js";
import { sumOperands } from "../../cel/compile/strings.js";
import { chainOf, type NameReference, referenceOf } from "../../cel/expression-usage.js";
import { parseNetwork, RANGE_COST } from "../../cel/functions/ip.js";
import { overloadsOf } from "../../cel/functions/registry.js";
import { type Domain, interpret } from "../../cel/interpret.js";
import { LIST_RELATIONS } from "../../cel/list-functions.js";
import { OPERATORS } from "../../cel/operators.js";
import type { RequestValue } from "../../cel/roots.js";
import { STRING } from "../../cel/types.js";
import { LONG_TEXT } from "../frame/budget.js";
import { type Js, joined, js, quoted } from "../frame/js.js";
import type { AttributeOwner } from "../plan/subjects.js";
import { equality, membership, ordering } from "./comparisons.js";
import type { FunctionDraft } from "./draft.js";
import { intersection, subset } from "./intersections.js";
import { quantifier } from "./macros.js";
import { answer, anyText, BAIL, bool, type ConstantScalar, double, type JsOperand, text } from "./operands.js";
import type { AttributeLocal, FrameField } from "./reads.js";
import { difference, duration, isTime, now, sum, timeSince, timestamp } from "./times.js";

/** The value of an expression; undefined if some part of it has no generated form. */
export function operand(expr: Expr, draft: FunctionDraft): JsOperand | undefined {
  const found = draft.pays() ? interpret(expr, TEXT, draft) : undefined;
  return found?.kind === "bool" && !isConnective(expr) ? flag(draft.operand(expr, found.code)) : found;
}

/**
 * `&&`, `||` and `!`, and variables, which stand for their definitions. All other expressions with a boolean are
 * operands of a condition.
 */
export function isConnective(expr: Expr): boolean {
  if (referenceOf(expr)?.of === "variable") return true;
  const operator = expr.kind === "call" ? OPERATORS.get(expr.fn)?.kind : undefined;
  return operator === "junction" || operator === "not";
}

const none = () => undefined;

const TEXT: Domain<FunctionDraft, JsOperand | undefined> = {
  literal: ({ value }) => constant(value),
  reference(reference, expr, draft) {
    switch (reference.of) {
      case "local":
        return element(expr, draft);
      case "variable":
        return variable(reference.name, draft);
      case "constant": {
        const value = draft.definitions.constants.get(reference.name);
        return Array.isArray(value) ? constants(value) : constant(value);
      }
      case "request":
        return read(reference, draft);
      case "global":
        return undefined;
    }
  },
  select: element,
  has,
  list: ({ elements }) => constants(elements.map((one) => (one.kind === "literal" ? one.value : undefined))),
  map: none,
  macro: (expr, draft) => flag(quantifier(expr, draft, operand, condition)),
  bind: none,
  part: none,
  junction: ({ args }, { decisive }, draft) => flag(junction(args, draft, decisive ? " || " : " && ")),
  not: (of, _expr, draft) => flag(negated(condition(of, draft))),
  conditional: (test, yes, no, _expr, draft) => conditional(test, yes, no, draft),
  equality(left, right, { equal }, draft) {
    const found = compared(equality, left, right, draft);
    return flag(equal ? found : negated(found));
  },
  ordering: (left, right, { symbol }, _expr, draft) => flag(compared(ordering(symbol), left, right, draft)),
  membership: (item, container, _expr, draft) => flag(compared(membership, item, container, draft)),
  arithmetic: (left, right, { symbol }, expr, draft) =>
    (symbol === "+" ? concatenated(expr, draft) : undefined) ?? arithmetic(symbol, left, right, draft),
  negative: (of, _expr, draft) => doubled(negatedDouble(of, draft)),
  index: (_container, _key, expr, draft) => element(expr, draft),
  optionalField: none,
  call,
};

/** The code of a condition; undefined if some part of it has no generated form. */
export function condition(expr: Expr, draft: FunctionDraft): Js | undefined {
  const found = expr.doom === undefined ? operand(expr, draft) : undefined;
  const code = found && bool(found);
  return code === undefined || found?.kind === "bool" ? code : draft.operand(expr, code);
}

function constant(value: unknown): JsOperand | undefined {
  switch (typeof value) {
    case "string":
      return value.length < LONG_TEXT ? { kind: "constant", value } : undefined;
    case "number":
      return Number.isFinite(value) ? { kind: "constant", value } : undefined;
    case "bigint":
    case "boolean":
      return { kind: "constant", value };
    default:
      return value === null ? { kind: "constant", value } : undefined;
  }
}

/** For more constants than this, the closures' set is faster. */
const MAX_CONSTANTS = 24;

function constants(values: readonly unknown[]): JsOperand | undefined {
  if (values.length > MAX_CONSTANTS) return undefined;
  const scalars: ConstantScalar[] = [];
  for (const value of values) {
    const scalar = typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;
    if (typeof scalar !== "string" && typeof scalar !== "number") return undefined;
    if (constant(scalar) === undefined) return undefined;
    scalars.push(scalar);
  }
  return { kind: "constants", values: scalars };
}

/** A value of the request. Texts and lists have no fields: the checker of expressions ensures it. */
function read(value: RequestValue, draft: FunctionDraft): JsOperand | undefined {
  const [owner, field] = FIELDS.get(value.root.path) ?? [];
  const local = owner && field ? draft.field(owner, field) : attribute(value, draft)?.local;
  return local && { kind: "any", code: draft.use(local) };
}

function attribute({ root, path }: RequestValue, draft: FunctionDraft): AttributeLocal | undefined {
  const subject = path.length === 0 ? undefined : ATTRIBUTES.get(root.path);
  return subject && draft.attribute(subject, path);
}

const FIELDS: ReadonlyMap<string, readonly [AttributeOwner, FrameField]> = new Map([
  ["P.id", ["principal", "id"]],
  ["P.roles", ["principal", "roles"]],
  ["R.id", ["resource", "id"]],
  ["R.kind", ["resource", "kind"]],
]);

const ATTRIBUTES: ReadonlyMap<string, AttributeOwner> = new Map([
  ["P.attr", "principal"],
  ["R.attr", "resource"],
]);

/** The variable of a macro, or a value inside it; undefined for any other expression. */
function element(expr: Expr, draft: FunctionDraft): JsOperand | undefined {
  const chain = chainOf(expr);
  const bound = chain?.of === "local" ? draft.boundTo(chain.root) : undefined;
  if (chain === undefined || bound === undefined) return undefined;
  const { fields } = chain;
  if (bound.kind === "constant") return fields.length === 0 ? constant(bound.value) : undefined;
  if (fields.length === 0) return { kind: "any", code: draft.use(bound.local, bound.body) };
  const place = draft.reads.place(bound.inside, bound.local, fields);
  return place === undefined ? undefined : { kind: "any", code: draft.use(place.local, bound.body) };
}

/**
 * A variable that is read once is written where it is read. Another one, or one read in a macro, is evaluated ahead,
 * once.
 */
function variable(name: string, draft: FunctionDraft): JsOperand | undefined {
  const known = draft.variables.get(name);
  if (known !== undefined) {
    for (const local of known.locals) draft.use(local);
    return known.operand;
  }
  const definition = draft.definitions.variables.get(name)?.expr;
  if (definition === undefined) return undefined;
  const found = draft.atTop(() => operand(definition, draft));
  if (found === undefined) return undefined;
  const once = (draft.uses.get(name) ?? 0) <= 1 && !draft.isInMacro;
  const isAhead = hasCode(found) && !once;
  const made = isAhead ? evaluatedAhead(found, draft) : { operand: found, locals: nameOf(found) };
  draft.variables.set(name, made);
  return variable(name, draft);
}

/** Whether an operand is more than a name or a constant. */
function hasCode(found: JsOperand): found is Computed {
  return found.kind !== "any" && found.kind !== "constant" && found.kind !== "constants";
}

type Computed = Exclude<JsOperand, { readonly kind: "any" | "constant" | "constants" }>;

function nameOf(found: JsOperand): readonly Js[] {
  return found.kind === "any" ? [found.code] : [];
}

function evaluatedAhead(
  found: Computed,
  draft: FunctionDraft,
): { readonly operand: JsOperand; readonly locals: readonly Js[] } {
  const { code, locals } = draft.ahead(found.code);
  return { operand: { kind: found.kind, code }, locals };
}

/** A container that is not a plain map is left to closures. */
function has(
  { operand: within, field }: Has,
  reference: NameReference | undefined,
  draft: FunctionDraft,
): JsOperand | undefined {
  if (reference === undefined) return hasElement(within, field, draft);
  const place = reference.of === "request" ? attribute(reference, draft) : undefined;
  if (place === undefined) return undefined;
  if (!draft.isInMacro) return flag(isThere(place));
  const { code, locals } = draft.ahead(isThere(place));
  for (const local of locals) draft.use(local);
  return flag(code);
}

function hasElement(within: Expr, field: string, draft: FunctionDraft): JsOperand | undefined {
  const chain = chainOf(within);
  const bound = chain?.of === "local" ? draft.boundTo(chain.root) : undefined;
  if (chain === undefined || bound?.kind !== "element") return undefined;
  const place = draft.reads.place(bound.inside, bound.local, [...chain.fields, field]);
  if (place?.within === undefined) return undefined;
  for (const local of [place.local, place.within]) draft.use(local, bound.body);
  return flag(isThere(place));
}

/** A value that is not JSON data is left to closures, and so is a container that is not a map. */
function isThere({ local, within }: AttributeLocal): Js {
  if (within === undefined) return js`(D(${local}) || (${local} !== undefined && ${BAIL}))`;
  const isMap = js`(typeof ${within} === "object" && ${within} !== null)`;
  return js`(D(${local}) || ((${local} !== undefined || !${isMap}) && ${BAIL}))`;
}

function call(expr: Call | MemberCall, [first, second]: readonly Expr[], draft: FunctionDraft): JsOperand | undefined {
  const { fn } = expr;
  if (first === undefined) return fn === "now" ? now(draft) : undefined;
  if (second === undefined) return fn === "size" ? size(first, draft) : conversion(expr, first, draft);
  switch (fn) {
    case "startsWith":
    case "endsWith":
    case "contains": {
      const whole = operand(first, draft);
      const part = operand(second, draft);
      return whole === undefined || part === undefined ? undefined : flag(textTest(fn, whole, part, draft));
    }
    case "inIPAddrRange":
      return flag(addressTest(first, second, draft));
    default:
      return ofSets(fn, first, second, expr.kind === "member", draft);
  }
}

/** Functions on lists as sets, in either style. */
function ofSets(fn: string, a: Expr, b: Expr, isMember: boolean, draft: FunctionDraft): JsOperand | undefined {
  switch (LIST_RELATIONS.get(fn)) {
    case "intersects":
      return flag(intersection(a, b, isMember, draft, operand));
    case "within":
      return flag(subset(a, b, draft, operand));
    case "contains":
      return flag(subset(b, a, draft, operand));
    case "equivalent": {
      const [first, second] = [subset(b, a, draft, operand), subset(a, b, draft, operand)];
      return first && second && flag(js`(${first} && ${second})`);
    }
    case undefined:
      return undefined;
  }
}

/** Calls with one argument that make times. */
function conversion(expr: Call | MemberCall, first: Expr, draft: FunctionDraft): JsOperand | undefined {
  const make = CONVERSIONS.get(expr.fn);
  if (make === undefined || !takesText(expr)) return undefined;
  const found = operand(first, draft);
  return found === undefined ? undefined : make(found, draft);
}

type ConversionWriter = (of: JsOperand, draft: FunctionDraft) => JsOperand | undefined;

const CONVERSIONS: ReadonlyMap<string, ConversionWriter> = new Map([
  ["timestamp", timestamp],
  ["duration", duration],
  ["timeSince", timeSince],
]);

/**
 * Whether a call may run an overload for texts. If the type of its argument is open, the checker may have settled on
 * another overload.
 */
function takesText(expr: Call | MemberCall): boolean {
  const [only] = overloadsOf(expr.fn, "global")[expr.overload ?? -1]?.params ?? [];
  return expr.fn === "timeSince" || only === undefined || only === STRING;
}

/** Whether a text is an IPv4 address of a network that is a constant of the policy. */
function addressTest(address: Expr, network: Expr, draft: FunctionDraft): Js | undefined {
  const text = draft.pays(RANGE_COST) ? operand(address, draft) : undefined;
  const range = operand(network, draft);
  if (range?.kind !== "constant" || typeof range.value !== "string") return undefined;
  const parsed = parseNetwork(range.value);
  if (text?.kind !== "any" || parsed?.address.length !== 4) return undefined;
  const base = parsed.address.reduce((bits, byte) => (bits << 8) | byte, 0);
  const mask = parsed.bits === 0 ? 0 : -1 << (32 - parsed.bits);
  return answer(js`R(${text.code}, ${base}, ${mask})`, draft.temp());
}

/**
 * `contains` of `answers.ts` counts the cost of a search. Comparing the start or end of a text costs nothing if the
 * part is no longer than a policy's texts.
 */
function textTest(
  fn: "startsWith" | "endsWith" | "contains",
  whole: JsOperand,
  part: JsOperand,
  draft: FunctionDraft,
): Js | undefined {
  const a = anyText(whole);
  const b = fn === "contains" || !("code" in part) ? anyText(part) : text(part);
  if (a === undefined || b === undefined || (whole.kind === "constant" && part.kind === "constant")) return undefined;
  switch (fn) {
    case "startsWith":
      return js`${a}.startsWith(${b})`;
    case "endsWith":
      return js`${a}.endsWith(${b})`;
    case "contains":
      return answer(js`C(${a}, ${b}, k)`, draft.temp());
  }
}

function flag(code: Js | undefined): JsOperand | undefined {
  return code === undefined ? undefined : { kind: "bool", code };
}

function negated(code: Js | undefined): Js | undefined {
  return code === undefined ? undefined : js`!${code}`;
}

type ComparisonWriter = (left: JsOperand, right: JsOperand, draft: FunctionDraft) => Js | undefined;

function compared(compare: ComparisonWriter, left: Expr, right: Expr, draft: FunctionDraft): Js | undefined {
  const a = operand(left, draft);
  const b = a === undefined ? undefined : operand(right, draft);
  return a === undefined || b === undefined ? undefined : compare(a, b, draft);
}

/**
 * Short-circuits from left to right. CEL has rules for an operand that errs before one that decides. These are left to
 * closures.
 */
function junction(args: readonly Expr[], draft: FunctionDraft, operator: " && " | " || "): Js | undefined {
  const codes: Js[] = [];
  for (const arg of args) {
    const code = condition(arg, draft);
    if (code === undefined) return undefined;
    codes.push(code);
  }
  return js`(${joined(codes, operator)})`;
}

function conditional(test: Expr, yes: Expr, no: Expr, draft: FunctionDraft): JsOperand | undefined {
  const when = condition(test, draft);
  const a = operand(yes, draft);
  const b = operand(no, draft);
  if (when === undefined || a === undefined || b === undefined) return undefined;
  // One of the two must tell the type of both.
  if (a.kind === "any" && b.kind === "any") return undefined;
  const [s, t] = [textOf(a), textOf(b)];
  if (s !== undefined && t !== undefined) return { kind: "string", code: js`(${when} ? ${s} : ${t})` };
  const [x, y] = [bool(a), bool(b)];
  return x !== undefined && y !== undefined ? flag(js`(${when} ? ${x} : ${y})`) : undefined;
}

/** The code of a value that is a text, or may be one. If the value is something else, it is left to closures. */
function textOf(found: JsOperand): Js | undefined {
  if (found.kind === "constant") return literalText(found.value);
  return "code" in found ? text(found) : undefined;
}

/** `"a" + x + "b"`: one term is a constant string, so all terms must be strings. */
function concatenated(expr: Call, draft: FunctionDraft): JsOperand | undefined {
  const all = sumOperands(expr);
  const { length } = all;
  const constant = all.findIndex((term) => term.kind === "literal" && typeof term.value === "string");
  const cost = (constant === 0 ? 1 : 2) * length * (length + 1);
  if (constant < 0 || length > MAX_TERMS || !draft.pays(cost)) return undefined;
  const parts: Js[] = [];
  for (const term of all) {
    const part = term.kind === "literal" ? literalText(term.value) : attributeText(term, draft);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  const [first, second, ...more] = parts;
  const isSecond = first?.text === quoted("").text && second !== undefined && more.length === 0;
  return { kind: "string", code: isSecond ? second : js`(${joined(parts, " + ")})` };
}

/**
 * Bounds the length of the text, and the cost of joining it. A text of `n` short ones costs less than `2 n` steps, once
 * for each `n` from two up, if the first is a constant (`cel/compile/strings.ts`); otherwise `4 n` (`joinText` of
 * `cel/functions/operators.ts`).
 */
export const MAX_TERMS = 8;

function literalText(value: unknown): Js | undefined {
  return typeof value === "string" && value.length < LONG_TEXT ? quoted(value) : undefined;
}

function attributeText(expr: Expr, draft: FunctionDraft): Js | undefined {
  const found = operand(expr, draft);
  return found?.kind === "constant" || found?.kind === "any" ? textOf(found) : undefined;
}

/**
 * Arithmetic on doubles, since the numbers of attributes are doubles. `+` of two attributes may join strings, so it is
 * left to closures.
 */
function arithmetic(symbol: GeneratedArithmetic, left: Expr, right: Expr, draft: FunctionDraft): JsOperand | undefined {
  const a = operand(left, draft);
  const b = operand(right, draft);
  if (a === undefined || b === undefined) return undefined;
  if (isTime(a) || isTime(b)) {
    return symbol === "+" ? sum(a, b, draft) : symbol === "-" ? difference(a, b, draft) : undefined;
  }
  if (symbol === "+" && a.kind === "any" && b.kind === "any") return undefined;
  const operator = DOUBLES.get(symbol);
  const [x, y] = [double(a), double(b)];
  return operator === undefined || x === undefined || y === undefined
    ? undefined
    : doubled(js`(${x} ${operator} ${y})`);
}

type GeneratedArithmetic = "+" | "-" | "*" | "/" | "%";

const DOUBLES: ReadonlyMap<GeneratedArithmetic, Js> = new Map([
  ["+", js`+`],
  ["-", js`-`],
  ["*", js`*`],
  ["/", js`/`],
]);

function negatedDouble(expr: Expr, draft: FunctionDraft): Js | undefined {
  const found = operand(expr, draft);
  const code = found === undefined ? undefined : double(found);
  return code === undefined ? undefined : js`(-${code})`;
}

function doubled(code: Js | undefined): JsOperand | undefined {
  return code === undefined ? undefined : { kind: "number", code };
}

/** The size of a list, or of a short text in code points. Closures pay a step for each 64 of a text. */
function size(expr: Expr, draft: FunctionDraft): JsOperand | undefined {
  const found = operand(expr, draft);
  if (found?.kind !== "any" || !draft.pays(LONG_TEXT >> 6)) return undefined;
  const { code } = found;
  const ofText = js`typeof ${code} === "string" && ${code}.length < ${LONG_TEXT} ? U(${code}) : (z = 1, 0)`;
  const list = draft.temp();
  return { kind: "int", code: js`(L(${list} = ${code}) ? ${list}.length : ${ofText})` };
}
