/**
 * Attributes against the JSON Schemas that policies name (docs/cerbos-semantics.md §2.12): those of the policy for the
 * resource's kind at the most specific scope that exists. If that scope exists through other policies only, nothing is
 * asked of the attributes.
 */

import type { JsonMap } from "../../cel/values.js";
import { compileGlob } from "../../policy/glob.js";
import type { PolicyModel, ResourcePolicy, SchemaUse } from "../../policy/model.js";
import { SchemaValidator } from "../../schema/validator.js";
import type { Place } from "../plan/place.js";
import type { PolicyIndex } from "../plan/policy-index.js";
import type { LayerVerdict } from "../plan/verdict.js";

/** The reason of a denial for attributes that do not satisfy the policies' schemas. */
export const INVALID_ATTRIBUTES = "invalid_attributes";

export interface ValidationError {
  /** JSON pointer into the attributes, `/` for all of them; `""` for the schema itself. */
  readonly path: string;
  /** As the server words it. */
  readonly message: string;
  readonly source: "principal" | "resource";
}

interface PolicySchema {
  readonly ref: string;
  readonly source: ValidationError["source"];
  ignores(actions: readonly string[]): boolean;
}

/** Whose attributes are looked at, and what for. */
export interface Attributes {
  /** In the form that policies are indexed by. */
  readonly kind: string;
  readonly principal: JsonMap;
  readonly resource: JsonMap;
  readonly actions: readonly string[];
}

export class AttributeSchemas {
  private readonly index: PolicyIndex;
  private readonly validator: SchemaValidator;
  private readonly known = new Map<ResourcePolicy, readonly PolicySchema[]>();

  /** The model's schemas are checked, so this cannot fail. */
  constructor(index: PolicyIndex, { schemas }: PolicyModel) {
    this.index = index;
    this.validator = new SchemaValidator(schemas);
  }

  /** What the attributes lack of the schemas; every cause, not only the first. */
  faults(
    { version, resourceChain: [scope] }: Place,
    { kind, principal, resource, actions }: Attributes,
  ): readonly ValidationError[] {
    const policy = scope === undefined ? undefined : this.index.at(version, scope)?.resources.get(kind)?.source;
    if (policy === undefined) return [];
    return this.schemasOf(policy).flatMap(({ ref, source, ignores }) => {
      if (ignores(actions)) return [];
      const faults = this.validator.validate(ref, source === "principal" ? principal : resource);
      return faults.map((fault) => ({ ...fault, source }));
    });
  }

  private schemasOf(policy: ResourcePolicy): readonly PolicySchema[] {
    const known = this.known.get(policy);
    if (known !== undefined) return known;
    const { principalSchema, resourceSchema } = policy;
    const made = [...schemaOf(principalSchema, "principal"), ...schemaOf(resourceSchema, "resource")];
    this.known.set(policy, made);
    return made;
  }
}

function schemaOf(use: SchemaUse | undefined, source: ValidationError["source"]): readonly PolicySchema[] {
  return use === undefined ? [] : [{ ref: use.ref, source, ignores: ignorer(use) }];
}

/** Validation is skipped only if every action that is asked for is to be ignored. */
function ignorer({ ignoreActions }: SchemaUse): (actions: readonly string[]) => boolean {
  const globs = ignoreActions.flatMap((pattern) => compileGlob(pattern) ?? []);
  return (actions) => globs.length > 0 && actions.every((action) => globs.some((glob) => glob(action)));
}

/** Whether it is the policies' schemas, and no rule, that a verdict denies by. */
export function isInvalidAttributes({ reasons }: LayerVerdict): boolean {
  return reasons.some(({ kind, reason }) => kind === "error" && reason === INVALID_ATTRIBUTES);
}

/** The denial in place of a verdict that allows: no rule reads the attribute, but what cannot be trusted is refused. */
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
