/**
 * Searches for a row for which some filters hold and others do not.
 *
 * Filters are split until only tests are left, one branch for each choice (a tableau). The tests of a branch are met
 * term by term. A branch without a row is closed by proof; if all are, there is no such row.
 */

import type { FilterRow } from "./filter.js";
import { type FindItem, RowBuilder } from "./row-builder.js";
import type { RowGoal, RowLiteral } from "./row-goal.js";

/** `none`: it is proved that there is no such row. `unsure`: none was found. */
export type FoundRow = { readonly row: FilterRow } | "none" | "unsure";

/** The number of branches that a search, or several, may still look at. */
export interface BranchBudget {
  left: number;
}

/**
 * A row that meets all goals and that `accepts` confirms. `unknown` parts of filters are taken to be as wanted, so that
 * `none` is certain and rows need to be confirmed. Each branch costs some of `budget`; without any left, the search is
 * unsure.
 */
export function findRow(
  goals: readonly RowGoal[],
  budget: BranchBudget,
  accepts: (row: FilterRow) => boolean,
): FoundRow {
  let row: FilterRow | undefined;
  const findItem = itemsWithin(budget);
  const end = new Branches(budget, findItem, (literals) => {
    const built = new RowBuilder(literals, findItem).row();
    if (built === "none") return "closed";
    if (built === "unsure" || !accepts(built.row)) return "open";
    row = built.row;
    return "found";
  }).from(goals);
  if (row !== undefined) return { row };
  return end === "closed" ? "none" : "unsure";
}

/** Finds items of lists, for `some` and `every`. */
function itemsWithin(budget: BranchBudget): FindItem {
  const findItem: FindItem = (goals) => {
    let item: { readonly item: unknown } | undefined;
    const end = new Branches(budget, findItem, (literals) => {
      const built = new RowBuilder(literals, findItem).item();
      if (built === "none") return "closed";
      if (built === "unsure") return "open";
      item = built;
      return "found";
    }).from(goals);
    return item ?? (end === "closed" ? "none" : "unsure");
  };
  return findItem;
}

type BranchEnd = "closed" | "open" | "found";

class Branches {
  private readonly budget: BranchBudget;
  private readonly findItem: FindItem;
  private readonly atEnd: (literals: readonly RowLiteral[]) => BranchEnd;

  constructor(budget: BranchBudget, findItem: FindItem, atEnd: (literals: readonly RowLiteral[]) => BranchEnd) {
    this.budget = budget;
    this.findItem = findItem;
    this.atEnd = atEnd;
  }

  from(goals: readonly RowGoal[]): BranchEnd {
    return this.split(goals, [], []);
  }

  /** `choices`: lists of goals, one of each of which has to be met. */
  private split(
    goals: readonly RowGoal[],
    known: readonly RowLiteral[],
    waiting: readonly (readonly RowGoal[])[],
  ): BranchEnd {
    if (this.budget.left <= 0) return "open";
    this.budget.left -= 1;
    const literals = [...known];
    const choices = [...waiting];
    const todo = [...goals];
    for (let goal = todo.pop(); goal !== undefined; goal = todo.pop()) {
      const { filter, holds } = goal;
      switch (filter.op) {
        case "all":
        case "any": {
          const parts = filter.of.map((part) => ({ filter: part, holds }));
          const [only] = parts;
          if ((filter.op === "all") === holds) todo.push(...parts);
          else if (only === undefined) return "closed";
          else if (parts.length === 1) todo.push(only);
          else choices.push(parts);
          break;
        }
        case "not":
          literals.push({ test: filter.of, wants: holds ? "false" : "not false" });
          break;
        case "unknown":
          // It is taken to be as wanted.
          break;
        default:
          literals.push({ test: filter, wants: holds ? "true" : "not true" });
      }
    }
    if (literals.length > known.length && !new RowBuilder(literals, this.findItem).mayHold()) return "closed";
    const next = choices.reduce<readonly RowGoal[] | undefined>(
      (least, choice) => (least === undefined || choice.length < least.length ? choice : least),
      undefined,
    );
    if (next === undefined) return this.atEnd(literals);
    const others = choices.filter((choice) => choice !== next);
    let end: BranchEnd = "closed";
    for (const goal of next) {
      const one = this.split([goal], literals, others);
      if (one === "found") return one;
      if (one === "open") end = one;
    }
    return end;
  }
}
