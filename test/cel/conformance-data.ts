/** Converts values of the conformance tests from protobuf to our values. */

import type { Value } from "@bufbuild/cel-spec/cel/expr/value_pb.js";
import type { IncrementalTest } from "@bufbuild/cel-spec/testdata/tests.js";
import { anyIs, anyUnpack, DurationSchema, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { setEntry } from "../../src/cel/equality.js";
import { type CelValue, Duration, Entries, Timestamp, TypeValue, Uint } from "../../src/cel/values.js";

/** The value; undefined for a message other than a timestamp or duration. */
export function celValue({ kind }: Value): CelValue | undefined {
  switch (kind.case) {
    case "nullValue":
      return null;
    case "boolValue":
    case "int64Value":
    case "doubleValue":
    case "stringValue":
    case "bytesValue":
      return kind.value;
    case "uint64Value":
      return new Uint(kind.value);
    case "typeValue":
      return new TypeValue(kind.value);
    case "listValue": {
      const values = kind.value.values.map(celValue);
      return values.every((value) => value !== undefined) ? values : undefined;
    }
    case "mapValue": {
      const map = new Entries();
      for (const entry of kind.value.entries) {
        const key = entry.key && celValue(entry.key);
        const value = entry.value && celValue(entry.value);
        if (key === undefined || value === undefined) return undefined;
        setEntry(map, key, value);
      }
      return map;
    }
    case "objectValue": {
      const any = kind.value;
      if (anyIs(any, TimestampSchema)) {
        const time = anyUnpack(any, TimestampSchema);
        return time && new Timestamp(Number(time.seconds), time.nanos);
      }
      const length = anyUnpack(any, DurationSchema);
      return length && new Duration(length.seconds * 1_000_000_000n + BigInt(length.nanos));
    }
    default:
      return undefined;
  }
}

/** Names of protobuf messages, enumerations and their packages, in expressions. */
const MESSAGES =
  /TestAllTypes|NestedTestAllTypes|\bproto[23]\b|google\.protobuf\.(?!Timestamp\b|Duration\b)|google\.type/;

/** Whether a test needs protobuf messages, which attributes never contain. */
export function needsMessages({ expr, bindings, typeEnv, resultMatcher }: IncrementalTest["original"]): boolean {
  if (MESSAGES.test(expr) || /\b(?:Timestamp|Duration|Value|Struct|ListValue|Any|\w+Value)\s*\{/.test(expr))
    return true;
  const declared = JSON.stringify(typeEnv, (_key, value) => (typeof value === "bigint" ? String(value) : value));
  if (/TestAllTypes/.test(declared)) return true;
  const values = Object.values(bindings).map(({ kind }) => (kind.case === "value" ? celValue(kind.value) : undefined));
  if (values.includes(undefined)) return true;
  return resultMatcher.case === "value" && celValue(resultMatcher.value) === undefined;
}
