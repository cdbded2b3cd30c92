/** `keyward decide`: decides requests from a file or standard input. */

import { decideAny } from "../decisions/decide.js";
import { decideAnyChain } from "../decisions/decide-chain.js";
import { errorBody } from "../decisions/error-body.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { Decision, PermissionRequest } from "../decisions/types.js";
import { jsonText, printable } from "../policy/escape.js";
import { type Arguments, policiesOf, readArguments } from "./arguments.js";
import { EXIT, type ExitCode, messageOf, type Streams, UsageError } from "./exit.js";
import { readJsonValues } from "./json-values.js";
import { loadSet } from "./load-set.js";
import { intoFile, OUTPUT_OPTION } from "./output-file.js";
import { SET_OPTIONS, SET_USAGE } from "./policy-options.js";
import { Progress } from "./progress.js";
import { INPUT_OPTION, readInput } from "./read-input.js";
import { readParents } from "./read-keys.js";
import { readRequest } from "./read-request.js";
import type { Usage } from "./usage.js";

export const DECIDE: Usage = {
  name: "decide",
  takes: [SET_USAGE],
  does: "Decides requests (JSON, or JSON lines) from FILE or standard input; prints one JSON decision a line.",
  options: {
    ...SET_OPTIONS,
    input: INPUT_OPTION,
    parent: {
      value: "FILE",
      multiple: true,
      does: "decide for a chain: the request's key, then the key (JSON) in each FILE, from its parent to its last ancestor",
    },
    output: OUTPUT_OPTION,
    "error-body": {
      does: "for a refusal, print the error body that the API's caller gets; for a fault, an error on stderr (exit code 2)",
    },
    "docs-url": { value: "HOST", does: "with --error-body: the host of the pages about errors" },
    "request-id": { value: "ID", does: "with --error-body: the id of the request" },
  },
};

export function decide(args: readonly string[], streams: Streams): Promise<ExitCode> {
  return intoFile(readArguments(args, DECIDE, 1), streams, decided);
}

async function decided(given: Arguments, streams: Streams): Promise<ExitCode> {
  const { texts, lists, switches } = given;
  const directory = policiesOf(given);
  const parents = await readParents(lists.get("parent") ?? [], streams);
  const answer = answerer(
    decidingFor(parents),
    switches.has("error-body"),
    texts.get("docs-url"),
    texts.get("request-id"),
  );
  const set = await loadSet(directory, given, streams);
  if (set === undefined) return EXIT.policies;
  const permissionOnly = set.platform === undefined;
  let code: ExitCode = EXIT.ok;
  // If the decisions appear on a terminal, no other progress is needed.
  const progress = streams.outIsTerminal === true ? undefined : new Progress(streams);
  let count = 0;
  for await (const json of readJsonValues(readInput(texts.get("input"), streams))) {
    const request = readRequest(json, { permissionOnly });
    if (!request.ok) code = EXIT.usage;
    const answered = request.ok ? answer(set, request.request) : { json: request.invalid };
    if ("fault" in answered) {
      streams.err(`keyward: request ${count + 1}: the decision has a fault: ${answered.fault}\n`);
      code = EXIT.usage;
    } else streams.out(`${jsonText(answered.json)}\n`);
    await streams.drained?.();
    count += 1;
    progress?.show(() => `${count} requests`);
  }
  progress?.clear();
  return code;
}

/** What is printed for a request, or the fault that a caller does not get as a refusal. */
type Answer = { readonly json: unknown } | { readonly fault: string };

type AnswerRequest = (policies: PolicySet, request: PermissionRequest) => Answer;

type DecideOn = (policies: PolicySet, request: PermissionRequest) => Decision;

/** Decides for the key of a request, below these ancestors. */
function decidingFor(parents: readonly PermissionRequest["key"][]): DecideOn {
  if (parents.length === 0) return decideAny;
  return (policies, request) => decideAnyChain(policies, [request.key, ...parents], request);
}

/** Answers a request with its decision, or under `--error-body` with the body that a refused caller would get. */
function answerer(
  decideOn: DecideOn,
  asErrorBody: boolean,
  docsUrl: string | undefined,
  requestId: string | undefined,
): AnswerRequest {
  if (!asErrorBody) {
    if (docsUrl !== undefined || requestId !== undefined) {
      throw new UsageError("--docs-url and --request-id go with --error-body");
    }
    return (policies, request) => ({ json: decideOn(policies, request) });
  }
  if (docsUrl === undefined || requestId === undefined) {
    throw new UsageError("--error-body needs --docs-url and --request-id");
  }
  const options = { docsUrl, requestId };
  try {
    errorBody({ outcome: "forbidden" }, options);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
  return (policies, request) => {
    const decision = decideOn(policies, request);
    const { fault } = decision;
    // A fault is no refusal: the API's caller gets 500, never this envelope.
    if (fault !== undefined) return { fault: `${fault.kind}: ${printable(fault.message)}` };
    return { json: errorBody(decision, options) ?? decision };
  };
}
