/** PgBouncer in transaction mode, from the binary installed on the machine. */

import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { end, freePort } from "./postgres-server.js";

const BINARY = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"].find((path) =>
  existsSync(path),
);

export const NO_PGBOUNCER = BINARY === undefined ? "PgBouncer is not installed" : undefined;

export interface Pooler {
  /** The address of the same database, through the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a pooler for the database at `url`, with so few sessions that transactions must share them. */
export async function startPgbouncer(url: string, sessions: number): Promise<Pooler> {
  if (BINARY === undefined) throw new Error(NO_PGBOUNCER);
  const { hostname, port, pathname, username } = new URL(url);
  const home = mkdtempSync(join(tmpdir(), "keyward-pgbouncer-"));
  chmodSync(home, 0o755);
  const listens = await freePort();
  const config = join(home, "pgbouncer.ini");
  writeFileSync(
    config,
    [
      "[databases]",
      `* = host=${hostname} port=${port} user=${username}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${listens}`,
      "unix_socket_dir =",
      "auth_type = any",
      "pool_mode = transaction",
      `default_pool_size = ${sessions}`,
      "max_client_conn = 200",
    ].join("\n"),
  );
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  const user = isRoot ? { uid: id("-u"), gid: id("-g") } : {};
  const child = spawn(BINARY, [config], { ...user, cwd: home, stdio: "ignore" });
  const through = `postgres://${username}@127.0.0.1:${listens}${pathname}`;
  const stop = async () => {
    const ended = end(child);
    child.kill("SIGINT");
    await ended;
    rmSync(home, { recursive: true, force: true });
  };
  for (let i = 0; ; i++) {
    const client = new Client({ connectionString: through });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.end();
      return { url: through, stop };
    } catch (error) {
      if (i < 100 && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 100));
      else {
        await stop();
        throw error;
      }
    }
  }
}
