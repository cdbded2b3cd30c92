/** Removes the answers of repeated requests once they expire. */

import type { Logger } from "../observability/logger.js";
import { REMOVE_EXPIRED_ANSWERS } from "./answers.js";
import type { RequestStore } from "./store.js";

/** In milliseconds. An expired answer is given to nobody, so it may stay for this long. */
const INTERVAL = 600_000;

/** Removes expired answers now and then; returns the function that stops it. Each replica does so: a second one finds none. */
export function removeExpiredAnswers(
  store: Pick<RequestStore, "run">,
  logger: Pick<Logger, "warn">,
  intervalMs = INTERVAL,
): () => void {
  const timer = setInterval(() => {
    store.run(REMOVE_EXPIRED_ANSWERS, []).catch((error: unknown) => {
      logger.warn({ err: error }, "expired answers were not removed: they stay until the next time");
    });
  }, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
