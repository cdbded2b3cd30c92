/** `keyward check DIR`: are these policies fit to decide by, and what can be known to be wrong with them? */

import * as E from "fp-ts/lib/Either.js";
import { findingCounts } from "../audit/findings/finding.js";
import { provenFindings } from "../audit/findings/proven.js";
import { loadPolicies } from "../node/load.js";
import { jsonText, printable } from "../policy/escape.js";
import { byPlace } from "../policy/issue-log.js";
import { type Arguments, choice, countOf, readArguments } from "./arguments.js";
import { existingDirectory } from "./directory.js";
import { EXIT, type ExitCode, type Streams, UsageError } from "./exit.js";
import { reportOfIssues } from "./findings/policy-issues.js";
import { printedReport, REPORT_FORMATS } from "./findings/print.js";
import { issueLine, type Shown } from "./issues.js";
import { intoFile } from "./output-file.js";
import { loadOptionsOf, POLICY_OPTIONS, POLICY_USAGE } from "./policy-options.js";
import { PROVE_OPTIONS, PROVE_OPTIONS_USAGE, withProofs } from "./solver-options.js";

export const CHECK_USAGE = `keyward check DIR ${POLICY_USAGE} [--format text|json|github|sarif] [--output FILE] [--max-warnings N] ${PROVE_OPTIONS_USAGE}`;

const OPTIONS = {
  ...POLICY_OPTIONS,
  ...PROVE_OPTIONS,
  format: { type: "string" },
  output: { type: "string" },
  "max-warnings": { type: "string" },
} as const;

export async function check(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const given = readArguments(args, OPTIONS, 1);
  return intoFile(given.texts.get("output"), streams, (to) => checked(given, to));
}

async function checked(given: Arguments, { out, err }: Streams): Promise<ExitCode> {
  const { texts, positionals } = given;
  const format = choice("format", texts.get("format") ?? "text", ["text", "json", ...REPORT_FORMATS]);
  const maxWarnings = countOf("max-warnings", texts.get("max-warnings"));
  const [directory] = positionals;
  if (directory === undefined) throw new UsageError(`usage: ${CHECK_USAGE}`);
  const loaded = await loadPolicies(await existingDirectory(directory), { ...loadOptionsOf(given), codegen: false })();
  const issues: readonly Shown[] = E.isLeft(loaded)
    ? loaded.left
    : [...loaded.right.warnings, ...(await withProofs(given, (solver) => provenFindings(loaded.right, solver)))].sort(
        byPlace,
      );
  const isValid = !issues.some(({ severity }) => severity === "error");
  if (format === "json") out(`${jsonText({ valid: isValid, issues }, 2)}\n`);
  else if (format === "text") for (const issue of issues) out(`${issueLine(issue, directory)}\n`);
  else out(printedReport(reportOfIssues(issues, directory), format));
  if (E.isRight(loaded) && format === "text") {
    const { resourcePolicies, principalPolicies, rolePolicies } = loaded.right.model;
    const policies = resourcePolicies.length + principalPolicies.length + rolePolicies.length;
    const counts = issues.length === 0 ? [] : [findingCounts(issues)];
    const found = [...(isValid ? ["no errors"] : []), ...counts].join(", ");
    err(`${printable(directory)}: ${policies} policies, ${found}\n`);
  }
  if (!isValid) return EXIT.policies;
  const warnings = issues.filter(({ severity }) => severity === "warning").length;
  if (maxWarnings === undefined || warnings <= maxWarnings) return EXIT.ok;
  err(`keyward check: ${warnings} warnings, and no more than ${maxWarnings} are accepted (--max-warnings)\n`);
  return EXIT.failures;
}
