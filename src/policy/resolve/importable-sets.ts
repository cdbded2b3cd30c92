/** The sets of one kind that policies import by name. */

import { didYouMean } from "../distance.js";
import type { IssueLog } from "../issue-log.js";
import { disabledHint, type MissingDefinitions, setName } from "../read/missing-definitions.js";
import type { NamedReference, RawDerivedRoles, RawExportConstants, RawExportVariables } from "../read/raw.js";

export type RawSet = RawDerivedRoles | RawExportVariables | RawExportConstants;

export class ImportableSets<T extends RawSet> {
  private readonly kind: T["kind"];
  /** The noun for its sets in messages. */
  private readonly noun: string;
  private readonly absent: MissingDefinitions;
  private readonly sets = new Map<string, T>();
  private readonly importedSets = new Set<T>();

  constructor(kind: T["kind"], noun: string, absent: MissingDefinitions) {
    this.kind = kind;
    this.noun = noun;
    this.absent = absent;
  }

  get size(): number {
    return this.sets.size;
  }

  add(set: T, log: IssueLog): void {
    const first = this.sets.get(set.name);
    if (first === undefined) this.sets.set(set.name, set);
    else
      log.error(
        "duplicate",
        set.at,
        `${this.noun} "${set.name}" are defined twice: first at ${importLocationText(first)}`,
      );
  }

  /** The set that `reference` imports; undefined if no file defines it (then it is reported) or its file was refused. */
  import({ name, at }: NamedReference, log: IssueLog): T | undefined {
    const set = this.sets.get(name);
    if (set !== undefined) this.importedSets.add(set);
    else if (!this.absent.refused.has(setName(this.kind, name))) {
      const hint = disabledHint(setName(this.kind, name), this.absent) ?? didYouMean(name, this.sets.keys());
      log.error("missing_import", at, `no file defines ${this.noun} "${name}"`, hint);
    }
    return set;
  }

  /** The sets that some policy has imported, so far. */
  get imported(): readonly T[] {
    return [...this.importedSets];
  }

  /** The sets that no policy has imported, so far. */
  get unused(): readonly T[] {
    return [...this.sets.values()].filter((set) => !this.importedSets.has(set));
  }
}

/** `file:line` of a definition. */
export function importLocationText({ at }: NamedReference): string {
  return `${at.file}:${at.line}`;
}
