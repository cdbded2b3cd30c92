/** `matches`, by regular expressions. A constant pattern is compiled once. */

import { type Evaluation, type EvaluationResult, fail } from "../evaluation.js";
import { compileRegex, matchesPattern, matchesRegex } from "../regex.js";
import { BOOL, STRING } from "../types.js";
import type { CelValue } from "../values.js";
import { binary, type CallStyle, type Overload } from "./overload.js";

export const matchFunctions: readonly Overload[] = [matches("global"), matches("member")];

function matches(style: CallStyle): Overload {
  return { ...binary(style, "matches", STRING, STRING, BOOL, matchesPattern), prepare };
}

function prepare(pattern: CelValue): ((ev: Evaluation, text: CelValue) => EvaluationResult) | undefined {
  if (typeof pattern !== "string") return undefined;
  const regex = compileRegex(pattern);
  if (regex === undefined) return (ev) => fail(ev, "invalid regular expression");
  return (ev, text) => (typeof text === "string" ? matchesRegex(ev, text, regex) : undefined);
}
