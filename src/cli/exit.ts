/** Exit codes of all commands, and how commands end. */

import { printable } from "../policy/escape.js";

export const EXIT = {
  ok: 0,
  unexpected: 1,
  /** Bad usage or input. */
  usage: 2,
  /** Policies are invalid. */
  policies: 3,
  /** A check found failures. */
  failures: 4,
  /** A result is neither proved nor refuted. */
  unproven: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * Ends a command that found failures, could not prove everything, or was given no log: its last line says why. `reason` is
 * one line, such as `2 tests fail`.
 */
export function endedBy(
  command: string,
  code: typeof EXIT.usage | typeof EXIT.failures | typeof EXIT.unproven,
  reason: string,
  { err }: Pick<Streams, "err">,
): ExitCode {
  err(`${printable(`keyward ${command}: ${reason} (exit ${code})`)}\n`);
  return code;
}

/** The input and output of a command. */
export interface Streams {
  readonly stdin: AsyncIterable<string | Uint8Array>;
  out(text: string): void;
  err(text: string): void;
  /** Resolves when the reader of `out` has taken what was written. Commands with long outputs wait for it. */
  drained?(): Promise<void>;
  /** Whether a person is watching; then there may be progress, and the screen may be cleared. Default: false. */
  readonly outIsTerminal?: boolean;
  readonly errIsTerminal?: boolean;
  /** Ends a command that would otherwise run forever (`--watch`). */
  readonly signal?: AbortSignal;
  /** Whether the output to `out` may have colours. Default: false. */
  readonly colors?: boolean;
  /** The base of relative paths, and the directory of the git repository. Default: the process's directory. */
  readonly cwd?: string;
}

/** Bad usage. The message is for the person at the terminal. */
export class UsageError extends Error {}

/** The message of a caught value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
