/** `serve` (the default), or `create-account`: the program. Exit codes: 1 unexpected, 2 bad configuration, 3 policies. */

import { ConfigInvalid, readConfig } from "./config/config.js";
import { demoCommands, demoLine } from "./demo/announce.js";
import { seedDemo } from "./demo/seed.js";
import { createLogger } from "./observability/logger.js";
import { lineOf, PoliciesInvalid } from "./policies/policies.js";
import { createAccount, readAccountOptions, USAGE } from "./provision/create-account.js";
import { type Service, startService } from "./service.js";
import { describe } from "./store/faults.js";
import { openStore } from "./store/open.js";

export async function main(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  try {
    const [command = "serve", ...rest] = args;
    if (command === "create-account") return await provision(rest, environment);
    if (command === "serve" && rest.length === 0) return await serve(environment);
    complain(`usage: serve\n${USAGE}`, 2);
  } catch (error) {
    if (error instanceof ConfigInvalid) complain(error.message, 2);
    else if (error instanceof PoliciesInvalid) complain([error.message, ...error.issues.map(lineOf)].join("\n"), 3);
    else complain(JSON.stringify({ level: "fatal", msg: "the service cannot start", err: describe(error) }), 1);
  }
}

async function serve(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment);
  const logger = createLogger(config.LOG_LEVEL);
  const service = await startService(config, logger);
  if (config.demo) await announce(service);
  handleSignals(service);
}

async function announce({ baseUrl, store }: Service): Promise<void> {
  const demo = await seedDemo(store);
  if (demo === undefined) return;
  process.stdout.write(`${demoLine(baseUrl, demo)}\n\n${demoCommands(baseUrl, demo)}\n\n`);
}

function handleSignals(service: Service): void {
  let closing = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      // Whoever asks twice is in a hurry.
      if (closing) process.exit(1);
      closing = true;
      service.close().catch((error: unknown) => {
        complain(JSON.stringify({ level: "error", msg: "not closed in order", err: describe(error) }), 1);
      });
    });
  }
  process.on("SIGHUP", () => void service.reload());
}

async function provision(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment);
  if (config.DATABASE_URL === undefined && config.DATA_DIR === undefined) {
    throw new ConfigInvalid("DATABASE_URL or DATA_DIR must be set: an account in memory would be gone at once");
  }
  const options = optionsOf(args);
  const store = await openStore(config, createLogger(config.LOG_LEVEL));
  try {
    process.stdout.write(`${JSON.stringify(await createAccount(store, options))}\n`);
  } finally {
    await store.close();
  }
}

function optionsOf(args: readonly string[]) {
  try {
    return readAccountOptions(args);
  } catch {
    throw new ConfigInvalid(USAGE);
  }
}

function complain(message: string, exitCode: number): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = exitCode;
}
