/** A request of a key with one role alone. All else is as in the request in question. */

import type { Formula } from "../../engine/formula/formula.js";
import type { RequestJson } from "../../space/draft.js";
import { sameSearches } from "../laws/key-lists.js";
import { SecondRequest } from "../laws/second-request.js";
import type { QuestionProver } from "../question-prover.js";

/** The formulas of a request, and the facts that hold of it. */
export interface OtherRequest {
  of(formula: Formula): Formula;
  readonly facts: readonly Formula[];
}

/** Call it after the last translation; it closes the prover. */
export function onlyRole(prover: QuestionProver, role: string): OtherRequest {
  prover.close();
  const { world, plans } = prover;
  const { formulas, roles } = world;
  const open = new Map(plans.roles.flatMap((one) => (one.isOpen ? [[plans.hasRole(one.name), one] as const] : [])));
  const areSame = sameSearches(world, new Set([roles]));
  const other = new SecondRequest(
    world,
    open.keys(),
    (raw, first, fresh) => {
      if (raw !== roles || first.op !== "unknown" || first === roles.kind) return first;
      if (first === roles.size) return formulas.number(1);
      const kind = open.get(first);
      if (kind !== undefined) return formulas.bool(kind.has(role));
      const [text] = first.args;
      if (first.name !== `${roles.key} has text` || text === undefined) return fresh;
      return formulas.same(text, formulas.text(role));
    },
    {
      // The schemas are about attributes.
      isSame: (unknown) => areSame(unknown) || unknown.name.startsWith("attributes satisfy "),
      name: `with the role ${JSON.stringify(role)} alone`,
    },
  );
  return { of: (formula) => other.of(formula), facts: [...world.facts].map((fact) => other.of(fact)) };
}

export function withOnlyRole(request: RequestJson, role: string): RequestJson {
  return { ...request, key: { ...request.key, roles: [role] } };
}
