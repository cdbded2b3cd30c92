/** CEL texts and their constants, from small pools that also supply values for requests. */

import fc from "fast-check";
import { TIMES } from "./vocabulary.js";

export type Text = fc.Arbitrary<string>;

/** Expressions without a logical operator, each with a weight. */
export type Atoms = readonly (readonly [weight: number, text: Text])[];

/** CEL text with placeholders: cel`${word}.startsWith("r")`. */
export function cel(parts: TemplateStringsArray, ...holes: readonly Text[]): Text {
  return fc.tuple(...holes).map((values) => parts.map((part, i) => part + (values[i] ?? "")).join(""));
}

export const quoted = (values: readonly string[]): Text =>
  fc.constantFrom(...values.map((value) => JSON.stringify(value)));

// Right-hand sides of comparisons; the compared values lie on both sides of them.
export const time = quoted(TIMES.slice(1, -1));
export const span = quoted(["24h", "4380h", "2190h30m", "-2190h"]);
export const numberTest = fc.constantFrom(
  ...["> 1", "> 1.0", ">= 2", "< 2.0", "<= 1", "< 1.5", ">= 1.5", "> 0.0", "< 3", "> 2"],
);
export const intTest = fc.constantFrom("> 0", "> 1", ">= 2", "< 2", "== 1", "<= 1", "!= 0");
export const timeOrder = fc.constantFrom("<", "<=", ">", ">=");
