/** The questions that policy sets distinguish, and a prover for each. */

import type { PolicySet } from "../decisions/policy-set.js";
import { roleClassesOf } from "../engine/formula/plan-formulas.js";
import { type OperationQuestion, questionsIn } from "../engine/plan/questions.js";
import { policiesOfLayers } from "../space/deciding-rules.js";
import { QuestionProver } from "./question-prover.js";

export interface Questions {
  readonly questions: readonly OperationQuestion[];
  /** The prover for the decisions of these sets on a question. */
  proverOf(question: OperationQuestion): QuestionProver;
  /** Why the list of questions may be incomplete. */
  readonly gaps: readonly string[];
}

/** All questions that `sets` distinguish. */
export function allQuestions(sets: readonly PolicySet[]): Questions {
  const gaps: string[] = [];
  const roles = roleClassesOf(sets);
  if (roles === undefined) gaps.push("the patterns of roles divide them into too many classes");
  const { questions, areAll } = questionsIn(policiesOfLayers(sets));
  if (!areAll) gaps.push("the patterns of kinds or operations divide them into too many classes");
  if (sets.some(({ configuration }) => configuration.lenientScopeSearch)) {
    gaps.push("lenientScopeSearch is on, and proofs do not cover scopes that no policy has");
  }
  const hasAccount = sets.some(({ platform }) => platform !== undefined);
  return {
    questions,
    proverOf: (question) => new QuestionProver(question, roles ?? [], hasAccount),
    gaps,
  };
}
