/**
 * The rules on a question in one form, whatever they are called, whatever their order and wherever they stand. Equal
 * fingerprints mean equal effects; different ones mean nothing.
 */

import { children, type Expr, operandsOf } from "../../cel/ast.js";
import { chainOf, factsOf } from "../../cel/facts.js";
import { OPERATORS } from "../../cel/operators.js";
import { type CelValue, Uint } from "../../cel/values.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { reasonOf } from "../../engine/plan/reason.js";
import type { Condition, Definitions, DerivedRole, PolicyModel } from "../../policy/model.js";
import { definitionOf, expressionsOf } from "../../policy/walk.js";
import { decidersOf, policiesOf, type Question } from "../../space/deciders.js";
import type { Layer } from "../../space/dimension.js";

/** Longest form that is worked out: variables are written out wherever they are read. */
const MAX_LENGTH = 200_000;

class TooLong extends Error {}

/** A layer that is not there forbids nothing; one without rules on a question forbids all of it, and its form is "". */
const NO_LAYER = "none";

/** Undefined where there is none: with scopes, the rules of many policies work together. */
export function fingerprint(
  set: PolicySet,
  layer: Layer,
  question: Question,
  withReasons: boolean,
): string | undefined {
  const compiled = set[layer];
  if (compiled === undefined) return NO_LAYER;
  if (!isPlain(set.model, compiled.version)) return undefined;
  try {
    const forms = new Forms();
    const roleForm = ({ parentRoles, condition, definitions }: DerivedRole) =>
      JSON.stringify([[...parentRoles].sort(), forms.condition(condition, definitions)]);
    const lines = decidersOf(policiesOf(set, layer), question).map(
      ({ allows, roles, derivedRoles, condition, definitions, rule }) =>
        JSON.stringify([
          allows,
          [...new Set(roles)].sort(),
          [...new Set(derivedRoles)].map(roleForm).sort(),
          forms.condition(condition, definitions),
          withReasons && rule !== undefined ? [reasonOf(rule), rule.name] : [],
        ]),
    );
    return [...new Set(lines)].sort().join("\n");
  } catch (error) {
    if (error instanceof TooLong) return undefined;
    throw error;
  }
}

/** Whether a rule can be told from the policy that it stands in: nothing is read that other policies or globals decide. */
function isPlain({ resourcePolicies, principalPolicies, rolePolicies }: PolicyModel, version: string): boolean {
  const inLayer = resourcePolicies.filter((policy) => policy.version === version);
  return (
    rolePolicies.length === 0 &&
    principalPolicies.every((policy) => policy.version !== version) &&
    resourcePolicies.every((policy) => policy.scope === "") &&
    inLayer.every((policy) => policy.scopePermissions === "override_parent") &&
    inLayer
      .flatMap(expressionsOf)
      .every(({ expr }) => !factsOf(expr).reads.some(({ root }) => FROM_ELSEWHERE.has(root)))
  );
}

const FROM_ELSEWHERE: ReadonlySet<string> = new Set(["G", "runtime", "runtime.effectiveDerivedRoles"]);

class Forms {
  private readonly known = new Map<Expr, Map<Definitions, string>>();

  condition(condition: Condition | undefined, definitions: Definitions): string {
    if (condition === undefined) return "";
    if (condition.kind === "expr") return this.expr(condition.expr.expr, definitions);
    const [only] = condition.of;
    if (condition.of.length === 1 && only !== undefined && condition.kind !== "none") {
      return this.condition(only, definitions);
    }
    // Members are evaluated in their order, and no further than needed.
    return checked(`${condition.kind}(${condition.of.map((one) => this.condition(one, definitions)).join(";")})`);
  }

  private expr(expr: Expr, definitions: Definitions): string {
    const forms = this.known.get(expr) ?? new Map<Definitions, string>();
    this.known.set(expr, forms);
    const known = forms.get(definitions);
    if (known !== undefined) return known;
    const form = checked(this.form(expr, definitions));
    forms.set(definitions, form);
    return form;
  }

  private form(expr: Expr, definitions: Definitions): string {
    const chain = chainOf(expr);
    const [name = ""] = chain?.fields ?? [];
    const variable = definitionOf(expr, definitions);
    if (variable !== undefined) return this.expr(variable.expr, definitions);
    if (chain?.of === "constant" && chain.fields.length === 1) {
      return `constant ${JSON.stringify(definitions.constants.get(name))}`;
    }
    if (expr.kind === "call" && OPERATORS.get(expr.fn)?.kind === "junction") {
      const operands = operandsOf(expr).map((operand) => this.expr(operand, definitions));
      // Either order gives the same value, or an error.
      return `${expr.fn}(${operands.sort().join(";")})`;
    }
    const parts = children(expr).map((child) => this.expr(child, definitions));
    return `${expr.kind} ${ownForm(expr)}(${parts.join(";")})`;
  }
}

function ownForm(expr: Expr): string {
  switch (expr.kind) {
    case "literal":
      return literalForm(expr.value);
    case "ident":
      return expr.name;
    case "select":
    case "has":
      return expr.field;
    case "call":
    case "member":
      return expr.fn;
    case "macro":
      return [expr.macro, expr.v1, expr.v2 ?? "", expr.filter !== undefined, expr.transform !== undefined].join();
    case "bind":
      return expr.name;
    default:
      return "";
  }
}

function literalForm(value: CelValue): string {
  if (value instanceof Uint) return `${value.value}u`;
  if (value instanceof Uint8Array) return `b${value.join()}`;
  if (typeof value === "bigint") return `${value}n`;
  return typeof value === "number" && Object.is(value, -0) ? "-0.0" : `${typeof value} ${JSON.stringify(value)}`;
}

function checked(form: string): string {
  if (form.length > MAX_LENGTH) throw new TooLong();
  return form;
}
