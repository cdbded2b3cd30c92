/** The real Cerbos server, for tests that ask it. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./built.js";

const platform = `${process.platform}-${process.arch}`;

/** The server itself: its npm wrapper leaves it running when it is killed, and hides its exit codes. */
export const SERVER = `${ROOT}node_modules/@cerbos/cerbos-${platform}/cerbos-${platform}`;

/** Why tests are skipped where this platform has none. */
export const NO_SERVER = existsSync(SERVER) ? undefined : `there is no Cerbos server for ${platform}`;

export interface Server {
  readonly url: string;
  /** The address of its gRPC API. */
  readonly grpc: string;
  stop(): Promise<void>;
}

/**
 * Starts a server for a directory of policies, on ports that are free, and waits until it answers. `sections` are
 * further sections of its configuration.
 */
export async function startServer(
  directory: string,
  sections: { readonly [section: string]: unknown } = {},
): Promise<Server> {
  const home = await mkdtemp(join(tmpdir(), "keyward-cerbos-"));
  const [http, grpc] = [await freePort(), await freePort()];
  const config = join(home, "config.json");
  await writeFile(
    config,
    JSON.stringify({
      server: { httpListenAddr: `127.0.0.1:${http}`, grpcListenAddr: `127.0.0.1:${grpc}` },
      storage: { driver: "disk", disk: { directory, watchForChanges: false } },
      telemetry: { disabled: true },
      ...sections,
    }),
  );
  const child = spawn(SERVER, ["server", `--config=${config}`, "--log-level=ERROR"], { stdio: "ignore" });
  const url = `http://127.0.0.1:${http}`;
  const stop = async () => {
    const ended = end(child);
    child.kill("SIGKILL");
    await ended;
    await rm(home, { recursive: true, force: true });
  };
  try {
    await ready(url, child);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, grpc: `127.0.0.1:${grpc}`, stop };
}

/** A port that nobody listens on: the server would share one with another server, and both would answer. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

async function ready(url: string, child: ChildProcess): Promise<void> {
  for (let i = 0; i < 300; i++) {
    if (child.exitCode !== null) throw new Error(`the Cerbos server ended with ${child.exitCode}`);
    const up = await fetch(`${url}/_cerbos/health`).then(
      (response) => response.ok,
      () => false,
    );
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the Cerbos server does not answer");
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once("close", () => resolve());
  });
}
