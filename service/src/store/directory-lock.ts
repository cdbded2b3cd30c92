/**
 * One process at a time in a directory.
 *
 * The lock is a socket in the directory, `process.lock`: whoever has the directory listens on it. The system ends that when
 * the process ends, however it ends, so a lock is never stale; and unlike a process id, or a file beside the directory, it is
 * the same in every container of the machine that has the directory mounted, wherever, and to a process that is stopped
 * and goes on later.
 */

import { randomBytes } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join, relative, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** How long a lock that was just taken is left before it is looked at again, in milliseconds. */
const SETTLING = 200;

/** How long another process has to say whose the lock is, and how long this one, which runs; in milliseconds. */
const PATIENCE = { other: 1_000, own: 60_000 };

const NAME = "process.lock";

/** Takes the lock of a directory, which is made if need be; gives what releases it. Rejects if another process has it. */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const path = shortest(join(resolve(directory), NAME));
  await mkdir(directory, { recursive: true });
  const token = randomBytes(16).toString("hex");
  const server = (await listening(path, token)) ?? (await takenOver(path, directory, token));
  // Two that found the same dead lock at once may each have removed it, one of them the other's. It is whose token it says.
  await wait(SETTLING);
  if ((await tokenAt(path, PATIENCE.own)) !== token) {
    // Closing the server would remove the socket at the path, which is the other's.
    throw inUse(directory, path);
  }
  return () => new Promise((released) => server.close(() => released()));
}

/** The path of a socket has about a hundred bytes, so the shorter of two forms is taken. */
function shortest(path: string): string {
  const other = relative(process.cwd(), path);
  return other.length < path.length ? other : path;
}

async function takenOver(path: string, directory: string, token: string): Promise<Server> {
  if ((await tokenAt(path, PATIENCE.other)) !== undefined) throw inUse(directory, path);
  // Put aside before it is removed: whoever else found it dead may have the lock by now.
  const aside = `${path}-${token.slice(0, 8)}`;
  try {
    await rename(path, aside);
    if ((await tokenAt(aside, PATIENCE.other)) !== undefined) {
      await rename(aside, path);
      throw inUse(directory, path);
    }
    await rm(aside, { force: true });
  } catch (error) {
    // Another was faster in putting it aside.
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

/** A server at `path` that tells everybody the token; undefined if there is something at the path. */
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

/** What a connection meets where nobody listens, or nothing is. Anything else (no permission, say) tells nothing of that. */
const NOBODY = ["ECONNREFUSED", "ENOENT"];

/** What the owner of the lock says; `""` if it says nothing, or nothing in time, undefined if nobody listens. */
function tokenAt(path: string, patienceMs: number): Promise<string | undefined> {
  return new Promise((told) => {
    const socket = connect(path);
    let text = "";
    // A process that is stopped has the lock, but cannot answer.
    socket.setTimeout(patienceMs, () => socket.destroy());
    socket.on("connect", () => socket.on("close", () => told(text)));
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", ({ code }: NodeJS.ErrnoException) => told(NOBODY.includes(code ?? "") ? undefined : ""));
  });
}
