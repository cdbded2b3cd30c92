/** The assumptions of a claim: as a formula for the solver, and evaluated on a request. */

import type { Expr } from "../../cel/ast.js";
import { compile, Slots } from "../../cel/compile.js";
import { FUNCTIONS } from "../../cel/functions/registry.js";
import type { JsonValue } from "../../cel/json.js";
import { parseTimestamp } from "../../cel/time.js";
import { Timestamp } from "../../cel/values.js";
import { Activation } from "../../engine/evaluate/activation.js";
import type { FormulaReading } from "../../engine/formula/attribute-formulas.js";
import type { Formula } from "../../engine/formula/formula.js";
import type { FormulaTerm } from "../../engine/formula/terms.js";
import type { FormulaWorld, RequestSubject } from "../../engine/formula/world.js";
import { type Expression, NO_DEFINITIONS } from "../../policy/model.js";
import { SUBJECTS } from "../../space/dimension.js";
import type { RequestJson } from "../../space/draft.js";
import type { QuestionProver } from "../question-prover.js";

/** When all assumptions hold. An assumption that errs does not hold. */
export function assumed({ plans, world }: QuestionProver, assume: readonly Expression[]): Formula {
  const types = { principal: undefined, resource: undefined };
  const reading: FormulaReading = {
    principal: "key",
    types,
    schemas: "",
    globals: {},
    active: () => undefined,
    key: "claims",
  };
  const locals = new Map(SUBJECTS.map((subject) => [subject, subjectOf(world, subject)] as const));
  return world.formulas.and(
    ...assume.map(
      (of) => world.terms.truth(plans.expressions.value(of.expr, NO_DEFINITIONS, reading, { of, locals })).holds,
    ),
  );
}

function subjectOf(world: FormulaWorld, subject: RequestSubject): FormulaTerm {
  const text = (name: "id" | "kind" | "scope"): FormulaTerm =>
    world.terms.of("text", { text: world.field(subject, name) });
  const members = new Map<string, FormulaTerm>([
    ["id", text("id")],
    ["scope", text("scope")],
    ["attr", world.terms.raw(world.attributes(subject))],
  ]);
  if (subject === "resource") members.set("kind", text("kind"));
  if (subject === "key") members.set("roles", world.terms.of("list", { list: { kind: "raw", raw: world.roles } }));
  return world.terms.of("map", { map: { kind: "members", members } });
}

/** Does a request satisfy the assumptions, by evaluation? */
export function satisfies(assume: readonly Expression[], { key, resource, account, now }: RequestJson): boolean {
  const values: { readonly [subject in RequestSubject]: JsonValue } = {
    key: { scope: "", ...key },
    resource: { scope: "", ...resource },
    account: { scope: "", ...(account ?? { id: "", attr: {} }) },
  };
  const moment = now === undefined ? undefined : parseTimestamp(now);
  const clock = moment && new Timestamp(moment.seconds, moment.nanos);
  const nobody = { id: "", attr: {}, scope: "" };
  return assume.every(({ expr }) => {
    const bound = SUBJECTS.reduce<Expr>(
      (body, name) => ({ kind: "bind", at: 0, name, init: { kind: "literal", at: 0, value: values[name] }, body }),
      expr,
    );
    const activation = new Activation();
    activation.begin({ ...nobody, roles: [] }, { ...nobody, kind: "" }, clock, {});
    const env = { functions: FUNCTIONS, variables: new Map(), constants: new Map(), slots: new Slots() };
    return compile(bound, env)(activation) === true;
  });
}
