/** `keyward explain`: why a request is decided as it is. */

import { explain as explainRequest } from "../audit/explain/explain.js";
import { explanationText } from "../audit/explain/text.js";
import { jsonText, printable } from "../policy/escape.js";
import { type Arguments, choice, readArguments } from "./arguments.js";
import { EXIT, type ExitCode, type Streams, UsageError } from "./exit.js";
import { readJsonValues } from "./json-values.js";
import { loadSet } from "./load-set.js";
import { intoFile } from "./output-file.js";
import { paintFor } from "./paint.js";
import { POLICY_OPTIONS, POLICY_USAGE } from "./policy-options.js";
import { readInput } from "./read-input.js";
import { readRequest } from "./read-request.js";

export const EXPLAIN_USAGE = `keyward explain --policies DIR|BUNDLE ${POLICY_USAGE} [--public-key FILE] [--input FILE] [--format text|json] [--output FILE]`;

const OPTIONS = {
  ...POLICY_OPTIONS,
  policies: { type: "string" },
  "public-key": { type: "string" },
  input: { type: "string" },
  format: { type: "string" },
  output: { type: "string" },
} as const;

export async function explain(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const given = readArguments(args, OPTIONS, 0);
  return intoFile(given.texts.get("output"), streams, (to) => explained(given, to));
}

async function explained(given: Arguments, streams: Streams): Promise<ExitCode> {
  const { texts } = given;
  const policies = texts.get("policies");
  if (policies === undefined) throw new UsageError(`usage: ${EXPLAIN_USAGE}`);
  const format = choice("format", texts.get("format") ?? "text", ["text", "json"]);
  const set = await loadSet(policies, given, streams);
  if (set === undefined) return EXIT.policies;
  const paint = paintFor(streams);
  const permissionOnly = set.platform === undefined;
  let code: ExitCode = EXIT.ok;
  let between = "";
  for await (const json of readJsonValues(readInput(texts.get("input"), streams))) {
    const request = readRequest(json, { permissionOnly });
    if (!request.ok) code = EXIT.usage;
    if (format === "json") {
      const answer = request.ok ? explainRequest(set, request.request) : request.invalid;
      streams.out(`${jsonText(answer)}\n`);
      continue;
    }
    streams.out(between);
    between = "\n";
    if (request.ok) streams.out(explanationText(explainRequest(set, request.request), paint));
    else
      for (const { path, message } of request.invalid.invalid)
        streams.out(`${printable(`invalid request: ${path} ${message}`)}\n`);
  }
  return code;
}
