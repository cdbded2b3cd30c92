/**
 * The functions for a plan of one layer. One reads a principal into its frame, and one judges the conditions by the
 * frames of the principal and of the resource. The judge finds the set of conditions that hold, with the values of the
 * outputs that rules have for it. If closures must be asked for the request, it finds no set.
 *
 * If the function returns a set, the closures would find the same set without an error, and the same values. The
 * verdict of a set is not decided here: see the invariant "a set says all" of `compiled-plan.ts`. Closures judge
 * everything unusual: an attribute that is absent, of another type than it is compared with or no JSON data, a map in
 * an attribute with a prototype of its own, a polluted `Object.prototype`, a number that is not finite. So generated
 * code knows no errors and no positions. A condition without a generated form is left to its closure. If one output has
 * none, or is unusual, closures evaluate all. (`docs/decisions/generated-code.md`)
 */

import type { Expr } from "../../cel/ast.js";
import type { Condition, Definitions, Expression } from "../../policy/model.js";
import { expressionsOfCondition } from "../../policy/policy-expressions.js";
import { type Js, joined, js } from "../frame/js.js";
import { type Layout, mergedLayout, type TypeCheck } from "../frame/layout.js";
import { type ReaderText, ReaderWriter } from "../frame/reader.js";
import type { Conditional } from "../plan/plan.js";
import { type FinalSearch, FunctionDraft, type MarkedOperands, setOf } from "./draft.js";
import { condition } from "./expressions.js";
import { HELPERS } from "./helpers.js";
import { BAIL } from "./operands.js";
import { output } from "./outputs.js";
import type { IndexPlaces } from "./reads.js";
import { usesOf } from "./uses.js";
import { type Factory, type LayerConditions, type LayeredOutput, type LayerNeeds, WORD } from "./written.js";

/** The functions for a plan as text. */
export interface GeneratedLayer extends LayerNeeds {
  /** The judge: a body with the parameters of {@link Factory}, which returns the function. */
  readonly text: Js;
  /** Plans that read the same attributes have the same text. */
  readonly reader: GeneratedReader;
  readonly principal: Layout;
  readonly resource: Layout;
}

/** A reader as text, likewise. */
export interface GeneratedReader {
  readonly text: Js;
  readonly checks: readonly TypeCheck[];
}

/**
 * The functions for a plan. `places`: see {@link IndexPlaces}. `operands`: see {@link FunctionDraft}. Undefined if none
 * of the conditions has a generated form. Never throws.
 */
export function generateLayer(
  layer: LayerConditions,
  places: IndexPlaces,
  operands?: MarkedOperands,
): GeneratedLayer | undefined {
  try {
    return write(layer, places, operands);
  } catch {
    return undefined;
  }
}

/**
 * The function that reads a resource for several plans. `isSameSchema`: see {@link mergedLayout}. `keepsAll`: closures
 * may read values that generated code does not read.
 */
export function generateReader(layouts: readonly Layout[], isSameSchema: boolean, keepsAll: boolean): GeneratedReader {
  const merged = mergedLayout(layouts, isSameSchema);
  const owned = keepsAll
    ? merged.map((slot) => (typeof slot.owned === "object" ? { ...slot, owned: "all" as const } : slot))
    : merged;
  const checks: TypeCheck[] = [];
  return { text: bodyOf(new ReaderWriter(owned, "resource", checks).forResource(layouts)), checks };
}

function bodyOf({ text, outside }: ReaderText): Js {
  return joined([...outside, js`return ${text};`], "\n");
}

/** The text of generated code as code; undefined if this environment forbids code from strings. */
export function compileText({ text }: Js): Factory | undefined {
  if (!isCodeAllowed()) return undefined;
  const factory = new Compile(...NAMES, "d", `"use strict";\n${text}`);
  return (d) => factory(...VALUES, d);
}

/** A condition with its place in the set. */
interface PlacedCondition {
  readonly what: Conditional;
  readonly condition: Condition;
  readonly index: number;
}

/** The conditions of a layer that can hold or not, and its outputs. */
interface LayerSource {
  readonly types: LayerConditions["types"];
  readonly places: IndexPlaces;
  readonly placed: readonly PlacedCondition[];
  readonly outputs: readonly PlacedOutput[];
}

/** An output; without an expression it has no generated form. */
interface PlacedOutput extends Omit<LayeredOutput, "expression"> {
  readonly expression: Expression | undefined;
}

function write(
  { conditions, outputs, types }: LayerConditions,
  places: IndexPlaces,
  operands: MarkedOperands | undefined,
): GeneratedLayer | undefined {
  const placed = conditions.flatMap(({ what }, index) => {
    const { condition: source } = what;
    return source === undefined ? [] : [{ what, condition: source, index }];
  });
  const able = ableOf({ types, places, placed, outputs });
  const { draft, conditions: all, outputs: put } = written(able, operands);
  if (all.length === 0 && placed.length > 0) return undefined;
  // Conditions that have a form by themselves may be too many for one function.
  const own = new Set(all.map(({ one }) => one));
  const left = placed.filter((one) => !own.has(one)).map(({ index }) => index);
  const keepsAll = put.length > 0 || left.length > 0;
  const rules = keepsAll ? all : inOrder(all, draft);
  const words = Array.from({ length: Math.max(1, Math.ceil(conditions.length / WORD)) }, (_, i) => wordName(i));
  const judge = draft.source(words, counted(rules), left.length > 0 ? [] : returned(put, words));
  const { reads } = draft;
  const principal = reads.layout("principal", keepsAll);
  const checks: TypeCheck[] = [];
  const reader = new ReaderWriter(principal, "principal", checks).forPrincipal(principal);
  return {
    text: bodyOf(judge),
    reader: { text: bodyOf(reader), checks },
    left,
    principal,
    resource: reads.layout("resource", keepsAll),
  };
}

/** Conditions in the order in which they are evaluated: a search in a list that need not be copied comes last. */
function inOrder(rules: readonly WrittenCondition[], draft: FunctionDraft): readonly WrittenCondition[] {
  const last = rules.findLast(
    ({ ending }) => ending !== undefined && draft.reads.leaveInPlace(ending.list, ending.answer),
  );
  return last === undefined ? rules : [...rules.filter((one) => one !== last), last];
}

function counted(rules: readonly WrittenCondition[]): Js {
  return joined(
    rules.map(
      ({ one: { index }, code }) => js`if (${code}) ${wordName(Math.floor(index / WORD))} += ${2 ** (index % WORD)};`,
    ),
    "\n",
  );
}

/**
 * The statements that return the set. The set comes alone if all outputs that it may have are the same for every
 * request.
 */
function returned(put: readonly WrittenOutput[], words: readonly Js[]): readonly Js[] {
  if (put.length === 0) return [];
  const some = put.filter(({ isLiteral }) => !isLiteral).map(({ isPut }) => isPut);
  const found = [...words, ...put.map(({ value }) => value)];
  const none = put.map(() => js`undefined`);
  return [
    js`if (!(${joined(some, " || ")})) return ${setOf(words)};`,
    ...put.map(({ isPut, value, code }) => js`${value} = ${isPut} ? ${code} : undefined;`),
    js`return z === 0 ? [${joined(found, ", ")}] : [${joined([...words, ...none], ", ")}];`,
  ];
}

function wordName(word: number): Js {
  return word === 0 ? js`h` : js`h${word}`;
}

/** A condition with its code. */
interface WrittenCondition {
  readonly one: PlacedCondition;
  readonly code: Js;
  /** The search at its end; undefined if it does not end with one. */
  readonly ending: FinalSearch | undefined;
}

/** An output: whether it is reported, the variable for its value, and the code of the value. */
interface WrittenOutput {
  readonly isPut: Js;
  readonly isLiteral: boolean;
  readonly value: Js;
  readonly code: Js;
}

/** How often conditions and outputs read each variable, by the definitions that they read. */
function usesIn({ placed, outputs }: LayerSource): ReadonlyMap<Definitions, ReadonlyMap<string, number>> {
  const readers = new Map<Definitions, Expr[]>();
  const note = (definitions: Definitions, expressions: readonly Expression[]): void => {
    const known = readers.get(definitions) ?? [];
    readers.set(definitions, known);
    for (const { expr } of expressions) known.push(expr);
  };
  for (const { what, condition } of placed) note(what.definitions, expressionsOfCondition(condition));
  for (const { rule, expression } of outputs) if (expression !== undefined) note(rule.definitions, [expression]);
  return new Map([...readers].map(([definitions, all]) => [definitions, usesOf(all, definitions)]));
}

/** The conditions and outputs of a layer that have a generated form. */
function ableOf(source: LayerSource): LayerSource {
  const alone = { ...source, placed: [], outputs: [] };
  const isAble = (one: PlacedCondition): boolean => written({ ...alone, placed: [one] }).conditions.length > 0;
  const outputs = source.outputs.map((one) => {
    const [made] = written({ ...alone, outputs: [one] }).outputs;
    return made?.code === BAIL ? { ...one, expression: undefined } : one;
  });
  return { ...source, placed: source.placed.filter(isAble), outputs };
}

interface WrittenLayer {
  readonly draft: FunctionDraft;
  readonly conditions: readonly WrittenCondition[];
  readonly outputs: readonly WrittenOutput[];
}

/**
 * The codes of a layer's conditions, without those that have no generated form, and of its outputs. An output without a
 * generated form bails.
 */
function written(source: LayerSource, operands?: MarkedOperands): WrittenLayer {
  const draft = new FunctionDraft(source.types, usesIn(source), source.places, operands);
  const conditional = source.outputs.filter(({ rule }) => rule.condition !== undefined);
  const held = new Map(conditional.map(({ rule }) => [rule, draft.temp()]));
  const conditions = source.placed.flatMap((one) => {
    draft.enterSpace(one.what.definitions);
    const code = match(one.condition, draft);
    if (code === undefined) return [];
    const holds = held.get(one.what);
    return [{ one, code: holds === undefined ? code : js`${holds} = ${code}`, ending: draft.ending }];
  });
  const outputs = source.outputs.map(({ rule, ifHolds, expression }) => {
    const expr = expression?.expr;
    draft.enterSpace(rule.definitions);
    const code = expr && output(expr, draft);
    const holds = held.get(rule) ?? js`true`;
    const isPut = ifHolds ? holds : js`!${holds}`;
    return { isPut, isLiteral: expr?.kind === "literal", value: draft.temp(), code: code ?? BAIL };
  });
  return { draft, conditions, outputs };
}

/** Members are evaluated in their order, short-circuiting. */
function match(source: Condition, draft: FunctionDraft): Js | undefined {
  if (source.kind === "expr") return condition(source.expr.expr, draft);
  const members: Js[] = [];
  for (const member of source.of) {
    const code = match(member, draft);
    if (code === undefined) return undefined;
    members.push(code);
  }
  if (members.length === 0) return js`${source.kind !== "any"}`;
  if (source.kind === "all") return js`(${joined(members, " && ")})`;
  const any = js`(${joined(members, " || ")})`;
  return source.kind === "none" ? js`!${any}` : any;
}

/** Compiles only the text of one piece: see the invariant "source of pieces" in `frame/js.ts`. */
const Compile = Function;
const NAMES = Object.keys(HELPERS);
const VALUES: readonly unknown[] = Object.values(HELPERS);

let allowed: boolean | undefined;

/** Whether code from strings is allowed here: a content security policy or a flag of Node may forbid it. */
export function isCodeAllowed(): boolean {
  if (allowed === undefined) {
    try {
      allowed = new Compile("return true")() === true;
    } catch {
      allowed = false;
    }
  }
  return allowed;
}
