/**
 * The program: `serve` (the default), `migrate`, `admin`, `create-account`, `issue-key` or `audit`. Exit codes: 1 unexpected, 2 bad
 * configuration, 3 invalid policies, 4 a fault in the audit chain.
 */

import { once } from "node:events";
import { createInterface } from "node:readline";
import { ARCHIVE_USAGE, archiveAudit, NoArchive, readArchiveOptions, readArchives } from "./audit-archive.js";
import { exportedChains, exportedLines, NoRecord } from "./audit-export.js";
import { type ChainVerification, verifyAudit } from "./audit-log.js";
import { ConfigInvalid, readConfig } from "./config/config.js";
import { demoCommands, demoLine } from "./demo/announce.js";
import { seedDemo } from "./demo/seed.js";
import { createLogger } from "./observability/logger.js";
import { endTelemetry, startTelemetry } from "./observability/telemetry-sdk.js";
import { ActionRefused } from "./operator/action.js";
import { ADMIN_USAGE, readAdminCommand, WrongArguments } from "./operator/command.js";
import { lineOf, PoliciesInvalid } from "./policies/policies.js";
import { createAccount, readAccountOptions, USAGE } from "./provision/create-account.js";
import { ISSUE_USAGE, issueKey, NoApiForKey, readIssueOptions } from "./provision/issue-key.js";
import { type Service, startService } from "./service.js";
import { describe } from "./store/faults.js";
import { MigrationsMissing } from "./store/migrations.js";
import { openStore } from "./store/open.js";
import type { Store } from "./store/store.js";

export async function main(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const [command = "serve", ...rest] = args;
  try {
    if (command === "admin") return await admin(rest, environment);
    if (args.includes("--help")) return void process.stdout.write(`${PROGRAM_USAGE}\n`);
    if (command === "create-account") {
      const options = optionsOf(readAccountOptions, rest, USAGE);
      return await provision((store) => createAccount(store, options), environment);
    }
    if (command === "issue-key") {
      const options = optionsOf(readIssueOptions, rest, ISSUE_USAGE);
      return await provision((store) => issueKey(store, options), environment);
    }
    if (command === "migrate" && rest.length === 0) return await migrate(environment);
    if (command === "audit") return await audit(rest, environment);
    if (command === "serve" && rest.length === 0) return await serve(environment);
    complain(PROGRAM_USAGE, 2);
  } catch (error) {
    const isUsage = USAGE_ERRORS.some((kind) => error instanceof kind);
    if (isUsage && error instanceof Error) complain(error.message, 2);
    else if (error instanceof PoliciesInvalid) complain([error.message, ...error.issues.map(lineOf)].join("\n"), 3);
    else complain(JSON.stringify({ level: "fatal", msg: `${command} failed`, err: describe(error) }), 1);
  }
}

/** Errors of arguments, of the configuration or of the input; each message says how to mend it. */
const USAGE_ERRORS = [
  ConfigInvalid,
  NoRecord,
  NoApiForKey,
  NoArchive,
  WrongArguments,
  ActionRefused,
  MigrationsMissing,
];

async function serve(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment);
  const logger = createLogger(config.LOG_LEVEL);
  const telemetry = await startTelemetry(environment);
  const service = await startService(config, logger).catch(async (error: unknown) => {
    await endTelemetry(telemetry);
    throw error;
  });
  if (config.DEMO) await announce(service);
  handleSignals({
    reload: () => service.reload(),
    close: async (delayMs) => {
      await service.close(delayMs).finally(() => endTelemetry(telemetry));
    },
  });
}

async function announce({ baseUrl, store }: Service): Promise<void> {
  const demo = await seedDemo(store);
  if (demo === undefined) return;
  process.stdout.write(`${demoLine(baseUrl, demo)}\n\n${demoCommands(baseUrl, demo)}\n\n`);
}

/** The time that readers of both logs get for the last lines after the service is closed, in milliseconds. */
const LAST_WORDS = 1_000;

function handleSignals(service: Pick<Service, "reload" | "close">): void {
  let closing = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      // A second signal ends the process at once.
      if (closing) process.exit(1);
      closing = true;
      const failed = (error: unknown) => {
        complain(JSON.stringify({ level: "error", msg: "not closed in order", err: describe(error) }), 1);
      };
      // Output that nobody reads would keep the process alive.
      const end = () => void setTimeout(() => process.exit(), LAST_WORDS).unref();
      // A person at a terminal has no load balancer.
      const delayMs = signal === "SIGINT" ? 0 : undefined;
      service.close(delayMs).catch(failed).finally(end);
    });
  }
  process.on("SIGHUP", () => void service.reload());
}

/** Runs the missing migrations, and prints the kind of store. Does nothing to a store that has them all. */
async function migrate(environment: NodeJS.ProcessEnv): Promise<void> {
  if (readConfig(environment).DATABASE_POOLER === "transaction") {
    throw new ConfigInvalid("DATABASE_POOLER must not be set for migrate: it connects to PostgreSQL itself");
  }
  const store = await openLasting({ ...environment, MIGRATE_ON_START: "1" });
  process.stdout.write(`${JSON.stringify({ migrated: store.description })}\n`);
  await store.close();
}

/** Runs an operator's action, and prints its result once the action is stored. */
async function admin(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  if (args.includes("--help")) return void process.stdout.write(`${ADMIN_USAGE}\n`);
  const run = readAdminCommand(args);
  const store = await openLasting(environment);
  try {
    process.stdout.write(await run(store));
  } finally {
    await store.close();
  }
}

const AUDIT_USAGE = `usage: audit verify [ARCHIVE …] | audit export | audit export-log < DECISION_LOG\n${ARCHIVE_USAGE}`;

const PROGRAM_USAGE = ["usage: serve", "usage: migrate", USAGE, ISSUE_USAGE, AUDIT_USAGE, "usage: admin --help"].join(
  "\n",
);

/**
 * Verifies or archives the audit chains: prints one line of JSON; exit code 4 if there is a fault. Or exports the chains,
 * or a decision log, in the format of Cerbos's decision logs.
 */
async function audit(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const [what = "", ...rest] = args;
  const options = what === "archive" ? optionsOf(readArchiveOptions, rest, ARCHIVE_USAGE) : undefined;
  const isKnown = what === "verify" || (["export", "export-log"].includes(what) && rest.length === 0);
  if (options === undefined && !isKnown) throw new ConfigInvalid(AUDIT_USAGE);
  if (what === "export-log") return await printed(exportedLines(createInterface({ input: process.stdin })));
  const store = await openLasting(environment);
  try {
    if (what === "export") return await printed(exportedChains(store));
    const found = options === undefined ? await verified(store, rest) : await archiveAudit(store, options);
    process.stdout.write(`${JSON.stringify(found)}\n`);
    if (found.faults.length > 0) process.exitCode = 4;
  } finally {
    await store.close();
  }
}

/** `repeated`: entries that the archives have twice. */
type VerifiedAudit = ChainVerification & { readonly repeated?: number };

/** Verifies the audit chains, together with their archives if any are named. */
async function verified(store: Store, archives: readonly string[]): Promise<VerifiedAudit> {
  if (archives.length === 0) return await verifyAudit(store);
  const read = await readArchives(archives);
  const { repeated } = read;
  return { ...(await verifyAudit(store, read)), ...(repeated > 0 && { repeated }) };
}

/** Prints one entry a line, as fast as the output is read. */
async function printed(entries: AsyncIterable<object>): Promise<void> {
  for await (const entry of entries) {
    if (!process.stdout.write(`${JSON.stringify(entry)}\n`)) await once(process.stdout, "drain");
  }
}

/** Opens the configured store, which must be persistent. */
async function openLasting(environment: NodeJS.ProcessEnv): Promise<Store> {
  const config = readConfig(environment);
  if (config.DATABASE_URL === undefined && config.DATA_DIR === undefined) {
    throw new ConfigInvalid("DATABASE_URL or DATA_DIR must be set: what is in memory is gone at once");
  }
  return await openStore(config, createLogger(config.LOG_LEVEL));
}

/** Prints the ids and the secret that `work` created, after they are stored. */
async function provision(work: (store: Store) => Promise<object>, environment: NodeJS.ProcessEnv): Promise<void> {
  const store = await openLasting(environment);
  try {
    process.stdout.write(`${JSON.stringify(await work(store))}\n`);
  } finally {
    await store.close();
  }
}

function optionsOf<T>(read: (args: readonly string[]) => T, args: readonly string[], usage: string): T {
  try {
    return read(args);
  } catch {
    throw new ConfigInvalid(usage);
  }
}

function complain(message: string, exitCode: number): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = exitCode;
}
