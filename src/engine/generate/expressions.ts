/** Expressions to generated code. What is not here is left to the closures. */

import type { Call, Expr } from "../../cel/ast.js";
import { chainOf } from "../../cel/facts.js";
import { CONSTANT_ROOTS, ROOTS, type Root, VARIABLE_ROOTS } from "../../cel/roots.js";
import { equality, membership, ordering } from "./comparisons.js";
import type { Draft } from "./draft.js";
import { MAX_TEXT } from "./helpers.js";
import { intersection } from "./intersections.js";
import { type Js, joined, js, quoted } from "./js.js";
import { BAIL, bool, double, type Operand, type Scalar, text } from "./operands.js";
import type { Field, Place, Subject } from "./reads.js";

/** The value of an expression; undefined if some part of it has no generated form. */
export function operand(expr: Expr, draft: Draft): Operand | undefined {
  if (!draft.mayGrow()) return undefined;
  const chain = chainOf(expr);
  if (chain !== undefined) return named(chain.root, chain.fields, draft);
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
      return expr.fn === "size" && expr.args.length === 0 ? size(expr.target, draft) : undefined;
    default:
      return undefined;
  }
}

/** A condition. */
export function condition(expr: Expr, draft: Draft): Js | undefined {
  const found = operand(expr, draft);
  return found === undefined ? undefined : bool(found);
}

function constant(value: unknown): Operand | undefined {
  switch (typeof value) {
    case "string":
      return value.length < MAX_TEXT ? { kind: "constant", value } : undefined;
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
function named(root: string, fields: readonly string[], draft: Draft): Operand | undefined {
  const [name, ...rest] = fields;
  if (name === undefined) return undefined;
  if (VARIABLE_ROOTS.has(root)) return rest.length === 0 ? variable(name, draft) : undefined;
  if (CONSTANT_ROOTS.has(root)) {
    const value = rest.length === 0 ? draft.definitions.constants.get(name) : undefined;
    return Array.isArray(value) ? constants(value) : constant(value);
  }
  const leaf = leafOf(root, fields);
  if (leaf === undefined) return undefined;
  if (leaf.attributes === undefined) {
    return { kind: "any", code: draft.reads.field(leaf.subject, leaf.field) };
  }
  const place = leaf.attributes.length === 0 ? undefined : draft.reads.attribute(leaf.subject, leaf.attributes);
  return place === undefined ? undefined : { kind: "any", code: place.local };
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

/** Follows a chain through the request's messages. */
function leafOf(start: string, fields: readonly string[]): Leaf | undefined {
  let root: Root | undefined = ROOTS.get(start);
  let depth = 0;
  while (root?.kind === "message") root = root.fields.get(fields[depth++] ?? "");
  if (root === undefined) return undefined;
  const rest = fields.slice(depth);
  const subject = ATTRIBUTES.get(root.path);
  if (subject !== undefined) return { subject, attributes: rest };
  const known = rest.length === 0 ? FIELDS.get(root.path) : undefined;
  return known === undefined ? undefined : { subject: known[0], attributes: undefined, field: known[1] };
}

/** A variable that is read once stands where it is read; another is evaluated ahead, once. */
function variable(name: string, draft: Draft): Operand | undefined {
  const known = draft.variables.get(name);
  if (known !== undefined) return known;
  const definition = draft.definitions.variables.find((one) => one.name === name);
  const found = definition === undefined ? undefined : operand(definition.expr.expr, draft);
  if (found === undefined) return undefined;
  const once = (draft.uses.get(name) ?? 0) <= 1;
  const isName = found.kind === "any" || found.kind === "constant" || found.kind === "constants";
  const made: Operand = once || isName ? found : { kind: found.kind, code: draft.ahead(found.code) };
  draft.variables.set(name, made);
  return made;
}

/** `has(P.attr.x)`. Of what is not a plain map, the closures say. */
function has(within: Expr, field: string, draft: Draft): Operand | undefined {
  const chain = chainOf(within);
  const leaf = chain === undefined ? undefined : leafOf(chain.root, chain.fields);
  if (leaf?.attributes === undefined) return undefined;
  const place = draft.reads.attribute(leaf.subject, [...leaf.attributes, field]);
  return place === undefined ? undefined : { kind: "bool", code: isThere(place) };
}

/** What is there and no JSON data is left to the closures. */
function isThere({ local, within, isThere }: Place): Js {
  const map = js`(typeof ${within} === "object" && ${within} !== null)`;
  return js`(D(${local}) || ((!${map} || ${isThere}) && ${BAIL}))`;
}

function call(expr: Call, draft: Draft): Operand | undefined {
  const { fn, args } = expr;
  const [first, second, third] = args;
  if (first === undefined) return undefined;
  if (fn === "!_") return flag(negated(condition(first, draft)));
  if (fn === "-_") return doubled(double1(first, draft));
  if (fn === "size") return args.length === 1 ? size(first, draft) : undefined;
  if (second === undefined) return undefined;
  switch (fn) {
    case "_&&_":
      return flag(junction(args, draft, " && "));
    case "_||_":
      return flag(junction(args, draft, " || "));
    case "_?_:_":
      return third === undefined ? undefined : conditional(first, second, third, draft);
    case "_==_":
      return flag(compared(equality, first, second, draft));
    case "_!=_":
      return flag(negated(compared(equality, first, second, draft)));
    case "_<_":
      return flag(compared(ordering(js`<`, js`>=`), first, second, draft));
    case "_<=_":
      return flag(compared(ordering(js`<=`, js`>`), first, second, draft));
    case "_>_":
      return flag(compared(ordering(js`>`, js`<=`), first, second, draft));
    case "_>=_":
      return flag(compared(ordering(js`>=`, js`<`), first, second, draft));
    case "@in":
      return flag(compared(membership, first, second, draft));
    case "hasIntersection":
    case "has_intersection":
      return flag(intersection(first, second, draft, operand));
    case "_+_":
      return concatenated(expr, draft) ?? arithmetic(js`+`, first, second, draft);
    case "_-_":
      return arithmetic(js`-`, first, second, draft);
    case "_*_":
      return arithmetic(js`*`, first, second, draft);
    case "_/_":
      return arithmetic(js`/`, first, second, draft);
    default:
      return undefined;
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

/** From left to right, no further than needed. What CEL makes of an error beside a value that decides, closures say. */
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
  const [x, y] = [bool(a), bool(b)];
  const certain = a.kind === "bool" || b.kind === "bool" || isBool(a) || isBool(b);
  return certain && x !== undefined && y !== undefined ? flag(js`(${when} ? ${x} : ${y})`) : undefined;
}

function isBool(found: Operand): boolean {
  return found.kind === "constant" && typeof found.value === "boolean";
}

/** `"a" + x + "b"`: a constant string first, so that all must be strings. */
function concatenated(expr: Call, draft: Draft): Operand | undefined {
  const [first, ...rest] = terms(expr);
  if (first?.kind !== "literal" || typeof first.value !== "string" || rest.length === 0) return undefined;
  if (rest.length > MAX_TERMS) return undefined;
  const parts: Js[] = [];
  for (const term of [first, ...rest]) {
    const part = term.kind === "literal" ? literalText(term.value) : attributeText(term, draft);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  const [only] = parts.slice(1);
  const code = first.value === "" && parts.length === 2 && only !== undefined ? only : js`(${joined(parts, " + ")})`;
  return { kind: "string", code };
}

/** Keeps the text, and the steps that joining it would cost, small. */
const MAX_TERMS = 7;

function literalText(value: unknown): Js | undefined {
  return typeof value === "string" && value.length < MAX_TEXT ? quoted(value) : undefined;
}

function attributeText(expr: Expr, draft: Draft): Js | undefined {
  const found = operand(expr, draft);
  if (found?.kind === "constant") return literalText(found.value);
  return found?.kind === "any" ? text(found) : undefined;
}

function terms(expr: Expr): readonly Expr[] {
  if (expr.kind !== "call" || expr.fn !== "_+_") return [expr];
  const [left, right] = expr.args;
  return left === undefined || right === undefined ? [expr] : [...terms(left), right];
}

/** On doubles, which is what attributes are. `+` of two attributes may be of strings: not here. */
function arithmetic(operator: Js, left: Expr, right: Expr, draft: Draft): Operand | undefined {
  const a = operand(left, draft);
  const b = operand(right, draft);
  if (a === undefined || b === undefined) return undefined;
  if (operator.text === "+" && a.kind === "any" && b.kind === "any") return undefined;
  const [x, y] = [double(a), double(b)];
  return x === undefined || y === undefined ? undefined : doubled(js`(${x} ${operator} ${y})`);
}

function double1(expr: Expr, draft: Draft): Js | undefined {
  const found = operand(expr, draft);
  const code = found === undefined ? undefined : double(found);
  return code === undefined ? undefined : js`(-${code})`;
}

function doubled(code: Js | undefined): Operand | undefined {
  return code === undefined ? undefined : { kind: "number", code };
}

/** Of a list. */
function size(expr: Expr, draft: Draft): Operand | undefined {
  const found = operand(expr, draft);
  if (found?.kind !== "any") return undefined;
  return { kind: "int", code: js`(L(${found.code}) ? ${found.code}.length : (z = 1, 0))` };
}
