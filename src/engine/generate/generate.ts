/**
 * One function for the conditions of a plan, or of the plans of both layers: the set of those that hold, or no set, where
 * the closures must be asked for this request.
 *
 * A set means that the closures would have found the same one, without an error. (What follows from it is not decided
 * here: see the invariant "a set says all" of `joint.ts`.) Everything unusual leaves it to them: an attribute that is
 * absent, of another type than it is compared with or no JSON data, a map in an attribute with a prototype of its own, a
 * polluted `Object.prototype`, a number that is not finite. So generated code knows no errors and no positions. A condition
 * that has no generated form is left to its closure. (`docs/decisions/generated-code.md`)
 */

import type { Condition, Definitions } from "../../policy/model.js";
import { expressionsOfCondition } from "../../policy/walk.js";
import type { Conditional } from "../plan/plan.js";
import type { AttributeTypes } from "../plan/subjects.js";
import { Draft } from "./draft.js";
import { condition } from "./expressions.js";
import { HELPERS } from "./helpers.js";
import { type Js, joined, js } from "./js.js";
import { usesOf } from "./uses.js";
import { type AttributePath, type Factory, type Layered, type Needs, type Part, WORD } from "./written.js";

/** A generated function: its text, a body with the parameters of {@link Factory}, and what it needs. */
export interface Generated extends Needs {
  readonly text: Js;
}

/**
 * The function for the conditions of one or two layers. `keepsReads`: it returns what it has read, beside the set. Undefined
 * if none of the conditions has a generated form. Never throws.
 */
export function generate(layers: readonly Layered[], keepsReads: boolean): Generated | undefined {
  try {
    return new Writer(layers).write(keepsReads);
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
}

class Writer {
  private readonly layers: readonly PlacedLayer[];
  private readonly words: readonly Js[];

  constructor(layers: readonly Layered[]) {
    let count = 0;
    this.layers = layers.map(({ conditions, types }, number) => {
      const first = count;
      count += conditions.length;
      const placed = conditions.flatMap(({ what }, i) => {
        const { condition: source } = what;
        return source === undefined ? [] : [{ what, condition: source, index: first + i }];
      });
      return { number, types, placed };
    });
    this.words = Array.from({ length: Math.max(1, Math.ceil(count / WORD)) }, (_, i) => wordName(i));
  }

  writeStaged(bound: ReadonlySet<Part>): Generated | undefined {
    const draft = new Draft(bound);
    const rules: Js[] = [];
    for (const layer of this.layers) {
      const codes = writtenIn(draft, layer, layer.placed);
      if (codes.length < layer.placed.length) return undefined;
      rules.push(...codes.map(counted));
    }
    const text = draft.stagedSource(this.words, joined(rules, "\n"));
    return { text, left: [], checks: draft.reads.checks, reads: readsOf(draft, bound) };
  }

  write(keepsReads: boolean): Generated | undefined {
    const draft = new Draft();
    const own = new Set<Placed>();
    const rules: Js[] = [];
    for (const layer of this.layers) {
      const able = layer.placed.filter((one) => writtenIn(new Draft(), layer, [one]).length > 0);
      const codes = writtenIn(draft, layer, able);
      for (const { one } of codes) own.add(one);
      rules.push(...codes.map(counted));
    }
    const all = this.layers.flatMap(({ placed }) => placed);
    if (own.size === 0 && all.length > 0) return undefined;
    const left = all.filter((one) => !own.has(one)).map(({ index }) => index);
    const text = draft.source(this.words, joined(rules, "\n"), keepsReads || left.length > 0);
    return { text, left, checks: draft.reads.checks, reads: readsOf(draft, new Set()) };
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
}

function counted({ one: { index }, code }: Written): Js {
  return js`if (${code}) ${wordName(Math.floor(index / WORD))} += ${2 ** (index % WORD)};`;
}

/** How often conditions read each variable, by the definitions that they read. */
function usesIn(placed: readonly Placed[]): ReadonlyMap<Definitions, ReadonlyMap<string, number>> {
  const readers = new Map<Definitions, Condition[]>();
  for (const { what, condition: reader } of placed) {
    const known = readers.get(what.definitions);
    if (known === undefined) readers.set(what.definitions, [reader]);
    else known.push(reader);
  }
  return new Map(
    [...readers].map(([definitions, all]) => {
      const expressions = all.flatMap((one) => expressionsOfCondition(one).map(({ expr }) => expr));
      return [definitions, usesOf(expressions, definitions)];
    }),
  );
}

/** The codes of conditions of a layer; those that have none are left out. */
function writtenIn(draft: Draft, { number, types }: PlacedLayer, placed: readonly Placed[]): readonly Written[] {
  return draft.within(number, types, usesIn(placed), () =>
    placed.flatMap((one) => {
      const code = draft.with(one.what.definitions, () => match(one.condition, draft));
      return code === undefined ? [] : [{ one, code }];
    }),
  );
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
