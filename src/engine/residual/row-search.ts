/**
 * Searches for a row for which some filters hold and others do not.
 *
 * Filters are split until only tests are left, one branch for each choice (a tableau). The tests of a branch are met
 * term by term. A branch without a row is closed by proof; if all are, there is no such row.
 */

import type { FilterRow, FilterTest } from "./filter.js";
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
        default: {
          const literal = literalOf(goal);
          if (literal === "unmet") return "closed";
          if (literal !== "met" && literal !== undefined) literals.push(literal);
        }
      }
    }
    const builder = new RowBuilder(literals, this.findItem);
    if (!builder.mayHold(literals.slice(known.length))) return "closed";
    const open = choices.flatMap((choice) => openPart(choice, builder));
    const [next, ...others] = open.sort((one, other) => one.length - other.length);
    if (next === undefined) return this.atEnd(literals);
    let end: BranchEnd = "closed";
    for (const goal of next) {
      const one = this.split([goal], literals, others);
      if (one === "found") return one;
      if (one === "open") end = one;
    }
    return end;
  }
}

/** A goal as a test; undefined if its filter has parts. `met`: by every row; `unmet`: by no row. */
function literalOf({ filter, holds }: RowGoal): RowLiteral | "met" | "unmet" | undefined {
  switch (filter.op) {
    case "all":
    case "any":
      return undefined;
    case "unknown":
      // It is taken to be as wanted.
      return "met";
    case "not":
      if (isNever(filter.of)) return holds ? "met" : "unmet";
      return { test: filter.of, wants: holds ? "false" : "not false" };
    default:
      if (isNever(filter)) return holds ? "unmet" : "met";
      return { test: filter, wants: holds ? "true" : "not true" };
  }
}

/** Forms of plans have lists for the values of a request, and a request may have none. */
function isNever(test: FilterTest): boolean {
  return test.op === "in" && test.values.length === 0;
}

/** The goals of a choice that can still be met. No choice: one goal is met already. */
function openPart(choice: readonly RowGoal[], builder: RowBuilder): readonly (readonly RowGoal[])[] {
  const left: RowGoal[] = [];
  for (const goal of choice) {
    const literal = literalOf(goal);
    if (literal === "met") return [];
    if (literal === "unmet") continue;
    if (literal !== undefined && !builder.admits(opposite(literal))) return [];
    if (literal === undefined || builder.admits(literal)) left.push(goal);
  }
  return [left];
}

const OPPOSITES = { true: "not true", "not true": "true", false: "not false", "not false": "false" } as const;

function opposite({ test, wants }: RowLiteral): RowLiteral {
  return { test, wants: OPPOSITES[wants] };
}
