/** Valid requests: the schemas allow their attributes, and the policies have their scopes. */

import type { PolicySet } from "../../decisions/policy-set.js";
import type { Formula } from "../../engine/formula/formula.js";
import type { OperationQuestion } from "../../engine/plan/questions.js";
import { LAYERS, PRINCIPALS, type SpaceSubject } from "../../space/dimension.js";
import type { RequestJson } from "../../space/draft.js";
import type { QuestionProver } from "../question-prover.js";
import { declaredParts, schemaFormulas } from "../schema-formulas.js";
import { isWellFormed } from "../well-formed.js";

/** Statements that hold of every valid request on a question. Call it after the last translation. */
export function validityFacts(
  set: PolicySet,
  prover: QuestionProver,
  question: OperationQuestion = prover.question,
): readonly Formula[] {
  prover.close();
  const { world } = prover;
  const { formulas } = world;
  const placed = scopesOf(set).map(([subject, scopes]) =>
    formulas.or(...[...scopes].map((scope) => formulas.same(world.field(subject, "scope"), formulas.text(scope)))),
  );
  return [...placed, ...schemaFormulas(set, question, prover), ...declaredParts(set, question, prover)];
}

export function isValid(set: PolicySet, request: RequestJson): boolean {
  const isPlaced = scopesOf(set).every(([subject, scopes]) => scopes.has(request[subject]?.scope ?? ""));
  return isPlaced && isWellFormed([set], request);
}

/** For each part of a request the scopes that policies are for, and the root. */
function scopesOf(set: PolicySet): readonly (readonly [SpaceSubject, ReadonlySet<string>])[] {
  return LAYERS.flatMap((name) => {
    const index = set[name]?.index;
    if (index === undefined) return [];
    return [
      [PRINCIPALS[name], new Set(["", ...index.principalScopes])] as const,
      ["resource", new Set(["", ...index.resourceScopes])] as const,
    ];
  });
}
