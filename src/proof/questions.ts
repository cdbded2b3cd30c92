/** The questions that policy sets tell apart, of all that there are: each stands for those that no policy tells from it. */

import type { PolicySet } from "../decisions/policy-set.js";
import { roleClassesOf } from "../engine/formula/plans.js";
import { kindMatcher } from "../engine/plan/actions.js";
import { looksLikeGlob } from "../policy/glob.js";
import { classesOf } from "../policy/glob-classes.js";
import { sanitise } from "../policy/names.js";
import { type LayerPolicies, policiesOf, type Question } from "../space/deciders.js";
import { LAYERS } from "../space/dimension.js";
import { questionsOf } from "../space/question.js";
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
  const policies = sets.flatMap((set) => LAYERS.map((layer) => policiesOf(set, layer)));
  const gaps: string[] = [];
  const roles = roleClassesOf(sets);
  if (roles === undefined) gaps.push("the patterns of roles divide them into too many classes");
  const kinds = kindsOf(policies);
  const asked = kinds?.flatMap((kind) => {
    const operations = operationsOf(policies, kind);
    return operations?.map((operation): Question => ({ kind, operation })) ?? [undefined];
  });
  const isWhole = asked?.every((question) => question !== undefined) === true;
  if (!isWhole) gaps.push("the patterns of kinds or operations divide them into too many classes");
  const questions = isWhole ? asked.filter((question) => question !== undefined) : questionsOf(sets);
  const hasAccount = sets.some(({ platform }) => platform !== undefined);
  return { questions, inquiryInto: (question) => new Inquiry(question, roles ?? [], hasAccount), gaps };
}

function kindsOf(policies: readonly LayerPolicies[]): readonly string[] | undefined {
  const written = new Map<string, string>();
  const patterns = new Set<string>();
  for (const { resources, principals, roles } of policies) {
    for (const { resource, name } of resources) {
      patterns.add(resource);
      if (!written.has(resource)) written.set(resource, name);
    }
    for (const { rules } of principals) for (const { resourceName } of rules) patterns.add(resourceName);
    for (const { rules } of roles) for (const { resource } of rules) patterns.add(resource);
  }
  const classes = classesOf([...patterns]);
  // Kinds are matched in the form in which they are indexed: an example that has another would stand for others.
  const isFine = classes?.every(({ example, isAlone }) => isAlone || sanitise(example) === example) === true;
  return isFine ? classes.map(({ example }) => written.get(example) ?? example) : undefined;
}

function operationsOf(policies: readonly LayerPolicies[], kind: string): readonly string[] | undefined {
  const patterns = new Set<string>();
  const globs = new Set<string>();
  const name = sanitise(kind);
  for (const { resources, principals, roles } of policies) {
    for (const { resource, rules, principalSchema, resourceSchema } of resources) {
      if (resource !== name) continue;
      for (const { actions } of rules) for (const action of actions) patterns.add(action);
      for (const schema of [principalSchema, resourceSchema])
        for (const one of schema?.ignoreActions ?? []) globs.add(one);
    }
    for (const { resourceName, actions } of principals.flatMap(({ rules }) => rules)) {
      if (kindMatcher(resourceName)(name)) for (const action of actions) patterns.add(action);
    }
    for (const { resource, allowActions } of roles.flatMap(({ rules }) => rules)) {
      if (!kindMatcher(resource)(name)) continue;
      for (const action of allowActions) {
        // What has no asterisk is a name as well.
        patterns.add(action);
        if (looksLikeGlob(action)) globs.add(action);
      }
    }
  }
  return classesOf([...patterns], [...globs])?.map(({ example }) => example);
}
