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
import { usesOf } from "./uses.js";
import {
  type AttributePath,
  type Factory,
  type Layered,
  type LayeredOutput,
  type Needs,
  type Part,
  WORD,
} from "./written.js";

/** A generated function: its text, a body with the parameters of {@link Factory}, and what it needs. */
export interface Generated extends Needs {
  readonly text: Js;
}

/**
 * The function for the conditions and outputs of one or two layers. Undefined if none of the conditions has a generated
 * form. Never throws.
 */
export function generate(layers: readonly Layered[]): Generated | undefined {
  try {
    return new Writer(layers).write();
  } catch {
    return undefined;
  }
}

/** The same in two stages, that of the bound parts first. Undefined if a condition has no generated form. */
export function generateStaged(layers: readonly Layered[], bound: ReadonlySet<Part>): Generated | undefined {
  try {
    return new Writer(layers).writeStaged(bound);
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

  constructor(layers: readonly Layered[]) {
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
    const text = draft.stagedSource(this.words, joined(inOrder(rules, draft).map(counted), "\n"));
    return { text, left: [], checks: draft.reads.checks, reads: readsOf(draft, bound) };
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
    const keepsReads = put.length > 0 || left.length > 0;
    const written = (keepsReads ? rules : inOrder(rules, draft)).map(counted);
    const text = draft.source(this.words, joined(written, "\n"), keepsReads, { count: put.length, statements });
    return { text, left, checks: draft.reads.checks, reads: readsOf(draft, new Set()) };
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

/** What a function reads in each run. */
function readsOf({ reads }: Draft, bound: ReadonlySet<Part>): readonly AttributePath[] {
  const others = new Set(PARTS.filter((part) => !bound.has(part)));
  return reads.paths(others).map(({ part, path }) => ({ part, path }));
}

const PARTS = ["principal", "account", "resource"] as const satisfies readonly Part[];

function wordName(word: number): Js {
  return word === 0 ? js`h` : js`h${word}`;
}

/** A condition, and its code. */
interface Written {
  readonly one: Placed;
  readonly code: Js;
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

/** Conditions in the order in which they are evaluated: it ends with a search in a list that need not be copied, if there is one. */
function inOrder(rules: readonly Written[], draft: Draft): readonly Written[] {
  const last = rules.findLast(({ ending }) => ending !== undefined && draft.leaveInPlace(ending));
  return last === undefined ? rules : [...rules.filter((one) => one !== last), last];
}

function counted({ one: { index }, code }: Written): Js {
  return js`if (${code}) ${wordName(Math.floor(index / WORD))} += ${2 ** (index % WORD)};`;
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
      const code = match(one.condition, draft);
      if (code === undefined) return [];
      const holds = held.get(one.what);
      return [{ one, code: holds === undefined ? code : js`${holds} = ${code}`, ending: draft.ending }];
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
