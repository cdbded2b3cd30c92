/** Attributes against the JSON Schemas that policies name (reference §2.12). */

import type { JsonMap } from "../../cel/values.js";
import { compileGlob } from "../../policy/glob.js";
import type { PolicyModel, ResourcePolicy, SchemaUse } from "../../policy/model.js";
import { SchemaValidator } from "../../schema/validator.js";
import { placeKey } from "./place.js";

export interface ValidationError {
  /** JSON pointer into the attributes, `/` for all of them; `""` for the schema itself. */
  readonly path: string;
  /** As the server words it. */
  readonly message: string;
  readonly source: "principal" | "resource";
}

interface CompiledSchema {
  readonly ref: string;
  readonly validator: SchemaValidator;
  readonly source: ValidationError["source"];
  ignores(actions: readonly string[]): boolean;
}

/** The schemas of every policy, by the policy's place. */
export type SchemaTable = ReadonlyMap<string, readonly CompiledSchema[]>;

/** The model's schemas are checked, so this cannot fail. */
export function compileSchemas(model: PolicyModel): SchemaTable {
  const validator = new SchemaValidator(model.schemas);
  return new Map(
    model.resourcePolicies.map((policy) => [
      placeKey(policy.version, policy.scope, policy.resource),
      schemasOf(policy, validator),
    ]),
  );
}

function schemasOf(policy: ResourcePolicy, validator: SchemaValidator): readonly CompiledSchema[] {
  const compiled = (use: SchemaUse | undefined, source: ValidationError["source"]): readonly CompiledSchema[] =>
    use === undefined ? [] : [{ ref: use.ref, validator, source, ignores: ignorer(use) }];
  return [...compiled(policy.principalSchema, "principal"), ...compiled(policy.resourceSchema, "resource")];
}

/** Validation is skipped only if every action that is asked for is to be ignored. */
function ignorer({ ignoreActions }: SchemaUse): (actions: readonly string[]) => boolean {
  const globs = ignoreActions.flatMap((pattern) => compileGlob(pattern) ?? []);
  return (actions) => globs.length > 0 && actions.every((action) => globs.some((glob) => glob(action)));
}

/** What is wrong with the attributes of a request for `actions`; every cause, not only the first. */
export function validateAttributes(
  schemas: readonly CompiledSchema[],
  principal: JsonMap,
  resource: JsonMap,
  actions: readonly string[],
): readonly ValidationError[] {
  return schemas.flatMap(({ ref, validator, source, ignores }) => {
    if (ignores(actions)) return [];
    const faults = validator.validate(ref, source === "principal" ? principal : resource);
    return faults.map((fault) => ({ ...fault, source }));
  });
}
