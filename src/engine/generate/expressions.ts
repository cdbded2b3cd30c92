/** Expressions to generated code. What is not here is left to the closures. */

import type { Call, Expr, MemberCall } from "../../cel/ast.js";
import { terms } from "../../cel/compile/strings.js";
import { type Chain, chainOf } from "../../cel/facts.js";
import { parseNetwork, RANGE_COST } from "../../cel/functions/ip.js";
import { overloadsOf } from "../../cel/functions/registry.js";
import { OPERATORS } from "../../cel/operators.js";
import { follow } from "../../cel/roots.js";
import { STRING } from "../../cel/types.js";
import { LONG_TEXT } from "../frame/budget.js";
import { type Js, joined, js, quoted } from "../frame/js.js";
import type { Subject } from "../plan/subjects.js";
import { equality, membership, ordering } from "./comparisons.js";
import type { Bound, Draft } from "./draft.js";
import { intersection, subset } from "./intersections.js";
import { quantifier } from "./macros.js";
import { answer, anyText, BAIL, bool, double, type Operand, type Scalar, text } from "./operands.js";
import type { Field, Place } from "./reads.js";
import { difference, duration, isTime, now, sum, timeSince, timestamp } from "./times.js";

/** The value of an expression; undefined if some part of it has no generated form. */
export function operand(expr: Expr, draft: Draft): Operand | undefined {
  if (!draft.pays()) return undefined;
  const chain = chainOf(expr);
  if (chain !== undefined) return named(chain, draft);
  switch (expr.kind) {
    case "literal":
      return constant(expr.value);
    case "list":
      return constants(expr.elements.map((element) => (element.kind === "literal" ? element.value : undefined)));
    case "has":
      return has(expr.operand, expr.field, draft);
    case "call":
      return call(expr, draft);
    case "member":
      return member(expr, draft);
    case "macro":
      return flag(quantifier(expr, draft, operand, condition));
    default:
      return undefined;
  }
}

/** A condition. */
export function condition(expr: Expr, draft: Draft): Js | undefined {
  const found = expr.doom === undefined ? operand(expr, draft) : undefined;
  return found === undefined ? undefined : bool(found);
}

function constant(value: unknown): Operand | undefined {
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

/** Past this many, the closures' set is faster. */
const MAX_CONSTANTS = 24;

function constants(values: readonly unknown[]): Operand | undefined {
  if (values.length > MAX_CONSTANTS) return undefined;
  const scalars: Scalar[] = [];
  for (const value of values) {
    const scalar = typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;
    if (typeof scalar !== "string" && typeof scalar !== "number") return undefined;
    if (constant(scalar) === undefined) return undefined;
    scalars.push(scalar);
  }
  return { kind: "constants", values: scalars };
}

/** `P.attr.x`, `R.id`, `V.x`, `C.x`. */
function named({ of, root, fields }: Chain, draft: Draft): Operand | undefined {
  const [name, ...rest] = fields;
  switch (of) {
    case "local": {
      const bound = draft.boundTo(root);
      return bound && element(bound, fields, draft);
    }
    case "variable":
      return name === undefined || rest.length > 0 ? undefined : variable(name, draft);
    case "constant": {
      const value = name === undefined || rest.length > 0 ? undefined : draft.definitions.constants.get(name);
      return Array.isArray(value) ? constants(value) : constant(value);
    }
    case "request":
      return read(root, fields, draft);
    case "global":
      return undefined;
  }
}

function read(root: string, fields: readonly string[], draft: Draft): Operand | undefined {
  const leaf = leafOf(root, fields);
  if (leaf === undefined) return undefined;
  if (leaf.attributes === undefined) {
    return { kind: "any", code: draft.use(draft.field(leaf.subject, leaf.field)) };
  }
  const place = leaf.attributes.length === 0 ? undefined : draft.attribute(leaf.subject, leaf.attributes);
  return place === undefined ? undefined : { kind: "any", code: draft.use(place.local) };
}

/** The variable of a macro, or what is in its value. */
function element(bound: Bound, fields: readonly string[], draft: Draft): Operand | undefined {
  if (bound.kind === "constant") return fields.length === 0 ? constant(bound.value) : undefined;
  if (fields.length === 0) return { kind: "any", code: draft.use(bound.local, bound.body) };
  const place = draft.reads.place(bound.inside, bound.local, fields);
  return place === undefined ? undefined : { kind: "any", code: draft.use(place.local, bound.body) };
}

type Leaf =
  | { readonly subject: Subject; readonly attributes: readonly string[] }
  | { readonly subject: Subject; readonly attributes: undefined; readonly field: Field };

const FIELDS: ReadonlyMap<string, readonly [Subject, Field]> = new Map([
  ["P.id", ["principal", "id"]],
  ["P.roles", ["principal", "roles"]],
  ["R.id", ["resource", "id"]],
  ["R.kind", ["resource", "kind"]],
]);

const ATTRIBUTES: ReadonlyMap<string, Subject> = new Map([
  ["P.attr", "principal"],
  ["R.attr", "resource"],
]);

/** Follows a chain through the request's messages. Texts and lists have no fields: the checker of expressions sees to it. */
function leafOf(start: string, fields: readonly string[]): Leaf | undefined {
  const { root, path } = follow(start, fields) ?? {};
  if (root?.kind !== "leaf" || path === undefined) return undefined;
  const subject = ATTRIBUTES.get(root.path);
  if (subject !== undefined) return { subject, attributes: path };
  const known = FIELDS.get(root.path);
  return known === undefined ? undefined : { subject: known[0], attributes: undefined, field: known[1] };
}

/** A variable that is read once stands where it is read; another, or one read in a macro, is evaluated ahead, once. */
function variable(name: string, draft: Draft): Operand | undefined {
  const known = draft.variables.get(name);
  if (known !== undefined) {
    for (const local of known.locals) draft.use(local);
    return known.operand;
  }
  const definition = draft.definitions.variables.find((one) => one.name === name)?.expr.expr;
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
function hasCode(found: Operand): found is Computed {
  return found.kind !== "any" && found.kind !== "constant" && found.kind !== "constants";
}

type Computed = Exclude<Operand, { readonly kind: "any" | "constant" | "constants" }>;

function nameOf(found: Operand): readonly Js[] {
  return found.kind === "any" ? [found.code] : [];
}

function evaluatedAhead(found: Computed, draft: Draft): { readonly operand: Operand; readonly locals: readonly Js[] } {
  const { code, locals } = draft.ahead(found.code);
  return { operand: { kind: found.kind, code }, locals };
}

/** `has(P.attr.x)`. What is not a plain map is left to the closures. */
function has(within: Expr, field: string, draft: Draft): Operand | undefined {
  const chain = chainOf(within);
  if (chain === undefined) return undefined;
  const bound = chain.of === "local" ? draft.boundTo(chain.root) : undefined;
  if (bound !== undefined) return hasElement(bound, [...chain.fields, field], draft);
  const leaf = chain.of === "request" ? leafOf(chain.root, chain.fields) : undefined;
  if (leaf?.attributes === undefined) return undefined;
  const place = draft.attribute(leaf.subject, [...leaf.attributes, field]);
  if (place === undefined) return undefined;
  if (!draft.isInMacro) return flag(isThere(place));
  const { code, locals } = draft.ahead(isThere(place));
  for (const local of locals) draft.use(local);
  return flag(code);
}

function hasElement(bound: Bound, fields: readonly string[], draft: Draft): Operand | undefined {
  if (bound.kind !== "element") return undefined;
  const place = draft.reads.place(bound.inside, bound.local, fields);
  if (place?.within === undefined) return undefined;
  for (const local of [place.local, place.within]) draft.use(local, bound.body);
  return flag(isThere(place));
}

/** A value that is no JSON data is left to the closures, and so is a container that is no map. */
function isThere({ local, within }: Place): Js {
  if (within === undefined) return js`(D(${local}) || (${local} !== undefined && ${BAIL}))`;
  const isMap = js`(typeof ${within} === "object" && ${within} !== null)`;
  return js`(D(${local}) || ((${local} !== undefined || !${isMap}) && ${BAIL}))`;
}

function call(expr: Call, draft: Draft): Operand | undefined {
  const { fn, args } = expr;
  const [first, second, third] = args;
  if (first === undefined) return fn === "now" ? now(draft) : undefined;
  if (fn === "size") return args.length === 1 ? size(first, draft) : undefined;
  const operator = OPERATORS.get(fn);
  if (operator?.kind === "not") return flag(negated(condition(first, draft)));
  if (operator?.kind === "negative") return doubled(double1(first, draft));
  if (second === undefined) return conversion(expr, first, draft);
  switch (operator?.kind) {
    case "junction":
      return flag(junction(args, draft, operator.decisive ? " || " : " && "));
    case "conditional":
      return third === undefined ? undefined : conditional(first, second, third, draft);
    case "equality": {
      const equal = compared(equality, first, second, draft);
      return flag(operator.equal ? equal : negated(equal));
    }
    case "ordering":
      return flag(compared(ordering(operator.symbol), first, second, draft));
    case "membership":
      return flag(compared(membership, first, second, draft));
    case "arithmetic":
      return (
        (operator.symbol === "+" ? concatenated(expr, draft) : undefined) ??
        arithmetic(operator.symbol, first, second, draft)
      );
    default:
      return ofSets(fn, first, second, false, draft);
  }
}

/** Functions on lists as sets, in either style. */
function ofSets(fn: string, a: Expr, b: Expr, isMember: boolean, draft: Draft): Operand | undefined {
  if (INTERSECTIONS.has(fn)) return flag(intersection(a, b, isMember, draft, operand));
  return SUBSETS.has(fn) ? flag(subset(a, b, draft, operand)) : undefined;
}

const INTERSECTIONS: ReadonlySet<string> = new Set(["hasIntersection", "has_intersection"]);
const SUBSETS: ReadonlySet<string> = new Set(["isSubset", "is_subset"]);

/** Calls of one argument that make times. */
function conversion(expr: Call, first: Expr, draft: Draft): Operand | undefined {
  const make = CONVERSIONS.get(expr.fn);
  if (make === undefined || !takesText(expr)) return undefined;
  const found = operand(first, draft);
  return found === undefined ? undefined : make(found, draft);
}

type Make = (of: Operand, draft: Draft) => Operand | undefined;

const CONVERSIONS: ReadonlyMap<string, Make> = new Map([
  ["timestamp", timestamp],
  ["duration", duration],
  ["timeSince", timeSince],
]);

/** Whether a call may run an overload for texts: one of a value whose type is open may have been settled on another. */
function takesText(expr: Call): boolean {
  const [only] = overloadsOf(expr.fn, "global")[expr.overload ?? -1]?.params ?? [];
  return expr.fn === "timeSince" || only === undefined || only === STRING;
}

/** Calls on a value. */
function member(expr: MemberCall, draft: Draft): Operand | undefined {
  const { fn, target, args } = expr;
  const [first] = args;
  if (first === undefined) {
    if (fn === "size") return size(target, draft);
    const since = fn === "timeSince" ? operand(target, draft) : undefined;
    return since === undefined ? undefined : timeSince(since, draft);
  }
  switch (fn) {
    case "startsWith":
    case "endsWith":
    case "contains": {
      const text = operand(target, draft);
      const part = operand(first, draft);
      return text === undefined || part === undefined ? undefined : flag(textTest(fn, text, part, draft));
    }
    case "inIPAddrRange":
      return flag(addressTest(target, first, draft));
    default:
      return ofSets(fn, target, first, true, draft);
  }
}

/** Whether a text is an IPv4 address of a network that the policy writes. */
function addressTest(address: Expr, network: Expr, draft: Draft): Js | undefined {
  const text = draft.pays(RANGE_COST) ? operand(address, draft) : undefined;
  const range = operand(network, draft);
  if (range?.kind !== "constant" || typeof range.value !== "string") return undefined;
  const parsed = parseNetwork(range.value);
  if (text?.kind !== "any" || parsed?.address.length !== 4) return undefined;
  const base = parsed.address.reduce((bits, byte) => (bits << 8) | byte, 0);
  const mask = parsed.bits === 0 ? 0 : -1 << (32 - parsed.bits);
  return answer(js`R(${text.code}, ${base}, ${mask})`, draft.temp());
}

/** What texts cost to search is in `contains` of `answers.ts`; ends that are no longer than a policy's texts, nothing. */
function textTest(
  fn: "startsWith" | "endsWith" | "contains",
  whole: Operand,
  part: Operand,
  draft: Draft,
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

function flag(code: Js | undefined): Operand | undefined {
  return code === undefined ? undefined : { kind: "bool", code };
}

function negated(code: Js | undefined): Js | undefined {
  return code === undefined ? undefined : js`!${code}`;
}

type Comparison = (left: Operand, right: Operand, draft: Draft) => Js | undefined;

function compared(compare: Comparison, left: Expr, right: Expr, draft: Draft): Js | undefined {
  const a = operand(left, draft);
  const b = a === undefined ? undefined : operand(right, draft);
  return a === undefined || b === undefined ? undefined : compare(a, b, draft);
}

/**
 * From left to right, no further than needed. Where an operand errs before one that decides, CEL has rules, which are
 * left to the closures.
 */
function junction(args: readonly Expr[], draft: Draft, operator: " && " | " || "): Js | undefined {
  const codes: Js[] = [];
  for (const arg of args) {
    const code = condition(arg, draft);
    if (code === undefined) return undefined;
    codes.push(code);
  }
  return js`(${joined(codes, operator)})`;
}

function conditional(test: Expr, yes: Expr, no: Expr, draft: Draft): Operand | undefined {
  const when = condition(test, draft);
  const a = operand(yes, draft);
  const b = operand(no, draft);
  if (when === undefined || a === undefined || b === undefined) return undefined;
  // One of them says of which type both have to be.
  if (a.kind === "any" && b.kind === "any") return undefined;
  const [s, t] = [textOf(a), textOf(b)];
  if (s !== undefined && t !== undefined) return { kind: "string", code: js`(${when} ? ${s} : ${t})` };
  const [x, y] = [bool(a), bool(b)];
  return x !== undefined && y !== undefined ? flag(js`(${when} ? ${x} : ${y})`) : undefined;
}

/** What is a text, or may be one: what it is otherwise is left to the closures. */
function textOf(found: Operand): Js | undefined {
  if (found.kind === "constant") return literalText(found.value);
  return "code" in found ? text(found) : undefined;
}

/** `"a" + x + "b"`: one of them is a constant string, so that all must be strings. */
function concatenated(expr: Call, draft: Draft): Operand | undefined {
  const all = terms(expr);
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
 * Keeps the text short, and what joining it would cost: a text of `n` short ones costs less than `2 n` steps, once for each
 * `n` from two up, if a constant is the first (`cel/compile/strings.ts`); otherwise `4 n` (`joinText` of
 * `cel/functions/operators.ts`).
 */
export const MAX_TERMS = 8;

function literalText(value: unknown): Js | undefined {
  return typeof value === "string" && value.length < LONG_TEXT ? quoted(value) : undefined;
}

function attributeText(expr: Expr, draft: Draft): Js | undefined {
  const found = operand(expr, draft);
  return found?.kind === "constant" || found?.kind === "any" ? textOf(found) : undefined;
}

/** On doubles, which is what attributes are. `+` of two attributes may be of strings: not here. */
function arithmetic(symbol: Arithmetic, left: Expr, right: Expr, draft: Draft): Operand | undefined {
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

type Arithmetic = "+" | "-" | "*" | "/" | "%";

const DOUBLES: ReadonlyMap<Arithmetic, Js> = new Map([
  ["+", js`+`],
  ["-", js`-`],
  ["*", js`*`],
  ["/", js`/`],
]);

function double1(expr: Expr, draft: Draft): Js | undefined {
  const found = operand(expr, draft);
  const code = found === undefined ? undefined : double(found);
  return code === undefined ? undefined : js`(-${code})`;
}

function doubled(code: Js | undefined): Operand | undefined {
  return code === undefined ? undefined : { kind: "number", code };
}

/** Of a list, or of a short text: its code points, for which closures pay a step for each 64. */
function size(expr: Expr, draft: Draft): Operand | undefined {
  const found = operand(expr, draft);
  if (found?.kind !== "any" || !draft.pays(LONG_TEXT >> 6)) return undefined;
  const { code } = found;
  const ofText = js`typeof ${code} === "string" && ${code}.length < ${LONG_TEXT} ? U(${code}) : (z = 1, 0)`;
  const list = draft.temp();
  return { kind: "int", code: js`(L(${list} = ${code}) ? ${list}.length : ${ofText})` };
}
