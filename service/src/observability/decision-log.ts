/** Decision records: one JSON line each, to standard output or a file, written before the response is sent. */

import type { DecisionRecord, ReadsOptions } from "keyward/http";
import { fileOutput, type LineOutputOptions, standardOutput } from "./line-output.js";

export interface ServiceRecord extends DecisionRecord {
  readonly keyRoles: readonly string[];
  /** The policy that decided in each layer; `""` if no policy did. */
  readonly permissionPolicy: string;
  readonly platformPolicy: string;
  /**
   * The power that a change would have passed on although its maker lacks it. Then the permission verdict is about that
   * power.
   */
  readonly exceeding?: { readonly operation: string; readonly kind: string; readonly id: string };
  /**
   * The request repeats an earlier one by its `Idempotency-Key`, and gets the earlier answer. The caller still has the
   * permission; the platform's verdict is that of today, and does not count.
   */
  readonly repeated?: true;
  /** The caller's address. */
  readonly address?: string;
}

/** The options of records that can be replayed. */
export type RecordReads = Pick<ReadsOptions, "record" | "mask" | "salt">;

export interface DecisionLog {
  /** Resolves once the record is written. Rejects with `NotWritten`; then the decision must not take effect. */
  write(record: ServiceRecord): Promise<void>;
  /** Rejects if records cannot be written at present. */
  ping(): Promise<void>;
  /** Opens the file again, after it was moved away (log rotation). */
  reopen(): void;
  close(): Promise<void>;
}

const DEFAULTS: LineOutputOptions = { timeoutMs: 1_000, limit: 4_194_304 };

/** Opens `stdout`, or a file that lines are appended to. Throws if the file cannot be opened. */
export function openDecisionLog(target: string, options: Partial<LineOutputOptions> = {}): DecisionLog {
  const given = { ...DEFAULTS, ...options };
  const output = target === "stdout" ? standardOutput(given) : fileOutput(target, given);
  return {
    write: (record) => output.write(logLineOf(record)),
    ping: () => output.ping(),
    reopen: () => output.reopen(),
    close: () => output.close(),
  };
}

/** A record as JSON, with the time first. The time is spliced in as text, since copying all fields would be slower. */
export function logLineOf(record: ServiceRecord): string {
  return `{"time":"${new Date().toISOString()}",${JSON.stringify(record).slice(1)}`;
}
