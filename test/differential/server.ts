/** A real server for one generated store. */

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { JsonObject } from "./json.js";
import type { Store } from "./store.js";

export interface StoreServer {
  /** Answers a CheckResources request. */
  check(body: JsonObject): Promise<JsonObject>;
  stop(): Promise<void>;
}

const platform = `${process.platform}-${process.arch}`;
const name = `cerbos-${platform}`;

/** The server itself, looked up like a module: this file runs from its place and from a bundle. */
const SERVER = binary();

/** Why there is nothing to compare with, if there is not. */
export const NO_SERVER = SERVER === undefined ? `there is no Cerbos server for ${platform}` : undefined;

function binary(): string | undefined {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`@cerbos/${name}/package.json`)), name);
  } catch {
    return undefined;
  }
}

/** The server does not load the store. */
export class Refused extends Error {}

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

/** Starts a server on free ports. Rejects with {@link Refused} if the store does not load. */
export async function startStore(store: Store): Promise<StoreServer> {
  if (SERVER === undefined) throw new Error(NO_SERVER);
  const home = await mkdtemp(join(tmpdir(), "keyward-differential-"));
  const directory = join(home, "store");
  await writeStore(directory, store);
  const port = await freePort();
  await writeFile(join(home, "config.json"), JSON.stringify(configOf(store, directory, port, await freePort())));
  const log = openSync(join(home, "log"), "w");
  const child = spawn(SERVER, ["server", `--config=${join(home, "config.json")}`, "--log-level=ERROR"], {
    stdio: ["ignore", log, log],
    env: { ...process.env, GOMEMLIMIT: "256MiB" },
  });
  closeSync(log);
  running.add(child);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
    running.delete(child);
    await rm(home, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    await ready(url, child);
  } catch (error) {
    const text = await readFile(join(home, "log"), "utf8");
    await stop();
    throw text === "" ? error : new Refused(text.slice(0, 4000));
  }
  return { check: (body) => post(`${url}/api/check/resources`, body), stop };
}

export async function writeStore(directory: string, { files }: Store): Promise<void> {
  for (const [path, body] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), JSON.stringify(body, null, 2));
  }
}

export function configOf({ options }: Store, directory: string, http: number, grpc: number): JsonObject {
  const { defaultPolicyVersion, defaultScope, lenientScopeSearch, globals, schemaEnforcement } = options;
  return {
    server: { httpListenAddr: `127.0.0.1:${http}`, grpcListenAddr: `127.0.0.1:${grpc}` },
    storage: { driver: "disk", disk: { directory, watchForChanges: false } },
    engine: { defaultPolicyVersion, defaultScope, lenientScopeSearch, globals },
    schema: { enforcement: schemaEnforcement },
    auxData: { jwt: { disableVerification: true } },
    telemetry: { disabled: true },
  };
}

async function post(url: string, body: JsonObject): Promise<JsonObject> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  const answer = (await response.json()) as JsonObject;
  return response.ok ? answer : { status: response.status, ...answer };
}

async function ready(url: string, child: ChildProcess): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error("the Cerbos server ended");
    const up = await fetch(`${url}/_cerbos/health`).then(
      (response) => response.ok,
      () => false,
    );
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("the Cerbos server does not answer");
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
