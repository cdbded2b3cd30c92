/** Prints reports in the formats that other programs read. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { jsonText } from "../../policy/escape.js";
import type { CliReport } from "./finding.js";
import { githubAnnotations } from "./github.js";
import { sarifLog } from "./sarif.js";

/** The report formats that every command with findings can print. */
export const REPORT_FORMATS = ["github", "sarif"] as const;

export type ReportFormat = (typeof REPORT_FORMATS)[number];

export function isReportFormat(format: string): format is ReportFormat {
  return REPORT_FORMATS.some((one) => one === format);
}

/** The text of a report. Paths become relative to the working directory, which in CI is the repository. */
export function printedReport(report: CliReport, format: ReportFormat): string {
  const directory = process.cwd();
  if (format === "github") return githubAnnotations(report, directory);
  return `${jsonText(sarifLog(report, { directory, version: packageVersion() }), 2)}\n`;
}

function packageVersion(): string {
  const path = createRequire(import.meta.url).resolve("keyward/package.json");
  const manifest: unknown = JSON.parse(readFileSync(path, "utf8"));
  const hasVersion = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return hasVersion && typeof manifest.version === "string" ? manifest.version : "0.0.0";
}
