/** The questions that policy sets tell apart, and a prover of each. */

import type { PolicySet } from "../decisions/policy-set.js";
import { roleClassesOf } from "../engine/formula/plans.js";
import type { Question } from "../space/deciders.js";
import { namedQuestions, questionClasses } from "../space/questions.js";
import { QuestionProver } from "./question-prover.js";

export interface Questions {
  readonly questions: readonly Question[];
  /** Proves what these sets say of a question. */
  proverOf(question: Question): QuestionProver;
  /** Why these may not be all. */
  readonly gaps: readonly string[];
}

/** All questions that `sets` tell apart. */
export function allQuestions(sets: readonly PolicySet[]): Questions {
  const gaps: string[] = [];
  const roles = roleClassesOf(sets);
  if (roles === undefined) gaps.push("the patterns of roles divide them into too many classes");
  const classes = questionClasses(sets);
  if (classes === undefined) gaps.push("the patterns of kinds or operations divide them into too many classes");
  const hasAccount = sets.some(({ platform }) => platform !== undefined);
  return {
    questions: classes ?? namedQuestions(sets),
    proverOf: (question) => new QuestionProver(question, roles ?? [], hasAccount),
    gaps,
  };
}
