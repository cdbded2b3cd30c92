/** Prints the results of `--coverage` and `--min-coverage`. */

import { relative, sep } from "node:path";
import { jsonText } from "../../policy/escape.js";
import { type CoverageReport, coverageLines, lcovOf } from "../../testing/suites.js";
import type { Streams } from "../exit.js";
import { isReportFormat } from "../findings/print.js";
import { writeOutput } from "../output-file.js";
import type { TestCommandOptions } from "./options.js";

/** Prints the report, or writes it to `--coverage-file`. */
export async function printCoverage(
  report: CoverageReport,
  options: TestCommandOptions,
  streams: Streams,
): Promise<void> {
  const { coverage, coverageFile, format } = options;
  if (coverage === undefined) return;
  const text = rendered(report, coverage, options.policies);
  if (coverageFile !== undefined) await writeOutput(coverageFile, text);
  // Standard output already has data in these formats.
  else if (format === "json" || format === "junit" || isReportFormat(format)) streams.err(text);
  else streams.out(text);
}

function rendered(report: CoverageReport, form: "text" | "json" | "lcov", directory: string): string {
  switch (form) {
    case "text":
      return `${coverageLines(report).join("\n")}\n`;
    case "json":
      return `${jsonText(report, 2)}\n`;
    case "lcov":
      return lcovOf(report, prefixOf(directory));
  }
}

/** The path of the policies from the working directory, from which lcov readers resolve files. */
function prefixOf(directory: string): string {
  const path = relative(process.cwd(), directory).split(sep).join("/");
  return path === "" ? "" : `${path}/`;
}

/** Why the coverage is too low; undefined if it reaches the minimum. */
export function coverageFault({ percent }: CoverageReport, least: number | undefined): string | undefined {
  if (least === undefined || percent >= least) return undefined;
  return `coverage is ${percent} %, less than --min-coverage ${least}`;
}
