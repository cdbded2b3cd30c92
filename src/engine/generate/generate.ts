/**
 * One function for the conditions of a plan: the set of those that hold, or `-1` where the closures must be asked for this
 * request.
 *
 * A set means that the closures would have found the same one, without an error. (What follows from it is not decided
 * here: see the invariant "a set says all" of `cell.ts`.) Everything unusual is `-1`: an attribute that is absent, of
 * another type than it is compared with or no JSON data, a map in an attribute with a prototype of its own, a polluted
 * `Object.prototype`, a NaN. So generated code knows no errors and no positions. A condition that has no generated form is
 * left to its closure, which the function calls in its turn. (`docs/decisions/generated-code.md`)
 */

import { STEP_BUDGET } from "../../cel/evaluation.js";
import type { Condition, Definitions } from "../../policy/model.js";
import { expressionsOfCondition } from "../../policy/walk.js";
import type { Conditional } from "../plan/plan.js";
import { Draft } from "./draft.js";
import { condition } from "./expressions.js";
import { HELPERS } from "./helpers.js";
import { type Js, joined, js } from "./js.js";
import { usesOf } from "./uses.js";
import { type AttributeTypes, type Factory, type Needs, WORD } from "./written.js";

/** A generated function: its text, a body with the parameters of {@link Factory}, and what it needs. */
export interface Generated extends Needs {
  readonly text: Js;
}

/** The function for some conditions. Undefined if none of them has a generated form. Never throws. */
export function generate(conditions: readonly Conditional[], types: AttributeTypes): Generated | undefined {
  try {
    return new Writer(conditions, types).write();
  } catch {
    return undefined;
  }
}

/** The same in two stages, the principal's first. Undefined if a condition has no generated form. */
export function generateStaged(conditions: readonly Conditional[], types: AttributeTypes): Generated | undefined {
  try {
    return new Writer(conditions, types).writeStaged();
  } catch {
    return undefined;
  }
}

/** The text of a generated function as code; undefined if this environment forbids code from strings. */
export function compileText({ text }: Js): Factory | undefined {
  if (!isAllowed()) return undefined;
  const factory = new Compile(...NAMES, "c", "d", "s", "w", `"use strict";\n${text}`);
  return (c, d, s, w) => factory(...VALUES, c, d, s, w);
}

/** A condition with its place in the set. */
interface Placed {
  readonly what: Conditional;
  readonly condition: Condition;
  readonly index: number;
}

class Writer {
  private readonly placed: readonly Placed[];
  private readonly count: number;
  private readonly types: AttributeTypes;

  constructor(conditions: readonly Conditional[], types: AttributeTypes) {
    this.placed = conditions.flatMap((what, index) => {
      const { condition: source } = what;
      return source === undefined ? [] : [{ what, condition: source, index }];
    });
    this.count = conditions.length;
    this.types = types;
  }

  writeStaged(): Generated | undefined {
    if (this.count > WORD) return undefined;
    const draft = new Draft(usesIn(this.placed), this.types, true);
    const rules = [js`let h = 0;`];
    for (const one of this.placed) {
      const code = writtenIn(draft, one);
      if (code === undefined) return undefined;
      rules.push(js`if (${code}) ${counted(one)}`);
    }
    return { text: draft.stagedSource(joined(rules, "\n")), left: [], checks: draft.reads.checks, slots: [] };
  }

  write(): Generated | undefined {
    const able = this.placed.filter((one) => writtenIn(new Draft(usesIn([one]), this.types), one) !== undefined);
    const draft = new Draft(usesIn(able), this.types);
    const codes = able.flatMap((one) => {
      const code = writtenIn(draft, one);
      return code === undefined ? [] : [{ one, code }];
    });
    if (codes.length === 0 && this.placed.length > 0) return undefined;
    const own = new Set(codes.map(({ one }) => one));
    const left = this.placed.filter((one) => !own.has(one));
    const words = Math.max(1, Math.ceil(this.count / WORD));
    const declared = Array.from({ length: words }, (_, i) => js`${wordName(i)} = 0`);
    const rules = [
      js`let ${joined(declared, ", ")};`,
      ...codes.map(({ one, code }) => js`if (${code}) ${counted(one)}`),
    ];
    const others = Array.from({ length: words - 1 }, (_, i) => js`w[${i}] = ${wordName(i + 1)};`);
    const slots = left.length === 0 ? [] : draft.reads.paths();
    const closures = left.length === 0 ? [] : [asked(left, slots)];
    const text = draft.source(joined(rules, "\n"), joined([...closures, ...others], "\n"));
    return {
      text,
      left: left.map(({ index }) => index),
      checks: draft.reads.checks,
      slots: slots.map(({ subject, path }) => ({ subject, path })),
    };
  }
}

/**
 * Asks closures for the conditions that have no generated form. What was read already is put where they look for it,
 * so that they judge the same values (the invariant "read once").
 */
function asked(left: readonly Placed[], slots: readonly { readonly local: Js }[]): Js {
  const known = slots.map(({ local }, i) => js`if (D(${local})) e.fill(s[${i}], ${local});`);
  const closures = left.map(
    (one, i) => js`x = c[${i}](e);\nif (x === true) ${counted(one)}\nelse if (x !== false) return -1;`,
  );
  return joined([...known, js`let x;`, ...closures, js`if (e.steps < ${RESERVE}) return -1;`], "\n");
}

/**
 * Steps that must be left after the closures: as many as the generated part may be worth, by the invariant "budget of
 * generated code". With fewer left, closures alone could have run out of them.
 */
const RESERVE = STEP_BUDGET / 2;

function wordName(word: number): Js {
  return word === 0 ? js`h` : js`h${word}`;
}

function counted({ index }: Placed): Js {
  return js`${wordName(Math.floor(index / WORD))} += ${2 ** (index % WORD)};`;
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

function writtenIn(draft: Draft, { what, condition: source }: Placed): Js | undefined {
  return draft.within(what.definitions, () => match(source, draft));
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
