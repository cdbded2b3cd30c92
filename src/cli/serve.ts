/** `keyward serve DIR`: a decision point with AuthZEN and Cerbos's HTTP API. */

import { randomBytes } from "node:crypto";
import { VERSION } from "../bundle/version.js";
import { type DecisionPointOptions, startDecisionPoint, type WriteLog } from "../serve/decision-point.js";
import { hostAndPort, isLoopback, type ListenAddress, listenAddress } from "../serve/listen-address.js";
import { PointConfigurationError } from "../serve/read-files.js";
import type { Telemetry } from "../serve/telemetry.js";
import { isTelemetryConfigured } from "../serve/telemetry-sdk.js";
import type { TlsPaths } from "../serve/tls.js";
import {
  isLaterWorker,
  isWorker,
  leaveWorkers,
  metricsOfAllWorkers,
  runWorkers,
  SECRET_VARIABLE,
  signalWorkers,
  workerEnded,
} from "../serve/workers.js";
import { type Arguments, countOf, policiesOf, readArguments } from "./arguments.js";
import { existingDirectory, pathFrom } from "./directory.js";
import { EXIT, type ExitCode, type Streams, UsageError } from "./exit.js";
import { issueLine } from "./issues.js";
import { decodedToken, keySetsFile } from "./key-sets-option.js";
import { loadOptionalPackages } from "./optional-packages.js";
import { loadOptionsOf } from "./policy-options.js";
import { expectSeparateFiles } from "./separate-files.js";
import { SERVE } from "./serve-usage.js";

/** More processes than machines have cores. All of them would start at once. */
const MAX_WORKERS = 1_024;

export async function serveCommand(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const given = readArguments(args, SERVE, 1);
  expectSeparateFiles(given, streams);
  const count = countOf("workers", given.texts.get("workers"), 1) ?? 1;
  if (count > MAX_WORKERS) throw new UsageError(`--workers must be at most ${MAX_WORKERS}`);
  const log = logTo(streams);
  const tokenSecret = secretOf(process.env[SECRET_VARIABLE]);
  if (count > 1 && !isWorker()) return await manyWorkers(given, count, tokenSecret, streams, log);
  const options = await optionsOf(given, tokenSecret, log, streams);
  const point = await startDecisionPoint(options).catch((error: unknown) => {
    throw error instanceof PointConfigurationError ? new UsageError(error.message) : error;
  });
  if (!("end" in point)) {
    for (const issue of point) streams.err(`${issueLine(issue, options.directory)}\n`);
    return EXIT.policies;
  }
  const ended = endOf(streams, isWorker() ? [workerEnded()] : []);
  const reload = () => void point.reload();
  process.on("SIGHUP", reload);
  const scheme = options.tls === undefined ? "http" : "https";
  if (!isLaterWorker()) streams.out(`keyward serve: ${scheme}://${hostAndPort(point.address)}\n`);
  log("info", "started", { address: hostAndPort(point.address), pid: process.pid });
  await ended;
  process.off("SIGHUP", reload);
  await point.end();
  await options.telemetry?.end();
  log("info", "ended", { pid: process.pid });
  if (isWorker()) leaveWorkers();
  return EXIT.ok;
}

async function manyWorkers(
  given: Arguments,
  count: number,
  tokenSecret: Uint8Array,
  streams: Streams,
  log: WriteLog,
): Promise<ExitCode> {
  const reload = () => signalWorkers("SIGHUP");
  process.on("SIGHUP", reload);
  const metrics = given.switches.has("metrics") ? await clusterMetrics() : undefined;
  const secret = Buffer.from(tokenSecret).toString("base64");
  const code = await runWorkers({ count, tokenSecret: secret, metrics, ended: endOf(streams, []), log });
  process.off("SIGHUP", reload);
  return Object.values(EXIT).find((known) => known === code) ?? EXIT.unexpected;
}

/** Resolves when the command is to end: by a signal, or as `others` say. */
async function endOf({ signal }: Streams, others: readonly Promise<void>[]): Promise<void> {
  let end = () => {};
  const signalled = new Promise<void>((resolve) => {
    end = resolve;
  });
  process.on("SIGTERM", end).on("SIGINT", end);
  signal?.addEventListener("abort", end, { once: true });
  await Promise.race([signalled, ...others]);
  // A second signal kills the process: the first one may have been ignored by a caller that holds its connection.
  process.off("SIGTERM", end).off("SIGINT", end);
}

async function optionsOf(
  given: Arguments,
  tokenSecret: Uint8Array,
  log: WriteLog,
  { cwd }: Streams,
): Promise<DecisionPointOptions> {
  const { texts, switches } = given;
  const directory = pathFrom(cwd, policiesOf(given));
  const file = (option: string) => {
    const path = texts.get(option);
    return path === undefined ? undefined : pathFrom(cwd, path);
  };
  const keySets = await keySetsFile(given);
  const tls = tlsOf(file("tls-cert"), file("tls-key"));
  return {
    directory: await existingDirectory(directory),
    load: loadOptionsOf(given),
    engine: {},
    files: {
      mapping: file("config"),
      data: file("data"),
      tokens: file("tokens"),
      keySets: keySets && pathFrom(cwd, keySets),
    },
    address: addressOf(texts.get("listen") ?? "127.0.0.1:3592", tls !== undefined || switches.has("behind-proxy")),
    tls,
    behindProxy: switches.has("behind-proxy"),
    baseUrl: texts.get("base-url"),
    readToken: switches.has("insecure-jwt") ? decodedToken : undefined,
    decisions: file("decisions"),
    tokenSecret,
    metrics: switches.has("metrics") ? await ownMetrics() : undefined,
    telemetry: await ownTelemetry(),
    version: VERSION,
    log,
  };
}

function addressOf(text: string, isAnywhere: boolean): ListenAddress {
  const address = listenAddress(text);
  if (address === undefined) throw new UsageError("--listen must be HOST:PORT, such as 127.0.0.1:3592");
  if (!isAnywhere && !isLoopback(address.host)) {
    throw new UsageError(
      "--listen must be a loopback address without --tls-cert and --tls-key: http would carry tokens and decisions in the clear (or give --behind-proxy)",
    );
  }
  return address;
}

function tlsOf(cert: string | undefined, key: string | undefined): TlsPaths | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new UsageError("--tls-cert and --tls-key go together");
  return { cert, key };
}

const SECRET_BYTES = 32;

/** The signing key of page tokens: of the environment, or random. */
function secretOf(text: string | undefined): Uint8Array {
  if (text === undefined || text === "") return randomBytes(SECRET_BYTES);
  const bytes = Buffer.from(text, "base64");
  if (bytes.length < SECRET_BYTES)
    throw new UsageError(`${SECRET_VARIABLE} must be ${SECRET_BYTES} bytes or more, in base64`);
  return bytes;
}

const METRICS_PACKAGE = "prom-client@15.1.3";

async function ownMetrics() {
  const { ServiceMetrics } = await loadOptionalPackages(METRICS_PACKAGE, () => import("../serve/metrics.js"));
  return new ServiceMetrics(isWorker() ? metricsOfAllWorkers : undefined);
}

const TELEMETRY_PACKAGES = "@opentelemetry/api@1.9.1 @opentelemetry/sdk-node@0.219.0";

/** Traces and metrics for OpenTelemetry, if the environment asks for them. */
async function ownTelemetry(): Promise<Telemetry | undefined> {
  if (!isTelemetryConfigured(process.env)) return undefined;
  return await loadOptionalPackages(TELEMETRY_PACKAGES, async () => {
    const { startTelemetry } = await import("../serve/telemetry.js");
    return await startTelemetry(VERSION);
  });
}

async function clusterMetrics(): Promise<() => Promise<string>> {
  const { AggregatorRegistry } = await loadOptionalPackages(METRICS_PACKAGE, () => import("prom-client"));
  const registry = new AggregatorRegistry();
  return () => registry.clusterMetrics();
}

/** A log of JSON lines. */
function logTo({ err }: Streams): WriteLog {
  return (level, event, fields = {}) => {
    err(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`);
  };
}
