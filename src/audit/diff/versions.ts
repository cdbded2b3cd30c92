/** Compares every version of two policy sets: the layers, and the versions that no layer asks. */

import { configurationNotes } from "../../decisions/configuration-notes.js";
import { otherVersionsOf, setOfVersion } from "../../decisions/other-versions.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { NoSolver } from "../../solver/no-solver.js";
import type { Solver } from "../../solver/solver.js";
import { TimeLimit } from "../../solver/timed-solver.js";
import { type DiffOptions, diffLayers, type SearchDiffOptions, searchLayers } from "./diff.js";
import type { LayerDiff, PolicyDiff } from "./types.js";

/**
 * Compares the decisions of two policy sets by a search. An operation counts as proved unchanged if its rules have the
 * same text in both sets; other operations without a change are `unproven`: see {@link diffPolicies}. Pure.
 */
export function searchDecisionChanges(
  before: PolicySet,
  after: PolicySet,
  options: SearchDiffOptions = {},
): PolicyDiff {
  const layers = searchLayers(before, after, options);
  const others = versionsOf(before, after).map((version) =>
    ofVersion(version, searchLayers(setOfVersion(before, version), setOfVersion(after, version), options)),
  );
  return { ...joined([layers, ...others]), configuration: configurationNotes([before, after]) };
}

/**
 * Like {@link searchDecisionChanges}, but asks a solver about everything that the search leaves open. Both sets decided each
 * change that it finds. Without a solver, everything left open stays unproven.
 */
export async function diffPolicies(
  before: PolicySet,
  after: PolicySet,
  solver: Solver | NoSolver | undefined,
  options: DiffOptions = {},
): Promise<PolicyDiff> {
  const limit = new TimeLimit(options.timeLimit);
  const layers = await diffLayers({ before, after }, solver, limit, options);
  const others: { readonly version: string; readonly extended: () => Promise<LayerDiff> }[] = [];
  for (const version of versionsOf(before, after)) {
    const sets = { before: setOfVersion(before, version), after: setOfVersion(after, version) };
    others.push({ version, extended: await diffLayers(sets, solver, limit, options) });
  }
  // Extents come last: the time limit leaves nothing unproven for the sake of words about another change.
  const found = [await layers()];
  for (const { version, extended } of others) found.push(ofVersion(version, await extended()));
  return { ...joined(found), configuration: configurationNotes([before, after]) };
}

/** The versions of either set that no layer of that set asks. */
function versionsOf(before: PolicySet, after: PolicySet): readonly string[] {
  return [...new Set([...otherVersionsOf(before), ...otherVersionsOf(after)])].sort();
}

function ofVersion(version: string, { changes, silent, gaps, unproven, ...rest }: LayerDiff): LayerDiff {
  const named = <T extends object>(all: readonly T[]) => all.map((one) => ({ ...one, version }));
  return { ...rest, changes: named(changes), silent: named(silent), gaps: named(gaps), unproven: named(unproven) };
}

function joined(all: readonly LayerDiff[]): LayerDiff {
  const results = new Set(all.map(({ result }) => result));
  const sum = (field: keyof LayerDiff["examined"]) => all.reduce((total, { examined }) => total + examined[field], 0);
  return {
    result: results.has("changes") ? "changes" : results.has("unproven") ? "unproven" : "equal",
    changes: all.flatMap(({ changes }) => changes),
    silent: all.flatMap(({ silent }) => silent),
    gaps: all.flatMap(({ gaps }) => gaps),
    unproven: all.flatMap(({ unproven }) => unproven),
    examined: { questions: sum("questions"), unchanged: sum("unchanged"), combinations: sum("combinations") },
  };
}
