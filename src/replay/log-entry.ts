/**
 * Lines of logs. Decision records of this library are in `own-record.ts`.
 *
 * Lines of the Cerbos server's audit log (`audit.backend: file`), as NDJSON. Decision entries hold whole requests and
 * their answers. The shape is that of `cerbos.audit.v1.DecisionLogEntry` in 0.55; older servers wrote `inputs`, `outputs`
 * and `error` of checks at the top.
 */

import { isObject, type JsonObject } from "../cel/json.js";
import { parseTimestamp } from "../cel/time.js";
import { type RecordedDecision, type RecordFault, readOwnRecord } from "./own-record.js";

/** One resource of a recorded check, and the effects that the server answered. */
export interface RecordedCheck {
  readonly input: RecordedInput;
  /** `EFFECT_ALLOW` or another effect, by action. */
  readonly effects: ReadonlyMap<string, string>;
  /** The expressions that erred because a key was missing, with that key. */
  readonly missing: readonly MissingKey[];
  /** The input as it was recorded. */
  readonly request: JsonObject;
}

export interface MissingKey {
  readonly key: string;
  readonly expression: string;
}

export interface RecordedInput {
  readonly principal: RecordedPrincipal;
  readonly resource: RecordedResource;
  readonly actions: readonly string[];
  readonly jwt: JsonObject;
}

interface RecordedPart {
  readonly id: string;
  readonly attr: JsonObject;
  readonly policyVersion: string;
  readonly scope: string;
}

export interface RecordedPrincipal extends RecordedPart {
  readonly roles: readonly string[];
}

export interface RecordedResource extends RecordedPart {
  readonly kind: string;
}

/** A recorded query plan. */
export interface RecordedPlan {
  readonly principal: RecordedPrincipal;
  readonly resource: RecordedResource;
  readonly actions: readonly string[];
  readonly jwt: JsonObject;
  /** `filterDebug` of the answer: the filter as a text. */
  readonly filter: string;
  readonly request: JsonObject;
}

export type LogEntry = EntryHead & EntryBody;

/** The fields of every entry. */
export interface EntryHead {
  /** The id of the call or request: an access entry and a decision entry of one call have the same. */
  readonly id: string | undefined;
  /** In RFC 3339. Undefined: the entry has no time, or a text that is not one. */
  readonly time: string | undefined;
}

type EntryBody =
  | { readonly kind: "check"; readonly checks: readonly RecordedCheck[] }
  | { readonly kind: "plan"; readonly plan: RecordedPlan }
  | { readonly kind: "decision"; readonly decision: RecordedDecision }
  | { readonly kind: "skipped"; readonly reason: SkipReason };

/** The reason for decision records where the policies do not load as those of `decide`. */
export const NO_LAYERS = "decision record, and the policies have no layers";

/** Why a line is not replayed. */
export type SkipReason =
  | "torn line"
  | "line is too long"
  | "not UTF-8"
  | "not JSON"
  | "access entry of a decision"
  | "access entry"
  | "not a decision entry"
  | RecordFault
  | typeof NO_LAYERS
  | "the time is damaged"
  | "inputs left out as oversized"
  | "the server answered with an error"
  | "inputs or outputs are missing or masked";

/** Reads one line. Never throws. */
export function readEntry(text: string): LogEntry {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return { ...NO_HEAD, ...skipped("not JSON") };
  }
  if (!isObject(line)) return { ...NO_HEAD, ...skipped("not a decision entry") };
  const { callId, timestamp, requestId, time } = line;
  const own = readOwnRecord(line);
  if (own === undefined) return { id: textOf(callId), time: timeOf(timestamp), ...bodyOf(line) };
  const body: EntryBody = typeof own === "string" ? skipped(own) : { kind: "decision", decision: own };
  return { id: textOf(requestId), time: timeOf(time), ...body };
}

const NO_HEAD: EntryHead = { id: undefined, time: undefined };

/** The methods of the server's API that are decisions. */
const DECIDES = /\/(?:CheckResources|CheckResourceSet|CheckResourceBatch|PlanResources|ResourcesQueryPlan)$/;

function bodyOf(line: JsonObject): EntryBody {
  const { checkResources, planResources, inputs, method, timestamp } = line;
  if (line["log.kind"] === "access") {
    return skipped(DECIDES.test(textOf(method) ?? "") ? "access entry of a decision" : "access entry");
  }
  // Another time could change the answer.
  if (timestamp !== undefined && timeOf(timestamp) === undefined) return skipped("the time is damaged");
  if (line.oversized === true) return skipped("inputs left out as oversized");
  if (isObject(planResources)) return planOf(planResources);
  const checks = isObject(checkResources) ? checkResources : Array.isArray(inputs) ? line : undefined;
  return checks === undefined ? skipped("not a decision entry") : checksOf(checks);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function timeOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined || parseTimestamp(text) === undefined ? undefined : text;
}

function skipped(reason: SkipReason): Extract<EntryBody, { kind: "skipped" }> {
  return { kind: "skipped", reason };
}

const MASKED = "inputs or outputs are missing or masked";

function checksOf({ inputs, outputs, error }: JsonObject): EntryBody {
  if (hasText(error)) return skipped("the server answered with an error");
  if (!Array.isArray(inputs) || !Array.isArray(outputs) || inputs.length === 0 || inputs.length !== outputs.length) {
    return skipped(MASKED);
  }
  const checks: RecordedCheck[] = [];
  for (const [i, request] of inputs.entries()) {
    const input = inputOf(request);
    const effects = effectsOf(outputs[i]);
    if (!isObject(request) || input === undefined || effects === undefined) return skipped(MASKED);
    if (input.actions.some((action) => !effects.has(action))) return skipped(MASKED);
    checks.push({ input, effects, missing: missingIn(outputs[i]), request });
  }
  return { kind: "check", checks };
}

function inputOf(input: unknown): RecordedInput | undefined {
  if (!isObject(input)) return undefined;
  const principal = principalOf(input.principal);
  const resource = resourceOf(input.resource);
  const actions = textsOf(input.actions);
  return principal && resource && actions && { principal, resource, actions, jwt: jwtOf(input) };
}

function principalOf(part: unknown): RecordedPrincipal | undefined {
  if (!isObject(part)) return undefined;
  const roles = textsOf(part.roles);
  const read = partOf(part);
  return read && roles && { ...read, roles };
}

function resourceOf(part: unknown): RecordedResource | undefined {
  if (!isObject(part) || typeof part.kind !== "string") return undefined;
  const read = partOf(part);
  return read && { ...read, kind: part.kind };
}

/** The log leaves out empty fields. */
function partOf({ id = "", attr = {}, policyVersion = "", scope = "" }: JsonObject): RecordedPart | undefined {
  if (typeof id !== "string" || !isObject(attr)) return undefined;
  return typeof policyVersion === "string" && typeof scope === "string"
    ? { id, attr, policyVersion, scope }
    : undefined;
}

function jwtOf({ auxData }: JsonObject): JsonObject {
  const jwt = isObject(auxData) ? auxData.jwt : undefined;
  return isObject(jwt) ? jwt : {};
}

function effectsOf(output: unknown): ReadonlyMap<string, string> | undefined {
  if (!isObject(output) || !isObject(output.actions)) return undefined;
  const effects = new Map<string, string>();
  for (const [action, answer] of Object.entries(output.actions)) {
    if (!isObject(answer) || typeof answer.effect !== "string") return undefined;
    effects.set(action, answer.effect);
  }
  return effects;
}

const NO_SUCH_KEY = "no such key: ";

function missingIn(output: unknown): readonly MissingKey[] {
  const errors = isObject(output) ? output.evaluationErrors : undefined;
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((one) => {
    const error = isObject(one) ? one.celError : undefined;
    if (!isObject(error) || typeof error.message !== "string" || typeof error.expression !== "string") return [];
    const { message, expression } = error;
    return message.startsWith(NO_SUCH_KEY) ? [{ key: message.slice(NO_SUCH_KEY.length), expression }] : [];
  });
}

function planOf({ input, output, error }: JsonObject): EntryBody {
  if (hasText(error)) return skipped("the server answered with an error");
  if (!isObject(input) || !isObject(output)) return skipped(MASKED);
  const principal = principalOf(input.principal);
  const resource = resourceOf(input.resource);
  const actions = textsOf(input.actions) ?? (typeof input.action === "string" ? [input.action] : undefined);
  const { filterDebug: filter } = output;
  if (principal === undefined || resource === undefined || actions === undefined || typeof filter !== "string") {
    return skipped(MASKED);
  }
  return { kind: "plan", plan: { principal, resource, actions, jwt: jwtOf(input), filter, request: input } };
}

function textsOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const texts: string[] = [];
  for (const one of value) {
    if (typeof one !== "string") return undefined;
    texts.push(one);
  }
  return texts;
}

function hasText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
