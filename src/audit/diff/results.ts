/** The results of a comparison so far, question by question. */

import type { OperationQuestion } from "../../engine/plan/questions.js";
import type { LayerVerdict } from "../../engine/plan/verdict.js";
import { UNNAMED } from "../../policy/glob-classes.js";
import { isWellFormed } from "../../proof/well-formed.js";
import type { SpaceLayer } from "../../space/dimension.js";
import type { RequestJson } from "../../space/draft.js";
import { type ChangeExtent, EXAMPLE } from "./extent.js";
import type { LayerChange } from "./layer-search.js";
import { CLASSES, changeBy, classOf, type QuestionDiff, sideOf } from "./question-diff.js";
import type { ChangeClass, DecisionChange, DiffGap, LayerDiff, SilentChange, UnprovenChange } from "./types.js";
import type { Witness } from "./witness.js";

/** Collects the changes of each question, and the classes of change still unproven. */
export class DiffResults {
  combinations = 0;
  /** Combinations of values that the search left out. */
  readonly gaps: DiffGap[] = [];
  private readonly asked: OperationQuestion[] = [];
  private readonly changes = new Map<string, DecisionChange>();
  /** The classes that a well-formed request shows, by question and class. */
  private readonly wellFormed = new Set<string>();
  private readonly silent = new Map<string, SilentChange>();
  /** The classes still unproven, by question and class. */
  private readonly open = new Map<string, UnprovenChange>();
  /** Why classes that the text of the rules leaves open are unproven. */
  private readonly why: string;
  private readonly reasons: boolean;

  /** `reasons`: changes of reasons alone count. */
  constructor(why: string, reasons: boolean) {
    this.why = why;
    this.reasons = reasons;
  }

  /** Adds a question: only the classes that the text of its rules settles count as proved. */
  ask({ question, unsettled }: Pick<QuestionDiff, "question" | "unsettled">, message = this.why): void {
    for (const name of unsettled) this.open.set(openKey(question, name), { ...question, class: name, message });
    this.asked.push(question);
  }

  /** Adds a gap that belongs to no question. */
  gap(message: string): void {
    for (const name of CLASSES)
      this.open.set(openKey(EVERYTHING, name) + message, { ...EVERYTHING, class: name, message });
  }

  /** The classes of a question that no well-formed request shows, and that are not ruled out by proof. */
  missing({ question, unsettled }: QuestionDiff): readonly ChangeClass[] {
    return unsettled.filter((name) => !this.wellFormed.has(openKey(question, name)));
  }

  prove({ question }: QuestionDiff, name: ChangeClass): void {
    this.open.delete(openKey(question, name));
  }

  /** A class that a malformed request shows is not open: the change does not claim that well-formed ones do not. */
  leaveOpen({ question }: QuestionDiff, name: ChangeClass, message: string): void {
    if (!this.open.has(openKey(question, name))) return;
    this.open.set(openKey(question, name), { ...question, class: name, message });
  }

  /** Adds a change that one request shows. */
  show({ sets, question }: QuestionDiff, name: ChangeClass, request: RequestJson, onlyMalformed: boolean): void {
    const found = this.changesOf(question, name);
    // The search explains the circumstances of its requests better.
    if (found.length > 0 && onlyMalformed) {
      for (const [key, change] of found) this.changes.set(key, { ...change, malformed: true });
    } else if (found.length === 0 || !onlyMalformed) {
      this.note(
        JSON.stringify([question, name, "shown"]),
        changeBy(sets, question, request, { class: name, onlyMalformed }),
      );
    }
  }

  /** Sets the extent of a class of change. If it is exact, one change stands for all of its class. */
  extend({ question }: QuestionDiff, name: ChangeClass, extent: ChangeExtent): void {
    if (extent.extent === "example") return;
    const [first, ...others] = this.changesOf(question, name);
    if (first !== undefined) this.changes.set(first[0], { ...first[1], ...extent });
    for (const [key] of others) this.changes.delete(key);
  }

  /** The classes of change that a question shows. */
  shown({ question }: QuestionDiff): readonly ChangeClass[] {
    return CLASSES.filter((name) => this.changesOf(question, name).length > 0);
  }

  private changesOf({ kind, operation }: OperationQuestion, name: ChangeClass): readonly [string, DecisionChange][] {
    return [...this.changes].filter(
      ([, change]) => change.class === name && change.kind === kind && change.operation === operation,
    );
  }

  /** Adds a change. Of one class, changes with malformed requests give way to those with well-formed ones. */
  private note(key: string, change: DecisionChange): void {
    const open = openKey(change, change.class);
    this.open.delete(open);
    if (change.wellFormed && !this.wellFormed.has(open)) {
      for (const [other] of this.changesOf(change, change.class)) this.changes.delete(other);
      this.wellFormed.add(open);
    }
    if (change.wellFormed || !this.wellFormed.has(open)) this.changes.set(key, change);
  }

  /** Adds a change that the search found. */
  change(
    { sets, question }: QuestionDiff,
    layer: SpaceLayer,
    found: LayerChange,
    { draft, before, after, circumstances }: Witness,
  ): void {
    const [from, to] = [before.outcome, after.outcome];
    const request = draft.toJson();
    const wellFormed = isWellFormed([sets.before, sets.after], request);
    const name = classOf(before, after);
    if (name === undefined) return;
    const key = JSON.stringify([question, name, from, to, circumstances, wellFormed]);
    const known = this.changes.get(key);
    const roles = [...draft.key.roles];
    if (known !== undefined) {
      // A change that shows with one role need not show with several roles together.
      const isNew = !known.roles.some((one) => one.every((role) => roles.includes(role)));
      this.changes.set(key, {
        ...known,
        roles: isNew ? [...known.roles, roles] : known.roles,
        situations: known.situations + found.situations,
      });
      return;
    }
    this.note(key, {
      class: name,
      ...question,
      roles: [roles],
      from,
      to,
      layer,
      circumstances,
      ...EXAMPLE,
      malformed: false,
      wellFormed,
      situations: found.situations,
      before: sideOf(before, layer),
      after: sideOf(after, layer),
      request,
    });
  }

  silence(
    kind: SilentChange["class"],
    question: OperationQuestion,
    layer: SpaceLayer,
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

  result(): LayerDiff {
    const { combinations } = this;
    const rank = (change: DecisionChange) => CLASSES.indexOf(change.class) + (change.wellFormed ? 0 : CLASSES.length);
    const changes = [...this.changes.values()].sort((a, b) => rank(a) - rank(b));
    const unproven = [...this.open.values()];
    const touched = new Set([...changes, ...unproven].map(({ kind, operation }) => JSON.stringify([kind, operation])));
    const isTouched = ({ kind, operation }: OperationQuestion) => touched.has(JSON.stringify([kind, operation]));
    const unchanged = this.asked.filter((question) => !isTouched(question)).length;
    // A proof that a question is decided the same makes up for combinations left out, except where reasons count.
    const gaps = this.gaps.filter((gap) => this.reasons || isTouched(gap));
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

/** Stands for all questions that were not asked. */
const EVERYTHING: OperationQuestion = { kind: UNNAMED, operation: UNNAMED };

function openKey({ kind, operation }: OperationQuestion, name: ChangeClass): string {
  return JSON.stringify([kind, operation, name]);
}
