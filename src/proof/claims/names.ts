/** The names that policies know. A claim with any other name says nothing about the policies and is refused. */

import { children, type Expr, testedBy } from "../../cel/ast.js";
import { type Chain, chainOf, usageOf } from "../../cel/expression-usage.js";
import { isObject } from "../../cel/json.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { RequestSubject } from "../../engine/formula/world.js";
import { countEntries, matchers } from "../../engine/plan/actions.js";
import { ANY_ROLE } from "../../engine/plan/plan.js";
import type { OperationQuestion } from "../../engine/plan/questions.js";
import { reasonOf } from "../../engine/plan/reason.js";
import { didYouMean } from "../../policy/distance.js";
import type { IssueLog } from "../../policy/issue-log.js";
import type { Expression } from "../../policy/model.js";
import { sanitise } from "../../policy/names.js";
import { expressionsOf } from "../../policy/policy-expressions.js";
import { writtenRoles } from "../../policy/written-roles.js";
import { policiesOf } from "../../space/deciding-rules.js";
import { LAYERS, PRINCIPALS, SUBJECTS } from "../../space/dimension.js";
import type { Claim, ClaimForm } from "./types.js";

const FIELDS: { readonly [subject in RequestSubject]: readonly string[] } = {
  key: ["id", "roles", "attr", "scope"],
  resource: ["id", "kind", "attr", "scope"],
  account: ["id", "attr", "scope"],
};

/** Undefined: all that policies name. */
type NamedQuestions = Pick<Claim, "operations" | "kinds">;

/** A question of a claim. `second`: the question of a second request with the same key. */
export interface ClaimedQuestion {
  readonly question: OperationQuestion;
  readonly second?: OperationQuestion;
}

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
  checkClaim({ operations, kinds, assume, form }: Claim, log: IssueLog): void {
    this.checkForm(form, log);
    const other = form.kind === "together" ? [form.other] : [];
    const named = form.kind === "absent" ? undefined : [...(operations ?? []), ...other];
    this.check({ operations: named, kinds }, assume.expressions, log);
  }

  /** Reports operations, kinds, and names in expressions about requests that the policies do not know. */
  check({ operations, kinds }: NamedQuestions, expressions: readonly Expression[], log: IssueLog): void {
    for (const { name, at } of operations ?? []) {
      if (this.questions.some(({ kind }) => this.knows(kind, name))) continue;
      const known = this.questions.map(({ operation }) => operation);
      log.error("shape", at, `no policy knows the operation ${name}`, didYouMean(name, known));
    }
    for (const { name, at } of kinds ?? []) {
      if (LAYERS.some((layer) => this.set[layer]?.known.namesKind(sanitise(name)) === true)) continue;
      const known = this.questions.map(({ kind }) => kind);
      log.error("shape", at, `no policy is about the kind ${name}`, didYouMean(name, known));
    }
    for (const expression of expressions) this.reads(expression, expression.expr, log);
  }

  private checkForm(form: ClaimForm, log: IssueLog): void {
    if (form.kind === "reasons") {
      const known = reasonsOf(this.set);
      for (const { name, at } of [...form.all, ...(form.only ?? [])]) {
        if (!known.includes(name))
          log.error("shape", at, `no policy gives the reason ${name}`, didYouMean(name, known));
      }
    }
    if (form.kind !== "subset") return;
    const roles = rolesOf(this.set);
    const attributes = this.attributes.get("key") ?? new Set();
    for (const key of [form.lesser, form.greater]) {
      for (const { name, at } of key.attr) {
        if (attributes.has(name)) continue;
        log.error("shape", at, `no policy or schema knows the attribute ${name} of key`, didYouMean(name, attributes));
      }
      // A key with other parts may have a role that no policy knows, such as one that stands for its permissions alone.
      if (key.attr.length > 0) continue;
      for (const { name, at } of key.roles ?? []) {
        if (countEntries(matchers(roles), name) > 0) continue;
        log.error("shape", at, `no policy knows the role ${name}`, didYouMean(name, roles));
      }
    }
  }

  /** The questions that a claim is about, each with the question of a second request if the form has one. */
  claimedQuestions(claim: Claim): readonly ClaimedQuestion[] {
    const { form, kinds, operations } = claim;
    if (form.kind === "absent") return this.everyKind(claim);
    const questions = this.questionsOf({ kinds, operations });
    if (form.kind !== "together") return questions.map((question) => ({ question }));
    const { other, isApart } = form;
    if (isApart) {
      const seconds = this.questionsOf({ kinds, operations: [other] });
      return questions.flatMap((question) => seconds.map((second) => ({ question, second })));
    }
    // Of two operations, the kinds that both are on.
    return questions.filter(({ kind }) => this.knows(kind, other.name)).map((question) => ({ question }));
  }

  /** The operations of a claim on each kind. */
  private everyKind({ operations, kinds }: NamedQuestions): readonly ClaimedQuestion[] {
    const all = kinds?.map(({ name }) => name) ?? [...new Set(this.questions.map(({ kind }) => kind))];
    return all.flatMap((kind) => (operations ?? []).map(({ name }) => ({ question: { kind, operation: name } })));
  }

  /** The questions about these operations on these kinds. Each also stands for others that policies do not distinguish. */
  questionsOf({ operations, kinds }: NamedQuestions): readonly OperationQuestion[] {
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

/** The reasons that the verdicts of both layers can give. */
function reasonsOf(set: PolicySet): readonly string[] {
  const named = LAYERS.flatMap((layer) => {
    const { resources, principals } = policiesOf(set, layer);
    const rules = [...resources, ...principals].flatMap((policy) => policy.rules.map(reasonOf));
    return [...rules, ...(set[layer] === undefined ? [] : [set[layer].defaultReason])];
  });
  return [...new Set(named)];
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
