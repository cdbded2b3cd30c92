/** Attributes against the JSON Schemas that policies name (reference §2.12). */

import type { ErrorObject, ValidateFunction } from "ajv";
import type { JsonMap } from "../../cel/values.js";
import { compileGlob } from "../../policy/glob.js";
import { SchemaCompiler } from "../../policy/json-schema.js";
import type { PolicyModel, ResourcePolicy, SchemaUse } from "../../policy/model.js";
import { placeKey } from "./place.js";

export interface ValidationError {
  /** JSON pointer into the attributes; `""` for the schema itself. */
  readonly path: string;
  readonly message: string;
  readonly source: "principal" | "resource";
}

interface CompiledSchema {
  readonly validate: ValidateFunction;
  readonly source: ValidationError["source"];
  ignores(actions: readonly string[]): boolean;
}

/** The schemas of every policy, by the policy's place. */
export type SchemaTable = ReadonlyMap<string, readonly CompiledSchema[]>;

/** The model's schemas are checked, so this cannot fail. */
export function compileSchemas(model: PolicyModel): SchemaTable {
  const compiler = new SchemaCompiler(model.schemas);
  return new Map(
    model.resourcePolicies.map((policy) => [
      placeKey(policy.version, policy.scope, policy.resource),
      schemasOf(policy, compiler),
    ]),
  );
}

function schemasOf(policy: ResourcePolicy, compiler: SchemaCompiler): readonly CompiledSchema[] {
  const compiled = (use: SchemaUse | undefined, source: ValidationError["source"]): readonly CompiledSchema[] =>
    use === undefined ? [] : [{ validate: compiler.validatorOf(use.ref), source, ignores: ignorer(use) }];
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
  return schemas.flatMap(({ validate, source, ignores }) => {
    if (ignores(actions) || validate(source === "principal" ? principal : resource)) return [];
    return leaves(validate.errors ?? []).map((error) => ({
      path: error.instancePath,
      message: messageOf(error),
      source,
    }));
  });
}

/** Keywords that only say that something below them failed. */
const BRANCHES: ReadonlySet<string> = new Set(["allOf", "anyOf", "if", "oneOf", "propertyNames"]);

/** Errors that are causes, with what one place lacks said once. */
function leaves(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const causes = errors.filter((error) => !BRANCHES.has(error.keyword));
  return (causes.length === 0 ? errors : causes).filter((error, i, all) => {
    if (error.keyword !== "required" && error.keyword !== "additionalProperties") return true;
    return all.findIndex((other) => sameCheck(error, other)) === i;
  });
}

function sameCheck(a: ErrorObject, b: ErrorObject): boolean {
  return a.keyword === b.keyword && a.instancePath === b.instancePath && a.schemaPath === b.schemaPath;
}

function messageOf(error: ErrorObject): string {
  return error.message ?? error.keyword;
}
