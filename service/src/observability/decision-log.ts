/** Decision records: one JSON line each, to standard output or a file, written before the response is sent. */

import type { DecisionRecord } from "keyward/http";
import { destination as openDestination } from "pino";

export interface DecisionLog {
  write(record: DecisionRecord): void;
  /** Opens the file again, after somebody has moved it away. */
  reopen(): void;
  close(): void;
}

/** `stdout`, or the path of a file that lines are appended to. Throws if it cannot be opened. */
export function openDecisionLog(target: string): DecisionLog {
  const destination =
    target === "stdout"
      ? openDestination({ dest: 1, sync: true })
      : openDestination({ dest: target, sync: true, append: true, mkdir: true });
  return {
    write: (record) => {
      destination.write(`${JSON.stringify({ time: new Date().toISOString(), ...record })}\n`);
    },
    reopen: () => {
      if (target !== "stdout") destination.reopen();
    },
    close: () => {
      destination.flushSync();
      if (target !== "stdout") destination.end();
    },
  };
}
