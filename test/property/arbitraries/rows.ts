/** Rows of a table: resources of one kind, some of them damaged. */

import fc from "fast-check";
import type { JsonValue } from "../../../src/cel/json.js";
import { ATTRIBUTES, IDS, type Sort, valueFor } from "./vocabulary.js";

export interface PlainRow {
  readonly id: string;
  readonly attr: { readonly [name: string]: JsonValue };
}

/** Unexpected values, among them keys and elements that expressions look for. */
const ODD: readonly JsonValue[] = [
  null,
  true,
  false,
  0,
  1.5,
  -1,
  "",
  "red",
  "true",
  "1",
  "réd\u{1f600}",
  [],
  ["red", "red", null],
  [1, "1", [1]],
  [{ k: "red" }, 2],
  {},
  { red: 1 },
  { k: null, n: "1" },
  { k: "red", n: 1, at: 3 },
];

/** A row. Most attributes have their types; some are absent, odd, or have an odd part. */
export function row(): fc.Arbitrary<PlainRow> {
  const fields = Object.entries(ATTRIBUTES.resource).map(([name, sort]) => [name, field(sort)] as const);
  return fc
    .record({ id: fc.constantFrom(...IDS, "", "réd"), attr: fc.record(Object.fromEntries(fields)) })
    .map(({ id, attr }) => {
      const there = Object.entries(attr).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
      return { id: id === "" ? "u1" : id, attr: Object.fromEntries(there) };
    });
}

function field(sort: Sort): fc.Arbitrary<JsonValue | undefined> {
  const value = valueFor(sort);
  return fc.oneof(
    { weight: 60, arbitrary: value },
    { weight: 2, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: fc.constantFrom(...ODD) },
    { weight: 1, arbitrary: value.chain(within) },
  );
}

/** A list or a map with an odd part, or a map without one of its parts. */
function within(value: JsonValue): fc.Arbitrary<JsonValue> {
  if (Array.isArray(value)) return fc.constantFrom(...ODD).map((odd) => [...value, odd]);
  if (typeof value !== "object" || value === null) return fc.constantFrom(...ODD);
  const names = Object.keys(value);
  return fc
    .tuple(fc.constantFrom(...names), fc.option(fc.constantFrom(...ODD), { nil: undefined }))
    .map(([name, odd]) => {
      const { [name]: _, ...rest } = value as { readonly [name: string]: JsonValue };
      return odd === undefined ? rest : { ...rest, [name]: odd };
    });
}
