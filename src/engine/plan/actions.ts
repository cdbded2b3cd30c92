/** Matches the actions, roles and kinds of questions against the lists in rules (docs/cerbos-semantics.md §2.8). */

import {
  ANYTHING,
  COST_LENGTH,
  compileGlob,
  compileGlobWithCost,
  type Glob,
  isGlob,
  looksLikeGlob,
} from "../../policy/glob.js";
import { addTo } from "../../policy/groups.js";
import { ANY_ROLE } from "./plan.js";

/** The actions or roles of a rule: names, and globs. */
export interface Matchers {
  readonly names: ReadonlySet<string>;
  readonly globs: readonly Glob[];
  /** The sum of the costs of the globs. */
  readonly cost: number;
}

/** Splits entries into names and globs: only text that contains `*` is a glob. */
export function matchers(entries: readonly string[]): Matchers {
  return matchersOf(entries, isGlob);
}

/**
 * How a rule matches its actions. `globs`: those with `*` are globs. `names`: only `*` is one. `names_and_globs`: text that
 * looks like a glob but has no `*` is a name and a glob.
 */
export const ACTION_FORMS = ["globs", "names", "names_and_globs"] as const;

export type ActionForm = (typeof ACTION_FORMS)[number];

/** The actions of a rule that matches them in this form. */
export function actionMatchers(actions: readonly string[], form: ActionForm): Matchers {
  if (form === "globs") return matchers(actions);
  if (form === "names_and_globs") return matchersOf(actions, looksLikeGlob);
  return { ...matchersOf(actions, isAnyAction), names: new Set(actions.filter((action) => !isAnyAction(action))) };
}

export function isAnyAction(action: string): boolean {
  return action === "*";
}

function matchersOf(entries: readonly string[], isMatched: (entry: string) => boolean): Matchers {
  const globs = entries.filter(isMatched).flatMap((entry) => compileGlobWithCost(entry) ?? []);
  return {
    names: new Set(entries.filter((entry) => !isGlob(entry))),
    globs: globs.map(({ matches }) => matches),
    cost: globs.reduce((sum, { cost }) => sum + cost, 0),
  };
}

/** The most steps, of some 100 ns, that matching one name against the globs takes. */
export function matchingSteps({ globs, cost }: Pick<Matchers, "globs" | "cost">, name: string): number {
  return globs.length + Math.ceil((cost * name.length) / COST_LENGTH);
}

/** The union of several lists, each entry once. */
export function unionOfMatchers(all: readonly Matchers[]): Matchers {
  return {
    names: new Set(all.flatMap(({ names }) => [...names])),
    globs: [...new Set(all.flatMap(({ globs }) => globs))],
    cost: all.reduce((sum, { cost }) => sum + cost, 0),
  };
}

/** Counts the entries of a rule that match an action. On the server each is a row with an output of its own. */
export function countEntries({ names, globs }: Matchers, action: string): number {
  const named = names.has(action) ? 1 : 0;
  return globs.length === 0 ? named : named + globs.filter((glob) => glob(action)).length;
}

/**
 * The roles by which a rule applies: each role that it names, and the first role that each glob matches. The glob `*`
 * gives {@link ANY_ROLE}.
 */
export function matchedRoles({ names, globs }: Matchers, roles: readonly string[]): readonly string[] {
  const named = roles.filter((role) => names.has(role));
  return globs.length === 0
    ? named
    : [...named, ...globs.flatMap((glob) => (glob === ANYTHING ? ANY_ROLE : (roles.find(glob) ?? [])))];
}

/** Makes a predicate of a kind, or of a glob over kinds. */
export function kindMatcher(pattern: string): (kind: string) => boolean {
  if (!isGlob(pattern)) return (kind) => kind === pattern;
  return compileGlob(pattern) ?? (() => false);
}

/** Rows, indexed by the names that they match. */
export class MatcherIndex<R> {
  readonly rows: readonly R[];
  private readonly matchersOf: (row: R) => readonly Matchers[];
  /** By name, the indexes of the rows that have it, in their order. Rows with globs are left out. */
  private readonly named = new Map<string, number[]>();
  private readonly globbed: readonly number[];

  constructor(rows: readonly R[], matchersOf: (row: R) => readonly Matchers[]) {
    this.rows = rows;
    this.matchersOf = matchersOf;
    const globbed: number[] = [];
    for (const [i, row] of rows.entries()) {
      const all = matchersOf(row);
      if (all.some(({ globs }) => globs.length > 0)) globbed.push(i);
      else for (const { names } of all) for (const name of names) this.add(name, i);
    }
    this.globbed = globbed;
  }

  /** The rows that match one of the names, in the order of the file. */
  about(names: readonly string[]): readonly R[] {
    return this.at(this.indexesOf(names));
  }

  /** Those of the rows at these ascending indexes that match one of the names. */
  among(indexes: readonly number[], names: readonly string[]): readonly R[] {
    const candidates = names.reduce((sum, name) => sum + (this.named.get(name)?.length ?? 0), this.globbed.length);
    const matching =
      indexes.length <= candidates
        ? indexes.filter((i) => this.isMatched(this.rows[i], names))
        : this.indexesOf(names).filter((i) => isInOrdered(indexes, i));
    return this.at(matching);
  }

  /** The indexes of the rows that match one of the names, in ascending order. */
  indexesOf(names: readonly string[]): readonly number[] {
    const matching = this.globbed.filter((i) => this.isMatched(this.rows[i], names));
    const lists = [matching, ...names.map((name) => this.named.get(name) ?? [])].filter(({ length }) => length > 0);
    const [only = []] = lists;
    return lists.length < 2 ? only : [...new Set(lists.flat())].sort((a, b) => a - b);
  }

  private at(indexes: readonly number[]): readonly R[] {
    return indexes.flatMap((i) => this.rows[i] ?? []);
  }

  private isMatched(row: R | undefined, names: readonly string[]): boolean {
    return row !== undefined && this.matchersOf(row).some((some) => names.some((name) => countEntries(some, name) > 0));
  }

  private add(name: string, row: number): void {
    if (this.named.get(name)?.at(-1) !== row) addTo(this.named, name, row);
  }
}

function isInOrdered(ascending: readonly number[], number: number): boolean {
  let [from, end] = [0, ascending.length];
  while (from < end) {
    const middle = (from + end) >> 1;
    if ((ascending[middle] ?? number) < number) from = middle + 1;
    else end = middle;
  }
  return ascending[from] === number;
}
