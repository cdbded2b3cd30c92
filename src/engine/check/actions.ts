/** Actions, as rules list them and as requests ask for them (reference §2.8). */

import { compileGlob, type Glob, isGlob } from "../../policy/glob.js";

/** The actions of a rule: names, and globs. */
export interface ActionMatchers {
  readonly actions: ReadonlySet<string>;
  readonly actionGlobs: readonly Glob[];
}

/** Actions as names and globs; only text that contains `*` is a glob. */
export function matchers(actions: readonly string[]): ActionMatchers {
  const globs: Glob[] = actions.filter(isGlob).flatMap((action) => compileGlob(action) ?? []);
  return { actions: new Set(actions.filter((action) => !isGlob(action))), actionGlobs: globs };
}

/** Whether a row is about an action. */
export function isAbout({ actions, actionGlobs }: ActionMatchers, action: string): boolean {
  return actions.has(action) || actionGlobs.some((glob) => glob(action));
}

/** How many entries of a rule's actions an action matches: each is a row of the server's, with an output of its own. */
export function entriesFor({ actions, actionGlobs }: ActionMatchers, action: string): number {
  const named = actions.has(action) ? 1 : 0;
  return actionGlobs.length === 0 ? named : named + actionGlobs.filter((glob) => glob(action)).length;
}

/** Actions are a request's to choose: what was found for as many is kept, then forgotten. */
const MAX_KNOWN = 1_000;

/** The rows of a policy by the actions that they are about. */
export class ActionIndex<R extends ActionMatchers> {
  private readonly rows: readonly R[];
  /** The indexes of the rows that list a name; those with globs are not among them. */
  private readonly named = new Map<string, number[]>();
  private readonly globbed: number[] = [];
  private readonly known = new Map<string, readonly R[]>();

  constructor(rows: readonly R[]) {
    this.rows = rows;
    for (const [i, { actions, actionGlobs }] of rows.entries()) {
      if (actionGlobs.length > 0) this.globbed.push(i);
      else for (const action of actions) this.list(action, i);
    }
  }

  /** The rows about an action, in the order of the file. */
  about(action: string): readonly R[] {
    const known = this.known.get(action);
    if (known !== undefined) return known;
    const found = this.find(action);
    if (this.known.size >= MAX_KNOWN) this.known.clear();
    this.known.set(action, found);
    return found;
  }

  private list(action: string, row: number): void {
    const listed = this.named.get(action);
    if (listed === undefined) this.named.set(action, [row]);
    else listed.push(row);
  }

  private find(action: string): readonly R[] {
    const matching = this.globbed.filter((i) => {
      const row = this.rows[i];
      return row !== undefined && isAbout(row, action);
    });
    const indexes = [...(this.named.get(action) ?? []), ...matching].sort((a, b) => a - b);
    return indexes.flatMap((i) => this.rows[i] ?? []);
  }
}
