/**
 * One function for the rows of a role: which rules hold, or `-1` where the closures must be asked.
 *
 * A number means that the closures would have found that set, without an error. Everything unusual is `-1`: an
 * attribute that is absent, of another type than is compared with or no JSON data, a map with a prototype of its own,
 * a polluted `Object.prototype`, a long list or text, a NaN. So generated code knows no errors, no positions and no
 * budget. (`docs/decisions/generated-code.md`)
 */

import { STEP_BUDGET } from "../../cel/evaluation.js";
import type { Condition, Definitions } from "../../policy/model.js";
import { expressionsOfCondition } from "../../policy/walk.js";
import type { Activation, PrincipalInput, ResourceInput } from "../activation.js";
import type { Check } from "../condition.js";
import type { Row } from "../plan.js";
import { Draft } from "./draft.js";
import { condition } from "./expressions.js";
import { HELPERS } from "./helpers.js";
import { type Js, joined, js } from "./js.js";
import type { Subject } from "./reads.js";
import { usesOf } from "./uses.js";

/** The sum of the bits of the rules that hold, or `-1`. The activation is for functions that need one. */
export type HoldingFunction = (principal: PrincipalInput, resource: ResourceInput, activation?: Activation) => unknown;

export interface Generated {
  readonly run: HoldingFunction;
  /** Some rule is left to its closure, which reads the activation. */
  readonly needsActivation: boolean;
  /** Characters of source. */
  readonly size: number;
}

/** What the names in conditions stand for. */
export interface GenerateEnv {
  readonly definitions: Definitions;
  /** The slot of an attribute that several expressions read (see `Evaluation.slots`). */
  slotOf(subject: Subject, path: readonly string[]): number | undefined;
}

/** Undefined if no row has a generated form, or if this environment forbids code from strings. Never throws. */
export function generate(rows: readonly Row[], env: GenerateEnv): Generated | undefined {
  try {
    return make(rows, env);
  } catch {
    return undefined;
  }
}

interface Conditional {
  readonly condition: Condition;
  readonly check: Check;
  readonly bit: number;
}

function make(rows: readonly Row[], env: GenerateEnv): Generated | undefined {
  let always = 0;
  const conditional: Conditional[] = [];
  for (const { rule, check, bit } of rows) {
    if (check === undefined || rule.source.condition === undefined) always += bit;
    else conditional.push({ condition: rule.source.condition, check, bit });
  }
  const uses = usesIn(conditional, env);
  const own = conditional.filter((row) => match(row.condition, new Draft(env.definitions, uses)) !== undefined);
  if (own.length === 0 && conditional.length > 0) return undefined;
  const left = conditional.filter((row) => !own.includes(row));
  const draft = new Draft(env.definitions, usesIn(own, env));
  const rules: Js[] = [js`let h = ${always};`];
  for (const row of own) {
    const code = match(row.condition, draft);
    if (code === undefined) return undefined;
    rules.push(js`if (${code}) h += ${row.bit};`);
  }
  const closures = left.length === 0 ? js`` : ask(left, draft, env);
  const { text } = draft.source(joined(rules, "\n"), closures);
  const run = evaluated(
    text,
    left.map(({ check }) => check),
  );
  return run === undefined ? undefined : { run, needsActivation: left.length > 0, size: text.length };
}

function usesIn(rows: readonly Conditional[], { definitions }: GenerateEnv): ReadonlyMap<string, number> {
  const expressions = rows.flatMap((row) => expressionsOfCondition(row.condition).map(({ expr }) => expr));
  return usesOf(expressions, definitions);
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

/** More than generated code can spend without counting it. */
const RESERVE = STEP_BUDGET / 2;

/**
 * Asks closures for the rules that have no generated form. What was read already is put where they look for it, so that
 * they judge the same values.
 */
function ask(rows: readonly Conditional[], draft: Draft, env: GenerateEnv): Js {
  const known = draft.reads.paths().flatMap(({ subject, path, local }) => {
    const slot = env.slotOf(subject, path);
    return slot === undefined ? [] : [js`if (D(${local})) e.slots[${slot}] = ${local};`];
  });
  const asked = rows.map(
    ({ bit }, i) => js`x = c[${i}](e);\nif (x === true) h += ${bit};\nelse if (x !== false) return -1;`,
  );
  return joined([...known, js`let x;`, ...asked, js`if (e.steps < ${RESERVE}) return -1;`], "\n");
}

const Compile = Function;
const NAMES = Object.keys(HELPERS);
const VALUES: readonly unknown[] = Object.values(HELPERS);

function evaluated(source: string, closures: readonly Check[]): HoldingFunction | undefined {
  if (!isAllowed()) return undefined;
  const made: unknown = new Compile(...NAMES, "c", source)(...VALUES, closures);
  return isFunction(made) ? made : undefined;
}

/** Any function will do for the type: its result is looked at by whoever calls it. */
function isFunction(value: unknown): value is HoldingFunction {
  return typeof value === "function";
}

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
