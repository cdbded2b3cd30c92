/** The real Cerbos server, for tests that use it. */

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const platform = `${process.platform}-${process.arch}`;

/** The server's own binary. Its npm wrapper leaves the server running when it is killed, and hides exit codes. */
const FOUND = binary(`cerbos-${platform}`);

/** The reason for skipping tests of the server. */
export const NO_SERVER =
  FOUND === undefined ? `no Cerbos server for ${platform} is installed (npm run install:server)` : undefined;

/** The path of the server; empty if it is not installed. */
export const SERVER = FOUND ?? "";

/** `test/server` installs the binary. Folders are searched upwards, because this file also runs from bundles elsewhere. */
function binary(name: string): string | undefined {
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, "test/server/node_modules/@cerbos", name, name);
    if (existsSync(path)) return path;
  }
  return undefined;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Server {
  /** The address of its gRPC API. */
  readonly grpc: string;
  /** The socket of its HTTP API. */
  readonly http: string;
  /** Answers a CheckResources request of the HTTP API, given as an object or as the literal text. */
  check(body: object | string): Promise<Answer>;
  /** Answers a PlanResources request, given likewise. */
  plan(body: object | string): Promise<Answer>;
  /** Answers whether the policies in the request compile. The server's own policies are not used. */
  validate(body: object | string): Promise<Answer>;
  /** Answers a CheckResources question with the policies in the request. */
  evaluate(body: object | string): Promise<Answer>;
  stop(): Promise<void>;
}

/** The server's message when it does not load the policies. */
export class Refused extends Error {}

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * Starts a server for a directory of policies, and waits until it answers. `sections` are further sections of its
 * configuration. Rejects with {@link Refused} if the policies do not load.
 *
 * The server listens on Unix sockets in its own directory. A port could be shared with another server, and either
 * server would then answer.
 */
export async function startServer(
  directory: string,
  sections: { readonly [section: string]: unknown } = {},
): Promise<Server> {
  if (NO_SERVER !== undefined) throw new Error(NO_SERVER);
  const home = await mkdtemp(join(tmpdir(), "keyward-cerbos-"));
  const [http, grpc] = [join(home, "http.sock"), `unix:${join(home, "grpc.sock")}`];
  const [config, logFile] = [join(home, "config.json"), join(home, "log")];
  await writeFile(
    config,
    JSON.stringify({
      server: { httpListenAddr: `unix:${http}`, grpcListenAddr: grpc, playgroundEnabled: true },
      storage: { driver: "disk", disk: { directory, watchForChanges: false } },
      telemetry: { disabled: true },
      ...sections,
    }),
  );
  const log = openSync(logFile, "w");
  const child = spawn(SERVER, ["server", `--config=${config}`, "--log-level=ERROR"], {
    stdio: ["ignore", log, log],
    env: { ...process.env, GOMEMLIMIT: "256MiB" },
  });
  closeSync(log);
  running.add(child);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const agent = new Agent({ keepAlive: true });
  const stop = async () => {
    agent.destroy();
    child.kill("SIGKILL");
    await ended;
    running.delete(child);
    await rm(home, { recursive: true, force: true });
  };
  try {
    await ready(() => send(http, agent, "/_cerbos/health"), child);
  } catch (error) {
    const text = await readFile(logFile, "utf8");
    await stop();
    throw text === "" ? error : new Refused(text.slice(0, 4000));
  }
  const asked = (name: string) => (body: object | string) =>
    send(http, agent, `/api/${name}`, typeof body === "string" ? body : JSON.stringify(body));
  const [check, plan] = [asked("check/resources"), asked("plan/resources")];
  const [validate, evaluate] = [asked("playground/validate"), asked("playground/evaluate")];
  return { grpc, http, check, plan, validate, evaluate, stop };
}

/** Posts a body; without a body, sends a GET request. */
function send(socketPath: string, agent: Agent, path: string, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST";
    const sent = request({ socketPath, agent, path, method }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", reject);
      response.once("end", () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString("utf8") });
      });
    });
    // A request can fail more than once if its server is killed.
    sent.on("error", reject);
    sent.end(body);
  });
}

async function ready(health: () => Promise<Answer>, child: ChildProcess): Promise<void> {
  for (let i = 0; i < 4800; i++) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error("the Cerbos server ended");
    const up = await health().then(
      ({ status }) => status === 200,
      () => false,
    );
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("the Cerbos server does not answer");
}
