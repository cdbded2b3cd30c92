/**
 * GitHub annotations: workflow commands on standard output, as the runner reads them
 * (https://docs.github.com/actions/reference/workflow-commands-for-github-actions). Escaped as `@actions/core` does, so
 * that no file name or message can end the command or start another. Control characters are made visible, to protect
 * terminals.
 */

import { isAbsolute } from "node:path";
import { visible } from "../../policy/escape.js";
import { type CliFinding, type CliReport, type FindingLevel, messageOf } from "./finding.js";
import { relativePath } from "./paths.js";

const COMMANDS: { readonly [level in FindingLevel]: string } = { error: "error", warning: "warning", note: "notice" };

/** One line for each finding, each with its newline; `""` if there are none. */
export function githubAnnotations({ findings }: CliReport, directory: string): string {
  return findings.map((finding) => `${annotation(finding, directory)}\n`).join("");
}

function annotation(finding: CliFinding, directory: string): string {
  const { place, level, rule } = finding;
  const properties: [string, string | number | undefined][] = [];
  if (place !== undefined) {
    const path = relativePath(place.file, directory);
    // The runner accepts only paths below the repository. For other files the annotation has no path.
    properties.push(["file", isAbsolute(path) ? undefined : path]);
    properties.push(["line", place.line], ["endLine", place.endLine]);
    // The runner refuses columns if the place spans several lines.
    const oneLine = place.endLine === undefined || place.endLine === place.line;
    if (oneLine) properties.push(["col", place.column], ["endColumn", place.endColumn]);
  }
  properties.push(["title", `keyward: ${rule}`]);
  const given = properties.filter(([, value]) => value !== undefined);
  const written = given.map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  return `::${COMMANDS[level]} ${written.join(",")}::${escapeData(messageOf(finding))}`;
}

function escapeData(text: string): string {
  const shown = text.split("\r").map(visible).join("\r");
  return shown.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
