/** Reports mutants that no test notices as findings. */

import { join } from "node:path";
import type { MutantPlace } from "../../mutate/mutants.js";
import type { MutationReport } from "../../mutate/report.js";
import { answerText } from "../../mutate/text.js";
import type { CliFinding, CliReport, FindingRule } from "./finding.js";

const RULES: readonly FindingRule[] = [
  { id: "survivor", description: "A change of the policies that no test and no claim notices." },
  { id: "unproven", description: "It is not proved whether a change of the policies changes a decision." },
];

/** The survivors, then the unproven mutants. `directory`: that of the policies. */
export function reportOfMutants({ survivors, unproven }: MutationReport, directory: string): CliReport {
  const findings = [
    ...survivors.map((one): CliFinding => {
      const { change, request, before, after } = one;
      const answers = `the policies decide ${answerText(before)}, the mutant ${answerText(after)}`;
      const asked = `${request.operation} on ${request.resource.kind}`;
      const message = `no test and no claim notices this change: ${change} (${asked}: ${answers})`;
      return {
        rule: "survivor",
        level: "error",
        message,
        hint: "keyward mutate --write FILE",
        place: placeOf(one, directory),
      };
    }),
    ...unproven.map((one): CliFinding => {
      const message = `it is not proved whether this changes a decision: ${one.change}: ${one.why}`;
      return { rule: "unproven", level: "warning", message, place: placeOf(one, directory) };
    }),
  ];
  return { findings, rules: RULES };
}

function placeOf({ file, line, column }: MutantPlace, directory: string) {
  return { file: join(directory, file), line, column };
}
