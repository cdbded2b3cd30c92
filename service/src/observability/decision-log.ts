/** Decision records: one JSON line each, to standard output or a file, written before the response is sent. */

import type { DecisionRecord } from "keyward/http";
import { fileOutput, type LineOutputOptions, standardOutput } from "./line-output.js";

export interface ServiceRecord extends DecisionRecord {
  readonly keyRoles: readonly string[];
  /** The policy that decided in each layer; `""` where none did. */
  readonly permissionPolicy: string;
  readonly platformPolicy: string;
  /** What a change would have passed on that its maker may not do; then the verdict is that of the maker on it. */
  readonly exceeding?: { readonly operation: string; readonly kind: string; readonly id: string };
}

export interface DecisionLog {
  /** Resolves once the record is written; rejects with `NotWritten`, and then the decision must not take effect. */
  write(record: ServiceRecord): Promise<void>;
  /** Rejects if no record can be written at present. */
  ping(): Promise<void>;
  /** Opens the file again, after somebody has moved it away. */
  reopen(): void;
  close(): Promise<void>;
}

const DEFAULTS: LineOutputOptions = { timeoutMs: 1_000, limit: 4_194_304 };

/** `stdout`, or the path of a file that lines are appended to. Throws if it cannot be opened. */
export function openDecisionLog(target: string, options: Partial<LineOutputOptions> = {}): DecisionLog {
  const given = { ...DEFAULTS, ...options };
  const output = target === "stdout" ? standardOutput(given) : fileOutput(target, given);
  return {
    write: (record) => output.write(textOf(record)),
    ping: () => output.ping(),
    reopen: () => output.reopen(),
    close: () => output.close(),
  };
}

/** A record as JSON, with the time before all else. It is put in as text: to copy all fields takes longer than the rest. */
export function textOf(record: ServiceRecord): string {
  return `{"time":"${new Date().toISOString()}",${JSON.stringify(record).slice(1)}`;
}
