/** Whether the service can serve requests now: the store, the decider and the decision log all work. */

import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "../observability/logger.js";
import type { ServingOptions } from "./serving.js";

export interface ReadinessOptions extends Pick<ServingOptions, "store" | "decider" | "decisionLog" | "policies"> {
  readonly logger: Logger;
  /** True if the service accepts requests; false once it is shutting down. */
  readonly isOpen: () => boolean;
  /** The longest wait for the parts to answer, in milliseconds. */
  readonly readinessTimeoutMs: number;
}

export class Readiness {
  private readonly options: ReadinessOptions;
  /** The check in progress. A part that hangs is asked once, not once for each probe. */
  private checking: Promise<unknown> | undefined;

  constructor(options: ReadinessOptions) {
    this.options = options;
  }

  /** The answer to a probe: 200 or 503, in JSON. */
  async answer(): Promise<{ readonly text: string; readonly status: number }> {
    const { isOpen, decider, policies, logger } = this.options;
    // After a refused reload, the service stays ready with the set in force; `refused` asks operators to look.
    const pdp = decider.agreement?.();
    const inForce = { hash: policies.current.hash, refused: policies.refused, ...(pdp && { pdp }) };
    const answer = (status: string, code: number) => ({
      text: JSON.stringify({ status, policies: inForce }),
      status: code,
    });
    if (!isOpen()) return answer("shutting down", 503);
    try {
      await this.checkInTime();
      return answer("ready", 200);
    } catch (error) {
      logger.warn({ err: error }, "not ready");
      return answer("not ready", 503);
    }
  }

  private async checkInTime(): Promise<void> {
    const { readinessTimeoutMs } = this.options;
    const stop = new AbortController();
    const late = wait(readinessTimeoutMs, undefined, { signal: stop.signal, ref: false }).then(() => {
      throw new Error(`no answer within ${readinessTimeoutMs} ms`);
    });
    try {
      await Promise.race([this.check(), late]);
    } finally {
      // Then `late` rejects, too, and nothing waits for it any more.
      late.catch(() => {});
      stop.abort();
    }
  }

  private check(): Promise<unknown> {
    const { store, decider, decisionLog } = this.options;
    this.checking ??= Promise.all([store.ping(), decider.ping(), decisionLog.ping()]).finally(() => {
      this.checking = undefined;
    });
    return this.checking;
  }
}
