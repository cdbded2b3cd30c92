/**
 * The textual changes between two policy sets: rules, derived roles, names and files, each paired with its counterpart.
 */

import { addTo } from "../../../policy/groups.js";
import { compareText } from "../../../policy/issue-log.js";
import type { PolicyFile } from "../../../policy/parse.js";
import { SourceLines } from "../snippet.js";
import type { FileLines, NameFacts, Review } from "../types.js";
import { changedLines } from "./lines.js";
import type { NamePair, Pair, Sourced, WrittenChanges } from "./types.js";

/** A review and its files. */
export interface WrittenSet {
  readonly review: Review;
  readonly files: readonly PolicyFile[];
}

export function writtenChanges(before: WrittenSet, after: WrittenSet): WrittenChanges {
  const [older, newer] = [new SourceLines(before.files), new SourceLines(after.files)];
  const rules = paired(sourced(before.review.rules, older), sourced(after.review.rules, newer));
  return {
    rules: rules.changed,
    derivedRoles: paired(sourced(before.review.derivedRoles, older), sourced(after.review.derivedRoles, newer)).changed,
    names: namePairs(before.review.names, after.review.names),
    unchangedRules: rules.unchanged,
    files: fileChanges(before.files, after.files),
  };
}

/** An item with a name of its own in a policy of a set. */
interface NamedItem {
  readonly id: string;
  readonly name: string;
  /** Of a rule. */
  readonly reason?: string;
  readonly policy: string;
  readonly place: FileLines;
}

function sourced<T extends NamedItem>(all: readonly T[], lines: SourceLines): readonly Sourced<T>[] {
  return all.map((facts) => ({ facts, source: lines.text(facts.place) }));
}

/** A name that a rule was given for its number. */
const NUMBERED = /(^|_)rule-\d+$/;

/**
 * First pairs items with the same text, wherever they stand in their policy. The remaining items with the same id are
 * one item that changed. Numbers in ids, and in names derived from a rule's number, shift when a rule is added.
 */
function paired<T extends NamedItem>(
  before: readonly Sourced<T>[],
  after: readonly Sourced<T>[],
): { readonly changed: readonly Pair<Sourced<T>>[]; readonly unchanged: number } {
  const older = new Set(before);
  const newer = new Set(after);
  const match = (keyOf: (one: Sourced<T>) => string): readonly (readonly [Sourced<T>, Sourced<T>])[] => {
    const left = new Map<string, Sourced<T>[]>();
    for (const one of older) addTo(left, keyOf(one), one);
    return [...newer].flatMap((one) => {
      const other = left.get(keyOf(one))?.shift();
      if (other === undefined) return [];
      older.delete(other);
      newer.delete(one);
      return [[other, one] as const];
    });
  };
  const same = match(({ facts, source }) => {
    const { id: _id, place: _place, name, reason, ...said } = facts;
    const own = NUMBERED.test(name) ? [] : [name];
    return JSON.stringify([own, reason === name ? own : reason, said, source]);
  });
  const changed = new Map(match(({ facts }) => facts.id).map(([one, other]) => [other, one]));
  const pairs = after.flatMap((one): readonly Pair<Sourced<T>>[] => {
    const other = changed.get(one);
    if (other !== undefined) return [{ before: other, after: one }];
    return newer.has(one) ? [{ after: one }] : [];
  });
  return { changed: [...pairs, ...[...older].map((one) => ({ before: one }))], unchanged: same.length };
}

/** A name imported into several policies is reported once. */
function namePairs(before: readonly NameFacts[], after: readonly NameFacts[]): readonly NamePair[] {
  const keyOf = ({ owner, name }: NameFacts) => JSON.stringify([owner, name]);
  const older = new Map(before.map((one) => [keyOf(one), one]));
  const newer = new Map(after.map((one) => [keyOf(one), one]));
  const pairs = new Map<string, NamePair>();
  for (const key of new Set([...newer.keys(), ...older.keys()])) {
    const [one, other] = [older.get(key), newer.get(key)];
    if (meaningOf(one) === meaningOf(other)) continue;
    const owner = other?.owner ?? one?.owner ?? "";
    const said = JSON.stringify([one?.name ?? other?.name, meaningOf(one), meaningOf(other)]);
    const known = pairs.get(said);
    pairs.set(said, {
      ...(one === undefined ? {} : { before: one }),
      ...(other === undefined ? {} : { after: other }),
      ...known,
      owners: [...(known?.owners ?? []), owner],
    });
  }
  return [...pairs.values()];
}

function meaningOf(facts: NameFacts | undefined): string {
  return JSON.stringify(facts && [facts.kind, facts.source, facts.text]);
}

function fileChanges(before: readonly PolicyFile[], after: readonly PolicyFile[]): WrittenChanges["files"] {
  const older = new Map(before.map(({ path, text }) => [path, text]));
  const newer = new Map(after.map(({ path, text }) => [path, text]));
  return {
    added: [...newer.keys()].filter((path) => !older.has(path)).sort(compareText),
    removed: [...older.keys()].filter((path) => !newer.has(path)).sort(compareText),
    changed: [...newer]
      .flatMap(([path, text]) => {
        const other = older.get(path);
        return other === undefined || other === text ? [] : [{ path, runs: changedLines(other, text) }];
      })
      .sort((a, b) => compareText(a.path, b.path)),
  };
}
