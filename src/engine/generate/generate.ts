/**
 * One function for the conditions of a plan, or of the plans of both layers: the set of those that hold, or no set, where
 * the closures must be asked for this request. With the set come the values of the outputs that rules have for it.
 *
 * A set means that the closures would have found the same one, without an error, and a value is what theirs would be. (What
 * follows from a set is not decided here: see the invariant "a set says all" of `joint.ts`.) Everything unusual leaves it
 * to them: an attribute that is absent, of another type than it is compared with or no JSON data, a map in an attribute
 * with a prototype of its own, a polluted `Object.prototype`, a number that is not finite. So generated code knows no
 * errors and no positions. A condition that has no generated form is left to its closure; and where one output has none, or
 * is unusual, all are left to theirs. (`docs/decisions/generated-code.md`)
 */

import type { Expr } from "../../cel/ast.js";
import type { Condition, Definitions, Expression } from "../../policy/model.js";
import { expressionsOfCondition } from "../../policy/walk.js";
import type { Conditional } from "../plan/plan.js";
import type { AttributeTypes } from "../plan/subjects.js";
import { Draft, type Ending, setOf } from "./draft.js";
import { condition } from "./expressions.js";
import { HELPERS } from "./helpers.js";
import { type Js, joined, js } from "./js.js";
import { BAIL } from "./operands.js";
import { output } from "./outputs.js";
import { countedIfAsked, isWorthwhile, type NeedsOf } from "./selection.js";
import { usesOf } from "./uses.js";
import { type Factory, type Layered, type LayeredOutput, type Needs, type Part, WORD } from "./written.js";

/** A generated function: its text, a body with the parameters of {@link Factory}, and what it needs. */
export interface Generated extends Needs {
  readonly text: Js;
}

/**
 * The function for the conditions and outputs of one or two layers. Undefined if none of the conditions has a generated
 * form. `isSelective`: it can be asked for some of the conditions, which are few and without outputs; then undefined, too,
 * if functions for each plan are better. Never throws.
 */
export function generate(layers: readonly Layered[], isSelective = false): Generated | undefined {
  try {
    return new Writer(layers, isSelective).write();
  } catch {
    return undefined;
  }
}

/** {@link generate}, or {@link generateStaged} for some parts. */
export type Write = (layers: readonly Layered[], isSelective: boolean) => Generated | undefined;

/** The same in two stages, that of the bound parts first. Undefined if a condition has no generated form. */
export function generateStaged(
  layers: readonly Layered[],
  bound: ReadonlySet<Part>,
  isSelective = false,
): Generated | undefined {
  try {
    return new Writer(layers, isSelective).writeStaged(bound);
  } catch {
    return undefined;
  }
}

/** The text of a generated function as code; undefined if this environment forbids code from strings. */
export function compileText({ text }: Js): Factory | undefined {
  if (!isAllowed()) return undefined;
  const factory = new Compile(...NAMES, "d", `"use strict";\n${text}`);
  return (d) => factory(...VALUES, d);
}

/** A condition with its place in the set. */
interface Placed {
  readonly what: Conditional;
  readonly condition: Condition;
  readonly index: number;
}

/** A layer, with the conditions of it that can hold or not. */
interface PlacedLayer {
  readonly number: number;
  readonly types: AttributeTypes;
  readonly placed: readonly Placed[];
  readonly outputs: readonly PlacedOutput[];
}

/** An output; without an expression it has no generated form. */
interface PlacedOutput extends Omit<LayeredOutput, "expression"> {
  readonly expression: Expression | undefined;
}

class Writer {
  private readonly layers: readonly PlacedLayer[];
  private readonly words: readonly Js[];
  private readonly isSelective: boolean;

  constructor(layers: readonly Layered[], isSelective: boolean) {
    this.isSelective = isSelective;
    let count = 0;
    this.layers = layers.map(({ conditions, outputs, types }, number) => {
      const first = count;
      count += conditions.length;
      const placed = conditions.flatMap(({ what }, i) => {
        const { condition: source } = what;
        return source === undefined ? [] : [{ what, condition: source, index: first + i }];
      });
      return { number, types, placed, outputs };
    });
    this.words = Array.from({ length: Math.max(1, Math.ceil(count / WORD)) }, (_, i) => wordName(i));
  }

  writeStaged(bound: ReadonlySet<Part>): Generated | undefined {
    const draft = new Draft(bound);
    const rules: Written[] = [];
    for (const layer of this.layers) {
      const { conditions } = writtenIn(draft, layer);
      if (conditions.length < layer.placed.length) return undefined;
      rules.push(...conditions);
    }
    const order = this.inOrder(rules, draft);
    const needs = this.needsIn(rules, draft);
    const text = draft.stagedSource(this.words, this.counted(order.rules), needs);
    return this.generated(text, [], draft, bound, needs, order.apart);
  }

  write(): Generated | undefined {
    const draft = new Draft();
    const rules: Written[] = [];
    const put: WrittenOutput[] = [];
    for (const layer of this.layers) {
      const { conditions, outputs } = writtenIn(draft, ableOf(layer));
      rules.push(...conditions);
      put.push(...outputs);
    }
    const all = this.layers.flatMap(({ placed }) => placed);
    if (rules.length === 0 && all.length > 0) return undefined;
    const own = new Set(rules.map(({ one }) => one));
    const left = all.filter((one) => !own.has(one)).map(({ index }) => index);
    const statements = left.length > 0 ? [] : this.returned(put);
    // Whoever asks for some of the conditions asks for none of those that are left.
    const keepsReads = put.length > 0 || (left.length > 0 && !this.isSelective);
    const order = keepsReads ? { rules, apart: 0 } : this.inOrder(rules, draft);
    const needs = this.needsIn(rules, draft);
    const outputs = { count: put.length, statements };
    const text = draft.source(this.words, this.counted(order.rules), keepsReads, needs, outputs);
    return this.generated(text, left, draft, new Set(), needs, order.apart);
  }

  private generated(
    text: Js,
    left: readonly number[],
    { reads }: Draft,
    bound: ReadonlySet<Part>,
    needs: NeedsOf | undefined,
    apart: number,
  ): Generated | undefined {
    if (needs !== undefined && !isWorthwhile(text)) return undefined;
    // What is read in each run.
    const parts = new Set(PARTS.filter((part) => !bound.has(part)));
    const paths = reads.paths(parts).map(({ part, path }) => ({ part, path }));
    const selective = needs && { readFor: reads.pathNeeds(parts, needs), apart };
    return { text, left, checks: reads.checks, reads: paths, selective };
  }

  /** For which conditions the function reads what it reads; undefined: for all. */
  private needsIn(rules: readonly Written[], draft: Draft): NeedsOf | undefined {
    if (!this.isSelective) return undefined;
    return draft.needsOf(rules.map(({ one, read }) => ({ bit: 1 << one.index, read })));
  }

  /**
   * Conditions in the order in which they are evaluated: it ends with a search in a list that need not be copied, if there is
   * one. Where one alone of several such searches is made in each run, all of them stand there; `apart` has their bits.
   */
  private inOrder(
    rules: readonly Written[],
    draft: Draft,
  ): { readonly rules: readonly Written[]; readonly apart: number } {
    const searches = new Map<string, readonly Written[]>();
    for (const one of rules) {
      const list = one.ending?.list.text;
      if (list !== undefined) searches.set(list, [...(searches.get(list) ?? []), one]);
    }
    const isLeft = (some: readonly Written[]): boolean =>
      (this.isSelective || some.length === 1) && draft.leaveInPlace(some.flatMap(({ ending }) => ending ?? []));
    const last = [...searches.values()].findLast(isLeft);
    if (last === undefined) return { rules, apart: 0 };
    const apart = last.length === 1 ? 0 : last.reduce((bits, { one }) => bits | (1 << one.index), 0);
    return { rules: [...rules.filter((one) => !last.includes(one)), ...last], apart };
  }

  private counted(rules: readonly Written[]): Js {
    return joined(
      rules.map(({ one: { index }, code }) =>
        this.isSelective
          ? countedIfAsked(index, code)
          : js`if (${code}) ${wordName(Math.floor(index / WORD))} += ${2 ** (index % WORD)};`,
      ),
      "\n",
    );
  }

  /** The statements that return the set: by itself, if all that may be put out with it is the same for every request. */
  private returned(put: readonly WrittenOutput[]): readonly Js[] {
    if (put.length === 0) return [];
    const some = put.filter(({ isLiteral }) => !isLiteral).map(({ isPut }) => isPut);
    const found = [...this.words, ...put.map(({ value }) => value)];
    return [
      js`if (!(${joined(some, " || ")})) return ${setOf(this.words)};`,
      ...put.map(({ isPut, value, code }) => js`${value} = ${isPut} ? ${code} : undefined;`),
      js`if (z === 0) return [${joined(found, ", ")}];`,
    ];
  }
}

const PARTS = ["principal", "account", "resource"] as const satisfies readonly Part[];

function wordName(word: number): Js {
  return word === 0 ? js`h` : js`h${word}`;
}

/** A condition, and its code. */
interface Written {
  readonly one: Placed;
  readonly code: Js;
  /** The local variables that it reads. */
  readonly read: ReadonlySet<string>;
  /** With what it ends, if that is a search in a list. */
  readonly ending: Ending | undefined;
}

/** An output: whether it is put out, where its value is kept, and the code of that. */
interface WrittenOutput {
  readonly isPut: Js;
  readonly isLiteral: boolean;
  readonly value: Js;
  readonly code: Js;
}

/** How often conditions and outputs read each variable, by the definitions that they read. */
function usesIn({ placed, outputs }: PlacedLayer): ReadonlyMap<Definitions, ReadonlyMap<string, number>> {
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

/** What of a layer has a generated form. */
function ableOf(layer: PlacedLayer): PlacedLayer {
  const alone = { ...layer, placed: [], outputs: [] };
  const isAble = (one: Placed): boolean => writtenIn(new Draft(), { ...alone, placed: [one] }).conditions.length > 0;
  const outputs = layer.outputs.map((one) => {
    const [written] = writtenIn(new Draft(), { ...alone, outputs: [one] }).outputs;
    return written?.code === BAIL ? { ...one, expression: undefined } : one;
  });
  return { ...layer, placed: layer.placed.filter(isAble), outputs };
}

interface WrittenLayer {
  readonly conditions: readonly Written[];
  readonly outputs: readonly WrittenOutput[];
}

/** The codes of conditions of a layer, but for those that have none, and of its outputs: where there is none, they bail. */
function writtenIn(draft: Draft, layer: PlacedLayer): WrittenLayer {
  const { number, types, placed, outputs } = layer;
  const conditional = outputs.filter(({ rule }) => rule.condition !== undefined);
  const held = new Map(conditional.map(({ rule }) => [rule, draft.temp()]));
  draft.enterLayer(number, types, usesIn(layer));
  return {
    conditions: placed.flatMap((one) => {
      draft.enterSpace(one.what.definitions);
      const { made: code, read } = draft.reading(() => match(one.condition, draft));
      if (code === undefined) return [];
      const holds = held.get(one.what);
      return [{ one, code: holds === undefined ? code : js`${holds} = ${code}`, read, ending: draft.ending }];
    }),
    outputs: outputs.map(({ rule, ifHolds, expression }) => {
      const expr = expression?.expr;
      draft.enterSpace(rule.definitions);
      const code = expr && output(expr, draft);
      const holds = held.get(rule) ?? js`true`;
      const isPut = ifHolds ? holds : js`!${holds}`;
      return { isPut, isLiteral: expr?.kind === "literal", value: draft.temp(), code: code ?? BAIL };
    }),
  };
}

/** Members are evaluated in the order they are written, and no further than needed. */
function match(source: Condition, draft: Draft): Js | undefined {
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

/** What is compiled is the text of one piece: see the invariant "source of pieces" in `js.ts`. */
const Compile = Function;
const NAMES = Object.keys(HELPERS);
const VALUES: readonly unknown[] = Object.values(HELPERS);

let allowed: boolean | undefined;

/** Whether code from strings is allowed here: a content security policy or a flag of Node may forbid it. */
function isAllowed(): boolean {
  if (allowed === undefined) {
    try {
      allowed = new Compile("return true")() === true;
    } catch {
      allowed = false;
    }
  }
  return allowed;
}
