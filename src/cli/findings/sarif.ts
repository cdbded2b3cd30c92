/** SARIF 2.1.0, the format in which code scanning accepts findings (https://docs.oasis-open.org/sarif/sarif/v2.1.0/). */

import type { Location, Log, ReportingDescriptor, Result } from "sarif";
import { type CliFinding, type CliReport, type FindingPlace, messageOf } from "./finding.js";
import { uriOf } from "./paths.js";

export interface SarifOptions {
  /** The base of relative paths. */
  readonly directory: string;
  /** The version of keyward. */
  readonly version: string;
}

/** The URL of the schema, from the standard. */
const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json";

/** A log of one run. It contains all rules of the report, including those without findings. */
export function sarifLog({ findings, rules }: CliReport, { directory, version }: SarifOptions): Log {
  const indexes = new Map(rules.map(({ id }, i) => [id, i]));
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "keyward",
            version,
            rules: rules.map(
              ({ id, description }): ReportingDescriptor => ({ id, shortDescription: { text: description } }),
            ),
          },
        },
        columnKind: "utf16CodeUnits",
        results: findings.map((finding) => resultOf(finding, indexes.get(finding.rule), directory)),
      },
    ],
  };
}

function resultOf(finding: CliFinding, ruleIndex: number | undefined, directory: string): Result {
  const { rule, level, place } = finding;
  return {
    ruleId: rule,
    ...(ruleIndex === undefined ? {} : { ruleIndex }),
    level,
    message: { text: escapeMessage(messageOf(finding)) },
    ...(place === undefined ? {} : { locations: [locationOf(place, directory)] }),
  };
}

/**
 * Escapes `{0}` (a placeholder) and `[a](1)` (a link) in messages (SARIF 2.1.0 §3.11.5, §3.11.6): findings contain them
 * only as plain text.
 */
function escapeMessage(text: string): string {
  return text
    .replaceAll("{", "{{")
    .replaceAll("}", "}}")
    .replaceAll(/\[(?=[^[\]]*\]\()/g, "\\[");
}

function locationOf({ file, line, column, endLine, endColumn }: FindingPlace, directory: string): Location {
  const region =
    line === undefined
      ? undefined
      : {
          startLine: line,
          ...(column === undefined ? {} : { startColumn: column }),
          ...(endLine === undefined ? {} : { endLine }),
          ...(endColumn === undefined ? {} : { endColumn }),
        };
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(file, directory) },
      ...(region === undefined ? {} : { region }),
    },
  };
}
