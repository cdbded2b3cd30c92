/** Matches the actions, roles and kinds of questions against the lists in rules (docs/cerbos-semantics.md §2.8). */

import { ANYTHING, compileGlob, type Glob, isGlob, looksLikeGlob } from "../../policy/glob.js";
import { addTo } from "../../policy/groups.js";
import { ANY_ROLE } from "./plan.js";

/** The actions or roles of a rule: names, and globs. */
export interface Matchers {
  readonly names: ReadonlySet<string>;
  readonly globs: readonly Glob[];
}

/** Splits entries into names and globs: only text that contains `*` is a glob. */
export function matchers(entries: readonly string[]): Matchers {
  const globs: Glob[] = entries.filter(isGlob).flatMap((entry) => compileGlob(entry) ?? []);
  return { names: new Set(entries.filter((entry) => !isGlob(entry))), globs };
}

/**
 * The same for the actions of role policies: there text that looks like a glob but has no `*` is a name and a glob.
 */
export function globMatchers(entries: readonly string[]): Matchers {
  const globs: Glob[] = entries.filter(looksLikeGlob).flatMap((entry) => compileGlob(entry) ?? []);
  return { names: new Set(entries.filter((entry) => !isGlob(entry))), globs };
}

/** The union of several lists, each entry once. */
export function unionOfMatchers(all: readonly Matchers[]): Matchers {
  return {
    names: new Set(all.flatMap(({ names }) => [...names])),
    globs: [...new Set(all.flatMap(({ globs }) => globs))],
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

/** Rows, indexed by their actions. */
export class ActionIndex<R extends { readonly actions: Matchers }> {
  readonly rows: readonly R[];
  /** By action, the indexes of the rows that name it. Rows with globs are left out. */
  private readonly named = new Map<string, number[]>();
  private readonly globbed: readonly number[];

  constructor(rows: readonly R[]) {
    this.rows = rows;
    this.globbed = rows.flatMap(({ actions }, i) => (actions.globs.length > 0 ? [i] : []));
    for (const [i, { actions }] of rows.entries()) {
      if (actions.globs.length === 0) for (const action of actions.names) addTo(this.named, action, i);
    }
  }

  /** The rows about an action, in the order of the file. */
  about(action: string): readonly R[] {
    const matching = this.globbed.filter((i) => {
      const row = this.rows[i];
      return row !== undefined && countEntries(row.actions, action) > 0;
    });
    const indexes = [...(this.named.get(action) ?? []), ...matching].sort((a, b) => a - b);
    return indexes.flatMap((i) => this.rows[i] ?? []);
  }
}
