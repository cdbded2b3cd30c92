/** The configuration: environment variables, checked before anything is started. */

import { shippedPolicies } from "keyward/node";
import { z } from "zod";
import { isNetwork } from "../http/caller-address.js";
import { TIMEOUTS } from "../http/timeouts.js";
import { MASKABLE } from "../observability/maskable.js";
import { faultsOf } from "./variables.js";

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/, `must be a whole number, ${min} to ${max}`)
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

const flag = z
  .enum(["0", "1", "false", "true"], "must be 0, 1, false or true")
  .transform((value) => value === "1" || value === "true");

const milliseconds = integer(1, 600_000);

const Environment = z.object({
  HOST: z.string().default("127.0.0.1"),
  PORT: integer(0, 65_535).default(8080),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must be a postgres:// address")
    .optional(),
  DATABASE_CONNECTIONS: integer(1, 1_000).default(10),
  DATABASE_TIMEOUT_MS: milliseconds.default(10_000),
  DATABASE_POOLER: z.enum(["none", "transaction"], "must be none or transaction").default("none"),
  MIGRATE_ON_START: flag.default(true),
  DATA_DIR: z.string().optional(),
  KEY_CACHE_MS: integer(0, 10_000).default(0),
  RETENTION_AUDIT_DAYS: integer(1, 36_500).optional(),
  RETENTION_AUDIT_DIR: z.string().optional(),
  RETENTION_KEYS_DAYS: integer(1, 36_500).optional(),
  DOCS_URL: z
    .string()
    .regex(
      /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?(?:\/[\w.~-]+)*$/i,
      "must be a host, and path if any, without a scheme or final /",
    )
    .default("docs.example.com"),
  POLICIES: z.string().default(shippedPolicies),
  POLICIES_WATCH: flag.default(true),
  POLICIES_QUIET_MS: milliseconds.default(2_000),
  POLICIES_LOCKED: flag.default(false),
  POLICIES_ON_WIDENING: z.enum(["take", "hold"]).default("take"),
  CANDIDATE_POLICIES: z.string().optional(),
  CANDIDATE_SAMPLE: z
    .string()
    .regex(/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/, "must be a number from 0 to 1, such as 0.1")
    .transform(Number)
    .default(1),
  CERBOS_PDP: z.string().optional(),
  CERBOS_PDP_TLS: flag.default(false),
  CERBOS_PDP_TIMEOUT_MS: milliseconds.default(1_000),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"], "must be a level, such as info")
    .default("info"),
  DECISION_LOG: z.string().default("stdout"),
  DECISION_LOG_READS: flag.default(false),
  DECISION_LOG_MASK: z
    .string()
    .transform((list) => list.split(",").map((field) => field.trim()))
    .pipe(z.array(z.enum(MASKABLE, "must be attributes with commas between them, such as key.attr.permissions")))
    .optional(),
  DECISION_LOG_SALT: z.string().min(16, "must have 16 characters or more").optional(),
  CHALLENGES: flag.default(false),
  BODY_LIMIT: integer(1, 10_485_760).default(65_536),
  RATE_LIMIT: integer(0, 1_000_000).default(10_000),
  RATE_LIMIT_BURST: integer(1, 1_000_000).optional(),
  RATE_LIMIT_ACCOUNT: integer(0, 1_000_000).default(20_000),
  RATE_LIMIT_ADDRESS: integer(0, 1_000_000).default(20_000),
  ACCOUNT_CONCURRENCY: integer(1, 1_000).default(4),
  TRUSTED_PROXIES: z
    .string()
    .transform((list) => list.split(",").map((proxy) => proxy.trim()))
    .pipe(
      z.array(
        z.string().refine(isNetwork, "must be addresses or networks with commas between them, such as 10.0.0.0/8"),
      ),
    )
    .default([]),
  HEADERS_TIMEOUT_MS: milliseconds.default(TIMEOUTS.headersTimeout),
  REQUEST_TIMEOUT_MS: milliseconds.default(TIMEOUTS.requestTimeout),
  KEEP_ALIVE_TIMEOUT_MS: milliseconds.default(TIMEOUTS.keepAliveTimeout),
  ADMIN_PORT: integer(0, 65_535).optional(),
  ADMIN_TOKENS: z.string().optional(),
  READINESS_TIMEOUT_MS: milliseconds.default(2_000),
  SHUTDOWN_DELAY_MS: integer(0, 600_000).default(2_000),
  SHUTDOWN_TIMEOUT_MS: milliseconds.default(10_000),
  DEMO: flag.default(false),
});

export type Config = z.output<typeof Environment>;

/** The faults of the environment: a line for each variable, without its value. */
export class ConfigInvalid extends Error {
  override readonly name = "ConfigInvalid";
}

/** Reads the configuration. Throws {@link ConfigInvalid}. */
export function readConfig(environment: { readonly [name: string]: string | undefined }): Config {
  const names = faultsOf(environment, Object.keys(Environment.shape));
  if (names.length > 0) throw new ConfigInvalid(names.join("\n"));
  const result = Environment.safeParse(environment);
  if (!result.success) {
    throw new ConfigInvalid(result.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("\n"));
  }
  const faults = [
    ...faultsOfStore(result.data, environment.NODE_ENV),
    ...faultsOfMasks(result.data),
    ...faultsOfPooler(result.data),
  ];
  if (faults.length > 0) throw new ConfigInvalid(faults.join("\n"));
  return result.data;
}

function faultsOfMasks({ DECISION_LOG_READS: reads, DECISION_LOG_MASK: mask, DECISION_LOG_SALT: salt }: Config) {
  return [
    ...(mask !== undefined && salt === undefined
      ? ["DECISION_LOG_SALT must be set together with DECISION_LOG_MASK"]
      : []),
    ...(mask !== undefined && !reads ? ["DECISION_LOG_MASK needs DECISION_LOG_READS=1"] : []),
  ];
}

/** Listening, and the lock of the one replica that archives, need sessions. */
function faultsOfPooler({ DATABASE_POOLER: pooler, ...config }: Config): readonly string[] {
  if (pooler !== "transaction") return [];
  const faults = ([`RETENTION_AUDIT_DAYS`, `RETENTION_KEYS_DAYS`] as const)
    .filter((name) => config[name] !== undefined)
    .map((name) => `${name} must not be set with DATABASE_POOLER=transaction: run audit archive and admin keys purge`);
  const isKeeping = config.KEY_CACHE_MS > 0;
  return [...(isKeeping ? ["KEY_CACHE_MS must be 0 with DATABASE_POOLER=transaction"] : []), ...faults];
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/** A demonstration shows the secrets of administrators, so it needs an explicit DEMO, on the user's own machine. */
function faultsOfStore({ DATABASE_URL, DATA_DIR, DEMO, HOST }: Config, nodeEnv: string | undefined): readonly string[] {
  const faults: string[] = [];
  if (DATABASE_URL !== undefined && DATA_DIR !== undefined) {
    faults.push("DATA_DIR must not be set together with DATABASE_URL");
  }
  if (DATABASE_URL === undefined && DATA_DIR === undefined && !DEMO) {
    faults.push("DATABASE_URL or DATA_DIR must be set; or DEMO=1, for a demonstration in memory");
  }
  if (DEMO && nodeEnv === "production") {
    faults.push("DEMO must not be set where NODE_ENV is production: a demonstration shows secrets");
  }
  if (DEMO && !LOOPBACK.test(HOST)) {
    faults.push("DEMO must not be set with a HOST that others reach, such as 0.0.0.0: a demonstration shows secrets");
  }
  return faults;
}
