/**
 * The lists of the key that policies use as lists of permissions: a condition searches them for a text that the policies
 * write, alone or as a part (`"admin"`, `"api." + R.id + ".read"`). A list of tenants or teams, which conditions search
 * for a value of the resource, does not count as one: a longer list can mean less.
 */

import type { PolicySet } from "../../decisions/policy-set.js";
import { type Formula, unknownsIn } from "../../engine/formula/formula.js";
import type { RawValue } from "../../engine/formula/raw-value.js";
import { partsOfTerm } from "../../engine/formula/terms.js";
import type { FormulaWorld } from "../../engine/formula/world.js";
import type { QuestionProver } from "../question-prover.js";
import type { UnknownSameness } from "./second-request.js";

/** A list of the key's attributes, and whether policies use it as a list of permissions. */
interface KeyList {
  /** `key.attr.permissions` */
  readonly name: string;
  readonly isPermissions: boolean;
}

/** The lists of the key that the formulas of a closed prover search. */
function keyListsOf({ world }: QuestionProver): readonly KeyList[] {
  const found: KeyList[] = [];
  const visit = (raw: RawValue, name: string): void => {
    const sought = world.soughtIn(raw);
    if (sought.length > 0) found.push({ name, isPermissions: sought.some(hasText) });
    for (const [field, member] of raw.members) visit(member, `${name}.${field}`);
  };
  visit(world.attributes("key"), "key.attr");
  return found;
}

/** Whether a formula has a text of the policies in it. */
function hasText(formula: Formula): boolean {
  if (formula.op === "constant") return formula.sort === "text" && formula.value !== "";
  return formula.args.some(hasText);
}

/** The lists of the key by their names: lists of permissions, and others. */
export interface KeyLists {
  readonly permissions: ReadonlySet<string>;
  readonly others: ReadonlySet<string>;
}

export function keyLists(set: PolicySet, asked: readonly QuestionProver[]): KeyLists {
  for (const prover of asked) prover.close(set);
  const all = asked.flatMap(keyListsOf);
  const permissions = new Set(all.flatMap(({ name, isPermissions }) => (isPermissions ? [name] : [])));
  return { permissions, others: new Set(all.flatMap(({ name }) => (permissions.has(name) ? [] : [name]))) };
}

/**
 * Searches of lists that are not reduced have the same result in both requests, if no reduced list and no expression
 * without a translation has a part in them.
 */
export function sameSearches(world: FormulaWorld, reducible: ReadonlySet<RawValue>): UnknownSameness {
  const changing = [...[...reducible].map(({ key }) => key), "value ", "has a role like "];
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
