/** A decision point: policies kept up to date, behind an HTTP server with AuthZEN and Cerbos's API. */

import { type AuthzenOptions, authzenHandler } from "../authzen/handler.js";
import type { AuthzenDecision } from "../authzen/recorded.js";
import { isList, isObject, type JsonObject } from "../cel/json.js";
import type { ReadToken } from "../cerbos/json-api.js";
import { policySetHash } from "../decisions/policy-set-hash.js";
import type { CheckEngineOptions } from "../engine/evaluate/check-engine.js";
import { decisionRecord } from "../http/decision-record.js";
import type { LoadOptions } from "../node/load.js";
import type { PolicyIssue } from "../policy/issue.js";
import { issueLine } from "../policy/issue-line.js";
import type { LiveEvent } from "../watch/live-policies.js";
import { cerbosEndpoints } from "./cerbos-endpoints.js";
import { DecisionLog } from "./decision-log.js";
import { type RunningServer, runServer } from "./http-server.js";
import type { ListenAddress } from "./listen-address.js";
import type { ServiceMetrics } from "./metrics.js";
import { observerOf } from "./observer.js";
import { PointConfigurationError, type PointFiles, readPointFiles } from "./read-files.js";
import { ServedPolicies } from "./served-policies.js";
import { authenticatorOf, serviceListener } from "./service.js";
import type { Telemetry } from "./telemetry.js";
import { readTls, type TlsPaths, watchTls } from "./tls.js";

/** Writes a line to the log of the process. `fields` are its data. */
export type WriteLog = (level: "info" | "warning" | "error", event: string, fields?: object) => void;

export interface DecisionPointOptions {
  readonly directory: string;
  readonly load: LoadOptions;
  readonly engine: CheckEngineOptions;
  readonly files: PointFiles;
  readonly address: ListenAddress;
  readonly tls: TlsPaths | undefined;
  readonly behindProxy: boolean;
  readonly baseUrl: string | undefined;
  /** Reads tokens in `auxData` if there is no file of key sets. Undefined: they are refused. */
  readonly readToken: ReadToken | undefined;
  /** The file for decision records. */
  readonly decisions: string | undefined;
  readonly tokenSecret: Uint8Array;
  readonly metrics: ServiceMetrics | undefined;
  readonly telemetry: Telemetry | undefined;
  readonly version: string;
  readonly log: WriteLog;
}

export interface RunningDecisionPoint {
  readonly address: ListenAddress;
  /** Reads the policies and the other files again. Faulty files are logged; those in force stay. */
  reload(): Promise<void>;
  end(): Promise<void>;
}

/**
 * Starts a decision point. The issues, if the policies do not load. Rejects with a {@link PointConfigurationError} for
 * other files and options that are faulty.
 */
export async function startDecisionPoint(
  options: DecisionPointOptions,
): Promise<RunningDecisionPoint | readonly PolicyIssue[]> {
  const { log, metrics, telemetry } = options;
  const observer = observerOf([metrics, telemetry].filter((each) => each !== undefined));
  const onEvent = (event: LiveEvent) => {
    observer?.reloaded(event.kind);
    if (event.kind === "taken") observer?.inForce(event.hash);
    log(event.kind === "taken" ? "info" : "warning", `policies ${event.kind}`, eventFields(event));
  };
  const policies = await ServedPolicies.load(options.directory, { ...options.load, onEvent }, options.engine);
  if (!(policies instanceof ServedPolicies)) return policies;
  observer?.inForce(policies.live.current.hash);
  const onError = (error: unknown) => log("error", "error", { message: messageOf(error) });
  const records = options.decisions === undefined ? undefined : await opened(options.decisions, onError);
  let inputs = await readPointFiles(options.files);
  const callerOf = () => inputs.callerOf;
  const newHandler = () =>
    handlerOf({
      policies: () => policies.set,
      mapping: inputs.mapping,
      data: inputs.data,
      ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
      authenticate: authenticatorOf(callerOf),
      tokenSecret: options.tokenSecret,
      onError,
      onDecision: (decided) => {
        observer?.decided("authzen", decided.decision.outcome);
        if (records !== undefined) void recordDecision(records, decided);
      },
    });
  let authzen = newHandler();
  const cerbos = cerbosEndpoints({
    engine: () => policies.engine,
    readToken: () => inputs.readToken ?? options.readToken,
    onChecked:
      observer === undefined && records === undefined
        ? undefined
        : (request, response) => {
            for (const record of checkRecords(request, response, policies.live.current.hash)) {
              for (const effect of Object.values(record.actions)) observer?.decided("cerbos", String(effect));
              records?.write(record);
            }
          },
  });
  const listener = serviceListener({
    cerbos,
    authzen: () => authzen,
    callerOf,
    metrics,
    observer,
    behindProxy: options.behindProxy,
    version: options.version,
    onError,
  });
  const { tls } = options;
  const server: RunningServer = await runServer(options.address, tls && (await readTls(tls)), listener);
  const reloadTls = async (paths: TlsPaths) => {
    try {
      server.replaceTls(await readTls(paths));
      log("info", "certificate taken");
    } catch (error) {
      log("warning", "certificate refused", { message: messageOf(error) });
    }
  };
  const unwatch = tls && watchTls(tls, () => void reloadTls(tls));
  const stop = policies.live.watch();
  return {
    address: server.address,
    async reload() {
      await policies.live.reload();
      if (tls !== undefined) await reloadTls(tls);
      const before = inputs;
      try {
        inputs = await readPointFiles(options.files);
        authzen = newHandler();
        log("info", "files taken");
      } catch (error) {
        inputs = before;
        log("warning", "files refused", { message: messageOf(error) });
      }
    },
    async end() {
      unwatch?.();
      await stop();
      await server.end();
      await records?.end();
    },
  };
}

/** The handler. Its errors are those of the configuration. */
function handlerOf(options: AuthzenOptions): (request: Request) => Promise<Response> {
  try {
    return authzenHandler(options);
  } catch (error) {
    throw new PointConfigurationError(messageOf(error));
  }
}

async function opened(file: string, onError: (error: unknown) => void): Promise<DecisionLog> {
  try {
    return await DecisionLog.open(file, onError);
  } catch (error) {
    throw new PointConfigurationError(`cannot write ${file}: ${messageOf(error)}`);
  }
}

async function recordDecision(records: DecisionLog, decided: AuthzenDecision): Promise<void> {
  const hash = await policySetHash(decided.policies);
  const { requestId = "" } = decided;
  records.write({ api: "authzen", ...decisionRecord({ ...decided, requestId, policySetHash: hash }) });
}

interface CheckRecord extends JsonObject {
  readonly actions: JsonObject;
}

/** A record for each resource of a call of CheckResources. It has no attributes, as other decision records. */
function checkRecords(request: JsonObject, response: JsonObject, hash: string): readonly CheckRecord[] {
  const { requestId = "", principal } = request;
  const { cerbosCallId = "", results } = response;
  const keyId = isObject(principal) ? (principal.id ?? "") : "";
  return (isList(results) ? results : []).flatMap((result) => {
    if (!isObject(result) || !isObject(result.actions)) return [];
    const { id = "", kind = "" } = isObject(result.resource) ? result.resource : {};
    return {
      api: "cerbos",
      requestId,
      callId: cerbosCallId,
      keyId,
      resourceKind: kind,
      resourceId: id,
      actions: result.actions,
      policySetHash: hash,
    };
  });
}

function eventFields(event: LiveEvent): object {
  if (event.kind === "taken") return { hash: event.hash, before: event.before };
  if (event.kind === "held") return { hash: event.held.hash, inForce: event.inForce };
  return { inForce: event.inForce, issues: event.issues.map((issue) => issueLine(issue)) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
