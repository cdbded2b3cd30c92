/** Validates attributes by the JSON Schemas that policies name (docs/cerbos-semantics.md §2.12). */

import type { JsonMap } from "../../cel/values.js";
import type { PolicyModel } from "../../policy/model.js";
import type { PolicyIndex } from "../plan/policy-index.js";
import type { PolicyLocation } from "../plan/policy-location.js";
import type { LayerVerdict } from "../plan/verdict.js";
import type { Equipment, Validator } from "./equipment.js";

/** The reason of a denial for attributes that do not satisfy the policies' schemas. */
export const INVALID_ATTRIBUTES = "invalid_attributes";

export interface ValidationError {
  /** JSON pointer into the attributes, `/` for all of them; `""` for the schema itself. */
  readonly path: string;
  /** As the server words it. */
  readonly message: string;
  readonly source: "principal" | "resource";
}

/** The attributes to validate, and the question that they belong to. */
export interface AttributesToValidate {
  /** Sanitised, as policies are indexed. */
  readonly kind: string;
  readonly principal: JsonMap;
  readonly resource: JsonMap;
  readonly actions: readonly string[];
}

export class AttributeValidator {
  private readonly index: PolicyIndex;
  private readonly validator: Validator;

  /** The model's schemas are checked, so this cannot fail. */
  constructor(index: PolicyIndex, model: PolicyModel, validator: Equipment["validator"]) {
    this.index = index;
    this.validator = validator?.(model.schemas) ?? NO_VALIDATOR;
  }

  /** Validates the attributes. Returns every fault, not only the first. */
  faults(
    { version, resourceChain }: PolicyLocation,
    { kind, principal, resource, actions }: AttributesToValidate,
  ): readonly ValidationError[] {
    const schemas = this.index.schemas(version, resourceChain, kind, actions);
    return [
      ...this.faultsOf(schemas?.principal, principal, "principal"),
      ...this.faultsOf(schemas?.resource, resource, "resource"),
    ];
  }

  private faultsOf(
    ref: string | undefined,
    attributes: JsonMap,
    source: ValidationError["source"],
  ): readonly ValidationError[] {
    return ref === undefined ? [] : this.validator.validate(ref, attributes).map((fault) => ({ ...fault, source }));
  }
}

/** Without a validator, no attributes satisfy a schema. */
const NO_VALIDATOR: Validator = { validate: () => [{ path: "", message: "there is nothing to validate by" }] };

/** Whether a verdict denies because of the policies' schemas, and not because of a rule. */
export function isInvalidAttributes({ reasons }: LayerVerdict): boolean {
  return reasons.some(({ kind, reason }) => kind === "error" && reason === INVALID_ATTRIBUTES);
}

/** The denial in place of a verdict that allows. Invalid attributes cannot be trusted, even if no rule reads them. */
export function invalidAttributes({ policy, scope }: LayerVerdict, faults: readonly ValidationError[]): LayerVerdict {
  const messages = faults.map(({ source, path, message }) => `attributes of the ${source}, ${path}: ${message}`);
  return {
    effect: "deny",
    policy,
    scope,
    reasons: [{ kind: "error", reason: INVALID_ATTRIBUTES, rule: "", policy }],
    errors: messages.map((message) => ({ policy, rule: "", expression: "", message, position: "" })),
    outputs: [],
    derivedRoles: [],
    fault: { kind: INVALID_ATTRIBUTES, path: "", message: messages.join("; ") },
  };
}
