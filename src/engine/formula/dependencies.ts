/** Dependencies of unknowns that their names do not tell. */

import { type Formula, unknownsIn } from "./formula.js";
import { type FormulaTerm, formulasOfTerm } from "./terms.js";

/**
 * The formulas behind unknowns with numbers of formulas in their names: `key 12 of 15`, a comparison of two lists, a
 * property of elements. The value of such an unknown depends on these formulas as well.
 */
export class Dependencies {
  private readonly behind = new Map<Formula, readonly Formula[]>();

  add(unknown: Formula, formulas: readonly Formula[]): void {
    this.behind.set(unknown, formulas);
  }

  addTerms(unknown: Formula, terms: readonly FormulaTerm[]): void {
    this.add(unknown, terms.flatMap(formulasOfTerm));
  }

  /** The names of all unknowns that the values of formulas depend on. */
  names(formulas: readonly Formula[]): ReadonlySet<string> {
    const names = new Set<string>();
    const rest = [...formulas];
    for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
      for (const unknown of unknownsIn([one])) {
        if (!names.has(unknown.name)) rest.push(...(this.behind.get(unknown) ?? []));
        names.add(unknown.name);
      }
    }
    return names;
  }
}
