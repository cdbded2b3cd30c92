/** `keyward mcp check SERVER.json DIR`: do the tools of an MCP server fit the policies? */

import { readFile } from "node:fs/promises";
import { findingCounts } from "../audit/findings/finding.js";
import { toolFindings } from "../audit/tools/check-tools.js";
import { jsonText } from "../policy/escape.js";
import { type Arguments, argumentOf, choice, misused, policiesOf, readArguments } from "./arguments.js";
import { EXIT, type ExitCode, endedBy, messageOf, type Streams, UsageError } from "./exit.js";
import { issueLine } from "./issues.js";
import { loadSet } from "./load-set.js";
import { intoFile, OUTPUT_OPTION } from "./output-file.js";
import { DIR_OPTIONS } from "./policy-options.js";
import { formatOption, type Usage } from "./usage.js";

const FORMATS = ["text", "json"] as const;

export const MCP: Usage = {
  name: "mcp",
  takes: ["check SERVER.json DIR"],
  does: "Checks the tools of an MCP server (the JSON of an answer to tools/list) against the policies in DIR.",
  options: { format: formatOption(FORMATS), output: OUTPUT_OPTION, ...DIR_OPTIONS },
};

export function mcp(args: readonly string[], streams: Streams): Promise<ExitCode> {
  return intoFile(readArguments(args, MCP, 3), streams, checked);
}

async function checked(given: Arguments, streams: Streams): Promise<ExitCode> {
  if (argumentOf(given, 0, "check") !== "check") throw misused(MCP, `unknown command ${given.positionals[0]}`);
  const path = argumentOf(given, 1, "SERVER.json");
  const directory = policiesOf(given, 2);
  const format = choice("format", given.texts.get("format") ?? "text", FORMATS);
  const set = await loadSet(directory, given, streams);
  if (set === undefined) return EXIT.policies;
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new UsageError(messageOf(error));
  });
  const findings = toolFindings(set, path, text);
  if (findings === undefined) throw new UsageError(`${path} is no JSON with a list of tools, each with a name`);
  if (format === "json") streams.out(`${jsonText({ findings }, 2)}\n`);
  else for (const finding of findings) streams.out(`${issueLine(finding)}\n`);
  if (findings.some(({ code }) => code === "mapping" || code === "unknown_argument")) return EXIT.policies;
  const errors = findings.filter(({ severity }) => severity === "error");
  return errors.length === 0 ? EXIT.ok : endedBy("mcp", EXIT.failures, findingCounts(findings), streams);
}
