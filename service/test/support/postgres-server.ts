/** A PostgreSQL server in its own directory, from the binaries installed on the machine. */

import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";

export interface PostgresServer {
  /** `postgres://user@host:port`, without a database. */
  readonly url: string;
  /** Stops the server: in order (SIGINT), or like a crash (SIGQUIT). Keeps its data. */
  halt(signal: "SIGINT" | "SIGQUIT"): Promise<void>;
  /** Restarts the server on the same data and port. */
  again(): Promise<void>;
  /** Suspends all processes of the server until {@link thaw}. */
  freeze(): void;
  thaw(): void;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
}

const INSTALLED = "/usr/lib/postgresql";

/** Starts a server with its data in `home`, or in a new directory. Returns a message if that is impossible. */
export async function startPostgres(
  home = mkdtempSync(join(tmpdir(), "keyward-postgres-")),
): Promise<PostgresServer | string> {
  const binaries = binariesOf();
  if (binaries === undefined) return `there are no PostgreSQL binaries under ${INSTALLED}`;
  const user = unprivileged();
  if (typeof user === "string") return user;
  mkdirSync(home, { recursive: true });
  if (user.uid !== undefined) chownSync(home, user.uid, user.gid ?? user.uid);
  const data = join(home, "data");
  const options = { ...user, cwd: home };
  await promisify(execFile)(
    join(binaries, "initdb"),
    ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    options,
  );
  const port = await freePort();
  const settings = [
    "fsync=off",
    "max_connections=200",
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${home}`,
  ];
  const flags = ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])];
  const url = `postgres://postgres@127.0.0.1:${port}`;
  const launch = async (): Promise<ChildProcess> => {
    const started = spawn(join(binaries, "postgres"), flags, { ...options, stdio: "ignore" });
    try {
      await ready(`${url}/postgres`, started);
      return started;
    } catch (error) {
      started.kill("SIGKILL");
      throw error;
    }
  };
  let child = await launch().catch((error: unknown) => {
    rmSync(home, { recursive: true, force: true });
    throw error;
  });
  const halt = async (signal: "SIGINT" | "SIGQUIT") => {
    const ended = end(child);
    child.kill(signal);
    await ended;
  };
  /** Signals the server first, so that it does not see its own processes stop. */
  const signalAll = (signal: NodeJS.Signals) => {
    const { pid } = child;
    if (pid === undefined) throw new Error("the PostgreSQL server does not run");
    for (const each of [pid, ...childrenOf(pid)]) {
      try {
        process.kill(each, signal);
      } catch {
        // The process has already ended.
      }
    }
  };
  return {
    url,
    halt,
    again: async () => {
      child = await launch();
    },
    freeze: () => signalAll("SIGSTOP"),
    thaw: () => signalAll("SIGCONT"),
    stop: async () => {
      if (child.exitCode === null) await halt("SIGINT");
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").flatMap((part) => (part === "" ? [] : [Number(part)]));
}

/** The directory with the binaries of the newest version. */
function binariesOf(): string | undefined {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED) : [];
  return versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(INSTALLED, version, "bin"))
    .find((path) => existsSync(join(path, "initdb")) && existsSync(join(path, "postgres")));
}

/** The server refuses to run as root; then it runs as the system user `postgres`. */
function unprivileged(): { readonly uid?: number; readonly gid?: number } | string {
  if (process.getuid?.() !== 0) return {};
  try {
    const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8", stdio: "pipe" }));
    return { uid: id("-u"), gid: id("-g") };
  } catch {
    return "PostgreSQL refuses to run as root, and there is no system user postgres";
  }
}

async function ready(url: string, child: ChildProcess): Promise<void> {
  for (let i = 0; i < 300; i++) {
    if (child.exitCode !== null) throw new Error(`the PostgreSQL server ended with ${child.exitCode}`);
    const client = new Client({ connectionString: url });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error("the PostgreSQL server does not answer");
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

export function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once("close", () => resolve());
  });
}
