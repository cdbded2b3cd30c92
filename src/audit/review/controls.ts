/** The controls of the configuration, each with the clauses that serve it and the rules that carry these clauses. */

import type { PolicyModel } from "../../policy/model.js";
import type { CoveragePoint } from "../../testing/coverage/points.js";
import type { ControlFacts, RuleFacts } from "./types.js";

/** `points`: the coverage of the tests; undefined if no tests were run. By the first place of each control. */
export function controlFacts(
  { configuration }: Pick<PolicyModel, "configuration">,
  rules: readonly RuleFacts[],
  points: readonly CoveragePoint[] | undefined,
): readonly ControlFacts[] {
  const { controls = [] } = configuration ?? {};
  const decided = new Set(points?.flatMap((point) => (isDecided(point) ? [`${point.file}:${point.line}`] : [])));
  const ofClause = (clause: string) => {
    const carrying = rules.filter((rule) => rule.clause === clause);
    const tested = carrying.filter(({ place }) => decided.has(`${place.file}:${place.line}`));
    return {
      clause,
      rules: carrying.map(({ id }) => id),
      ...(points === undefined ? {} : { tested: tested.map(({ id }) => id) }),
    };
  };
  return [...new Set(controls.flatMap((one) => one.controls))].map((control) => {
    const clauses = controls.filter((one) => one.controls.includes(control)).map(({ clause }) => ofClause(clause));
    return { control, clauses, coverage: coverageOf(clauses) };
  });
}

function isDecided(point: CoveragePoint): boolean {
  return point.kind === "rule" && point.decisive > 0;
}

function coverageOf(clauses: ControlFacts["clauses"]): ControlFacts["coverage"] {
  if (clauses.some(({ rules }) => rules.length === 0)) return "missing";
  if (clauses.some(({ tested }) => tested === undefined)) return "carried";
  return clauses.every(({ rules, tested = [] }) => tested.length === rules.length) ? "tested" : "untested";
}
