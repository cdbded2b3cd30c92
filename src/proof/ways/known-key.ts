/** A known key: expressions of the permission layer become expressions about the resource alone. */

import { canonicalText } from "../../cel/canonical-text.js";
import { checkExpression } from "../../cel/check.js";
import type { CerbosLevel } from "../../cel/levels.js";
import { parseExpression } from "../../cel/parse.js";
import { sourceOf } from "../../cel/written.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { FormulaReading } from "../../engine/formula/attribute-formulas.js";
import { isAboutKeyAndResource, PrincipalResiduals } from "../../engine/residual/principal-residuals.js";
import { ERROR } from "../../engine/residual/residual-expression.js";
import { IssueLog } from "../../policy/issue-log.js";
import { type Definitions, type Expression, NO_DEFINITIONS } from "../../policy/model.js";
import { expressionsOf } from "../../policy/policy-expressions.js";
import { policiesOf } from "../../space/deciding-rules.js";
import type { SpaceLayer } from "../../space/dimension.js";
import type { RequestJson } from "../../space/draft.js";
import { readRequestExpression } from "../claims/expression.js";
import type { Outcomes, QuestionProver } from "../question-prover.js";

/** An expression, and the definitions that it can read. */
export interface DefinedExpression {
  readonly of: Expression;
  readonly definitions: Definitions;
}

/** Replaces an expression of a layer by one with the same meaning for all requests of a search. */
export type Specialize = (layer: SpaceLayer, given: DefinedExpression, reading: FormulaReading) => DefinedExpression;

export class KnownKey {
  readonly key: RequestJson["key"];
  private readonly text: string;
  private readonly residuals = new Map<PolicySet, Map<Expression, Map<string, DefinedExpression>>>();

  constructor(key: RequestJson["key"]) {
    this.key = key;
    this.text = textOf(key);
  }

  /** Is it the key of a request? */
  isOf({ key }: RequestJson): boolean {
    return textOf(key) === this.text;
  }

  /** The key without permissions: its attribute `permissions` is an empty list. */
  withoutPermissions(): KnownKey {
    return new KnownKey({ ...this.key, attr: { ...this.key.attr, permissions: [] } });
  }

  /** Expressions of the permission layer with the values of the key in place of reads of the key. */
  specialize(set: PolicySet): Specialize {
    const { id, roles, attr, scope = "" } = this.key;
    const residuals = new PrincipalResiduals({ id, roles, attr, scope }, set.permission.equipment.functions);
    const ofSet = this.residuals.get(set) ?? new Map<Expression, Map<string, DefinedExpression>>();
    this.residuals.set(set, ofSet);
    return (layer, given, reading) => {
      if (layer !== "permission") return given;
      const known = ofSet.get(given.of) ?? new Map<string, DefinedExpression>();
      ofSet.set(given.of, known);
      const made = known.get(reading.key) ?? residualOf(given, reading, residuals, set.model.level);
      known.set(reading.key, made);
      return made;
    };
  }

  /** Expressions that are true of every request with this key: those that the residuals do not say. */
  expressions(set: PolicySet): readonly Expression[] {
    const { id, scope = "", attr } = this.key;
    const texts = [`key.id == ${JSON.stringify(id)}`, `key.scope == ${JSON.stringify(scope)}`];
    const read = policiesOf(set, "permission").all.flatMap(expressionsOf);
    // All values of the key are needed only where schemas, or expressions without a residual, read them.
    if (set.permission.enforcesSchemas || !read.every(({ expr }) => isAboutKeyAndResource(expr))) {
      for (const [name, value] of Object.entries(attr)) {
        texts.push(`key.attr[${JSON.stringify(name)}] == ${JSON.stringify(value)}`);
      }
    }
    return texts.flatMap((text) => readRequestExpression(text, () => NOWHERE, new IssueLog()) ?? []);
  }
}

/** How a set decides requests with a known key. */
export function outcomesFor(prover: QuestionProver, set: PolicySet, key: KnownKey | undefined): Outcomes {
  const specialize = key?.specialize(set);
  if (specialize === undefined) return prover.outcomes(set);
  return prover.outcomes(set, (layer) => (expression, known, reading) => {
    const { of, definitions } = specialize(layer, { of: expression, definitions: known }, reading);
    return prover.plans.truth(of, definitions, reading);
  });
}

const NOWHERE = { file: "", line: 1, column: 1 };

/** The same for keys with the same values. */
function textOf({ id, roles, attr, scope = "" }: RequestJson["key"]): string {
  return canonicalText({ id, roles, attr, scope });
}

/** The residual as an expression with a source of its own. Without a residual, the expression itself. */
function residualOf(
  given: DefinedExpression,
  reading: FormulaReading,
  residuals: PrincipalResiduals,
  level: CerbosLevel,
): DefinedExpression {
  const { of, definitions } = given;
  if (of.expr.doom !== undefined) return given;
  const residual = residuals.of(of.expr, definitions, reading.types);
  const position = () => of.position(0);
  if (residual === ERROR) {
    const doom = { at: 0, message: "it errs for this key" };
    return { of: { source: of.source, expr: { ...ERROR, doom }, position }, definitions: NO_DEFINITIONS };
  }
  const source = residual && sourceOf(residual);
  const parsed = source === undefined ? undefined : parseExpression(source);
  if (source === undefined || parsed?.ok !== true) return given;
  const checked = checkExpression(parsed.syntax, undefined, level);
  return checked.ok ? { of: { source, expr: checked.expr, position }, definitions: NO_DEFINITIONS } : given;
}
