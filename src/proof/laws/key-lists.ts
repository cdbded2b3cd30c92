/** The lists of the key that the law of reduction shortens, and the lists that it leaves as they are. */

import type { PolicySet } from "../../decisions/policy-set.js";
import { type Formula, unknownsIn } from "../../engine/formula/formula.js";
import type { RawValue } from "../../engine/formula/raw-value.js";
import { partsOfTerm } from "../../engine/formula/terms.js";
import type { FormulaWorld } from "../../engine/formula/world.js";
import { SUBJECTS } from "../../space/dimension.js";
import { permissionListsOf } from "../../space/permission-lists.js";
import type { QuestionProver } from "../question-prover.js";
import type { UnknownSameness } from "./second-request.js";

/** The lists of the key that the formulas of a closed prover search, by their names: `key.attr.permissions`. */
function searchedLists({ world }: QuestionProver): readonly string[] {
  const found: string[] = [];
  const visit = (raw: RawValue, name: string): void => {
    if (world.isSearched(raw)) found.push(name);
    for (const [field, member] of raw.members) visit(member, `${name}.${field}`);
  };
  visit(world.attributes("key"), "key.attr");
  return found;
}

/** The lists of the key by their names: lists of permissions, and others. */
export interface KeyLists {
  readonly permissions: ReadonlySet<string>;
  readonly others: ReadonlySet<string>;
}

export function keyLists(set: PolicySet, asked: readonly QuestionProver[]): KeyLists {
  for (const prover of asked) prover.close(set);
  const searched = asked.flatMap(searchedLists);
  const permissions = permissionListsOf(set);
  return {
    permissions: new Set(searched.filter((name) => permissions.has(name))),
    others: new Set(searched.filter((name) => !permissions.has(name))),
  };
}

/** The attributes that each search depends on, by its name. A search that depends on anything else is left out. */
export function attributesOfSearches(world: FormulaWorld): ReadonlyMap<string, readonly RawValue[]> {
  const all = SUBJECTS.flatMap((subject) => valuesBelow(world.attributes(subject)));
  const found = new Map<string, readonly RawValue[]>();
  for (const [unknown, { terms, list }] of world.searches) {
    if (unknown.op !== "unknown") continue;
    const parts = terms.map(partsOfTerm);
    const names = [
      ...(list === undefined ? [] : [list.key]),
      ...parts.flatMap(({ keys, formulas }) => [...keys, ...unknownsIn(formulas).map(({ name }) => name)]),
    ];
    // Ids are not damaged.
    const read = names.filter((name) => !IDS.has(name)).map((name) => all.filter(({ key }) => name.includes(key)));
    if (read.some((one) => one.length === 0)) continue;
    found.set(unknown.name, [...new Set(read.flat().flatMap((raw) => [raw, ...valuesBelow(raw)]))]);
  }
  return found;
}

const IDS: ReadonlySet<string> = new Set(SUBJECTS.map((subject) => `${subject}.id`));

function valuesBelow(raw: RawValue): readonly RawValue[] {
  return [...raw.members.values()].flatMap((member) => [member, ...valuesBelow(member)]);
}

/**
 * Searches of lists that are not reduced have the same result in both requests, if no reduced list and no expression
 * without a translation has a part in them. `others`: parts of the names of other unknowns that change.
 */
export function sameSearches(
  world: FormulaWorld,
  reducible: ReadonlySet<RawValue>,
  others: readonly string[] = [],
): UnknownSameness {
  const changing = [...[...reducible].map(({ key }) => key), ...others, "value ", "has a role like "];
  const isSteady = (name: string) => changing.every((part) => !name.includes(part));
  const areSteady = (formulas: readonly Formula[]) => unknownsIn(formulas).every(({ name }) => isSteady(name));
  const steady = new Set<Formula>();
  for (const { list, ofAny, unknowns } of world.properties) {
    if (isSteady(list.key) && areSteady([ofAny])) for (const unknown of unknowns) steady.add(unknown);
  }
  for (const [unknown, { terms, list }] of world.searches) {
    if (list !== undefined && !isSteady(list.key)) continue;
    const parts = terms.map(partsOfTerm);
    if (parts.every(({ formulas, keys }) => keys.every(isSteady) && areSteady(formulas))) steady.add(unknown);
  }
  return (unknown) => steady.has(unknown);
}
