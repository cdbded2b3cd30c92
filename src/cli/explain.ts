/** `keyward explain`: why does a request get its decision? */

import { callerText, callerView } from "../audit/explain/caller.js";
import { explain as explainRequest } from "../audit/explain/explain.js";
import { explanationText } from "../audit/explain/text.js";
import { readsOfOperations, readsText } from "../audit/operations/reads.js";
import { invalidRequest } from "../decisions/request-issues.js";
import { jsonText, printable, printableLines } from "../policy/escape.js";
import { type Arguments, choice, expectAbsent, policiesOf, readArguments } from "./arguments.js";
import { EXIT, type ExitCode, type Streams } from "./exit.js";
import { readJsonValues } from "./json-values.js";
import { loadSet } from "./load-set.js";
import { intoFile, OUTPUT_OPTION } from "./output-file.js";
import { paintFor } from "./paint.js";
import { SET_OPTIONS, SET_USAGE } from "./policy-options.js";
import { INPUT_OPTION, readInput } from "./read-input.js";
import { readRequest } from "./read-request.js";
import { formatOption, type Usage } from "./usage.js";

const FORMATS = ["text", "json"] as const;
const READERS = ["operator", "caller"] as const;

export const EXPLAIN: Usage = {
  name: "explain",
  takes: [SET_USAGE],
  does: "Explains the decision of each request: why it was made, and which changes to the request would change it.",
  options: {
    ...SET_OPTIONS,
    for: {
      value: READERS.join("|"),
      does: "operator: everything (default); caller: what the API's caller may be told, with the permissions to ask for",
    },
    reads: { does: "instead of a request: list the attributes that each operation reads to decide, by layer" },
    input: INPUT_OPTION,
    format: formatOption(FORMATS),
    output: OUTPUT_OPTION,
  },
};

export function explain(args: readonly string[], streams: Streams): Promise<ExitCode> {
  return intoFile(readArguments(args, EXPLAIN, 1), streams, explained);
}

async function explained(given: Arguments, streams: Streams): Promise<ExitCode> {
  const { texts } = given;
  const policies = policiesOf(given);
  const isForCaller = choice("for", texts.get("for") ?? "operator", READERS) === "caller";
  const format = choice("format", texts.get("format") ?? "text", FORMATS);
  const isOfReads = given.switches.has("reads");
  if (isOfReads) expectAbsent(given, ["for", "input"], "does not go with --reads");
  const set = await loadSet(policies, given, streams);
  if (set === undefined) return EXIT.policies;
  if (isOfReads) {
    const reads = readsOfOperations(set);
    streams.out(format === "json" ? `${jsonText(reads, 2)}\n` : printableLines(readsText(reads)));
    return EXIT.ok;
  }
  const paint = paintFor(streams);
  const permissionOnly = set.platform === undefined;
  let code: ExitCode = EXIT.ok;
  let between = "";
  for await (const json of readJsonValues(readInput(texts.get("input"), streams))) {
    const request = readRequest(json, { permissionOnly });
    if (!request.ok) code = EXIT.usage;
    if (format === "json") {
      const told = isForCaller ? callerView : explainRequest;
      const answer = request.ok ? told(set, request.request) : request.invalid;
      streams.out(`${jsonText(answer)}\n`);
      continue;
    }
    streams.out(between);
    between = "\n";
    if (request.ok && isForCaller) streams.out(callerText(callerView(set, request.request)));
    else if (request.ok) streams.out(explanationText(explainRequest(set, request.request), paint));
    else for (const issue of request.invalid.invalid) streams.out(`${printable(invalidRequest(issue))}\n`);
  }
  return code;
}
