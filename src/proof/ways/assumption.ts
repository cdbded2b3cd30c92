/** The requests that a search for ways is about. */

import type { Formula } from "../../engine/formula/formula.js";
import type { Expression } from "../../policy/model.js";
import type { RequestJson } from "../../space/draft.js";
import { assumed, satisfies } from "../claims/assumptions.js";
import type { QuestionProver } from "../question-prover.js";

export class Assumption {
  static readonly NONE: Assumption = new Assumption([]);

  /** The roles of the key in all requests, which the expressions state too. Undefined: any. */
  readonly roles: readonly string[] | undefined;
  private readonly expressions: readonly Expression[];

  /** All expressions hold: CEL over `key`, `resource`, `account` and `now()`. */
  constructor(expressions: readonly Expression[], roles?: readonly string[]) {
    this.expressions = expressions;
    this.roles = roles;
  }

  /** The assumption, as formulas about requests. */
  formulasOf(prover: QuestionProver): readonly Formula[] {
    return this.expressions.map((one) => assumed(prover, [one]));
  }

  /** Is the assumption true of a request, by evaluation? */
  isMetBy(request: RequestJson): boolean {
    return this.expressions.length === 0 || satisfies(this.expressions, request);
  }

  /** The request with the known roles: those that a solver finds may stand for others that no policy names. */
  withRoles(request: RequestJson): RequestJson {
    return this.roles === undefined ? request : { ...request, key: { ...request.key, roles: this.roles } };
  }
}
