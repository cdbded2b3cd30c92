/** What a comparison has found so far, question by question. */

import type { LayerVerdict } from "../../engine/plan/verdict.js";
import { UNNAMED } from "../../policy/glob-classes.js";
import type { Question } from "../../space/deciders.js";
import type { Layer } from "../../space/dimension.js";
import type { RequestJson } from "../../space/draft.js";
import type { LayerChange } from "./layer-search.js";
import { CLASSES, changeBy, classOf, type QuestionDiff } from "./question-diff.js";
import type { Change, ChangeClass, Gap, PolicyDiff, SilentChange, Unproven } from "./types.js";
import type { Witness } from "./witness.js";

/** Collects what is found of each question, and what of it is not proved yet. */
export class DiffResults {
  combinations = 0;
  readonly gaps: Gap[] = [];
  private readonly asked: Question[] = [];
  private readonly changes = new Map<string, Change>();
  private readonly silent = new Map<string, SilentChange>();
  /** What is not proved yet, by question and class. */
  private readonly open = new Map<string, Unproven>();
  /** Why nothing is proved but by words. */
  private readonly why: string;

  constructor(why: string) {
    this.why = why;
  }

  /** Takes up a question: nothing is proved of it but what its words prove. */
  ask({ question, unsettled }: Pick<QuestionDiff, "question" | "unsettled">, message = this.why): void {
    for (const name of unsettled) this.open.set(openKey(question, name), { ...question, class: name, message });
    this.asked.push(question);
  }

  /** Something that no question stands for. */
  gap(message: string): void {
    for (const name of CLASSES)
      this.open.set(openKey(EVERYTHING, name) + message, { ...EVERYTHING, class: name, message });
  }

  /** The ways of a question that are neither shown nor proved not to be. */
  missing({ question, unsettled }: QuestionDiff): readonly ChangeClass[] {
    return unsettled.filter((name) => this.open.has(openKey(question, name)));
  }

  prove({ question }: QuestionDiff, name: ChangeClass): void {
    this.open.delete(openKey(question, name));
  }

  leaveOpen({ question }: QuestionDiff, name: ChangeClass, message: string): void {
    this.open.set(openKey(question, name), { ...question, class: name, message });
  }

  /** A change that a request shows by itself. */
  show({ sets, question }: QuestionDiff, name: ChangeClass, request: RequestJson): void {
    this.open.delete(openKey(question, name));
    this.changes.set(JSON.stringify([question, name, "shown"]), changeBy(sets, question, request));
  }

  /** A change that a search shows. */
  change(question: Question, layer: Layer, found: LayerChange, { draft, before, after, circumstances }: Witness): void {
    const [from, to] = [before.outcome, after.outcome];
    this.open.delete(openKey(question, classOf(from, to)));
    const key = JSON.stringify([question, from, to, circumstances, found.broken]);
    const known = this.changes.get(key);
    const roles = [...draft.key.roles];
    if (known !== undefined) {
      // What one of the roles shows by itself, all of them together need not.
      const isNew = !known.roles.some((one) => one.every((role) => roles.includes(role)));
      this.changes.set(key, {
        ...known,
        roles: isNew ? [...known.roles, roles] : known.roles,
        situations: known.situations + found.situations,
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
      malformed: found.broken,
      situations: found.situations,
      before: { outcome: from, reasons: before[layer].reasons },
      after: { outcome: to, reasons: after[layer].reasons },
      request: draft.toJson(),
    });
  }

  silence(
    kind: SilentChange["class"],
    question: Question,
    layer: Layer,
    { roles, from, to, situations }: LayerChange,
  ): void {
    const words = (of: LayerVerdict) => [...new Set(of.reasons.map(({ reason }) => reason))].sort();
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
    const { combinations, gaps } = this;
    const rank = (change: Change) => CLASSES.indexOf(change.class) + (change.malformed ? CLASSES.length : 0);
    const changes = [...this.changes.values()].sort((a, b) => rank(a) - rank(b));
    const unproven = [...this.open.values()];
    const touched = new Set([...changes, ...unproven].map(({ kind, operation }) => JSON.stringify([kind, operation])));
    const unchanged = this.asked.filter(
      ({ kind, operation }) => !touched.has(JSON.stringify([kind, operation])),
    ).length;
    return {
      result: changes.length > 0 ? "changes" : unproven.length > 0 ? "unproven" : "equal",
      changes,
      silent: [...this.silent.values()],
      gaps,
      unproven,
      examined: { questions: this.asked.length, unchanged, combinations },
    };
  }
}

/** Stands for questions that were not asked. */
const EVERYTHING: Question = { kind: UNNAMED, operation: UNNAMED };

function openKey({ kind, operation }: Question, name: ChangeClass): string {
  return JSON.stringify([kind, operation, name]);
}
