/**
 * Differential test against the real server: npm run differential -- --requests 100000 --seed N
 * Exit codes: 0 no difference, 2 usage, 4 a difference (printed after minimization) or too little coverage.
 */

import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const say = (text: string): void => void process.stdout.write(`${text}\n`);

import { NO_SERVER } from "../support/server.js";
import { type Finding, run } from "./run.js";
import { writeStore } from "./server.js";
import { shrink } from "./shrink.js";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "100000" },
    seed: { type: "string" },
    "per-store": { type: "string", default: "100" },
    findings: { type: "string", default: "1" },
    skip: { type: "string", default: "0" },
    "no-shrink": { type: "boolean", default: false },
  },
});
const [requests, perStore, findings, skip] = [values.requests, values["per-store"], values.findings, values.skip].map(
  Number,
);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));

// The server process ends with this process.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
process.exitCode = await main();

async function main(): Promise<number> {
  if (NO_SERVER !== undefined) {
    say(NO_SERVER);
    return 2;
  }
  if (![requests, perStore, findings, skip, seed].every(Number.isInteger)) {
    say(
      "usage: npm run differential -- [--requests N] [--seed N] [--per-store N] [--skip STORES] [--findings N] [--no-shrink]",
    );
    return 2;
  }
  say(`--requests ${requests} --seed ${seed} --per-store ${perStore} --skip ${skip}`);
  const started = Date.now();
  const result = await run({
    requests: requests ?? 0,
    requestsPerStore: perStore ?? 1,
    seed,
    skip: skip ?? 0,
    findings: findings ?? 1,
    progress: (line) => say(`${((Date.now() - started) / 1000).toFixed(0).padStart(5)} s  ${line}`),
  });
  say(String(result.coverage));
  for (const finding of result.findings) await report(values["no-shrink"] ? finding : await shrink(finding));
  const shortfalls = result.findings.length === 0 ? result.coverage.shortfalls() : [];
  for (const shortfall of shortfalls) say(`too rare: ${shortfall}`);
  return result.findings.length + shortfalls.length > 0 ? 4 : 0;
}

/** Prints the policy directory, the request and both answers. */
async function report({ store, request, server, local, differences }: Finding): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "keyward-difference-"));
  await writeStore(directory, store);
  await writeFile(join(directory, "request.json.txt"), JSON.stringify(request?.body ?? null, null, 2));
  say(`\n==== ${differences.map(({ aspect, detail }) => `${aspect}: ${detail}`).join("\n     ")}`);
  say(`policies in ${directory}, options ${JSON.stringify(store.options)}`);
  for (const [path, body] of Object.entries(store.files)) say(`-- ${path} --\n${JSON.stringify(body)}`);
  say(
    `-- request --\n${JSON.stringify(request?.body ?? null)}${request?.claims ? ` claims ${JSON.stringify(request.claims)}` : ""}`,
  );
  say(`-- server --\n${JSON.stringify(server ?? null)}`);
  say(`-- here --\n${JSON.stringify(local ?? null)}`);
}
