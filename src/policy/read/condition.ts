/** Reads `condition` and `output`. */

import type { Condition, Expression, OutputExpressions } from "../model.js";
import type { MapNode } from "../text/tree.js";
import { mapField, mapsField, type ReadContext, scalarField } from "./fields.js";

/** The condition of a rule or role; undefined if it has none. */
export function readCondition(owner: MapNode, reading: ReadContext): Condition | undefined {
  const condition = mapField(owner, "condition");
  if (condition === undefined) return undefined;
  const script = condition.entries.get("script");
  if (script !== undefined) {
    const at = reading.source.position(script.key.start);
    reading.faults.error(
      "shape",
      at,
      "scripts in conditions are no longer supported",
      "write it in CEL, as match.expr",
    );
    return undefined;
  }
  const match = mapField(condition, "match");
  return match === undefined ? undefined : readMatch(match, reading);
}

function readMatch(match: MapNode, reading: ReadContext): Condition | undefined {
  const expr = readExpression(match, "expr", reading);
  if (expr !== undefined) return { kind: "expr", expr };
  for (const kind of ["all", "any", "none"] as const) {
    const nested = mapField(match, kind);
    if (nested === undefined) continue;
    return { kind, of: mapsField(nested, "of").flatMap((each) => readMatch(each, reading) ?? []) };
  }
  return undefined;
}

/** A field that is a CEL expression; undefined if it is absent. */
function readExpression(owner: MapNode, name: string, reading: ReadContext): Expression | undefined {
  const node = scalarField(owner, name);
  return node === undefined ? undefined : reading.expressions.read(node, reading.source, reading.faults);
}

/**
 * The outputs of a rule. As on the server, the deprecated `output.expr` counts only without `when.ruleActivated`. Then it
 * takes the place of `ruleActivated`, and `when.conditionNotMet` is ignored.
 */
export function readOutput(rule: MapNode, reading: ReadContext): OutputExpressions | undefined {
  const output = mapField(rule, "output");
  if (output === undefined) return undefined;
  const when = mapField(output, "when");
  const ruleActivated = when === undefined ? undefined : readOptional(when, "ruleActivated", reading);
  const deprecated = readOptional(output, "expr", reading);
  const conditionNotMet = when === undefined ? undefined : readOptional(when, "conditionNotMet", reading);
  if (deprecated !== undefined && ruleActivated === undefined) {
    return { ruleActivated: deprecated, conditionNotMet: undefined, ignored: conditionNotMet };
  }
  if (ruleActivated === undefined && conditionNotMet === undefined) {
    const at = reading.source.position(output.start);
    reading.faults.error("shape", at, "the output has no expression");
    return undefined;
  }
  return { ruleActivated, conditionNotMet, ignored: deprecated };
}

/** An empty text in an output means no expression. In a condition it is a syntax error. */
function readOptional(owner: MapNode, name: string, reading: ReadContext): Expression | undefined {
  return scalarField(owner, name)?.data === "" ? undefined : readExpression(owner, name, reading);
}
