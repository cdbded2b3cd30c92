/** The wording of an explanation: source text as it is written, or plain words. */

import type { PolicySet } from "../../decisions/policy-set.js";
import { type ExpressionPart, partsOf } from "../../engine/observe/parts.js";
import type { ConditionTrace, ExpressionTrace, LayerTrace } from "../../engine/observe/types.js";
import { allPolicies } from "../../policy/all-policies.js";
import { printable } from "../../policy/escape.js";
import { positionText } from "../../policy/issue.js";
import type { AnyPolicy, Condition, Definitions, Expression } from "../../policy/model.js";
import { expressionsOfCondition } from "../../policy/policy-expressions.js";
import { LAYERS, PRINCIPALS, type SpaceLayer } from "../../space/dimension.js";
import { valueWordsOf, type WordingContext, wordsOf } from "../words/expression.js";
import { plain } from "../words/phrase.js";
import { placeWords } from "../words/request.js";
import type { Explanation } from "./explain.js";

/** One line each, printable. */
export interface Speech {
  /** The state of a condition, or of a part of one. */
  state(state: ExpressionTrace["state"]): string;
  /** A boolean part. */
  test(part: ExpressionTrace): string;
  /** A part with a value, without the value. */
  value(part: ExpressionTrace): string;
  /** A part that errs because an attribute is absent: that attribute. */
  missing(part: ExpressionTrace): string;
  /** A place in a request: `key.roles`. */
  place(path: string): string;
  /** The text between a place and its value. */
  readonly is: string;
}

export const AS_WRITTEN: Speech = {
  state: (state) => (state === "not_evaluated" ? "not evaluated" : state),
  test: ({ text }) => printable(text),
  value: ({ text }) => printable(text),
  missing: ({ missing = "" }) => printable(missing),
  place: printable,
  is: "=",
};

const STATES: { readonly [state in ExpressionTrace["state"]]: string } = {
  true: "yes:",
  false: "no:",
  error: "cannot be evaluated:",
  not_evaluated: "not evaluated:",
  value: "a value:",
};

const LOGIC: { readonly [logic in NonNullable<ExpressionTrace["logic"]>]: string } = {
  and: "all of these",
  or: "at least one of these",
  not: "not",
  if: "if the first holds, the second decides; otherwise the third",
};

/** Explains a decision by `policies` in plain words. A part without words of its own keeps its source text. */
export function inWords(policies: PolicySet, explanation: Explanation): Speech {
  const said = new Map<ExpressionTrace, SpokenPart>();
  for (const layer of LAYERS) new Sayer(policies, layer, said).layer(explanation[layer]);
  return {
    state: (state) => STATES[state],
    test: (part) => (part.logic === undefined ? (said.get(part)?.test() ?? AS_WRITTEN.test(part)) : LOGIC[part.logic]),
    value: (part) => said.get(part)?.value() ?? AS_WRITTEN.value(part),
    missing: (part) => said.get(part)?.missing(part) ?? AS_WRITTEN.missing(part),
    place: (path) => printable(plain(placeWords(path))),
    is: "is",
  };
}

/** The words of a part, made on first use. */
class SpokenPart {
  private readonly expression: Expression;
  private readonly subjects: WordingContext;
  private readonly layer: SpaceLayer;

  constructor({ expression, constants }: SpokenExpression, { expr }: ExpressionPart, layer: SpaceLayer) {
    const { source } = expression;
    this.expression = { source, expr, position: (offset) => expression.position(offset) };
    this.subjects = { principal: `the ${PRINCIPALS[layer]}`, constants };
    this.layer = layer;
  }

  test(): string {
    return printable(plain(wordsOf(this.expression, this.subjects)));
  }

  value(): string {
    return printable(plain(valueWordsOf(this.expression, this.subjects)));
  }

  missing({ missing = "" }: ExpressionTrace): string {
    const [, root, path] = /^(?:request\.)?(P|principal|R|resource)\.(attr\..*)$/s.exec(missing) ?? [];
    if (root === undefined) return printable(missing);
    const subject = root === "R" || root === "resource" ? "resource" : PRINCIPALS[this.layer];
    return printable(plain(placeWords(`${subject}.${path}`)));
  }
}

/** An expression, with the constants that it can read. */
interface SpokenExpression {
  readonly expression: Expression;
  readonly constants: Definitions["constants"];
}

/** Finds the expressions behind a trace, and stores the words of each of their parts. */
class Sayer {
  private readonly policies: readonly AnyPolicy[];
  private readonly layerName: SpaceLayer;
  private readonly said: Map<ExpressionTrace, SpokenPart>;

  constructor({ model }: PolicySet, layer: SpaceLayer, said: Map<ExpressionTrace, SpokenPart>) {
    this.policies = allPolicies(model);
    this.layerName = layer;
    this.said = said;
  }

  layer({ policies }: LayerTrace): void {
    for (const trace of policies) {
      const policy = this.policies.find(({ key }) => key === trace.policy);
      const known = policy === undefined ? new Map<string, SpokenExpression>() : expressionsByPlace(policy);
      const condition = (one: ConditionTrace | undefined): void => {
        if (one?.kind !== "expr") for (const each of one?.of ?? []) condition(each);
        else this.expression(known.get(positionText(one.at)), one.expression);
      };
      for (const one of [...trace.rules, ...trace.derivedRoles]) condition(one.condition);
      for (const { at, expression } of trace.variables) {
        if (expression !== undefined) this.expression(known.get(positionText(at)), expression);
      }
    }
  }

  private expression(known: SpokenExpression | undefined, trace: ExpressionTrace): void {
    if (known !== undefined) this.part(known, partsOf(known.expression), trace);
  }

  /** A trace lists the parts of its expression in the same order. */
  private part(known: SpokenExpression, part: ExpressionPart, trace: ExpressionTrace): void {
    if (part.text !== trace.text) return;
    this.said.set(trace, new SpokenPart(known, part, this.layerName));
    trace.parts.forEach((inner, i) => {
      const own = part.parts[i];
      if (own !== undefined) this.part(known, own, inner);
    });
  }
}

/**
 * The expressions of a policy by position. Expressions read from one position have one text. If their constants differ,
 * the position is left out.
 */
function expressionsByPlace(policy: AnyPolicy): ReadonlyMap<string, SpokenExpression> {
  const found = new Map<string, SpokenExpression>();
  const add = (expressions: readonly Expression[], { constants }: Definitions): void => {
    for (const expression of expressions) {
      const key = positionText(expression.position(0));
      const other = found.get(key);
      const isSame = other === undefined || other.constants === constants;
      found.set(key, { expression, constants: isSame ? constants : new Map() });
    }
  };
  const definitions = (all: Definitions) => add([...all.variables.values()], all);
  const conditions = (of: readonly { readonly condition?: Condition | undefined }[], all: Definitions) =>
    add(
      of.flatMap(({ condition }) => expressionsOfCondition(condition)),
      all,
    );
  conditions(policy.rules, policy.definitions);
  definitions(policy.definitions);
  for (const role of policy.kind === "resource" ? policy.derivedRoles.values() : []) {
    conditions([role], role.definitions);
    definitions(role.definitions);
  }
  return found;
}
