/**
 * Writes lines to a stream or a file, in order, and never blocks the process: readers may stop or disappear, and disks
 * may be full.
 */

import { close, constants, fstatSync, mkdirSync, openSync, write } from "node:fs";
import { dirname } from "node:path";
import type { Writable } from "node:stream";

/** A line was not written, or not in time. */
export class NotWritten extends Error {
  override readonly name = "NotWritten";
}

export interface LineOutput {
  /** Resolves once the line has been handed to the system; rejects with {@link NotWritten}. `line` has no line end. */
  write(line: string): Promise<void>;
  /** Rejects with {@link NotWritten} if the output accepts no lines at present. */
  ping(): Promise<void>;
  /**
   * Opens a file again, after it was moved away (log rotation). Throws if it cannot be opened; then the old file is kept.
   */
  reopen(): void;
  /** Waits for the write in progress, but no longer than the timeout of a line. */
  close(): Promise<void>;
}

export interface LineOutputOptions {
  /** The maximum time to write a line, in milliseconds. */
  readonly timeoutMs: number;
  /** The maximum length of all waiting lines, in characters. */
  readonly limit: number;
}

/** The destination of text. `done` is called once, with an error if the text was not completely written. */
interface Target {
  write(text: string, done: (error?: Error | null) => void): void;
  reopen(): void;
  close(): void;
}

interface Waiting {
  readonly line: string;
  readonly done: (error?: Error) => void;
}

/**
 * Standard output, which is never closed. A file is written directly, as its stream reports partial writes as complete.
 */
export function standardOutput(options: LineOutputOptions): LineOutput {
  const { stdout } = process;
  if (!fstatSync(stdout.fd).isFile()) return streamOutput(stdout, options);
  const write: Target["write"] = (text, done) => writeAll(stdout.fd, Buffer.from(text), done);
  return new Output({ write, reopen: () => {}, close: () => {} }, options);
}

/** A stream, which is never closed. */
export function streamOutput(stream: Writable, options: LineOutputOptions): LineOutput {
  // The writer gets the errors; an error event without a listener would end the process.
  stream.on("error", () => {});
  return new Output({ write: (text, done) => stream.write(text, done), reopen: () => {}, close: () => {} }, options);
}

/** A file to append to, created if absent. Throws if it cannot be opened. */
export function fileOutput(path: string, options: LineOutputOptions): LineOutput {
  mkdirSync(dirname(path), { recursive: true });
  return new Output(new FileTarget(path), options);
}

class Output implements LineOutput {
  private readonly target: Target;
  private readonly options: LineOutputOptions;
  private waiting: Waiting[] = [];
  private waitingLength = 0;
  /** Whether a write is in progress. */
  private writing = false;
  /** Whether a line has timed out since the last write ended. */
  private late = false;
  /** Whether the last write failed. It may have written part of a line, which then needs a line end. */
  private failed = false;

  constructor(target: Target, options: LineOutputOptions) {
    this.target = target;
    this.options = options;
  }

  write(line: string): Promise<void> {
    const { timeoutMs, limit } = this.options;
    if (this.isStalled() || this.waitingLength + line.length > limit) {
      return Promise.reject(new NotWritten("the output does not take what is written"));
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.late = true;
        reject(new NotWritten(`not written within ${timeoutMs} ms`));
      }, timeoutMs);
      const done = (error?: Error) => {
        clearTimeout(timer);
        if (error === undefined) resolve();
        else reject(new NotWritten("the output failed", { cause: error }));
      };
      this.waiting.push({ line, done });
      this.waitingLength += line.length;
      this.next();
    });
  }

  async ping(): Promise<void> {
    if (this.isStalled()) throw new NotWritten("the output does not take what is written");
    // An empty line terminates a partly written line; readers of lines skip it.
    if (this.failed) await this.write("");
  }

  reopen(): void {
    this.target.reopen();
  }

  async close(): Promise<void> {
    const until = performance.now() + this.options.timeoutMs;
    while (this.writing && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    this.target.close();
  }

  private isStalled(): boolean {
    return this.writing && this.late;
  }

  /** Writes all waiting lines in one batch, unless a write is in progress. */
  private next(): void {
    if (this.writing || this.waiting.length === 0) return;
    const batch = this.waiting;
    this.waiting = [];
    this.waitingLength = 0;
    this.writing = true;
    const text = batch.map(({ line }) => `${line}\n`).join("");
    this.target.write(this.failed ? `\n${text}` : text, (error) => {
      this.writing = false;
      this.late = false;
      this.failed = error !== null && error !== undefined;
      for (const { done } of batch) done(error ?? undefined);
      this.next();
    });
  }
}

/** How long to wait before a full pipe is tried again, in milliseconds. */
const FULL_PIPE_INTERVAL = 10;

class FileTarget implements Target {
  private readonly path: string;
  private fd: number;
  private writing = false;
  /** Descriptors from before `reopen`, kept while a write to one may be in progress. */
  private old: number[] = [];

  constructor(path: string) {
    this.path = path;
    this.fd = open(path);
  }

  write(text: string, done: (error: Error | null) => void): void {
    this.writing = true;
    writeAll(this.fd, Buffer.from(text), (error) => {
      this.writing = false;
      this.closeOld();
      done(error);
    });
  }

  reopen(): void {
    const next = open(this.path);
    this.old.push(this.fd);
    this.fd = next;
    this.closeOld();
  }

  close(): void {
    this.old.push(this.fd);
    this.closeOld();
  }

  private closeOld(): void {
    if (this.writing) return;
    for (const fd of this.old) close(fd, () => {});
    this.old = [];
  }
}

function open(path: string): number {
  // Without O_NONBLOCK, opening a named pipe would block until somebody reads it.
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants;
  return openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o644);
}

function writeAll(fd: number, bytes: Buffer, done: (error: Error | null) => void): void {
  write(fd, bytes, 0, bytes.length, null, (error, written) => {
    if (error?.code === "EAGAIN") setTimeout(() => writeAll(fd, bytes, done), FULL_PIPE_INTERVAL).unref();
    else if (error !== null || written >= bytes.length) done(error);
    else writeAll(fd, bytes.subarray(written), done);
  });
}
