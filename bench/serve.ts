/** CheckResources over HTTP: `keyward serve` and the Cerbos server, with the same policies, requests and client. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, promisify } from "node:util";
import { shippedPolicies } from "../src/node/index.js";
import { NO_SERVER, SERVER } from "../test/support/server.js";
import { show, spread } from "./rounds.js";

const CONNECTIONS = [32, 256];
const ROUNDS = 7;
const ROUND_MS = 3_000;
const SOAK_MS = 60_000;

interface Served {
  readonly name: string;
  readonly port: number;
  readonly child: ChildProcess;
}

export async function benchServe(): Promise<void> {
  if (NO_SERVER !== undefined) return console.log(NO_SERVER);
  const home = await mkdtemp(join(tmpdir(), "keyward-bench-"));
  const servers: Served[] = [];
  try {
    servers.push(keyward(), await cerbos(home));
    const [ours, theirs] = servers;
    if (ours === undefined || theirs === undefined) return;
    for (const server of servers) await untilUp(server);
    for (const [what, body] of Object.entries(BODIES)) {
      const answers = await Promise.all(servers.map(({ port }) => answer(port, body)));
      if (!isDeepStrictEqual(answers[0], answers[1])) throw new Error(`other answers: ${JSON.stringify(answers)}`);
      for (const connections of CONNECTIONS) await compare(what, body, connections, ours, theirs);
    }
  } finally {
    for (const { child } of servers) child.kill("SIGTERM");
    await rm(home, { recursive: true, force: true });
  }
}

/** `keyward serve` alone, for a minute at 256 connections: errors end it, and its memory is told at start and end. */
export async function benchSoak(): Promise<void> {
  const server = keyward();
  try {
    await untilUp(server);
    const body = BODIES["10 resources, 4 actions each"];
    await load(server.port, body, 256, ROUND_MS);
    const before = await memory(server);
    const { requests, perSecond, p99 } = await load(server.port, body, 256, SOAK_MS);
    const after = await memory(server);
    console.log(`${requests} requests without an error, ${Math.round(perSecond)}/s, p99 ${p99.toFixed(1)} ms`);
    console.log(`memory of all processes: ${before} MB before, ${after} MB after`);
  } finally {
    server.child.kill("SIGTERM");
  }
}

/** The resident memory of the processes of a server, in MB. */
async function memory({ child }: Served): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", [
    "-o",
    "rss=",
    "--ppid",
    String(child.pid),
    "-p",
    String(child.pid),
  ]);
  const kilobytes = stdout.split("\n").reduce((sum, line) => sum + Number(line), 0);
  return Math.round(kilobytes / 1_024);
}

async function compare(what: string, body: object, connections: number, ours: Served, theirs: Served): Promise<void> {
  const ratios: number[] = [];
  const late: [number[], number[]] = [[], []];
  const rates: [number[], number[]] = [[], []];
  for (let round = -1; round < ROUNDS; round++) {
    const runs = [
      await load(ours.port, body, connections, ROUND_MS),
      await load(theirs.port, body, connections, ROUND_MS),
    ] as const;
    if (round < 0) continue;
    ratios.push(runs[0].perSecond / runs[1].perSecond);
    for (const i of [0, 1] as const) {
      rates[i].push(runs[i].perSecond);
      late[i].push(runs[i].p99);
    }
  }
  console.log(`${what}, ${connections} connections: ${show(spread(ratios))} × the requests a second`);
  for (const [i, { name }] of [ours, theirs].entries()) {
    const [rate = [], p99 = []] = [rates[i], late[i]];
    console.log(`  ${name.padEnd(24)} ${Math.round(median(rate))}/s, p99 ${median(p99).toFixed(1)} ms`);
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

function keyward(): Served {
  const port = 21_000 + (process.pid % 1_000);
  const workers = String(cpus().length);
  const args = ["dist/cli.js", "serve", shippedPolicies, "--listen", `127.0.0.1:${port}`, "--workers", workers];
  const more = ["--config", "bench/serve.authzen.json"];
  return { name: `keyward, ${workers} workers`, port, child: spawn(process.execPath, [...args, ...more]) };
}

async function cerbos(home: string): Promise<Served> {
  const port = 22_000 + (process.pid % 1_000);
  const config = join(home, "config.json");
  const address = (offset: number) => `127.0.0.1:${port + offset}`;
  await writeFile(
    config,
    JSON.stringify({
      server: { httpListenAddr: address(0), grpcListenAddr: address(1_000), logRequestPayloads: false },
      storage: { driver: "disk", disk: { directory: shippedPolicies, watchForChanges: false } },
      telemetry: { disabled: true },
    }),
  );
  return { name: "Cerbos server", port, child: spawn(SERVER, ["server", "--log-level=error", `--config=${config}`]) };
}

async function untilUp({ name, port }: Served): Promise<void> {
  for (let i = 0; i < 300; i++) {
    const response = await fetch(`http://127.0.0.1:${port}/_cerbos/health`).catch(() => undefined);
    if (response?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${name} did not start`);
}

async function answer(port: number, body: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const url = `http://127.0.0.1:${port}/api/check/resources`;
  const { results }: { results?: unknown } = JSON.parse(
    await (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).text(),
  );
  return results;
}

interface Load {
  readonly requests: number;
  readonly perSecond: number;
  /** In milliseconds. */
  readonly p99: number;
}

/** Sends the next request of a connection when its answer is there. It parses little: it must cost less than a server. */
async function load(port: number, body: object, connections: number, millis: number): Promise<Load> {
  const text = JSON.stringify(body);
  const request = Buffer.from(
    `POST /api/check/resources HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  );
  const times: number[] = [];
  const started = performance.now();
  const isOver = () => performance.now() - started > millis;
  await Promise.all(
    Array.from(
      { length: connections },
      () =>
        new Promise<void>((resolve, reject) => {
          const socket = connect(port, "127.0.0.1");
          let sent = 0;
          let received = "";
          const send = () => {
            sent = performance.now();
            socket.write(request);
          };
          socket.setEncoding("latin1").setNoDelay().once("connect", send).once("error", reject);
          socket.on("data", (data: string) => {
            received += data;
            const head = received.indexOf("\r\n\r\n");
            const [, length] = /content-length: (\d+)/i.exec(received) ?? [];
            if (head < 0 || received.length < head + 4 + Number(length)) return;
            if (!received.startsWith("HTTP/1.1 200")) return reject(new Error(received.slice(0, 200)));
            times.push(performance.now() - sent);
            received = "";
            if (!isOver()) return send();
            socket.destroy();
            resolve();
          });
        }),
    ),
  );
  const seconds = (performance.now() - started) / 1_000;
  times.sort((a, b) => a - b);
  return {
    requests: times.length,
    perSecond: times.length / seconds,
    p99: times[Math.floor(times.length * 0.99)] ?? Number.NaN,
  };
}

const KEY = {
  id: "key_1",
  roles: ["custom"],
  attr: {
    accountId: "acc_1",
    workspaceIds: ["ws_0", "ws_1"],
    environment: "production",
    permissions: ["api.*.read_api", "api.api_3.delete_api"],
  },
};

const api = (i: number) => ({
  actions: ["apis.getApi", "apis.updateApi", "apis.deleteApi", "keys.createKey"],
  resource: {
    kind: "api",
    id: `api_${i}`,
    attr: {
      accountId: "acc_1",
      workspaceId: `ws_${i % 3}`,
      environment: "production",
      system: i % 4 === 0,
      deleteProtection: false,
      state: "active",
      keyCount: i,
    },
  },
});

const BODIES = {
  "1 resource, 4 actions": { requestId: "r", principal: KEY, resources: [api(1)] },
  "10 resources, 4 actions each": {
    requestId: "r",
    principal: KEY,
    resources: Array.from({ length: 10 }, (_, i) => api(i)),
  },
};
