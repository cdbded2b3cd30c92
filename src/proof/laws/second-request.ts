/**
 * A second request beside the one in question. It differs only in the part that a law or a claim changes.
 * Its formulas are those of the first request, with other unknowns.
 */

import type { Formula, FormulaUnknown } from "../../engine/formula/formula.js";
import type { RawValue } from "../../engine/formula/raw-value.js";
import type { FormulaWorld } from "../../engine/formula/world.js";
import { SUBJECTS } from "../../space/dimension.js";

/**
 * Maps a part `first` of the first request to the part of the second. `raw`: the value that the part belongs to or is
 * compared with.
 */
export type PartChange = (raw: RawValue, first: Formula, fresh: Formula) => Formula;

/** True if an unknown of no single part is the same in both requests. */
export type UnknownSameness = (unknown: FormulaUnknown) => boolean;

export interface SecondRequestOptions {
  /** Default: such an unknown can differ. */
  readonly isSame?: UnknownSameness;
  /** By name: the attributes that further unknowns depend on, all of them. */
  readonly parts?: ReadonlyMap<string, readonly RawValue[]>;
  /** Tells the unknowns of several such requests apart. Default: `second request`. */
  readonly name?: string;
  /** True if the second request has a resource, an account and a time of its own. Default: `false`. */
  readonly isApart?: boolean;
}

export class SecondRequest {
  private readonly world: FormulaWorld;
  private readonly change: PartChange;
  private readonly isSame: UnknownSameness;
  private readonly name: string;
  /** By name: the values of the request that an unknown is a part of or compares. */
  private readonly parts = new Map<string, readonly RawValue[]>();
  private readonly kept = new Set<string>();
  private readonly made = new Map<Formula, Formula>();

  /**
   * Must be called after all formulas were translated. `openRoles`: for each of the many roles, whether the key has it;
   * these formulas are parts of its roles.
   */
  constructor(
    world: FormulaWorld,
    openRoles: Iterable<Formula>,
    change: PartChange,
    { isSame = () => false, parts = new Map(), name = "second request", isApart = false }: SecondRequestOptions = {},
  ) {
    this.world = world;
    this.change = change;
    this.isSame = isSame;
    this.name = name;
    for (const [search, of] of parts) this.parts.set(search, of);
    const shared = isApart ? ["key" as const] : SUBJECTS;
    for (const subject of shared) for (const field of ["id", "kind", "scope"]) this.kept.add(`${subject}.${field}`);
    if (!isApart) for (const time of ["now", "now is given"]) this.kept.add(time);
    for (const subject of SUBJECTS) this.take(world.attributes(subject));
    this.take(world.roles);
    for (const has of openRoles) if (has.op === "unknown") this.parts.set(has.name, [world.roles]);
    for (const { raw, fit } of world.wholes) if (fit.op === "unknown") this.parts.set(fit.name, [raw]);
    for (const { same, raw, items } of world.spelled) {
      const isConstant = items.every(({ text, number, bool }) => (text ?? number ?? bool)?.op === "constant");
      if (same.op === "unknown" && isConstant) this.parts.set(same.name, [raw]);
    }
    const attributes = new Set([...this.parts.values()].flat());
    for (const { same, of } of world.compared) {
      const isOfRequest = of.every((raw) => attributes.has(raw));
      if (same.op === "unknown" && isOfRequest) this.parts.set(same.name, [...of, ...of.flatMap(valuesBelow)]);
    }
  }

  private take(raw: RawValue): void {
    for (const one of [raw.kind, raw.bool, raw.number, raw.text, raw.size]) {
      if (one.op === "unknown") this.parts.set(one.name, [raw]);
    }
    for (const what of LISTED) this.parts.set(`${raw.key} has ${what}`, [raw]);
    for (const member of raw.members.values()) this.take(member);
  }

  /** Translates a formula about the first request into the same formula about the second. */
  of(formula: Formula): Formula {
    // Innermost first, so that deep formulas need no deep stack.
    const rest = [formula];
    for (let one = rest.at(-1); one !== undefined; one = rest.at(-1)) {
      const missing = one.op === "constant" ? [] : one.args.filter((arg) => !this.made.has(arg));
      if (missing.length > 0 && !this.made.has(one)) {
        rest.push(...missing);
        continue;
      }
      rest.pop();
      if (!this.made.has(one)) this.made.set(one, this.changed(one));
    }
    return this.made.get(formula) ?? formula;
  }

  private changed(formula: Formula): Formula {
    if (formula.op === "constant") return formula;
    const args = formula.args.map((arg) => this.made.get(arg) ?? arg);
    return formula.op === "unknown" ? this.unknown(formula, args) : this.world.formulas.applied(formula.op, args);
  }

  private unknown(unknown: FormulaUnknown, args: readonly Formula[]): Formula {
    const { formulas } = this.world;
    const { sort, name } = unknown;
    const same = formulas.unknown(sort, name, args);
    if (this.kept.has(name) || name.startsWith(GLOBALS) || (!this.parts.has(name) && this.isSame(unknown))) return same;
    const fresh = formulas.unknown(sort, `${this.name}: ${name}`, args);
    const of = this.parts.get(name);
    if (of !== undefined) return of.reduce((first, raw) => this.change(raw, first, fresh), same);
    // A function of its arguments alone is the same for both requests. For other unknowns the dependencies are unknown.
    return args.length > 0 && !/ has (?:text|number|truth)$/.test(name) ? same : fresh;
  }
}

/** The members of a value, and theirs. */
export function valuesBelow(raw: RawValue): readonly RawValue[] {
  return [...raw.members.values()].flatMap((member) => [member, ...valuesBelow(member)]);
}

/** All requests are decided with the same globals. */
const GLOBALS = "globals.";

const LISTED = ["null", "truth", "text", "number"];
