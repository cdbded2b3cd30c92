/** The dependencies of searches in lists and maps, and the searches with the same result in two requests. */

import type { Formula } from "../../engine/formula/formula.js";
import type { RawValue } from "../../engine/formula/raw-value.js";
import type { FormulaWorld } from "../../engine/formula/world.js";
import { SUBJECTS } from "../../space/dimension.js";
import { type UnknownSameness, valuesBelow } from "./second-request.js";

/** The attributes that each search depends on, by its name. A search that depends on anything else is left out. */
export function attributesOfSearches(world: FormulaWorld): ReadonlyMap<string, readonly RawValue[]> {
  const all = SUBJECTS.flatMap((subject) => valuesBelow(world.attributes(subject)));
  const found = new Map<string, readonly RawValue[]>();
  for (const unknown of searchesIn(world)) {
    if (unknown.op !== "unknown") continue;
    // Ids are not damaged.
    const names = [...world.dependencies.names([unknown])].filter((name) => !IDS.has(name));
    // The dependencies of other expressions are unknown.
    if (names.some((name) => name.includes(OF_EXPRESSION))) continue;
    const read = names.map((name) => all.filter(({ key }) => name.includes(key)));
    if (read.some((one) => one.length === 0)) continue;
    found.set(unknown.name, [...new Set(read.flat().flatMap((raw) => [raw, ...valuesBelow(raw)]))]);
  }
  return found;
}

/**
 * The attributes that may be maps and that a rule compares, searches or iterates as a whole: their members can decide
 * although no rule names them. `searches`: the attributes that each search depends on.
 */
export function mapsReadWhole(
  world: FormulaWorld,
  searches: ReadonlyMap<string, readonly RawValue[]>,
): ReadonlySet<RawValue> {
  const all = SUBJECTS.map((subject) => world.attributes(subject));
  const searched = [...all, ...all.flatMap(valuesBelow)].filter(({ members }) =>
    [...members.values()].some((member) => world.searchedMembers.has(member)),
  );
  const read = [...searches.values(), ...world.compared.map(({ of }) => of), searched].flat();
  return new Set(read.filter((raw) => world.wholeMaps.has(raw)));
}

/** The unknowns of searches, and of properties of elements. */
function searchesIn(world: FormulaWorld): readonly Formula[] {
  return [...world.searches.keys(), ...world.properties];
}

/** In names of unknowns of expressions that the solver does not understand. */
const OF_EXPRESSION = "value ";

const IDS: ReadonlySet<string> = new Set(SUBJECTS.map((subject) => `${subject}.id`));

/**
 * Searches of lists that are not reduced have the same result in both requests, if no reduced list and no expression
 * without a translation has a part in them. `others`: parts of the names of other unknowns that change.
 */
export function sameSearches(
  world: FormulaWorld,
  reducible: ReadonlySet<RawValue>,
  others: readonly string[] = [],
): UnknownSameness {
  const changing = [...[...reducible].map(({ key }) => key), ...others, OF_EXPRESSION, "has a role like "];
  const isSteady = (name: string) => changing.every((part) => !name.includes(part));
  const steady = new Set(
    searchesIn(world).filter((unknown) => [...world.dependencies.names([unknown])].every(isSteady)),
  );
  return (unknown) => steady.has(unknown);
}
