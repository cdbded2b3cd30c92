/** The program of the worker thread that compares two policy sets. It sends one message: the {@link Widenings}. */

import { parentPort, workerData } from "node:worker_threads";
import { type SetsToCompare, widenings } from "./widenings.js";

const sets: SetsToCompare = workerData;
parentPort?.postMessage(widenings(sets));
