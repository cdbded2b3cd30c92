/** `keyward check DIR`: are the policies valid, and which faults can be found in them? */

import { join } from "node:path";
import * as E from "fp-ts/lib/Either.js";
import { diffPolicies } from "../audit/diff/versions.js";
import { findingCounts } from "../audit/findings/finding.js";
import { provenFindings } from "../audit/findings/proven.js";
import { namedFiles, renamedSources, ruleNamings, unnamedRules } from "../audit/findings/rule-names.js";
import { upgradeReport } from "../audit/findings/upgrade.js";
import { plural } from "../audit/plural.js";
import { CERBOS_LEVELS, type CerbosLevel } from "../cel/levels.js";
import { compilePolicies, type PolicySet } from "../decisions/policy-set.js";
import { isAdded } from "../decisions/unlisted-kinds.js";
import { type LoadOptions, loadPolicies } from "../node/load.js";
import { overlookedFiles } from "../node/overlooked-files.js";
import { jsonText, printable } from "../policy/escape.js";
import { byPlace } from "../policy/issue-log.js";
import type { PolicyFile } from "../policy/parse.js";
import { readSuiteDirectory } from "../testing/directory.js";
import { isCerbosSuite } from "../testing/files.js";
import { type Arguments, choice, countOf, expectAbsent, policiesOf, readArguments } from "./arguments.js";
import { existingDirectory } from "./directory.js";
import { EXIT, type ExitCode, endedBy, type Streams, UsageError } from "./exit.js";
import { reportOfIssues } from "./findings/policy-issues.js";
import { printedReport, REPORT_FORMATS } from "./findings/print.js";
import { issueLine, type Shown } from "./issues.js";
import { intoFile, OUTPUT_OPTION, writeOutput } from "./output-file.js";
import { tellingOverridden } from "./overridden.js";
import { DIR_OPTIONS, loadOptionsOf } from "./policy-options.js";
import { PROVE_OPTIONS, withProofs, withSolver } from "./solver-options.js";
import { formatOption, type Usage } from "./usage.js";

/** The levels that a set can be upgraded to. */
const LATER_LEVELS = CERBOS_LEVELS.slice(1);

const FORMATS = ["text", "json", ...REPORT_FORMATS] as const;

export const CHECK: Usage = {
  name: "check",
  takes: ["DIR"],
  does: "Finds mistakes in the policies in DIR; prints each as file:line:column severity code message.",
  options: {
    format: formatOption(FORMATS),
    output: OUTPUT_OPTION,
    upgrade: {
      value: LATER_LEVELS.join("|"),
      does: "list each policy that means something else at this level, with a request that is decided otherwise; exit with 4 if there is one",
    },
    "name-rules": { does: "write a name into each rule without one: the reason that it gives in decisions" },
    "max-warnings": { value: "N", does: "exit with 4 if there are more warnings" },
    ...PROVE_OPTIONS,
    ...DIR_OPTIONS,
  },
};

export function check(args: readonly string[], streams: Streams): Promise<ExitCode> {
  return intoFile(readArguments(args, CHECK, 1), streams, checked);
}

async function checked(given: Arguments, streams: Streams): Promise<ExitCode> {
  const { out, err } = streams;
  const { texts } = given;
  const directory = policiesOf(given);
  const format = choice("format", texts.get("format") ?? "text", FORMATS);
  const maxWarnings = countOf("max-warnings", texts.get("max-warnings"));
  const upgrade = texts.get("upgrade");
  const level = upgrade === undefined ? undefined : choice("upgrade", upgrade, LATER_LEVELS);
  if (level !== undefined) expectAbsent(given, ["prove", "name-rules"], "does not go with --upgrade");
  else if (!given.switches.has("prove")) expectAbsent(given, ["time-limit"], "goes with --prove or --upgrade");
  const options = { ...loadOptionsOf(given), codegen: false };
  const loaded = await loadPolicies(await existingDirectory(directory), options)();
  const { issues: found, undecided } = E.isLeft(loaded)
    ? { issues: loaded.left, undecided: 0 }
    : level === undefined
      ? { issues: await issuesOf(loaded.right, directory, options, given), undecided: 0 }
      : await upgraded(loaded.right, level, options, given);
  const issues = E.isLeft(loaded) ? found : found.toSorted(byPlace);
  const isValid = !issues.some(({ severity }) => severity === "error");
  if (E.isRight(loaded)) tellingOverridden(loaded.right, streams);
  if (format === "json") out(`${jsonText({ valid: isValid, issues }, 2)}\n`);
  else if (format === "text") for (const issue of issues) out(`${issueLine(issue, directory)}\n`);
  else out(printedReport(reportOfIssues(issues, directory), format));
  if (E.isRight(loaded) && format === "text") {
    const { resourcePolicies, principalPolicies, rolePolicies } = loaded.right.model;
    const policies =
      resourcePolicies.filter((one) => !isAdded(one)).length + principalPolicies.length + rolePolicies.length;
    const counts = issues.length === 0 ? [] : [findingCounts(issues)];
    const found = [...(isValid ? ["no errors"] : []), ...counts].join(", ");
    err(`${printable(directory)}: ${plural(policies, "policy")}, ${found}\n`);
  }
  if (E.isLeft(loaded)) return EXIT.policies;
  const errors = issues.filter(({ severity }) => severity === "error").length;
  if (errors > 0) return endedBy("check", EXIT.failures, plural(errors, "error"), { err });
  const warnings = issues.filter(({ severity }) => severity === "warning").length;
  if (level !== undefined && warnings > 0) {
    const changed = `${plural(warnings, "policy")} ${warnings === 1 ? "means" : "mean"} something else at level ${level}`;
    return endedBy("check", EXIT.failures, changed, { err });
  }
  if (undecided > 0) {
    const open = `it is not proved that the decisions of ${plural(undecided, "policy")} stay`;
    return endedBy("check", EXIT.unproven, open, { err });
  }
  if (maxWarnings === undefined || warnings <= maxWarnings) return EXIT.ok;
  const reason = `${plural(warnings, "warning")}, and no more than ${maxWarnings} are accepted (--max-warnings)`;
  return endedBy("check", EXIT.failures, reason, { err });
}

async function issuesOf(
  set: PolicySet,
  directory: string,
  options: LoadOptions,
  given: Arguments,
): Promise<readonly Shown[]> {
  return [
    ...(given.switches.has("name-rules") ? await nameRules(set, directory, options) : unnamedRules(set.model)),
    ...set.warnings,
    ...(await overlookedFiles(directory)),
    ...(await withProofs(given, (solver) => provenFindings(set, solver))),
  ];
}

/** Names the rules that have no name, in their files. Returns a note for each. */
async function nameRules(set: PolicySet, directory: string, options: LoadOptions): Promise<readonly Shown[]> {
  const namings = ruleNamings(set.model);
  const changed = namedFiles(set.files, namings);
  const files = set.files.map((file) => changed.find(({ path }) => path === file.path) ?? file);
  const named = compilePolicies(files, options);
  if (E.isLeft(named) || ruleNamings(named.right.model).length > 0) {
    throw new UsageError("no rule was named: the place of a name is not clear (rules with anchors or aliases)");
  }
  const suites = renamedSources(await suitesOf(directory, options), namings);
  for (const { path, text } of [...changed, ...suites]) await writeOutput(join(directory, path), text);
  const note = { code: "named_rule", severity: "note" } as const;
  return [
    ...namings.map(({ name, sources: _, ...at }) => ({ ...at, ...note, message: `the rule is named ${name}` })),
    ...suites.map(({ path }) => ({ file: path, line: 1, column: 1, ...note, message: "outputs have the new names" })),
  ];
}

/** The test suites among the policies. */
async function suitesOf(directory: string, options: LoadOptions): Promise<readonly PolicyFile[]> {
  const files = await readSuiteDirectory(directory, options)();
  if (E.isLeft(files)) throw new UsageError(`no rule was named: ${issueLine(files.left[0], directory)}`);
  return [...files.right].flatMap(([path, text]) => (isCerbosSuite(path) ? [{ path, text }] : []));
}

interface Upgrade {
  readonly issues: readonly Shown[];
  readonly undecided: number;
}

/** The findings of an upgrade: the set's faults at the new level, or the policies that mean something else. */
async function upgraded(
  before: PolicySet,
  cerbos: CerbosLevel,
  options: LoadOptions,
  given: Arguments,
): Promise<Upgrade> {
  if (before.configuration.cerbos === cerbos) return { issues: [], undecided: 0 };
  const after = compilePolicies(before.files, { ...options, cerbos });
  if (E.isLeft(after)) return { issues: after.left, undecided: 0 };
  return await withSolver(given, async (solver) => {
    const { findings, undecided } = upgradeReport(before, after.right, await diffPolicies(before, after.right, solver));
    return { issues: findings, undecided };
  });
}
