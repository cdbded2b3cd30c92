/** The names that policies know. A claim with any other name says nothing about the policies and is refused. */

import { children, type Expr, testedBy } from "../../cel/ast.js";
import { type Chain, chainOf, usageOf } from "../../cel/expression-usage.js";
import { isObject } from "../../cel/json.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { RequestSubject } from "../../engine/formula/world.js";
import { countEntries, matchers } from "../../engine/plan/actions.js";
import { ANY_ROLE } from "../../engine/plan/plan.js";
import type { OperationQuestion } from "../../engine/plan/questions.js";
import { didYouMean } from "../../policy/distance.js";
import type { IssueLog } from "../../policy/issue-log.js";
import type { Expression } from "../../policy/model.js";
import { sanitise } from "../../policy/names.js";
import { expressionsOf } from "../../policy/policy-expressions.js";
import { writtenRoles } from "../../policy/written-roles.js";
import { policiesOf } from "../../space/deciding-rules.js";
import { LAYERS, PRINCIPALS, SUBJECTS } from "../../space/dimension.js";
import type { Claim } from "./types.js";

const FIELDS: { readonly [subject in RequestSubject]: readonly string[] } = {
  key: ["id", "roles", "attr", "scope"],
  resource: ["id", "kind", "attr", "scope"],
  account: ["id", "attr", "scope"],
};

export class KnownNames {
  private readonly set: PolicySet;
  private readonly questions: readonly OperationQuestion[];
  private readonly attributes: ReadonlyMap<RequestSubject, ReadonlySet<string>>;

  /** `versions`: the sets with the known attributes. A claim is asked of each version of the policies. */
  constructor(set: PolicySet, questions: readonly OperationQuestion[], versions: readonly PolicySet[] = [set]) {
    this.set = set;
    this.questions = questions;
    this.attributes = attributesOf(versions);
  }

  /** Reports names in a claim that the policies do not know. */
  check({ operations, together, roles, kinds, assume }: Omit<Claim, "claim" | "never" | "at">, log: IssueLog): void {
    for (const { name, at } of roles === undefined ? [] : [roles.role, roles.includes]) {
      const known = rolesOf(this.set);
      if (countEntries(matchers(known), name) > 0) continue;
      log.error("shape", at, `no policy knows the role ${name}`, didYouMean(name, known));
    }
    for (const { name, at } of [...(operations ?? []), ...(together === undefined ? [] : [together])]) {
      if (this.questions.some(({ kind }) => this.knows(kind, name))) continue;
      const known = this.questions.map(({ operation }) => operation);
      log.error("shape", at, `no policy knows the operation ${name}`, didYouMean(name, known));
    }
    for (const { name, at } of kinds ?? []) {
      if (LAYERS.some((layer) => this.set[layer]?.known.namesKind(sanitise(name)) === true)) continue;
      const known = this.questions.map(({ kind }) => kind);
      log.error("shape", at, `no policy is about the kind ${name}`, didYouMean(name, known));
    }
    for (const expression of assume) this.reads(expression, expression.expr, log);
  }

  /** The questions that a claim is about. Each question also stands for others that policies do not distinguish. */
  questionsOf(claim: Pick<Claim, "operations" | "together" | "kinds">): readonly OperationQuestion[] {
    const { together } = claim;
    const questions = this.questionsOfAny(claim);
    // Of two operations, the kinds that both are on.
    return together === undefined ? questions : questions.filter(({ kind }) => this.knows(kind, together.name));
  }

  private questionsOfAny({ operations, kinds }: Pick<Claim, "operations" | "kinds">): readonly OperationQuestion[] {
    const isAmong = (name: string) => kinds === undefined || kinds.some((one) => one.name === name);
    if (operations === undefined) {
      const named = this.questions.filter(({ kind }) => isAmong(kind));
      const known = new Set(named.map(({ kind }) => kind));
      // A kind that only a pattern matches is asked about by its own name.
      const others = (kinds ?? []).filter(({ name }) => !known.has(name));
      const each = new Set(this.questions.map(({ operation }) => operation));
      return [...named, ...others.flatMap(({ name }) => [...each].map((operation) => ({ kind: name, operation })))];
    }
    const all = kinds?.map(({ name }) => name) ?? [...new Set(this.questions.map(({ kind }) => kind))];
    const asked = all.flatMap((kind) => operations.map(({ name }) => ({ kind, operation: name })));
    return asked.filter(({ kind, operation }) => kinds !== undefined || this.knows(kind, operation));
  }

  private knows(kind: string, operation: string): boolean {
    return LAYERS.some((layer) => this.set[layer]?.known.names(sanitise(kind), operation) === true);
  }

  /** Reports attributes in an expression that neither policies nor schemas know. */
  private reads(expression: Expression, expr: Expr, log: IssueLog): void {
    const chain = chainOf(expr.kind === "has" ? testedBy(expr) : expr);
    if (chain === undefined) {
      for (const child of children(expr)) this.reads(expression, child, log);
      return;
    }
    if (chain.of !== "local") {
      log.error(
        "expression",
        expression.position(expr.at),
        "an expression about requests may read only `key`, `resource`, `account` and `now()`",
      );
      return;
    }
    this.chain(expression, chain, log);
  }

  private chain(expression: Expression, { root, fields, positions }: Chain, log: IssueLog): void {
    const subject = SUBJECTS.find((one) => one === root);
    const [field, name] = fields;
    if (subject === undefined || field === undefined) return;
    const at = positions[field === "attr" && name !== undefined ? 1 : 0] ?? 0;
    if (!FIELDS[subject].includes(field)) {
      const hint = didYouMean(field, FIELDS[subject]);
      log.error("expression", expression.position(at), `${subject} has no field ${field}`, hint);
      return;
    }
    const known = this.attributes.get(subject) ?? new Set();
    if (field !== "attr" || name === undefined || known.has(name)) return;
    const message = `no policy or schema knows the attribute ${name} of ${subject}`;
    log.error("expression", expression.position(at), message, didYouMean(name, known));
  }
}

/** The roles that rules and role policies name or match by patterns other than `*`, and those that expressions name. */
function rolesOf(set: PolicySet): readonly string[] {
  const { all } = policiesOf(set, "permission");
  const readsRoles = ({ expr }: Expression) => usageOf(expr).reads.some(({ root }) => root === "P.roles");
  const expressions = all.flatMap((policy) => expressionsOf(policy)).filter(readsRoles);
  return [
    ...writtenRoles(all).filter((role) => role !== ANY_ROLE),
    ...expressions.flatMap(({ expr }) => textsIn(expr)),
  ];
}

function textsIn(expr: Expr): readonly string[] {
  if (expr.kind === "literal") return typeof expr.value === "string" ? [expr.value] : [];
  return children(expr).flatMap(textsIn);
}

/** The attributes that policies read or that their schemas declare. */
function attributesOf(sets: readonly PolicySet[]): ReadonlyMap<RequestSubject, ReadonlySet<string>> {
  const known = new Map<RequestSubject, Set<string>>(SUBJECTS.map((subject) => [subject, new Set()]));
  const add = (subject: RequestSubject, name: string | undefined) =>
    name !== undefined && known.get(subject)?.add(name);
  for (const set of sets) addAttributes(set, add);
  return known;
}

function addAttributes(set: PolicySet, add: (subject: RequestSubject, name: string | undefined) => void): void {
  for (const layer of LAYERS) {
    const { all, resources } = policiesOf(set, layer);
    for (const policy of all) {
      for (const { root, path } of expressionsOf(policy).flatMap(({ expr }) => usageOf(expr).reads)) {
        if (root === "P.attr") add(PRINCIPALS[layer], path[0]);
        if (root === "R.attr") add("resource", path[0]);
      }
    }
    for (const { principalSchema, resourceSchema } of resources) {
      for (const name of propertiesOf(set, principalSchema?.ref)) add(PRINCIPALS[layer], name);
      for (const name of propertiesOf(set, resourceSchema?.ref)) add("resource", name);
    }
  }
}

function propertiesOf({ model }: PolicySet, ref: string | undefined): readonly string[] {
  const schema = ref === undefined ? undefined : model.schemas.get(ref);
  const properties = isObject(schema) ? schema.properties : undefined;
  return isObject(properties) ? Object.keys(properties) : [];
}
