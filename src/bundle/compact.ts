/**
 * Writes values of the model as short JSON texts, and reads them back with the same meaning. For expression trees this
 * keeps the invariant "meaning on the node" of `cel/ast.ts`.
 *
 * A string, a number, `true`, `false` and `null` are written as they are. Any other value is an array that begins with a
 * code. The codes below stand for special values. A code from {@link FIRST_SHAPE} on is the shape of an object: the names
 * of its fields, listed once for all objects with the same fields. Fields that are `undefined` are left out.
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

/** The shared `kind` of all objects of a shape, if they have one, and the names of their other fields. */
export type CompactShape = readonly [kind: string | null, ...fields: string[]];

/** Stands in a text for a value that the reader supplies. */
export type CompactReference = readonly JsonValue[];

/** Writes texts, and collects the shapes needed to read them. */
export class CompactWriter {
  readonly shapes: CompactShape[] = [];
  private readonly codes = new Map<string, number>();
  private readonly referenceTo: (name: string, value: object) => CompactReference | undefined;
  private readonly isWritten: (field: string) => boolean;

  /**
   * `referenceTo` returns the reference to write in place of the value of a field; undefined writes the value itself.
   * Fields for which `isWritten` is false are left out.
   */
  constructor(
    referenceTo: (name: string, value: object) => CompactReference | undefined = () => undefined,
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
    const shape: CompactShape = [kind, ...entries.map(([field]) => field)];
    const key = JSON.stringify(shape);
    const code = this.codes.get(key) ?? FIRST_SHAPE + this.shapes.push(shape) - 1;
    this.codes.set(key, code);
    return [code, ...entries.map(([field, each]) => this.code(field, each))];
  }
}

/** Reads the text of a {@link CompactWriter} that collected `shapes`. `referred` turns references into values. */
export function readCompact<T>(
  text: string,
  shapes: readonly CompactShape[],
  referred: (reference: CompactReference) => unknown,
): T {
  const written: JsonValue = JSON.parse(text);
  // The text carries no type: the caller asks for the type that was written.
  const read: T = JSON.parse("0", () => decoded(written, shapes, referred));
  return read;
}

/** A reviver of `JSON.parse` could do this, but it would also be called for each number and each string. */
function decoded(
  written: JsonValue,
  shapes: readonly CompactShape[],
  referred: (reference: CompactReference) => unknown,
): unknown {
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
