/** Actions, roles and kinds, as rules list them and as requests ask for them (docs/cerbos-semantics.md §2.8). */

import { ANYTHING, compileGlob, type Glob, isGlob, looksLikeGlob } from "../../policy/glob.js";
import { addTo } from "../../policy/groups.js";
import { ANY_ROLE } from "./plan.js";

/** The actions or roles of a rule: names, and globs. */
export interface Matchers {
  readonly names: ReadonlySet<string>;
  readonly globs: readonly Glob[];
}

/** Entries as names and globs; only text that contains `*` is a glob. */
export function matchers(entries: readonly string[]): Matchers {
  const globs: Glob[] = entries.filter(isGlob).flatMap((entry) => compileGlob(entry) ?? []);
  return { names: new Set(entries.filter((entry) => !isGlob(entry))), globs };
}

/** Entries of which each is a name and, if it looks like one, a glob: the actions of role policies. */
export function globMatchers(entries: readonly string[]): Matchers {
  const globs: Glob[] = entries.filter(looksLikeGlob).flatMap((entry) => compileGlob(entry) ?? []);
  return { names: new Set(entries.filter((entry) => !isGlob(entry))), globs };
}

/** The entries of several lists, each once. */
export function either(all: readonly Matchers[]): Matchers {
  return {
    names: new Set(all.flatMap(({ names }) => [...names])),
    globs: [...new Set(all.flatMap(({ globs }) => globs))],
  };
}

/** How many entries of a rule's actions an action matches: each is a row of the server's, with an output of its own. */
export function entriesFor({ names, globs }: Matchers, action: string): number {
  const named = names.has(action) ? 1 : 0;
  return globs.length === 0 ? named : named + globs.filter((glob) => glob(action)).length;
}

/** For each entry of a rule's roles that some role matches, the first that does; of `*`, any. */
export function matchedRoles({ names, globs }: Matchers, roles: readonly string[]): readonly string[] {
  const named = roles.filter((role) => names.has(role));
  return globs.length === 0
    ? named
    : [...named, ...globs.flatMap((glob) => (glob === ANYTHING ? ANY_ROLE : (roles.find(glob) ?? [])))];
}

/** A kind, or a glob over kinds. */
export function kindMatcher(pattern: string): (kind: string) => boolean {
  if (!isGlob(pattern)) return (kind) => kind === pattern;
  return compileGlob(pattern) ?? (() => false);
}

/** What is found by the actions that it is about. */
export class ActionIndex<R extends { readonly actions: Matchers }> {
  readonly rows: readonly R[];
  /** The indexes of the rows that list a name; those with globs are not among them. */
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
      return row !== undefined && entriesFor(row.actions, action) > 0;
    });
    const indexes = [...(this.named.get(action) ?? []), ...matching].sort((a, b) => a - b);
    return indexes.flatMap((i) => this.rows[i] ?? []);
  }
}
