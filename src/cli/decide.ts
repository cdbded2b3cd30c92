/** `keyward decide`: decisions on requests from a file or standard input. */

import { decideAny } from "../decisions/decide.js";
import { errorBody } from "../decisions/error-body.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { PermissionRequest } from "../decisions/types.js";
import { jsonText } from "../policy/escape.js";
import { readArguments } from "./arguments.js";
import { EXIT, type ExitCode, type Streams, UsageError } from "./exit.js";
import { readJsonValues } from "./json-values.js";
import { loadSet } from "./load-set.js";
import { POLICY_OPTIONS, POLICY_USAGE } from "./policy-options.js";
import { Progress } from "./progress.js";
import { readInput } from "./read-input.js";
import { readRequest } from "./read-request.js";

export const DECIDE_USAGE = `keyward decide --policies DIR|BUNDLE ${POLICY_USAGE} [--public-key FILE] [--input FILE] [--error-body --docs-url HOST --request-id ID]`;

export async function decide(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const given = readArguments(
    args,
    {
      ...POLICY_OPTIONS,
      policies: { type: "string" },
      "public-key": { type: "string" },
      input: { type: "string" },
      "error-body": { type: "boolean" },
      "docs-url": { type: "string" },
      "request-id": { type: "string" },
    },
    0,
  );
  const { texts, switches } = given;
  const directory = texts.get("policies");
  if (directory === undefined) throw new UsageError(`usage: ${DECIDE_USAGE}`);
  const answer = answerer(switches.has("error-body"), texts.get("docs-url"), texts.get("request-id"));
  const set = await loadSet(directory, given, streams);
  if (set === undefined) return EXIT.policies;
  const permissionOnly = set.platform === undefined;
  let code: ExitCode = EXIT.ok;
  // On a screen that shows the decisions, these are the progress.
  const progress = streams.outIsTerminal === true ? undefined : new Progress(streams);
  let count = 0;
  for await (const json of readJsonValues(readInput(texts.get("input"), streams))) {
    const request = readRequest(json, { permissionOnly });
    if (!request.ok) code = EXIT.usage;
    streams.out(`${jsonText(request.ok ? answer(set, request.request) : request.invalid)}\n`);
    count += 1;
    progress?.show(() => `${count} requests`);
  }
  progress?.clear();
  return code;
}

type Answer = (policies: PolicySet, request: PermissionRequest) => unknown;

/** What to print for a request: its decision, or under `--error-body` what the refused caller would get. */
function answerer(asErrorBody: boolean, docsUrl: string | undefined, requestId: string | undefined): Answer {
  if (!asErrorBody) {
    if (docsUrl !== undefined || requestId !== undefined) {
      throw new UsageError("--docs-url and --request-id go with --error-body");
    }
    return decideAny;
  }
  if (docsUrl === undefined || requestId === undefined) {
    throw new UsageError("--error-body needs --docs-url and --request-id");
  }
  const options = { docsUrl, requestId };
  try {
    errorBody({ outcome: "forbidden" }, options);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  return (policies, request) => {
    const decision = decideAny(policies, request);
    return errorBody(decision, options) ?? decision;
  };
}
