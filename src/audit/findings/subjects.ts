/** The schemas for the subjects of a rule: the attributes of its principal and its resource. */

import { countEntries, matchers } from "../../engine/plan/actions.js";
import { targetOf } from "../../engine/plan/targets.js";
import { isGlob } from "../../policy/glob.js";
import type { AnyPolicy, AnyRule, PolicyModel, ResourcePolicy, SchemaUse } from "../../policy/model.js";
import { declaredBy, type SchemaDeclaration } from "../../schema/declaration.js";

export type SchemaSubject = "principal" | "resource";

export interface SubjectSchema {
  readonly ref: string;
  readonly declared: SchemaDeclaration;
}

export type SubjectSchemas = { readonly [S in SchemaSubject]: SubjectSchema | undefined };

/** The schemas of a policy set, each read once. */
export class SchemasOfSubjects {
  /** Whether any policy has schemas. */
  readonly any: boolean;
  private readonly model: PolicyModel;
  private readonly read = new Map<string, SchemaDeclaration>();

  constructor(model: PolicyModel) {
    this.model = model;
    this.any = model.schemas.size > 0;
  }

  /** The schemas that apply whenever the rule is reached. A schema that exempts some of its actions does not count. */
  of(policy: AnyPolicy, rule: AnyRule): SubjectSchemas {
    const owner = policy.kind === "resource" ? policy : this.ownerOf(policy, rule);
    const { actions } = targetOf(policy, rule);
    return {
      principal: this.schema(owner?.principalSchema, actions),
      resource: this.schema(owner?.resourceSchema, actions),
    };
  }

  /** A schema by its reference. */
  declared(ref: string): SchemaDeclaration {
    const known = this.read.get(ref) ?? declaredBy(this.model.schemas, ref);
    this.read.set(ref, known);
    return known;
  }

  /** The schemas of the principals of other layers, by reference. */
  principalsOf(version: string): readonly SubjectSchema[] {
    const refs = this.model.resourcePolicies
      .filter((policy) => policy.version !== version)
      .flatMap(({ principalSchema }) => principalSchema?.ref ?? []);
    return [...new Set(refs)].map((ref) => ({ ref, declared: this.declared(ref) }));
  }

  private schema(use: SchemaUse | undefined, actions: readonly string[]): SubjectSchema | undefined {
    if (use === undefined || (use.ignoreActions.length > 0 && isExempt(use, actions))) return undefined;
    return { ref: use.ref, declared: this.declared(use.ref) };
  }

  /** The policy of the kind that a rule of a principal or role policy names, which has the schemas. */
  private ownerOf(policy: AnyPolicy, rule: AnyRule): ResourcePolicy | undefined {
    const { kind } = targetOf(policy, rule);
    return this.model.resourcePolicies.find((one) => one.version === policy.version && one.resource === kind);
  }
}

function isExempt({ ignoreActions }: SchemaUse, actions: readonly string[]): boolean {
  const row = matchers(ignoreActions);
  return actions.some((action) => isGlob(action) || ignoreActions.includes(action) || countEntries(row, action) > 0);
}
