/** The questions to ask about policy sets: operations on kinds. */

import type { PolicySet } from "../decisions/policy-set.js";
import { isAboutKind, isPattern, targetsOf } from "../engine/plan/targets.js";
import { compileGlob, isGlob } from "../policy/glob.js";
import { classesOf, UNNAMED } from "../policy/glob-classes.js";
import type { AnyPolicy } from "../policy/model.js";
import { sanitise } from "../policy/names.js";
import { type OperationQuestion, policiesOf } from "./deciding-rules.js";
import { LAYERS } from "./dimension.js";

/** A role that no policy names. */
export const UNNAMED_ROLE = "unnamed_role";

/**
 * Every kind that some policy names, with every operation that some rule names, plus a kind and an operation that none
 * names.
 */
export function namedQuestions(sets: readonly PolicySet[]): readonly OperationQuestion[] {
  const policies = policiesIn(sets);
  const kinds = new Map<string, Set<string>>();
  const everywhere = new Set<string>([UNNAMED]);
  for (const policy of policies) {
    const targets = targetsOf([policy]);
    if (policy.kind === "resource") {
      const known = [...kinds.keys()].find((kind) => sanitise(kind) === policy.resource) ?? policy.name;
      const operations = targets.flatMap(({ actions }) => examplesOf(actions));
      kinds.set(known, new Set([...(kinds.get(known) ?? []), ...operations]));
      continue;
    }
    for (const { written, actions } of targets) {
      if (!isGlob(written)) kinds.set(written, kinds.get(written) ?? new Set());
      for (const operation of examplesOf(actions)) everywhere.add(operation);
    }
  }
  kinds.set(UNNAMED, new Set());
  return [...kinds].flatMap(([kind, operations]) =>
    [...new Set([...operations, ...everywhere])].map((operation) => ({ kind, operation })),
  );
}

/**
 * One question of each class that policies do not distinguish: a statement about these holds for all questions.
 * Undefined: the patterns of kinds or operations make too many classes.
 */
export function questionClasses(sets: readonly PolicySet[]): readonly OperationQuestion[] | undefined {
  const policies = policiesIn(sets);
  const kinds = kindsIn(policies);
  if (kinds === undefined) return undefined;
  const questions: OperationQuestion[] = [];
  for (const kind of kinds) {
    const operations = operationsOn(policies, kind);
    if (operations === undefined) return undefined;
    questions.push(...operations.map((operation) => ({ kind, operation })));
  }
  return questions;
}

function policiesIn(sets: readonly PolicySet[]): readonly AnyPolicy[] {
  return sets.flatMap((set) => LAYERS.flatMap((layer) => policiesOf(set, layer).all));
}

/** Operations as rules name them. For a pattern: one operation that matches it. */
function examplesOf(actions: readonly string[]): readonly string[] {
  return actions.flatMap((action) => {
    if (!isGlob(action)) return [action];
    const example = action
      .replaceAll(/\{([^,{}]*)[^{}]*\}/g, "$1")
      .replaceAll(/\[!?(.)[^\]]*\]/g, "$1")
      .replaceAll(/\*+|\?/g, UNNAMED);
    return [example, example.replaceAll(UNNAMED, "x")].filter((one) => compileGlob(action)?.(one) === true).slice(0, 1);
  });
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
