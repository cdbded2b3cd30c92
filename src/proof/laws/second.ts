/**
 * A second request beside the one that is asked about, which differs from it in what a law says, and in nothing else.
 * What is decided of it is what is decided of the first, said of other unknowns.
 */

import type { Formula, Unknown } from "../../engine/formula/formula.js";
import type { RawValue } from "../../engine/formula/values.js";
import type { World } from "../../engine/formula/world.js";
import { SUBJECTS } from "../../space/dimension.js";

/** What the second request has where the first has `first`. `raw`: of which value it is a part, or is compared. */
export type Change = (raw: RawValue, first: Formula, fresh: Formula) => Formula;

export class SecondRequest {
  private readonly world: World;
  private readonly change: Change;
  /** The unknowns that are parts of values of the request, or say how two compare, by name. */
  private readonly parts = new Map<string, readonly RawValue[]>();
  private readonly kept = new Set<string>(["now", "now is given"]);
  private readonly made = new Map<Formula, Formula>();

  /** After all that is asked was translated. `openRoles`: when the key has a role of many, which are parts of its roles. */
  constructor(world: World, openRoles: Iterable<Formula>, change: Change) {
    this.world = world;
    this.change = change;
    for (const subject of SUBJECTS) {
      for (const field of ["id", "kind", "scope"]) this.kept.add(`${subject}.${field}`);
      this.take(world.attributes(subject));
    }
    this.take(world.roles);
    for (const has of openRoles) if (has.op === "unknown") this.parts.set(has.name, [world.roles]);
    for (const { raw, fit } of world.wholes) if (fit.op === "unknown") this.parts.set(fit.name, [raw]);
    const attributes = new Set([...this.parts.values()].flat());
    for (const { same, of } of world.compared) {
      if (same.op === "unknown" && of.every((raw) => attributes.has(raw))) this.parts.set(same.name, of);
    }
  }

  private take(raw: RawValue): void {
    for (const one of [raw.kind, raw.bool, raw.number, raw.text, raw.size]) {
      if (one.op === "unknown") this.parts.set(one.name, [raw]);
    }
    for (const what of LISTED) this.parts.set(`${raw.key} has ${what}`, [raw]);
    for (const member of raw.members.values()) this.take(member);
  }

  /** What holds of the first request, said of the second. */
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

  private unknown({ sort, name }: Unknown, args: readonly Formula[]): Formula {
    const { formulas } = this.world;
    const same = formulas.unknown(sort, name, args);
    if (this.kept.has(name)) return same;
    const fresh = formulas.unknown(sort, `second request: ${name}`, args);
    const of = this.parts.get(name);
    if (of !== undefined) return of.reduce((first, raw) => this.change(raw, first, fresh), same);
    // A function of its arguments alone is the same in both. Of all else it is not known what it depends on.
    return args.length > 0 && !/ has (?:text|number|truth)$/.test(name) ? same : fresh;
  }
}

const LISTED = ["null", "truth", "text", "number"];
