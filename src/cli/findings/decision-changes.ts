/** Reports changed decisions as findings, at the rules that decide now. */

import { join } from "node:path";
import { malformedWords, OPEN_QUESTIONS } from "../../audit/diff/text.js";
import type { ChangeClass, DecisionChange, PolicyDiff } from "../../audit/diff/types.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { SourcePosition } from "../../policy/issue.js";
import { sanitise } from "../../policy/names.js";
import type { CliFinding, CliReport, FindingLevel, FindingPlace, FindingRule } from "./finding.js";

const LEVELS: { readonly [name in ChangeClass]: FindingLevel } = {
  widening: "error",
  narrowing: "warning",
  refusal: "note",
  fault: "warning",
};

const RULES: readonly FindingRule[] = [
  { id: "widening", description: "A request that was refused is now allowed." },
  { id: "narrowing", description: "A request that was allowed is now refused." },
  { id: "refusal", description: "A refused request is now refused with a different error code." },
  { id: "fault", description: "A refused request now has a fault (500), or no longer has one (403)." },
  { id: "incomplete", description: "Not every combination of values could be compared." },
  { id: "unproven", description: "It is not proved that decisions on an operation stay the same." },
];

/**
 * The changes, in their order, then the questions that could not be compared. `after` are the new policies, in
 * `directory`.
 */
export function reportOfDiff({ changes, gaps, unproven }: PolicyDiff, after: PolicySet, directory: string): CliReport {
  const findings = changes.map((change) => changeFinding(change, after, directory));
  const incomplete = gaps.map(
    ({ kind, operation, layer, message }): CliFinding => ({
      rule: "incomplete",
      level: "warning",
      message: `${operation} on ${kind}, ${layer} layer: ${message}`,
      place: { file: directory },
    }),
  );
  const open = unproven.map(
    ({ kind, operation, class: name, message }): CliFinding => ({
      rule: "unproven",
      level: "warning",
      message: `${operation} on ${kind}: it is not proved ${OPEN_QUESTIONS[name]} (${message})`,
      place: { file: directory },
    }),
  );
  return { findings: [...findings, ...incomplete, ...open], rules: RULES };
}

function changeFinding(change: DecisionChange, after: PolicySet, directory: string): CliFinding {
  const { class: rule, kind, operation, roles, from, to, layer, circumstances, request, extent, ways } = change;
  const when = circumstances.map(({ path, value }) =>
    value === undefined ? `${path} is absent` : `${path} = ${JSON.stringify(value)}`,
  );
  const example = [
    `for example role ${roles.map((each) => each.join(" and ")).join("; ")}`,
    ...(when.length === 0 ? [] : [`for example when ${when.join(" and ")}`]),
  ];
  const words = ({ reasons }: DecisionChange["before"]) => [...new Set(reasons.map(({ reason }) => reason))].join(", ");
  const parts = [
    `${operation} on ${kind}: ${from} -> ${to}`,
    ...(extent === "exact" ? ways.map((way) => `when ${way.when.map(({ text }) => text).join("; ")}`) : []),
    ...(extent === "exact" ? [] : example),
    ...malformedWords(change),
    `${layer}: ${words(change.before)} -> ${words(change.after)}`,
    `example ${JSON.stringify(request)}`,
  ];
  const place = changeLocation(change, after, directory);
  return { rule, level: LEVELS[rule], message: parts.join("\n"), place };
}

/** The rule that decides now, or else the policy for the kind, or else the directory. */
function changeLocation(
  { after: { reasons }, layer, kind }: DecisionChange,
  policies: PolicySet,
  directory: string,
): FindingPlace {
  const { model } = policies;
  const known = [...model.resourcePolicies, ...model.principalPolicies];
  for (const { policy, rule } of reasons) {
    const found = known.find(({ key }) => key === policy)?.rules.find(({ name }) => name === rule);
    if (found !== undefined) return within(found.at, directory);
  }
  const version = policies[layer]?.version;
  const own = model.resourcePolicies.find((policy) => policy.version === version && policy.resource === sanitise(kind));
  return own === undefined ? { file: directory } : within(own.at, directory);
}

function within({ file, line, column }: SourcePosition, directory: string): FindingPlace {
  return { file: join(directory, file), line, column };
}
