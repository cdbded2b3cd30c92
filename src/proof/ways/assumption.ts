/** The requests that a search for ways is about. */

import type { Formula } from "../../engine/formula/formula.js";
import type { Expression } from "../../policy/model.js";
import type { RequestJson } from "../../space/draft.js";
import { assumed, satisfies } from "../claims/assumptions.js";
import type { QuestionProver } from "../question-prover.js";
import { KnownKey } from "./known-key.js";

export class Assumption {
  static readonly NONE: Assumption = new Assumption([]);

  /** The key of all requests. Undefined: any. */
  readonly key: KnownKey | undefined;
  /** The roles of the key in all requests. Undefined: any. */
  readonly roles: readonly string[] | undefined;
  private readonly expressions: readonly Expression[];

  /** All expressions hold: CEL over `key`, `resource`, `account` and `now()`. `known`: the key, or only its roles. */
  constructor(expressions: readonly Expression[], known?: KnownKey | readonly string[]) {
    this.expressions = expressions;
    this.key = known instanceof KnownKey ? known : undefined;
    this.roles = known instanceof KnownKey ? known.key.roles : known;
  }

  /** The assumption, as formulas about requests. */
  formulasOf(prover: QuestionProver): readonly Formula[] {
    return [...this.rolesOf(prover), ...this.expressions.map((one) => assumed(prover, [one]))];
  }

  /** The roles that the key has, of all roles that policies distinguish. */
  private rolesOf({ plans, world }: QuestionProver): readonly Formula[] {
    const { roles } = this;
    if (roles === undefined) return [];
    return plans.roles.map((role) => {
      const isHeld = plans.hasRole(role.name);
      return roles.some((name) => role.has(name)) ? isHeld : world.formulas.not(isHeld);
    });
  }

  /** Is the assumption true of a request, by evaluation? */
  isMetBy(request: RequestJson): boolean {
    if (this.key?.isOf(request) === false) return false;
    return this.expressions.length === 0 || satisfies(this.expressions, request);
  }

  /** The request with the known key or roles: those that a solver finds may stand for others that no policy names. */
  withKnown(request: RequestJson): RequestJson {
    if (this.key !== undefined) return { ...request, key: this.key.key };
    return this.roles === undefined ? request : { ...request, key: { ...request.key, roles: this.roles } };
  }
}
