/**
 * A layer's JSON Schemas, and what becomes of a verdict on attributes that do not satisfy them. Schemas are found as the
 * server finds them: those of the policy for the resource's kind at the most specific scope that exists.
 */

import type { PolicyModel } from "../policy/model.js";
import { sanitise } from "../policy/names.js";
import type { PrincipalInput, ResourceInput } from "./activation.js";
import { placeKey } from "./check/place.js";
import { compileSchemas, type SchemaTable, type ValidationError, validateAttributes } from "./check/schema.js";
import { effectiveScope, scopeChain } from "./check/scopes.js";
import { resourceScopesOf } from "./check/table.js";
import type { LayerVerdict } from "./verdict.js";

/** The reason of a denial for attributes that do not satisfy the policies' schemas. */
export const INVALID_ATTRIBUTES = "invalid_attributes";

export class AttributeSchemas {
  private readonly version: string;
  private readonly schemas: SchemaTable;
  private readonly scopes: ReadonlySet<string>;

  /** The schemas of the policies of `version`. */
  constructor(model: PolicyModel, version: string) {
    this.version = version;
    this.schemas = compileSchemas(model);
    this.scopes = resourceScopesOf(model);
  }

  /**
   * A verdict that denies as it is; one that allows only if the attributes satisfy the schemas. May throw on data that
   * is not JSON-like.
   */
  enforce(
    verdict: LayerVerdict,
    principal: Pick<PrincipalInput, "attr">,
    resource: ResourceInput,
    action: string,
  ): LayerVerdict {
    if (verdict.effect !== "allow") return verdict;
    const faults = this.faults(principal, resource, action);
    return faults.length === 0 ? verdict : invalidAttributes(verdict, faults);
  }

  /** What the attributes lack of the schemas; every cause. */
  faults(principal: Pick<PrincipalInput, "attr">, resource: ResourceInput, action: string): readonly ValidationError[] {
    const [scope] = scopeChain(this.scopes, effectiveScope(resource.scope, ""), false);
    if (scope === undefined) return [];
    const schemas = this.schemas.get(placeKey(this.version, scope, sanitise(resource.kind))) ?? [];
    return validateAttributes(schemas, principal.attr, resource.attr, [action]);
  }
}

/** Whether it is the policies' schemas, and no rule, that a verdict denies by. */
export function isInvalidAttributes({ reasons }: LayerVerdict): boolean {
  return reasons.some(({ kind, reason }) => kind === "error" && reason === INVALID_ATTRIBUTES);
}

/** The denial in place of a verdict that allows: no rule reads the attribute, but what cannot be trusted is refused. */
export function invalidAttributes({ policy, scope }: LayerVerdict, faults: readonly ValidationError[]): LayerVerdict {
  return {
    effect: "deny",
    policy,
    scope,
    reasons: [{ kind: "error", reason: INVALID_ATTRIBUTES, rule: "", policy }],
    errors: faults.map(({ source, path, message }) => ({
      policy,
      rule: "",
      expression: "",
      message: `attributes of the ${source}, ${path}: ${message}`,
      position: "",
    })),
    outputs: [],
    derivedRoles: [],
  };
}
