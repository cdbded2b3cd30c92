/**
 * Values of the model as short JSON texts, and back, with the same meaning: of trees of expressions this keeps the invariant
 * "meaning on the node" of `cel/ast.ts`.
 *
 * What is a text, a number, `true`, `false` or `null` stands as it is. All else is an array whose first element says what
 * the others are: one of the codes below or, from {@link FIRST_SHAPE} on, the shape of an object, which lists the names of
 * its fields once for all objects that have these. Fields that are `undefined` are left out.
 */

import { isList, type JsonValue } from "../cel/json.js";
import { TypeValue, Uint } from "../cel/values.js";

const LIST = 0;
const MAP = 1;
const INT = 2;
const UINT = 3;
const BYTES = 4;
const TYPE = 5;
const MINUS_ZERO = 6;
const REFERENCE = 7;
const FIRST_SHAPE = 8;

/** The `kind` that all objects of a shape have, if any, and the names of their other fields. */
export type Shape = readonly [kind: string | null, ...fields: string[]];

/** In place of a value: what whoever reads it makes the value of. */
export type Reference = readonly JsonValue[];

/** Writes texts, and collects the shapes that are needed to read them. */
export class CompactWriter {
  readonly shapes: Shape[] = [];
  private readonly codes = new Map<string, number>();
  private readonly referenceTo: (name: string, value: object) => Reference | undefined;
  private readonly isWritten: (field: string) => boolean;

  /** `referenceTo`: for the value of a field of this name. */
  constructor(
    referenceTo: (name: string, value: object) => Reference | undefined = () => undefined,
    isWritten: (field: string) => boolean = () => true,
  ) {
    this.referenceTo = referenceTo;
    this.isWritten = isWritten;
  }

  text(value: object): string {
    return JSON.stringify(this.composite("", value));
  }

  private code(name: string, value: unknown): unknown {
    if (typeof value === "bigint") return [INT, String(value)];
    if (Object.is(value, -0)) return [MINUS_ZERO];
    if (typeof value !== "object" || value === null) return value;
    const reference = this.referenceTo(name, value);
    return reference === undefined ? this.composite(name, value) : [REFERENCE, ...reference];
  }

  private composite(name: string, value: object): readonly unknown[] {
    if (Array.isArray(value)) return [LIST, ...value.map((each) => this.code("", each))];
    if (value instanceof Map) return [MAP, ...[...value].flatMap(([key, each]) => [key, this.code(name, each)])];
    if (value instanceof Uint) return [UINT, String(value.value)];
    if (value instanceof Uint8Array) return [BYTES, ...value];
    if (value instanceof TypeValue) return [TYPE, value.name];
    return this.object(value);
  }

  private object(value: object): readonly unknown[] {
    const kind = "kind" in value && typeof value.kind === "string" ? value.kind : null;
    const entries = Object.entries(value).filter(
      ([field, each]) => each !== undefined && this.isWritten(field) && (kind === null || field !== "kind"),
    );
    const shape: Shape = [kind, ...entries.map(([field]) => field)];
    const key = JSON.stringify(shape);
    const code = this.codes.get(key) ?? FIRST_SHAPE + this.shapes.push(shape) - 1;
    this.codes.set(key, code);
    return [code, ...entries.map(([field, each]) => this.code(field, each))];
  }
}

/** What a {@link CompactWriter} that collected `shapes` was given. `referred` makes values of references. */
export function readCompact<T>(text: string, shapes: readonly Shape[], referred: (reference: Reference) => unknown): T {
  const written: JsonValue = JSON.parse(text);
  // What is read is of the type that was written, which nothing here can tell.
  const read: T = JSON.parse("0", () => decoded(written, shapes, referred));
  return read;
}

/** This could be the reviver of the text itself, which would be called for each number and each text in it as well. */
function decoded(written: JsonValue, shapes: readonly Shape[], referred: (reference: Reference) => unknown): unknown {
  if (!isList(written)) return written;
  const [code, ...rest] = written;
  if (code === INT) return BigInt(String(rest[0]));
  if (code === UINT) return new Uint(BigInt(String(rest[0])));
  if (code === BYTES) return Uint8Array.from(rest, Number);
  if (code === TYPE) return new TypeValue(String(rest[0]));
  if (code === MINUS_ZERO) return -0;
  if (code === REFERENCE) return referred(rest);
  const parts = rest.map((part) => decoded(part, shapes, referred));
  if (code === LIST) return parts;
  if (code === MAP) return new Map(parts.flatMap((key, i) => (i % 2 === 0 ? [[key, parts[i + 1]]] : [])));
  const shape = shapes[Number(code) - FIRST_SHAPE];
  if (shape === undefined) throw new Error("keyward: a text of a bundle that no release writes");
  const [kind, ...fields] = shape;
  const made: { [field: string]: unknown } = {};
  if (kind !== null) made.kind = kind;
  fields.forEach((field, i) => {
    made[field] = parts[i];
  });
  return made;
}
