/** The questions to ask about policies: operations on kinds. Everything that goes through questions takes them from here. */

import { alternativesOf, isGlob } from "../../policy/glob.js";
import { classesOf, exampleOf, UNNAMED } from "../../policy/glob-classes.js";
import { grouped } from "../../policy/groups.js";
import type { AnyPolicy } from "../../policy/model.js";
import { sanitise } from "../../policy/names.js";
import { isAboutKind, isPattern, type RuleTarget, targetsOf } from "./targets.js";

/** An operation on a kind of resource. */
export interface OperationQuestion {
  readonly kind: string;
  readonly operation: string;
}

export interface AskedQuestions {
  readonly questions: readonly OperationQuestion[];
  /** True if a statement about these questions holds for all questions. */
  readonly areAll: boolean;
}

/**
 * One question of each class that policies do not distinguish. If the patterns of kinds or operations make too many
 * classes: the kinds and operations that policies name, an operation for each pattern, and a kind and an operation that
 * no policy names.
 */
export function questionsIn(policies: readonly AnyPolicy[]): AskedQuestions {
  const classes = classesOfQuestions(policies);
  return { questions: classes ?? examplesOf(policies), areAll: classes !== undefined };
}

/** The kinds that policies name without a pattern: sanitised, with the spellings of each, those of resource policies first. */
export function namedKinds(policies: readonly AnyPolicy[]): ReadonlyMap<string, readonly string[]> {
  const heads = policies.flatMap((policy) => (policy.kind === "resource" ? [policy.name] : []));
  const ofRules = targetsOf(policies).flatMap(({ written }) => (isGlob(written) ? [] : [written]));
  return grouped(new Set([...heads, ...ofRules]), sanitise);
}

/**
 * The actions that rules about a kind list, each once, in the order of the rules. A pattern that is a list in braces
 * stands for its entries.
 */
export function actionsOn(targets: readonly RuleTarget[], kind: string) {
  const name = sanitise(kind);
  const names = new Set<string>();
  const patterns = new Set<string>();
  for (const target of targets) {
    if (!isAboutKind(target, name)) continue;
    for (const action of target.actions.flatMap((action) => (isGlob(action) ? alternativesOf(action) : [action]))) {
      (isPattern(target, action) ? patterns : names).add(action);
    }
  }
  return { names: [...names], patterns: [...patterns] };
}

function classesOfQuestions(policies: readonly AnyPolicy[]): readonly OperationQuestion[] | undefined {
  const targets = targetsOf(policies);
  const named = namedKinds(policies.filter(({ kind }) => kind === "resource"));
  const kinds = classesOf([...named.keys(), ...targets.map(({ kind }) => kind)]);
  // Kinds are matched in their indexed form. An example with a different indexed form would stand for other kinds.
  const isFine = kinds?.every(({ example, isAlone }) => isAlone || sanitise(example) === example) === true;
  const questions: OperationQuestion[] = [];
  for (const { example } of isFine ? kinds : []) {
    const { names, patterns } = actionsOn(targets, example);
    // In a role policy, a pattern without an asterisk is a name as well.
    const operations = classesOf([...names, ...patterns], [...patterns, ...exemptedIn(policies, example)]);
    if (operations === undefined) return undefined;
    const [kind = example] = named.get(example) ?? [];
    questions.push(...operations.map((one) => ({ kind, operation: one.example })));
  }
  return isFine ? questions : undefined;
}

/** The actions, and patterns of actions, that the schemas of a kind do not apply to. */
function exemptedIn(policies: readonly AnyPolicy[], kind: string): readonly string[] {
  return policies.flatMap((policy) => {
    if (policy.kind !== "resource" || policy.resource !== kind) return [];
    return [policy.principalSchema, policy.resourceSchema].flatMap((schema) => schema?.ignoreActions ?? []);
  });
}

function examplesOf(policies: readonly AnyPolicy[]): readonly OperationQuestion[] {
  const targets = targetsOf(policies);
  const kinds = [...namedKinds(policies).values()].flatMap(([kind]) => kind ?? []);
  return [...kinds, UNNAMED].flatMap((kind) => {
    const { names, patterns } = actionsOn(targets, kind);
    const operations = new Set([...names, ...patterns.flatMap((pattern) => exampleOf(pattern) ?? []), UNNAMED]);
    return [...operations].map((operation) => ({ kind, operation }));
  });
}
