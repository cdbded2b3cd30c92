/** Actions and kinds, as rules list them and as requests ask for them (docs/cerbos-semantics.md §2.8). */

import { compileGlob, type Glob, isGlob } from "../../policy/glob.js";

/** The actions of a rule: names, and globs. */
export interface ActionMatchers {
  readonly names: ReadonlySet<string>;
  readonly globs: readonly Glob[];
}

/** Actions as names and globs; only text that contains `*` is a glob. */
export function matchers(actions: readonly string[]): ActionMatchers {
  const globs: Glob[] = actions.filter(isGlob).flatMap((action) => compileGlob(action) ?? []);
  return { names: new Set(actions.filter((action) => !isGlob(action))), globs };
}

/** How many entries of a rule's actions an action matches: each is a row of the server's, with an output of its own. */
export function entriesFor({ names, globs }: ActionMatchers, action: string): number {
  const named = names.has(action) ? 1 : 0;
  return globs.length === 0 ? named : named + globs.filter((glob) => glob(action)).length;
}

/** A kind, or a glob over kinds. */
export function kindMatcher(pattern: string): (kind: string) => boolean {
  if (!isGlob(pattern)) return (kind) => kind === pattern;
  return compileGlob(pattern) ?? (() => false);
}

/** What is found by the actions that it is about. */
export class ActionIndex<R extends { readonly actions: ActionMatchers }> {
  readonly rows: readonly R[];
  /** The actions that rows list by name. */
  readonly names: ReadonlySet<string>;
  /** Whether some row lists a glob. */
  readonly hasGlobs: boolean;
  /** The indexes of the rows that list a name; those with globs are not among them. */
  private readonly named = new Map<string, number[]>();
  private readonly globbed: readonly number[];

  constructor(rows: readonly R[]) {
    this.rows = rows;
    this.names = new Set(rows.flatMap(({ actions }) => [...actions.names]));
    this.globbed = rows.flatMap(({ actions }, i) => (actions.globs.length > 0 ? [i] : []));
    this.hasGlobs = this.globbed.length > 0;
    for (const [i, { actions }] of rows.entries()) {
      if (actions.globs.length === 0) for (const action of actions.names) this.list(action, i);
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

  private list(action: string, row: number): void {
    const listed = this.named.get(action);
    if (listed === undefined) this.named.set(action, [row]);
    else listed.push(row);
  }
}
