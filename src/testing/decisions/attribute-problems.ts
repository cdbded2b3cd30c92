/** Holds the attributes of test cases to the schemas: a misspelt attribute would be absent for the policies. */

import { isList, isObject } from "../../cel/json.js";
import type { JsonMap } from "../../cel/values.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { type JsonRequest, type SchemaFault, schemaFaultsOf } from "../../decisions/schema-faults.js";
import type { Layer } from "../../engine/evaluate/layer.js";
import { didYouMean } from "../../policy/distance.js";
import { declaredBy, type SchemaDeclaration } from "../../schema/declaration.js";

export class AttributeProblems {
  private readonly set: PolicySet;
  private readonly declared = new Map<string, SchemaDeclaration>();

  constructor(set: PolicySet) {
    this.set = set;
  }

  /** Why the schemas do not allow the attributes of a request: those that none declares, then other faults. */
  of(request: JsonRequest): readonly string[] {
    const { permission, platform } = this.set;
    const { key, account, resource } = request;
    const [byPermission, byPlatform] = [permission, platform].map((layer) => this.schemas(layer, request));
    const undeclared = [
      ...unknownIn(key.attr, "key.attr", [byPermission?.principal]),
      ...unknownIn(resource.attr, "resource.attr", [byPermission?.resource, byPlatform?.resource]),
      ...(account === undefined ? [] : unknownIn(account.attr, "account.attr", [byPlatform?.principal])),
    ];
    const faults = schemaFaultsOf(this.set, request).filter(({ message }) => !isUndeclared(message, undeclared));
    return [...new Set([...undeclared, ...faults.map(faultText)])];
  }

  /** What a layer's schemas declare for a request. */
  private schemas(layer: Layer | undefined, { resource, operation }: JsonRequest) {
    const refs = layer?.schemasOf({ kind: resource.kind, scope: resource.scope ?? "" }, operation);
    return { principal: this.declaration(refs?.principal), resource: this.declaration(refs?.resource) };
  }

  private declaration(ref: string | undefined): SchemaDeclaration | undefined {
    if (ref === undefined) return undefined;
    const known = this.declared.get(ref) ?? declaredBy(this.set.model.schemas, ref);
    this.declared.set(ref, known);
    return known;
  }
}

/** The attributes, also within others, that some schema could declare and none does. */
function unknownIn(
  attr: JsonMap | undefined,
  path: string,
  schemas: readonly (SchemaDeclaration | undefined)[],
): readonly string[] {
  const given = schemas.filter((schema) => schema !== undefined);
  if (given.length === 0) return [];
  return Object.entries(attr ?? {}).flatMap(([name, value]) => {
    const fields = given.map((schema) => schema.field(name));
    if (fields.every(({ declared }) => declared === "no")) {
      const hint = didYouMean(
        name,
        given.flatMap(({ names }) => [...names]),
      );
      return [`no schema declares ${path}.${name}${hint === undefined ? "" : ` (${hint})`}`];
    }
    const isMap = isObject(value) && !isList(value);
    return isMap
      ? unknownIn(
          value,
          `${path}.${name}`,
          fields.filter(({ declared }) => declared !== "no"),
        )
      : [];
  });
}

/** `key.attr.environment: value must be one of …`. */
function faultText({ part, path, message }: SchemaFault): string {
  return `${part}.attr${path === "/" ? "" : path.replaceAll("/", ".")}: ${message}`;
}

/** Is a fault only that a schema allows no further attributes, where undeclared ones are listed? */
function isUndeclared(message: string, undeclared: readonly string[]): boolean {
  return undeclared.length > 0 && message.startsWith("additionalProperties");
}
