/**
 * Keeps the store from growing for ever, if the configuration says so: once a day, one of the replicas archives old
 * entries of the audit chains, and deletes the records of keys that were revoked long ago.
 */

import { mkdirSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { archiveAudit } from "./audit-archive.js";
import type { Config } from "./config/config.js";
import type { Logger } from "./observability/logger.js";
import { instantOf } from "./operations/views.js";
import { purgeRevoked } from "./operator/purge.js";
import { ACCOUNTS_WITH_REVOKED } from "./operator/statements.js";
import type { Store } from "./store/store.js";

export interface RetentionOptions {
  /** Entries that are older are moved into a new file in the directory. */
  readonly audit?: { readonly days: number; readonly directory: string };
  /** The records of keys that were revoked longer ago are deleted. */
  readonly keys?: { readonly days: number };
}

/** Undefined if the configuration keeps everything. */
export function retentionOf({
  RETENTION_AUDIT_DAYS: auditDays,
  RETENTION_AUDIT_DIR: directory,
  RETENTION_KEYS_DAYS: keysDays,
}: Config): RetentionOptions | undefined {
  if (auditDays === undefined && keysDays === undefined) return undefined;
  return {
    ...(auditDays !== undefined &&
      directory !== undefined && { audit: { days: auditDays, directory: resolve(directory) } }),
    ...(keysDays !== undefined && { keys: { days: keysDays } }),
  };
}

const DAY = 86_400_000;

/** The operator's name in the audit chain. */
const OPERATOR = "retention";

export interface Retained {
  readonly archived: number;
  /** The accounts with a fault in their audit chain: nothing behind the fault was archived. */
  readonly faults: number;
  readonly purged: number;
}

/** Archives old audit entries and purges keys that were revoked long ago, as of the time `now`. Undefined if another replica does so at present. */
export function applyRetention(
  store: Store,
  { audit, keys }: RetentionOptions,
  now: number = Date.now(),
): Promise<Retained | undefined> {
  const before = (days: number) => instantOf(now - days * DAY);
  return store.alone(async () => {
    const { entries, faults } = audit ? await archived(store, audit.directory, before(audit.days), now) : NOTHING;
    const purged = keys ? await purgeAll(store, before(keys.days)) : 0;
    return { archived: entries, faults: faults.length, purged };
  });
}

const NOTHING = { entries: 0, faults: [] };

/** Archives into a file with the time in its name, so that the files of a directory are in their order. */
async function archived(store: Store, directory: string, before: string, now: number) {
  const to = join(directory, `audit-${instantOf(now).replaceAll(":", "-")}.jsonl`);
  const result = await archiveAudit(store, { before, to, operator: OPERATOR });
  if (result.entries === 0) await unlink(to);
  return result;
}

async function purgeAll(store: Store, before: string): Promise<number> {
  let purged = 0;
  const by = { operator: OPERATOR, command: "keys.purge" };
  for (const { id } of await store.run<{ readonly id: string }>(ACCOUNTS_WITH_REVOKED, [before])) {
    purged += await purgeRevoked(store, { account: id, before, by });
  }
  return purged;
}

/**
 * Applies retention now, and every day. Returns the function that ends that; it waits for the work that has begun. Throws if
 * the directory cannot be made.
 */
export function startRetention(
  store: Store,
  options: RetentionOptions,
  logger: Pick<Logger, "info" | "error">,
  intervalMs = DAY,
): () => Promise<void> {
  if (options.audit !== undefined) mkdirSync(options.audit.directory, { recursive: true, mode: 0o700 });
  const apply = async () => {
    try {
      const done = await applyRetention(store, options);
      if (done !== undefined && done.faults > 0) logger.error(done, "retention: audit chains have faults, which stay");
      else if (done !== undefined) logger.info(done, "retention applied");
    } catch (error) {
      logger.error({ err: error }, "retention failed: everything stays until the next time");
    }
  };
  let work = apply();
  const timer = setInterval(() => {
    work = work.then(apply);
  }, intervalMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await work;
  };
}
