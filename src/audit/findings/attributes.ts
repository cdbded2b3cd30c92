/** Attributes that rules read, against the JSON Schemas of their policies. */

import { children, type Expr } from "../../cel/ast.js";
import { factsOf, type Read } from "../../cel/facts.js";
import { OPERATORS } from "../../cel/operators.js";
import type { Condition, Definitions, Expression, PolicyModel, ResourcePolicy } from "../../policy/model.js";
import { expressionsOfCondition, expressionsOfRule } from "../../policy/walk.js";
import { SchemaView } from "../../space/schemas.js";
import { ruleId } from "../policies.js";
import type { Finding } from "./finding.js";

type SubjectName = "principal" | "resource";

/** One read of an attribute, wherever the rule comes to it. */
interface AttributeRead {
  readonly read: Read;
  readonly expression: Expression;
}

export function attributeFindings(policy: ResourcePolicy, schemas: PolicyModel["schemas"]): readonly Finding[] {
  return new Attributes(policy, schemas).findings();
}

class Attributes {
  private readonly policy: ResourcePolicy;
  /** Whether any policy has schemas: of a set that knows none, a policy without is no finding. */
  private readonly hasSchemas: boolean;
  private readonly views: { readonly [subject in SubjectName]: SchemaView | undefined };
  /** One finding for each attribute and place. */
  private readonly found = new Map<string, Finding>();

  constructor(policy: ResourcePolicy, schemas: PolicyModel["schemas"]) {
    this.policy = policy;
    this.hasSchemas = schemas.size > 0;
    const viewOf = (ref: string | undefined) => (ref === undefined ? undefined : new SchemaView(schemas, ref));
    this.views = { principal: viewOf(policy.principalSchema?.ref), resource: viewOf(policy.resourceSchema?.ref) };
  }

  findings(): readonly Finding[] {
    const { policy } = this;
    policy.rules.forEach((rule, i) => {
      const id = ruleId(policy, i);
      const reads = readsOf(expressionsOfRule(rule), policy.definitions);
      for (const read of reads) this.declared(read, id);
      for (const expression of reachable(expressionsOfCondition(rule.condition), policy.definitions)) {
        this.values(expression, id);
      }
      if (rule.effect === "deny") this.optional(rule.name, rule.condition, policy.definitions, id);
      for (const name of rule.derivedRoles) {
        const role = policy.derivedRoles.get(name);
        if (role === undefined) continue;
        for (const read of readsOf(expressionsOfCondition(role.condition), role.definitions)) this.declared(read, id);
        if (rule.effect === "deny") this.optional(rule.name, role.condition, role.definitions, id);
      }
    });
    return [...this.found.values()];
  }

  private declared({ read, expression }: AttributeRead, rule: string): void {
    const subject = subjectOf(read);
    if (subject === undefined) return;
    const schema = this.schemaOf(subject);
    if (schema === undefined) {
      if (!this.hasSchemas) return;
      const message = `${this.policy.key} reads attributes of the ${subject}, and has no schema for them`;
      this.add({ code: "no_schema", severity: "note", message, ...this.policy.at }, subject);
      return;
    }
    if (read.path.length === 0 || this.views[subject]?.attribute(read.path).declared !== "no") return;
    const message = `${show(read)} is read, and ${schema} does not have it`;
    const at = expression.position(read.at);
    this.add({ code: "undeclared_attribute", severity: "warning", message, ...at, rule }, show(read));
  }

  /** A denial that reads what may be absent: the error denies, also where nobody meant it. */
  private optional(name: string, condition: Condition | undefined, definitions: Definitions, rule: string): void {
    const reads = readsOf(expressionsOfCondition(condition), definitions);
    const guarded = new Set(reads.filter(({ read }) => read.has).map(({ read }) => show(read)));
    for (const { read, expression } of reads) {
      const subject = subjectOf(read);
      const schema = subject === undefined ? undefined : this.schemaOf(subject);
      if (subject === undefined || read.path.length === 0 || read.has || guarded.has(show(read))) continue;
      const known = this.views[subject]?.attribute(read.path);
      if (known?.declared !== "yes" || known.required) continue;
      const message = `${show(read)} is optional in ${schema}, and DENY rule ${name} reads it: where it is absent the rule errs, and the layer denies`;
      const at = expression.position(read.at);
      this.add(
        { code: "optional_attribute_in_denial", severity: "warning", message, ...at, rule },
        `${name} ${show(read)}`,
      );
    }
  }

  /** Constants that an attribute is compared with, and that its schema does not list. */
  private values(expression: Expression, rule: string): void {
    const pending: Expr[] = [expression.expr];
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      pending.push(...children(node));
      const operator = node.kind === "call" ? OPERATORS.get(node.fn)?.kind : undefined;
      if (node.kind !== "call" || (operator !== "equality" && operator !== "membership")) continue;
      const [a, b] = node.args;
      if (a === undefined || b === undefined) continue;
      this.compared(a, b, expression, rule);
      if (operator === "equality") this.compared(b, a, expression, rule);
    }
  }

  private compared(attribute: Expr, other: Expr, expression: Expression, rule: string): void {
    const [read, second] = factsOf(attribute).reads;
    if (read === undefined || second !== undefined || !isChain(attribute)) return;
    const subject = subjectOf(read);
    const schema = subject === undefined ? undefined : this.schemaOf(subject);
    const known = subject === undefined ? undefined : this.views[subject]?.attribute(read.path);
    if (known?.members === undefined || known.declared !== "yes") return;
    for (const literal of other.kind === "list" ? other.elements : [other]) {
      if (literal.kind !== "literal" || typeof literal.value !== "string" || known.members.includes(literal.value))
        continue;
      const message = `${show(read)} is compared with ${JSON.stringify(literal.value)}, which ${schema} rules out`;
      const at = expression.position(literal.at);
      const key = `${show(read)} ${literal.value}`;
      this.add({ code: "impossible_value", severity: "warning", message, ...at, rule }, key);
    }
  }

  private schemaOf(subject: SubjectName): string | undefined {
    return (subject === "principal" ? this.policy.principalSchema : this.policy.resourceSchema)?.ref;
  }

  private add(finding: Finding, what: string): void {
    const key = JSON.stringify([finding.code, finding.file, finding.line, finding.column, what]);
    if (!this.found.has(key)) this.found.set(key, finding);
  }
}

function subjectOf({ root }: Read): SubjectName | undefined {
  if (root === "P.attr") return "principal";
  return root === "R.attr" ? "resource" : undefined;
}

function show({ root, path }: Read): string {
  return [root, ...path].join(".");
}

function isChain(expr: Expr): boolean {
  return expr.kind === "select" || (expr.kind === "call" && OPERATORS.get(expr.fn)?.kind === "index");
}

/** Expressions, and the definitions of the variables that they read, however far. */
function reachable(expressions: readonly Expression[], { variables }: Definitions): readonly Expression[] {
  const found = [...expressions];
  const read = new Set<string>();
  for (const { expr } of found) {
    for (const name of factsOf(expr).variables) {
      if (read.has(name)) continue;
      read.add(name);
      const variable = variables.find((each) => each.name === name);
      if (variable !== undefined) found.push(variable.expr);
    }
  }
  return found;
}

function readsOf(expressions: readonly Expression[], definitions: Definitions): readonly AttributeRead[] {
  return reachable(expressions, definitions).flatMap((expression) =>
    factsOf(expression.expr).reads.map((read) => ({ read, expression })),
  );
}
