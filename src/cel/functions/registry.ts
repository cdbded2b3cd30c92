/** Every function of CEL in Cerbos, by name and style of call. `level` of an overload names those of one level. */

import { cerbosListFunctions } from "./cerbos-lists.js";
import { clockFunctions } from "./clock.js";
import { conversionFunctions } from "./conversions.js";
import { encoderFunctions } from "./encoders.js";
import { formatFunctions } from "./formats.js";
import { FunctionSet } from "./functions.js";
import { hierarchyFunctions } from "./hierarchy.js";
import { ipFunctions } from "./ip.js";
import { jsonFunctions } from "./json.js";
import { listFunctions } from "./lists.js";
import { matchFunctions } from "./matches.js";
import { mathFunctions } from "./math.js";
import { networkFunctions } from "./network.js";
import { optionalFunctions } from "./optionals.js";
import type { CallStyle, Overload } from "./overload.js";
import { pathFunctions } from "./paths.js";
import { regexFunctions } from "./regexes.js";
import { setFunctions } from "./sets.js";
import { operators } from "./signatures.js";
import { spiffeFunctions } from "./spiffe.js";
import { stringFunctions } from "./strings.js";
import { timeFunctions } from "./time.js";
import { yamlFunctions } from "./yaml.js";

export const functions: readonly Overload[] = [
  ...operators,
  ...conversionFunctions,
  // Before strings: `reverse` of a value of unknown type selects the overload for lists.
  ...listFunctions,
  ...stringFunctions,
  ...matchFunctions,
  ...formatFunctions,
  ...timeFunctions,
  ...mathFunctions,
  ...encoderFunctions,
  ...cerbosListFunctions,
  ...clockFunctions,
  ...ipFunctions,
  ...hierarchyFunctions,
  ...spiffeFunctions,
  ...pathFunctions,
  ...optionalFunctions,
  ...setFunctions,
  ...regexFunctions,
  ...networkFunctions,
  ...jsonFunctions,
  ...yamlFunctions,
];

export const FUNCTIONS = new FunctionSet(functions);

/** {@link FunctionSet.overloadsOf} of all functions. */
export function overloadsOf(name: string, style: CallStyle): readonly Overload[] {
  return FUNCTIONS.overloadsOf(name, style);
}

/** The name of the function nearest to a misspelled one, if one is near enough. */
export function nearestFunction(name: string): string | undefined {
  return nearestName(
    name,
    [...FUNCTIONS.names].filter((one) => /^[a-z]/i.test(one) && !one.includes("@")),
  );
}

/** The nearest of some names, if one is near enough. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let best = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const known of names) {
    const distance = editDistance(name, known, best);
    if (distance < best) {
      best = distance;
      nearest = known;
    }
  }
  return nearest;
}

/** The number of single-character edits between two words. Results of `limit` or more are not exact. */
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
