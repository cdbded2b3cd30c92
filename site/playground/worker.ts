/** Computes findings and explanations in a worker, so that typing does not wait for them. */

import { Evaluator, type State } from "./evaluation.js";

const evaluator = new Evaluator();

addEventListener("message", ({ data }: MessageEvent<State>) => postMessage(evaluator.account(data)));
