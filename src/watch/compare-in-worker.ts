/** Compares two policy sets in a worker thread: a comparison can take seconds, and decisions must not wait for it. */

import { Worker } from "node:worker_threads";
import type { SetsToCompare, Widenings } from "./widenings.js";

/** `failed`: the comparison failed, so the newer set may allow anything. */
export type WorkerComparison =
  | { readonly kind: "compared"; readonly found: Widenings }
  | { readonly kind: "failed"; readonly why: string };

/** The program of the worker. In the package it is a built module beside this one. */
const PROGRAM = new URL("./widening-worker.js", import.meta.url);

/** Never rejects. `program`: for tests. */
export async function compareInWorker(sets: SetsToCompare, program: URL = PROGRAM): Promise<WorkerComparison> {
  try {
    return await answerOf(new Worker(program, { workerData: sets, execArgv: [] }));
  } catch (error) {
    // No thread may be started here, or an option cannot be sent to one.
    return failed(error);
  }
}

function answerOf(worker: Worker): Promise<WorkerComparison> {
  return new Promise((resolve) => {
    worker.once("message", (message: unknown) => {
      resolve(isWidenings(message) ? { kind: "compared", found: message } : failed("its answer cannot be read"));
    });
    worker.once("messageerror", (error) => resolve(failed(error)));
    worker.once("error", (error: unknown) => resolve(failed(error)));
    worker.once("exit", (code) => resolve(failed(`it ended with ${code} before it answered`)));
  });
}

function failed(error: unknown): WorkerComparison {
  const message = error instanceof Error ? error.message : String(error);
  return { kind: "failed", why: `the sets could not be compared in a worker thread: ${message}` };
}

function isWidenings(message: unknown): message is Widenings {
  return (
    typeof message === "object" &&
    message !== null &&
    "widenings" in message &&
    Array.isArray(message.widenings) &&
    "gaps" in message &&
    Array.isArray(message.gaps)
  );
}
