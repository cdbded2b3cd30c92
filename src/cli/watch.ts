/** `--watch`: runs a command, and again after every change of a file. */

import { resolve } from "node:path";
import { watch } from "chokidar";
import { printable, printableLines } from "../policy/escape.js";
import { EXIT, type ExitCode, messageOf, type Streams } from "./exit.js";

/** Milliseconds without a change before the next run, since editors write a file in several steps. */
const QUIET = 100;

/** File types of policies and tests. */
const READ = /\.(ya?ml|json)$/i;

export interface WatchedCommand {
  /** Its name, for messages: `test`. */
  readonly command: string;
  readonly directories: readonly string[];
  /** A file that a run itself writes; its changes are ignored. */
  readonly written?: string | undefined;
  /** Runs once. `signal` is aborted when a file changes and when the watch ends: the result is then not needed. */
  readonly run: (signal: AbortSignal) => Promise<ExitCode>;
}

/** Runs until `streams.signal` is aborted, then returns the exit code of the last run. */
export async function watchRuns(
  { command, directories, written, run }: WatchedCommand,
  streams: Streams,
): Promise<ExitCode> {
  const watcher = watch([...directories], { ignoreInitial: true });
  const rounds = new WatchedRuns(command, run, streams);
  watcher.on("all", (_event, path) => {
    const own = written !== undefined && resolve(path) === resolve(written);
    if (READ.test(path) && !own) rounds.changed();
  });
  watcher.on("error", (error) =>
    streams.err(`${printable(`keyward ${command}: ${error instanceof Error ? error.message : "cannot watch"}`)}\n`),
  );
  try {
    await new Promise<void>((ready) => watcher.once("ready", ready));
    await rounds.run();
    await new Promise<void>((ended) => {
      if (streams.signal?.aborted === true) ended();
      streams.signal?.addEventListener("abort", () => ended(), { once: true });
    });
  } finally {
    rounds.stop();
    await watcher.close();
  }
  return await rounds.last();
}

/** Does one run at a time. A change during a run starts another run after it. */
class WatchedRuns {
  private readonly command: string;
  private readonly once: (signal: AbortSignal) => Promise<ExitCode>;
  private readonly streams: Streams;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<ExitCode> = Promise.resolve(EXIT.ok);
  private current = new AbortController();
  private stopped = false;

  constructor(command: string, once: (signal: AbortSignal) => Promise<ExitCode>, streams: Streams) {
    this.command = command;
    this.once = once;
    this.streams = streams;
  }

  changed(): void {
    if (this.stopped) return;
    this.current.abort();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.run(), QUIET);
  }

  /** Never rejects: an error in one run does not end the watch. */
  run(): Promise<ExitCode> {
    this.running = this.running.then(() => this.round());
    return this.running;
  }

  last(): Promise<ExitCode> {
    return this.running;
  }

  stop(): void {
    this.stopped = true;
    this.current.abort();
    clearTimeout(this.timer);
  }

  private async round(): Promise<ExitCode> {
    const { outIsTerminal, out, err } = this.streams;
    if (outIsTerminal === true) out("\x1b[2J\x1b[3J\x1b[H");
    this.current = new AbortController();
    try {
      const code = await this.once(this.current.signal);
      err("waiting for changes\n");
      return code;
    } catch (error) {
      err(`${printableLines(`keyward ${this.command}: ${messageOf(error)}`)}\n`);
      return EXIT.unexpected;
    }
  }
}
