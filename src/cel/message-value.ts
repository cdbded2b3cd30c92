/**
 * A whole message of the request as a value: `P`, `request.resource`. Most expressions read single fields instead
 * (`compile/references.ts`).
 */

import type { EvaluationResult } from "./evaluation.js";
import { type CelValue, isMap, type JsonMap, Opaque } from "./values.js";

export class MessageValue extends Opaque {
  readonly typeName: string;
  /** Every field, empty ones too, under both of its names. */
  readonly fields: ReadonlyMap<string, CelValue>;
  /** The fields that are not empty, as the server shows the message. */
  readonly shown: JsonMap;

  constructor(typeName: string, fields: ReadonlyMap<string, CelValue>, shown: JsonMap) {
    super();
    this.typeName = typeName;
    this.fields = fields;
    this.shown = shown;
  }

  /** A request has one message of each type, so the type decides. */
  equals(other: CelValue): boolean {
    return other instanceof MessageValue && other.typeName === this.typeName;
  }

  override comparableWith(_other: CelValue): boolean {
    return true;
  }
}

/** Whether a message's field counts as set. As in protobuf, an empty field does not. */
export function isPresent(value: EvaluationResult): boolean {
  if (typeof value === "string") return value !== "";
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof MessageValue) return Object.keys(value.shown).length > 0;
  return value !== undefined && value !== null && (!isMap(value) || Object.keys(value).length > 0);
}
