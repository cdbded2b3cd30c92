/** A message of the request as a whole: `P`, `request.resource`. Expressions mostly read fields of it, by `paths.ts`. */

import { type CelValue, type JsonMap, Opaque } from "./values.js";

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

  /** A request has one message of each type. */
  equals(other: CelValue): boolean {
    return other instanceof MessageValue && other.typeName === this.typeName;
  }

  override comparableWith(_other: CelValue): boolean {
    return true;
  }
}
