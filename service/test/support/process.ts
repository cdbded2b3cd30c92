/** The service as a separate process, started from the built files as in production. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Answer, answerOf } from "./service.js";

const SERVICE = dirname(createRequire(import.meta.url).resolve("@keyward/service/package.json"));
const BIN = join(SERVICE, "dist", "bin.js");
const LIBRARY = join(SERVICE, "..", "dist", "http.js");

/** The reason for skipping tests of processes, if nothing is built. */
export const NOT_BUILT = existsSync(BIN) && existsSync(LIBRARY) ? undefined : "nothing is built: npm run build";

export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  /** The output so far. */
  stdout(): string;
  stderr(): string;
  /** Calls an operation. Rejects if the process does not answer. */
  call(path: string, key: string, body: unknown): Promise<Answer>;
  /** Sends a signal; resolves to the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Runs the program until it exits, through the program `wrapper` if given. */
export async function run(args: readonly string[], environment: NodeJS.ProcessEnv, wrapper: readonly string[] = []) {
  const { child, output } = start(args, environment, wrapper);
  const code = await exit(child);
  return { code, ...output };
}

/** Starts the service and waits until it listens. `stdout`: a file descriptor for its standard output. */
export async function startProcess(environment: NodeJS.ProcessEnv, stdout?: number): Promise<ServiceProcess> {
  const { child, output } = start([], { PORT: "0", SHUTDOWN_DELAY_MS: "0", ...environment }, [], stdout);
  const baseUrl = await listening(child, output);
  return {
    child,
    baseUrl,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    call: async (path, key, body) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      return answerOf(await fetch(baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) }));
    },
    end: async (signal = "SIGTERM") => {
      child.kill(signal);
      return await exit(child);
    },
  };
}

function start(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  wrapper: readonly string[] = [],
  stdout: "pipe" | number = "pipe",
) {
  const [program = "", ...rest] = [...wrapper, process.execPath, BIN, ...args];
  const child = spawn(program, rest, {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ["ignore", stdout, "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    output.stderr += chunk;
  });
  return { child, output };
}

async function listening(child: ChildProcess, output: { readonly stderr: string }): Promise<string> {
  for (let i = 0; i < 1_200; i++) {
    const line = output.stderr.split("\n").find((text) => text.includes('"msg":"listening"'));
    if (line !== undefined) return JSON.parse(line).baseUrl;
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}: ${output.stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill("SIGKILL");
  throw new Error(`the service does not listen: ${output.stderr}`);
}

function exit(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    const ended = () => resolve(child.exitCode);
    if (child.exitCode !== null || child.signalCode !== null) ended();
    else child.once("close", ended);
  });
}

/** Polls until `holds` returns true. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`not within 30 s: ${what}`);
}
