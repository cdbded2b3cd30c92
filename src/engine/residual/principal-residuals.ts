/** Residuals of a layer's expressions for one principal, as expressions about the resource alone. */

import type { Expr } from "../../cel/ast.js";
import { usageOf } from "../../cel/expression-usage.js";
import type { FunctionSet } from "../../cel/functions/functions.js";
import type { JsonMap } from "../../cel/values.js";
import type { Definitions } from "../../policy/model.js";
import { reachable } from "../../policy/policy-expressions.js";
import { Activation } from "../evaluate/activation.js";
import type { DeclaredAttributeTypes, PrincipalInput } from "../plan/subjects.js";
import { filled } from "./fill-outline.js";
import { KnownCode, KnownRequest } from "./known-request.js";
import { withSimpleTexts } from "./known-texts.js";
import { KnownValues } from "./known-values.js";
import { LayerQuestions, QuestionLog } from "./question-log.js";
import { Reducer } from "./reducer.js";
import { hasUnknown, UNKNOWN } from "./residual-expression.js";
import { MOST_FOR_KNOWN } from "./rows.js";

/** The values that are known of the principal, and those of the resource that residuals may read. */
const READ: ReadonlySet<string> = new Set(["P.id", "P.roles", "P.attr", "P.scope", "R.attr", "R.id"]);

/** A resource without known values. */
const ANY_RESOURCE = { kind: "", id: "row", attr: {}, scope: "" };

export class PrincipalResiduals {
  private readonly principal: PrincipalInput;
  private readonly code: KnownCode;

  constructor(principal: PrincipalInput, functions: FunctionSet) {
    this.principal = principal;
    this.code = new KnownCode(functions);
  }

  /**
   * The residual of an expression. Undefined: it reads more than the principal and the resource (the time, a scope,
   * globals, active roles), or its residual has no form.
   */
  of(expr: Expr, definitions: Definitions, types: DeclaredAttributeTypes): Expr | undefined {
    if (!readsOnlyKnown(expr, definitions)) return undefined;
    const evaluator = {
      code: this.code,
      activation: new Activation(),
      globals: NO_GLOBALS,
      types,
      steps: MOST_FOR_KNOWN,
    };
    const known = new KnownRequest(
      this.principal,
      { resource: ANY_RESOURCE, knowsId: false, now: undefined },
      evaluator,
    );
    const log = new QuestionLog(new KnownValues([known]));
    try {
      const made = new Reducer(new LayerQuestions(log, 0), definitions, () => UNKNOWN).reduce(expr);
      return hasUnknown(made) ? undefined : withSimpleTexts(filled(made, log.given), types.resource);
    } finally {
      log.given.end();
    }
  }
}

const NO_GLOBALS: JsonMap = {};

function readsOnlyKnown(expr: Expr, definitions: Definitions): boolean {
  return reachable({ expressions: [{ expr }], definitions }).every((one) => isAboutKeyAndResource(one.expr));
}

/** Does an expression, without its variables, read only the principal and the attributes and the id of the resource? */
export function isAboutKeyAndResource(expr: Expr): boolean {
  const { reads, needsTime } = usageOf(expr);
  return !needsTime && reads.every(({ root }) => READ.has(root));
}
