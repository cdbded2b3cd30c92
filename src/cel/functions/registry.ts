/** Every function of CEL, by name and style of call, as each version of the language has it (`versions.ts`). */

import {
  type Addition,
  CEL_VERSIONS,
  type CelVersion,
  DEFAULT_CEL_VERSION,
  has,
  isAtLeast,
  sinceOf,
} from "../versions.js";
import { cerbosListFunctions, comparingListFunctions } from "./cerbos-lists.js";
import { clockFunctions } from "./clock.js";
import { conversionFunctions } from "./conversions.js";
import { encoderFunctions } from "./encoders.js";
import { hierarchyFunctions } from "./hierarchy.js";
import { ipFunctions } from "./ip.js";
import { jsonFunctions } from "./json.js";
import { listFunctions } from "./lists.js";
import { mathFunctions } from "./math.js";
import { networkFunctions } from "./network.js";
import { optionalFunctions } from "./optionals.js";
import type { Overload, Style } from "./overload.js";
import { pathFunctions } from "./paths.js";
import { regexFunctions } from "./regexes.js";
import { setFunctions } from "./sets.js";
import { operators } from "./signatures.js";
import { spiffeFunctions } from "./spiffe.js";
import { stringFunctions } from "./strings.js";
import { timeFunctions } from "./time.js";

/** What the PDP 0.51 knows. */
export const functions: readonly Overload[] = [
  ...operators,
  ...conversionFunctions,
  // Before strings: what is of open type and is reversed is taken for a list.
  ...listFunctions,
  ...stringFunctions,
  ...timeFunctions,
  ...mathFunctions,
  ...encoderFunctions,
  ...cerbosListFunctions,
  ...clockFunctions,
  ...ipFunctions,
  ...hierarchyFunctions,
  ...spiffeFunctions,
];

/** What later versions add, overloads of functions that 0.51 has among it. */
const ADDED: readonly (readonly [Addition, readonly Overload[]])[] = [
  ["paths", pathFunctions],
  ["optionals", optionalFunctions],
  ["libraries", [...setFunctions, ...regexFunctions, ...networkFunctions, ...jsonFunctions]],
];

/** All that {@link functions} does not have. A PDP 0.51 does not load a policy that uses it. */
export const newerFunctions: readonly Overload[] = ADDED.flatMap(([, overloads]) => overloads);

/** The functions of a version. */
export function functionsOf(version: CelVersion): readonly Overload[] {
  const added = ADDED.flatMap(([addition, overloads]) => (has(version, addition) ? overloads : []));
  if (!has(version, "listEquality")) return [...functions, ...added];
  const replaced = new Set(cerbosListFunctions);
  return [...functions.filter((overload) => !replaced.has(overload)), ...comparingListFunctions, ...added];
}

type Groups = Readonly<Record<Style, ReadonlyMap<string, readonly Overload[]>>>;

const NONE: readonly Overload[] = [];
const groups = new Map<CelVersion, Groups>([[DEFAULT_CEL_VERSION, grouped(functions)]]);

function groupsOf(version: CelVersion): Groups {
  const known = groups.get(version);
  if (known !== undefined) return known;
  const made = grouped(functionsOf(version));
  groups.set(version, made);
  return made;
}

function grouped(overloads: readonly Overload[]): Groups {
  return { global: group(overloads, "global"), member: group(overloads, "member") };
}

function group(overloads: readonly Overload[], style: Style): ReadonlyMap<string, readonly Overload[]> {
  const byName = new Map<string, Overload[]>();
  for (const overload of overloads) {
    if (overload.style !== style) continue;
    const known = byName.get(overload.name);
    if (known === undefined) byName.set(overload.name, [overload]);
    else known.push(overload);
  }
  return byName;
}

/** The overloads of `name(…)` or of `x.name(…)`, in the order in which they are tried. */
export function overloadsOf(
  name: string,
  style: Style,
  version: CelVersion = DEFAULT_CEL_VERSION,
): readonly Overload[] {
  return groupsOf(version)[style].get(name) ?? NONE;
}

function isKnown(name: string, { global, member }: Groups): boolean {
  return global.has(name) || member.has(name);
}

/** The version that brought a function which `version` does not have. */
export function sinceVersion(name: string, version: CelVersion = DEFAULT_CEL_VERSION): CelVersion | undefined {
  if (isKnown(name, groupsOf(version))) return undefined;
  if (MACROS.has(name)) return isAtLeast(version, sinceOf("optionals")) ? undefined : sinceOf("optionals");
  return CEL_VERSIONS.find((later) => isAtLeast(later, version) && isKnown(name, groupsOf(later)));
}

/** Macros of later versions. */
const MACROS: ReadonlySet<string> = new Set(["optMap", "optFlatMap"]);

/** The known name nearest to a misspelled one, if it is near. */
export function nearestFunction(name: string, version: CelVersion = DEFAULT_CEL_VERSION): string | undefined {
  const furthest = Math.max(1, Math.floor(name.length / 3));
  const { global, member } = groupsOf(version);
  let nearest: string | undefined;
  let best = furthest + 1;
  for (const known of new Set([...global.keys(), ...member.keys()])) {
    if (!/^[a-z]/i.test(known) || known.includes("@")) continue;
    const distance = editDistance(name, known, best);
    if (distance < best) {
      best = distance;
      nearest = known;
    }
  }
  return nearest;
}

/** The number of single-character edits between two words, of which only those below `limit` matter. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  if (a.toLowerCase() === b.toLowerCase()) return 0.5;
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substituted, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? limit;
}
