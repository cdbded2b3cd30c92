/**
 * What a change of policies changes in decisions. For every operation, both sets decide all combinations of the values
 * that the conditions of either distinguish: boundaries and their neighbours, members of enums, present and absent,
 * equal and different, each role. Where the combinations are too many, a part is examined, and the result says so.
 */

import type { PolicySet } from "../../decisions/policy-set.js";
import type { Outcome } from "../../decisions/types.js";
import { startOf } from "../../space/base.js";
import type { Question } from "../../space/deciders.js";
import { LAYERS, type Layer } from "../../space/dimension.js";
import { questionsOf } from "../../space/question.js";
import { choicesFor } from "../../space/values.js";
import { fingerprint } from "./fingerprint.js";
import { compareLayer, type Finding } from "./layer.js";
import type { Change, ChangeClass, Gap, PolicyDiff, SilentChange } from "./types.js";
import { type Side, type Witness, Witnesses } from "./witness.js";

export interface DiffOptions {
  /** Whether verdicts that have other reasons, with the same outcome, are looked for. Default: `false`. */
  readonly reasons?: boolean;
}

/** Compares the decisions of two policy sets. Pure. */
export function diffPolicies(before: PolicySet, after: PolicySet, { reasons = false }: DiffOptions = {}): PolicyDiff {
  const found = new Found();
  for (const question of questionsOf([before, after])) {
    found.questions++;
    const changed = LAYERS.filter((layer) => !isSame(before, after, layer, question, reasons));
    if (changed.length === 0) found.unchanged++;
    else compareQuestion({ before, after }, question, changed, reasons, found);
  }
  return found.result();
}

function isSame(a: PolicySet, b: PolicySet, layer: Layer, question: Question, reasons: boolean): boolean {
  const form = fingerprint(a, layer, question, reasons);
  return form !== undefined && form === fingerprint(b, layer, question, reasons);
}

interface Sets {
  readonly before: PolicySet;
  readonly after: PolicySet;
}

function compareQuestion(
  sets: Sets,
  question: Question,
  changed: readonly Layer[],
  reasons: boolean,
  found: Found,
): void {
  const { draft, asked } = startOf([sets.before, sets.after], question);
  const sideOf = (layer: Layer): Side => {
    const pair = { before: sets.before[layer], after: sets.after[layer] };
    const { roles } = asked[layer];
    const comparison = compareLayer(layer, pair, draft, choicesFor(asked[layer], draft), roleSets(roles));
    return { layer, pair, comparison };
  };
  const sides = { permission: sideOf("permission"), platform: sideOf("platform") };
  const witnesses = new Witnesses(sets, draft);
  for (const layer of changed) {
    const side = sides[layer];
    const other = sides[layer === "permission" ? "platform" : "permission"];
    found.gaps.push(...gapsOf(question, side, asked[layer].space.opaque));
    found.combinations += side.comparison.examined;
    for (const finding of side.comparison.findings) report(question, finding, side, other, witnesses, found);
    if (reasons) for (const finding of side.comparison.reasons) found.silence("reasons", question, layer, finding);
  }
}

/** Each role by itself, and all of them together: whoever is allowed in one of its roles is allowed. */
function roleSets(roles: readonly string[]): readonly (readonly string[])[] {
  const single = roles.map((role) => [role]);
  return roles.length > 1 ? [...single, roles] : single;
}

function report(
  question: Question,
  finding: Finding,
  side: Side,
  other: Side,
  witnesses: Witnesses,
  found: Found,
): void {
  for (const values of finding.examples) {
    const witness = witnesses.find(side, other, finding.roles, values);
    if (witness === undefined) continue;
    found.change(question, side.layer, finding, witness);
    return;
  }
  found.silence("masked", question, side.layer, finding);
}

function gapsOf(question: Question, { layer, comparison }: Side, opaque: ReadonlySet<string>): readonly Gap[] {
  const gaps: Gap[] = [];
  const { examined, total } = comparison;
  if (examined < total) {
    const message = `${examined} of ${total} combinations were examined: a difference in the others would be missed`;
    gaps.push({ ...question, layer, message });
  }
  for (const source of opaque) {
    gaps.push({ ...question, layer, message: `not every value that matters to this is known: ${source}` });
  }
  return gaps;
}

const ORDER: readonly ChangeClass[] = ["widening", "narrowing", "refusal"];

class Found {
  questions = 0;
  unchanged = 0;
  combinations = 0;
  readonly gaps: Gap[] = [];
  private readonly changes = new Map<string, Change>();
  private readonly silent = new Map<string, SilentChange>();

  change(question: Question, layer: Layer, finding: Finding, { draft, before, after, circumstances }: Witness): void {
    const [from, to] = [before.outcome, after.outcome];
    const key = JSON.stringify([question, from, to, circumstances, finding.broken]);
    const known = this.changes.get(key);
    const roles = [...draft.key.roles];
    if (known !== undefined) {
      // What one of the roles shows by itself, all of them together need not.
      const isNew = !known.roles.some((one) => one.every((role) => roles.includes(role)));
      this.changes.set(key, {
        ...known,
        roles: isNew ? [...known.roles, roles] : known.roles,
        situations: known.situations + finding.situations,
      });
      return;
    }
    this.changes.set(key, {
      class: classOf(from, to),
      ...question,
      roles: [roles],
      from,
      to,
      layer,
      circumstances,
      malformed: finding.broken,
      situations: finding.situations,
      before: { outcome: from, reasons: before[layer].reasons },
      after: { outcome: to, reasons: after[layer].reasons },
      request: draft.toJson(),
    });
  }

  silence(
    kind: SilentChange["class"],
    question: Question,
    layer: Layer,
    { roles, from, to, situations }: Finding,
  ): void {
    const words = (of: Finding["from"]) => [...new Set(of.reasons.map(({ reason }) => reason))].sort();
    const [before, after] = [words(from), words(to)];
    const key = JSON.stringify([kind, question, layer, before, after]);
    const known = this.silent.get(key);
    this.silent.set(key, {
      class: kind,
      ...question,
      layer,
      roles: [...(known?.roles ?? []), roles],
      situations: (known?.situations ?? 0) + situations,
      before,
      after,
    });
  }

  result(): PolicyDiff {
    const { questions, unchanged, combinations, gaps } = this;
    const rank = (change: Change) => ORDER.indexOf(change.class) + (change.malformed ? ORDER.length : 0);
    return {
      changes: [...this.changes.values()].sort((a, b) => rank(a) - rank(b)),
      silent: [...this.silent.values()],
      gaps,
      examined: { questions, unchanged, combinations },
    };
  }
}

function classOf(from: Outcome, to: Outcome): ChangeClass {
  if (to === "allow") return "widening";
  return from === "allow" ? "narrowing" : "refusal";
}
