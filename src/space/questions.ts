/** The questions to ask about policy sets: operations on kinds. */

import type { PolicySet } from "../decisions/policy-set.js";
import { classesOfQuestions } from "../engine/plan/question-classes.js";
import { targetsOf } from "../engine/plan/targets.js";
import { compileGlob, isGlob } from "../policy/glob.js";
import { UNNAMED } from "../policy/glob-classes.js";
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

/** {@link classesOfQuestions} of both layers of all sets. */
export function questionClasses(sets: readonly PolicySet[]): readonly OperationQuestion[] | undefined {
  return classesOfQuestions(policiesIn(sets));
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
