/**
 * The search for changes: both sets decide all combinations of the values that the conditions of
 * either distinguish: boundaries and their neighbours, members of enums, present and absent, equal and different, each
 * role. Where the combinations are too many, a part is examined, and the result says so.
 *
 * A brief search also runs beside a solver: only the search finds verdicts that change no decision, and tells the values
 * of an example that matter from the others.
 */

import type { OperationQuestion } from "../../engine/plan/questions.js";
import { isWellFormed } from "../../proof/well-formed.js";
import { LAYERS, type SpaceLayer } from "../../space/dimension.js";
import { choicesFor } from "../../space/dimension-choices.js";
import { roleSets } from "../../space/question-space.js";
import { startOf } from "../../space/starting-request.js";
import { type Effort, type LayerChange, searchLayer } from "./layer-search.js";
import type { QuestionDiff } from "./question-diff.js";
import type { DiffResults } from "./results.js";
import type { DiffGap } from "./types.js";
import { type SearchedLayer, type Witness, Witnesses } from "./witness.js";

export interface SearchOptions {
  readonly effort: Effort;
  /** Report changes of reasons, too, where the outcome stays. */
  readonly reasons: boolean;
}

export function searchQuestion(one: QuestionDiff, { effort, reasons }: SearchOptions, results: DiffResults): void {
  const { sets, question, changed } = one;
  const { draft, asked } = startOf([sets.before, sets.after], question);
  const searched = (layer: SpaceLayer): SearchedLayer => {
    const pair = { before: sets.before[layer], after: sets.after[layer] };
    const keys = roleSets(asked[layer].roles);
    return { layer, pair, changes: searchLayer(layer, pair, draft, choicesFor(asked[layer], draft), keys, effort) };
  };
  const layers = { permission: searched("permission"), platform: searched("platform") };
  const witnesses = new Witnesses(sets, draft);
  for (const layer of reasons ? LAYERS : changed) {
    const own = layers[layer];
    const other = layers[layer === "permission" ? "platform" : "permission"];
    const { otherEffects, otherReasons, examined } = own.changes;
    results.gaps.push(...gapsOf(question, own, asked[layer].space.opaque));
    results.combinations += examined;
    for (const change of otherEffects) report(one, change, own, other, witnesses, results);
    for (const change of reasons ? otherReasons : []) results.silence("reasons", question, layer, change);
  }
}

function report(
  one: QuestionDiff,
  change: LayerChange,
  own: SearchedLayer,
  other: SearchedLayer,
  witnesses: Witnesses,
  results: DiffResults,
): void {
  const { sets, question } = one;
  let malformed: Witness | undefined;
  for (const values of change.examples) {
    const witness = witnesses.find(own, other, change.roles, values);
    if (witness === undefined) continue;
    if (isWellFormed([sets.before, sets.after], witness.draft.toJson())) {
      results.change(one, own.layer, change, witness);
      return;
    }
    malformed ??= witness;
  }
  if (malformed === undefined) results.silence("masked", question, own.layer, change);
  else results.change(one, own.layer, change, malformed);
}

function gapsOf(
  question: OperationQuestion,
  { layer, changes }: SearchedLayer,
  opaque: ReadonlySet<string>,
): readonly DiffGap[] {
  const gaps: DiffGap[] = [];
  const { examined, total } = changes;
  if (examined < total) {
    const message = `only ${examined} of ${total} combinations of values were tried; the search misses changes in the others`;
    gaps.push({ ...question, layer, message });
  }
  for (const source of opaque) {
    gaps.push({
      ...question,
      layer,
      message: `the search does not know every value that matters for this expression: ${source}`,
    });
  }
  return gaps;
}
