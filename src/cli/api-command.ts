/** The commands that answer requests of the Cerbos API as the server's HTTP API does. */

import type { DescMessage } from "@bufbuild/protobuf";
import * as E from "fp-ts/lib/Either.js";
import { timestampAt } from "../cel/time.js";
import type { Timestamp } from "../cel/values.js";
import { API_CODE, type ApiMethod, type ApiRefusal, apiAnswer } from "../cerbos/json-api.js";
import { jsonText } from "../policy/escape.js";
import { type Arguments, policiesOf, readArguments } from "./arguments.js";
import { EXIT, type ExitCode, type Streams } from "./exit.js";
import { type JsonFault, readJsonValues } from "./json-values.js";
import { readTokenOf } from "./key-sets-option.js";
import { engineOptionsOf, loadEngine } from "./load-engine.js";
import { readNow } from "./now-option.js";
import { intoFile } from "./output-file.js";
import { readInput } from "./read-input.js";
import type { Usage } from "./usage.js";

export function apiCommand<D extends DescMessage>(
  usage: Usage,
  method: ApiMethod<D>,
  args: readonly string[],
  streams: Streams,
): Promise<ExitCode> {
  return intoFile(readArguments(args, usage, 1), streams, (given, to) => answered(method, given, to));
}

async function answered<D extends DescMessage>(
  method: ApiMethod<D>,
  given: Arguments,
  streams: Streams,
): Promise<ExitCode> {
  const { texts, switches } = given;
  const directory = policiesOf(given);
  const now = clock(texts.get("now"));
  const readToken = await readTokenOf(given);
  const loaded = await loadEngine(directory, given, {
    ...engineOptionsOf(given),
    failClosed: switches.has("fail-closed"),
  });
  if (E.isLeft(loaded)) {
    for (const line of loaded.left) streams.err(`${line}\n`);
    return EXIT.policies;
  }
  let code: ExitCode = EXIT.ok;
  for await (const json of readJsonValues(readInput(texts.get("input"), streams))) {
    const call = { now: now(), callId: "", readToken };
    const answer = json.ok ? await apiAnswer(method, json.value, loaded.right, call) : E.left(refusalOf(json));
    if (E.isLeft(answer)) code = EXIT.usage;
    streams.out(`${jsonText(E.isLeft(answer) ? { ...answer.left, details: [] } : answer.right)}\n`);
    await streams.drained?.();
  }
  return code;
}

/** The clock, read once for each request: the system's, or a constant. */
function clock(text: string | undefined): () => Timestamp {
  if (text === undefined) {
    return () => timestampAt(Date.now());
  }
  const time = readNow(text);
  return () => time;
}

function refusalOf({ path, message }: JsonFault): ApiRefusal {
  return { code: API_CODE.invalidArgument, message: path === "" ? message : `${path}: ${message}` };
}
