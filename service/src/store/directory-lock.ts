/**
 * Locks a directory for one process.
 *
 * The lock is a socket in the directory, `process.lock`, on which the owner listens. The system closes the socket when
 * the process ends in any way, so a lock is never stale. A process id, or a file beside the directory, would not do:
 * the socket is the same in every container of the machine that has the directory mounted, at any path. It also
 * survives when the process is stopped and continues later.
 */

import { randomBytes } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join, relative, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** How long to wait before a lock that was just taken is verified, in milliseconds. */
const SETTLING = 200;

/**
 * How long another process has to send the owner's token, and how long this one has, which is not stopped; in
 * milliseconds.
 */
const PATIENCE = { other: 1_000, own: 60_000 };

const NAME = "process.lock";

/** Locks a directory, created if absent; returns the release. Rejects if another process has the lock. */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const path = shortest(join(resolve(directory), NAME));
  await mkdir(directory, { recursive: true });
  const token = randomBytes(16).toString("hex");
  const server = (await listening(path, token)) ?? (await takenOver(path, directory, token));
  // Two processes that found the same dead lock may each have removed it, or even the other's. The token tells the
  // owner.
  await wait(SETTLING);
  if ((await tokenAt(path, PATIENCE.own)) !== token) {
    // Not closed: that would remove the socket at the path, which belongs to the other process.
    throw inUse(directory, path);
  }
  return () => new Promise((released) => server.close(() => released()));
}

/** The path of a socket is limited to about a hundred bytes, so the shorter of two forms is used. */
function shortest(path: string): string {
  const other = relative(process.cwd(), path);
  return other.length < path.length ? other : path;
}

async function takenOver(path: string, directory: string, token: string): Promise<Server> {
  if ((await tokenAt(path, PATIENCE.other)) !== undefined) throw inUse(directory, path);
  // Renamed before it is removed: another process that found it dead may have taken the lock meanwhile.
  const aside = `${path}-${token.slice(0, 8)}`;
  try {
    await rename(path, aside);
    if ((await tokenAt(aside, PATIENCE.other)) !== undefined) {
      await rename(aside, path);
      throw inUse(directory, path);
    }
    await rm(aside, { force: true });
  } catch (error) {
    // Another process renamed it first.
    if (!isAbsent(error)) throw error;
  }
  const server = await listening(path, token);
  if (server === undefined) throw inUse(directory, path);
  return server;
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function inUse(directory: string, path: string): Error {
  return new Error(`${directory} is in use by another process (${path})`);
}

/** A server at `path` that sends the token to every client; undefined if the path exists. */
function listening(path: string, token: string): Promise<Server | undefined> {
  return new Promise((taken, failed) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.end(token);
    });
    server.unref();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") taken(undefined);
      else failed(error);
    });
    server.listen(path, () => taken(server));
  });
}

/**
 * Connection errors if nobody listens, or the path is absent. Other errors (no permission, for example) prove neither.
 */
const NOBODY = ["ECONNREFUSED", "ENOENT"];

/** The token of the lock's owner; `""` without an answer in time; undefined if nobody listens. */
function tokenAt(path: string, patienceMs: number): Promise<string | undefined> {
  return new Promise((told) => {
    const socket = connect(path);
    let text = "";
    // A stopped process owns the lock, but cannot answer.
    socket.setTimeout(patienceMs, () => socket.destroy());
    socket.on("connect", () => socket.on("close", () => told(text)));
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", ({ code }: NodeJS.ErrnoException) => told(NOBODY.includes(code ?? "") ? undefined : ""));
  });
}
