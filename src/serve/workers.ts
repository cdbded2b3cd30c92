/** Several worker processes that share one address. The first process decides nothing: it starts and ends the others. */

import cluster, { type Worker } from "node:cluster";
import type { WriteLog } from "./decision-point.js";

/** Messages between the first process and its workers. */
const END = "keyward:end";
const METRICS = "keyward:metrics";

export interface WorkersOptions {
  readonly count: number;
  /** The signing key of page tokens, in base64. */
  readonly tokenSecret: string;
  /** The metrics of all workers. */
  readonly metrics: (() => Promise<string>) | undefined;
  /** Resolves when the workers are to end. */
  readonly ended: Promise<unknown>;
  readonly log: WriteLog;
}

/** The environment variable for the signing key of page tokens, in base64. */
export const SECRET_VARIABLE = "KEYWARD_TOKEN_SECRET";

/**
 * Runs workers until the end, and replaces those that die. Resolves with the exit code: that of a worker that could not
 * start, otherwise 0.
 */
export async function runWorkers({ count, tokenSecret, metrics, ended, log }: WorkersOptions): Promise<number> {
  // Workers accept connections themselves. If the first process hands them out, it gives a worker one a turn of its event
  // loop, and hundreds of new connections wait for seconds.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  let code = 0;
  let isEnding = false;
  let fail = () => {};
  const failed = new Promise<void>((resolve) => {
    fail = resolve;
  });

  const up = new Set<Worker>();
  void ended.then(() => {
    isEnding = true;
  });

  /** Resolves when the worker listens or has failed. */
  const start = (): Promise<void> =>
    new Promise((resolve) => {
      const worker = cluster.fork({ [SECRET_VARIABLE]: tokenSecret });
      worker.once("listening", () => {
        up.add(worker);
        resolve();
      });
      worker.on("message", (message: unknown) => {
        if (metrics !== undefined && isMessage(message, METRICS)) void answerMetrics(worker, metrics);
      });
      worker.once("exit", (status: number | null, signal: string | null) => {
        if (isEnding) return;
        if (up.delete(worker)) {
          log("error", "worker died", { status, signal });
          void start();
        } else {
          code = status ?? 1;
          fail();
          resolve();
        }
      });
    });

  // The first worker shows whether the others can start.
  await Promise.race([start(), ended]);
  if (code === 0 && !isEnding) {
    for (let i = 1; i < count; i++) void start();
    await Promise.race([ended, failed]);
  }
  isEnding = true;
  await Promise.all(
    workers().map((worker) => {
      const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
      // A worker that is starting does not read messages yet, and has no requests.
      if (up.has(worker)) tellEnd(worker);
      else worker.process.kill("SIGTERM");
      return exited;
    }),
  );
  return code;
}

/** Sends a signal to all workers. */
export function signalWorkers(signal: NodeJS.Signals): void {
  for (const worker of workers()) worker.process.kill(signal);
}

function workers(): readonly Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}

function tellEnd(worker: Worker): void {
  if (worker.isConnected()) worker.send({ type: END });
}

async function answerMetrics(worker: Worker, metrics: () => Promise<string>): Promise<void> {
  const text = await metrics().catch(() => "");
  if (worker.isConnected()) worker.send({ type: METRICS, text });
}

function isMessage(message: unknown, type: string): message is { readonly type: string; readonly text?: unknown } {
  return typeof message === "object" && message !== null && "type" in message && message.type === type;
}

/** True in a worker. */
export function isWorker(): boolean {
  return cluster.isWorker;
}

/** True in a worker after the first one, which has told everything. */
export function isLaterWorker(): boolean {
  return cluster.worker !== undefined && cluster.worker.id > 1;
}

/** Resolves when the first process ends this worker, or is gone. */
export function workerEnded(): Promise<void> {
  return new Promise((resolve) => {
    process.once("disconnect", resolve);
    process.on("message", (message: unknown) => {
      if (isMessage(message, END)) resolve();
    });
  });
}

/** Lets a worker exit: the channel to the first process keeps it alive. */
export function leaveWorkers(): void {
  if (process.connected) process.disconnect();
}

/** The metrics of all workers, which a worker asks the first process for. */
export function metricsOfAllWorkers(): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error("no metrics came within 10 s")), 10_000);
    const take = (message: unknown) => {
      if (!isMessage(message, METRICS)) return;
      clearTimeout(late);
      process.off("message", take);
      resolve(String(message.text));
    };
    process.on("message", take);
    process.send?.({ type: METRICS });
  });
}
