/** `keyward check DIR`: are these policies fit to decide by? */

import * as E from "fp-ts/lib/Either.js";
import { loadPolicies } from "../node/load.js";
import { jsonText, printable } from "../policy/escape.js";
import { choice, readArguments } from "./arguments.js";
import { existingDirectory } from "./directory.js";
import { EXIT, type ExitCode, type Streams, UsageError } from "./exit.js";
import { reportOfIssues } from "./findings/policy-issues.js";
import { printedReport, REPORT_FORMATS } from "./findings/print.js";
import { issueLine } from "./issues.js";
import { loadOptionsOf, POLICY_OPTIONS, POLICY_USAGE } from "./policy-options.js";

export const CHECK_USAGE = `keyward check DIR ${POLICY_USAGE} [--format text|json|github|sarif]`;

export async function check(args: readonly string[], { out, err }: Streams): Promise<ExitCode> {
  const given = readArguments(args, { ...POLICY_OPTIONS, format: { type: "string" } }, 1);
  const { texts, positionals } = given;
  const format = choice("format", texts.get("format") ?? "text", ["text", "json", ...REPORT_FORMATS]);
  const [directory] = positionals;
  if (directory === undefined) throw new UsageError(`usage: ${CHECK_USAGE}`);
  const loaded = await loadPolicies(await existingDirectory(directory), loadOptionsOf(given))();
  const issues = E.isLeft(loaded) ? loaded.left : loaded.right.warnings;
  if (format === "json") out(`${jsonText({ valid: E.isRight(loaded), issues }, 2)}\n`);
  else if (format === "text") for (const issue of issues) out(`${issueLine(issue)}\n`);
  else out(printedReport(reportOfIssues(issues, directory), format));
  if (E.isLeft(loaded)) return EXIT.policies;
  const { resourcePolicies, principalPolicies, rolePolicies } = loaded.right.model;
  const policies = resourcePolicies.length + principalPolicies.length + rolePolicies.length;
  if (format === "text") err(`${printable(directory)}: ${policies} policies, no errors\n`);
  return EXIT.ok;
}
