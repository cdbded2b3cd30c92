/** The questions that policy sets tell apart, and what may be asked of a solver about each. */

import type { PolicySet } from "../decisions/policy-set.js";
import { roleClassesOf } from "../engine/formula/plans.js";
import type { Question } from "../space/deciders.js";
import { namedQuestions, questionClasses } from "../space/questions.js";
import { Inquiry } from "./inquiry.js";

export interface Questions {
  readonly questions: readonly Question[];
  /** What is asked of these sets. */
  inquiryInto(question: Question): Inquiry;
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
    inquiryInto: (question) => new Inquiry(question, roles ?? [], hasAccount),
    gaps,
  };
}
