/** A PostgreSQL server in a directory of its own, from the machine's own binaries. */

import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";

export interface PostgresServer {
  /** `postgres://user@host:port`, without a database. */
  readonly url: string;
  stop(): Promise<void>;
}

const INSTALLED = "/usr/lib/postgresql";

/** Starts a server; or says why there is none. */
export async function startPostgres(): Promise<PostgresServer | string> {
  const binaries = binariesOf();
  if (binaries === undefined) return `there are no PostgreSQL binaries under ${INSTALLED}`;
  const user = unprivileged();
  if (typeof user === "string") return user;
  const home = mkdtempSync(join(tmpdir(), "keyward-postgres-"));
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
  const child = spawn(
    join(binaries, "postgres"),
    ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
    { ...options, stdio: "ignore" },
  );
  const stop = async () => {
    const ended = end(child);
    // SIGINT: end the sessions, and end.
    child.kill("SIGINT");
    await ended;
    rmSync(home, { recursive: true, force: true });
  };
  const url = `postgres://postgres@127.0.0.1:${port}`;
  try {
    await ready(`${url}/postgres`, child);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

/** The directory of the newest version's binaries. */
function binariesOf(): string | undefined {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED) : [];
  return versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(INSTALLED, version, "bin"))
    .find((path) => existsSync(join(path, "initdb")) && existsSync(join(path, "postgres")));
}

/** The server refuses to run as root: then it runs as the system user `postgres`. */
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
