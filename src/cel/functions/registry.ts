/** Every function of CEL as the PDP 0.51 has it, by name and style of call. */

import { cerbosListFunctions } from "./cerbos-lists.js";
import { clockFunctions } from "./clock.js";
import { conversionFunctions } from "./conversions.js";
import { encoderFunctions } from "./encoders.js";
import { hierarchyFunctions } from "./hierarchy.js";
import { ipFunctions } from "./ip.js";
import { listFunctions } from "./lists.js";
import { mathFunctions } from "./math.js";
import { CEL_SINCE, LATER_CEL_FUNCTIONS } from "./newer.js";
import type { Overload, Style } from "./overload.js";
import { SINCE as PATHS_SINCE, pathFunctions } from "./paths.js";
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

/** Functions of later versions. A PDP 0.51 does not load a policy that uses them. */
export const newerFunctions: readonly Overload[] = pathFunctions;

const NONE: readonly Overload[] = [];
const byStyle: Readonly<Record<Style, ReadonlyMap<string, readonly Overload[]>>> = {
  global: group("global"),
  member: group("member"),
};
const newerNames = new Map([
  ...newerFunctions.map((overload) => [overload.name, PATHS_SINCE] as const),
  ...LATER_CEL_FUNCTIONS.map((name) => [name, CEL_SINCE] as const),
]);

function group(style: Style): ReadonlyMap<string, readonly Overload[]> {
  const groups = new Map<string, Overload[]>();
  for (const overload of functions) {
    if (overload.style !== style) continue;
    const known = groups.get(overload.name);
    if (known === undefined) groups.set(overload.name, [overload]);
    else known.push(overload);
  }
  return groups;
}

/** The overloads of `name(…)` or of `x.name(…)`, in the order in which they are tried. */
export function overloadsOf(name: string, style: Style): readonly Overload[] {
  return byStyle[style].get(name) ?? NONE;
}

/** Whether there is a function of this name in either style. */
export function knownFunction(name: string): boolean {
  return byStyle.global.has(name) || byStyle.member.has(name);
}

/** The version of Cerbos that brought a function which 0.51 does not have. */
export function sinceVersion(name: string): string | undefined {
  return newerNames.get(name);
}

/** The known name nearest to a misspelled one, if it is near. */
export function nearestFunction(name: string): string | undefined {
  const furthest = Math.max(1, Math.floor(name.length / 3));
  let nearest: string | undefined;
  let best = furthest + 1;
  for (const known of new Set([...byStyle.global.keys(), ...byStyle.member.keys()])) {
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
