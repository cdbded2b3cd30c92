/** What every command ends with. */
export const EXIT = {
  ok: 0,
  unexpected: 1,
  /** Bad usage or input. */
  usage: 2,
  /** Policies are invalid. */
  policies: 3,
  /** A check found failures. */
  failures: 4,
  /** Something was neither proved nor refuted. */
  unproven: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What a command reads from and writes to. */
export interface Streams {
  readonly stdin: AsyncIterable<string | Uint8Array>;
  out(text: string): void;
  err(text: string): void;
  /** Whether somebody watches: then there may be progress, and a screen to clear. Default: nobody does. */
  readonly outIsTerminal?: boolean;
  readonly errIsTerminal?: boolean;
  /** Ends a command that would go on for ever (`--watch`). */
  readonly signal?: AbortSignal;
  /** Whether what is written to `out` may have colours. Default: it may not. */
  readonly colors?: boolean;
  /** What relative paths and the git repository are looked up from. Default: the process's directory. */
  readonly cwd?: string;
}

/** Bad usage: the message is for the person at the terminal. */
export class UsageError extends Error {}

/** What a caught value says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
