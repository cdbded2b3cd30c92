/** Classes of questions, operations on kinds, that policies do not distinguish. */

import { classesOf } from "../../policy/glob-classes.js";
import type { AnyPolicy } from "../../policy/model.js";
import { sanitise } from "../../policy/names.js";
import { isAboutKind, isPattern, targetsOf } from "./targets.js";

/** One question of each class that policies do not distinguish. */
export interface QuestionExample {
  readonly kind: string;
  readonly operation: string;
}

/**
 * One question of each class that policies do not distinguish: a statement about these holds for all questions.
 * Undefined: the patterns of kinds or operations make too many classes.
 */
export function classesOfQuestions(policies: readonly AnyPolicy[]): readonly QuestionExample[] | undefined {
  const kinds = kindsIn(policies);
  if (kinds === undefined) return undefined;
  const questions: QuestionExample[] = [];
  for (const kind of kinds) {
    const operations = operationsOn(policies, kind);
    if (operations === undefined) return undefined;
    questions.push(...operations.map((operation) => ({ kind, operation })));
  }
  return questions;
}

function kindsIn(policies: readonly AnyPolicy[]): readonly string[] | undefined {
  const written = new Map<string, string>();
  const patterns = new Set<string>();
  for (const policy of policies) {
    if (policy.kind === "resource") {
      patterns.add(policy.resource);
      if (!written.has(policy.resource)) written.set(policy.resource, policy.name);
    }
    for (const { kind } of targetsOf([policy])) patterns.add(kind);
  }
  const classes = classesOf([...patterns]);
  // Kinds are matched in their indexed form. An example with a different indexed form would stand for other kinds.
  const isFine = classes?.every(({ example, isAlone }) => isAlone || sanitise(example) === example) === true;
  return isFine ? classes.map(({ example }) => written.get(example) ?? example) : undefined;
}

function operationsOn(policies: readonly AnyPolicy[], kind: string): readonly string[] | undefined {
  const patterns = new Set<string>();
  const globs = new Set<string>();
  const name = sanitise(kind);
  for (const target of targetsOf(policies)) {
    if (!isAboutKind(target, name)) continue;
    for (const action of target.actions) {
      patterns.add(action);
      // In a role policy, a pattern without an asterisk is a name as well.
      if (target.inRolePolicy && isPattern(target, action)) globs.add(action);
    }
  }
  for (const policy of policies) {
    if (policy.kind !== "resource" || policy.resource !== name) continue;
    for (const schema of [policy.principalSchema, policy.resourceSchema])
      for (const action of schema?.ignoreActions ?? []) globs.add(action);
  }
  return classesOf([...patterns], [...globs])?.map(({ example }) => example);
}
