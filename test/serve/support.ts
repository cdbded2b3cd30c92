/** Runs `keyward serve` in this process, or as a process of its own. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { run } from "../../src/cli/run.js";
import { BIN } from "../support/built.js";
import { type Files, withFiles } from "../support/terminal.js";

const RECORD = `
apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: record
  version: default
  rules:
    - { name: read, actions: [read], effect: EFFECT_ALLOW, roles: [member] }
    - name: write
      actions: [write]
      effect: EFFECT_ALLOW
      roles: [member]
      condition: { match: { expr: R.attr.owner == P.id } }
`;

export const POLICY = { allowing: RECORD, denying: RECORD.replace("[read]", "[list]") };

export const FILES: Files = {
  "policies/record.yaml": POLICY.allowing,
  "data.json": JSON.stringify({
    subjects: [{ type: "user", id: "alice", roles: ["member"] }],
    resources: [{ type: "record", id: "101", properties: { owner: "alice" } }],
  }),
};

export interface ServedPoint {
  readonly origin: string;
  readonly directory: string;
  /** The lines of the log so far. */
  log(): readonly { readonly event: string; readonly [field: string]: unknown }[];
}

const ARGS = ["--permission-only", "--listen", "127.0.0.1:0"];

/** The arguments for a directory with {@link FILES}: `FILE:name` is the path of a file in it. */
function argsIn(directory: string, args: readonly string[]): readonly string[] {
  const inside = args.map((arg) => (arg.startsWith("FILE:") ? join(directory, arg.slice(5)) : arg));
  return [
    "serve",
    join(directory, "policies"),
    ...(inside.includes("--listen") ? ["--permission-only"] : ARGS),
    ...inside,
  ];
}

/** Serves policies in this process while `use` runs. */
export async function serving(
  args: readonly string[],
  use: (point: ServedPoint) => Promise<void>,
  files: Files = {},
): Promise<void> {
  await withFiles({ ...FILES, ...files }, async (directory) => {
    const end = new AbortController();
    let out = "";
    let err = "";
    const ran = run(argsIn(directory, args), {
      stdin: nothing(),
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      signal: end.signal,
    });
    const ended = ran.then((code) => {
      throw new Error(`the server ended with ${code}: ${err}`);
    });
    try {
      const origin = await Promise.race([waitFor(() => /https?:\S+/.exec(out)?.[0]), ended]);
      await Promise.race([use({ origin, directory, log: () => linesOf(err) }), ended]);
    } finally {
      ended.catch(() => {});
      end.abort();
      await ran;
    }
  });
}

/** The end of a command that does not start: its exit code and its messages. */
export async function refused(args: readonly string[], files: Files = {}): Promise<{ code: number; err: string }> {
  return await withFiles({ ...FILES, ...files }, async (directory) => {
    let err = "";
    const code = await run(argsIn(directory, args), {
      stdin: nothing(),
      out: (text) => {
        throw new Error(`the server started: ${text}`);
      },
      err: (text) => {
        err += text;
      },
    });
    return { code, err: err.replaceAll(directory, "DIR") };
  });
}

async function* nothing(): AsyncGenerator<string> {}

function linesOf(text: string): readonly { readonly event: string }[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
}

/** The first value that is not undefined, within 20 seconds. */
export async function waitFor<T>(read: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    const found = await read();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("it did not happen within 20 seconds");
}

export interface ServerProcess extends ServedPoint {
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<number | null>;
}

/** Serves policies with the built command, in a process of its own. */
export async function spawned(
  args: readonly string[],
  use: (server: ServerProcess) => Promise<void>,
  files: Files = {},
): Promise<void> {
  await withFiles({ ...FILES, ...files }, async (directory) => {
    const child = spawn(process.execPath, [BIN, ...argsIn(directory, args)]);
    const text = { out: "", err: "" };
    child.stdout.on("data", (data: Buffer) => {
      text.out += String(data);
    });
    child.stderr.on("data", (data: Buffer) => {
      text.err += String(data);
    });
    const exited = once(child, "exit").then(([code]) => code as number | null);
    const failed = exited.then((code) => {
      throw new Error(`the server ended with ${code}: ${text.err}`);
    });
    failed.catch(() => {});
    try {
      const origin = await Promise.race([waitFor(() => /https?:\S+/.exec(text.out)?.[0]), failed]);
      await use({
        origin,
        directory,
        log: () => linesOf(text.err),
        kill: (signal) => child.kill(signal),
        exited,
      });
    } finally {
      child.kill("SIGTERM");
      await exited;
    }
  });
}

const JSON_TYPE = { "content-type": "application/json" };

export async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return await fetch(url, { method: "POST", body: text, headers: { ...JSON_TYPE, ...headers } });
}

export const CHECK = "/api/check/resources";
export const EVALUATION = "/access/v1/evaluation";

export function checkOf(actions: readonly string[], owner = "alice"): object {
  return {
    requestId: "check",
    principal: { id: "alice", roles: ["member"] },
    resources: [{ actions, resource: { kind: "record", id: "101", attr: { owner } } }],
  };
}

export function evaluationOf(action: string): object {
  return {
    subject: { type: "user", id: "alice" },
    action: { name: action },
    resource: { type: "record", id: "101" },
  };
}

/** The body of a response, which is JSON. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many forms.
export async function jsonOf(response: Response | Promise<Response>): Promise<any> {
  return await (await response).json();
}

export async function decisionOn(origin: string, action: string): Promise<boolean> {
  return (await jsonOf(post(origin + EVALUATION, evaluationOf(action)))).decision;
}
