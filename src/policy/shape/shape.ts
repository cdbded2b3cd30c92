/**
 * The subset of JSON Schema in which the shapes of policy documents are written, and short forms for it. Fields are named
 * as in JSON (`importDerivedRoles`); `canonical.ts` converts the protobuf spelling first.
 */

export interface DocumentShape {
  readonly $ref?: string;
  readonly $defs?: { readonly [name: string]: DocumentShape };
  readonly type?: "object" | "array" | "string" | "boolean";
  readonly properties?: { readonly [name: string]: DocumentShape };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | DocumentShape;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: DocumentShape;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly propertyNames?: { readonly type: "string"; readonly minLength: number };
  readonly pattern?: string;
  readonly minLength?: number;
  readonly enum?: readonly string[];
  readonly const?: string;
  /** The texts that a `pattern` allows, or the fields of a choice; for messages. */
  readonly description?: string;
}

export const TEXT: DocumentShape = { type: "string" };
export const REQUIRED_TEXT = { type: "string", minLength: 1 } as const;
export const FLAG: DocumentShape = { type: "boolean" };
export const ANYTHING: DocumentShape = {};
/** Any value, as `google.protobuf.Value`. */
export const VALUE: DocumentShape = {};

/** Text that matches a pattern; `description` completes "must be …". */
export function matching(pattern: string, description: string): DocumentShape {
  return { type: "string", pattern, description };
}

export function oneOf(...values: readonly string[]): DocumentShape {
  return { type: "string", enum: values };
}

export function listOf(items: DocumentShape): DocumentShape {
  return { type: "array", items };
}

export function nonEmptyListOf(items: DocumentShape): DocumentShape {
  return { type: "array", items, minItems: 1 };
}

/** A map with keys that the author chooses. */
export function mapOf(values: DocumentShape): DocumentShape {
  return { type: "object", additionalProperties: values };
}

/** A message with these fields and no other. */
export function message(
  properties: { readonly [name: string]: DocumentShape },
  ...required: readonly string[]
): DocumentShape {
  return { type: "object", properties, required, additionalProperties: false };
}

/** A message with exactly one of these fields. */
export function choice(properties: { readonly [name: string]: DocumentShape }): DocumentShape {
  const description = `exactly one of ${Object.keys(properties).join(", ")}`;
  return { type: "object", properties, additionalProperties: false, minProperties: 1, maxProperties: 1, description };
}

/** The definition in `root` that a shape refers to. A shape without a reference is returned unchanged. */
export function resolve(shape: DocumentShape, root: DocumentShape): DocumentShape {
  const name = shape.$ref?.replace("#/$defs/", "");
  return name === undefined ? shape : (root.$defs?.[name] ?? shape);
}
