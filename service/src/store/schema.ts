/** The tables, for the query layer. `migrations/` creates them; constraints are declared only there. */

import { bigint, boolean, integer, json, pgTable, text, timestamp } from "drizzle-orm/pg-core";

export const PLANS = ["free", "pro", "enterprise"] as const;
export const ACCOUNT_STATUSES = ["active", "past_due", "suspended"] as const;
export const ENVIRONMENTS = ["development", "production"] as const;
export const WORKSPACE_STATES = ["active", "suspended"] as const;
export const API_STATES = ["draft", "active", "suspended", "deleting"] as const;
export const KEY_STATES = ["enabled", "disabled", "revoked"] as const;
export const ROLES = ["viewer", "editor", "admin", "custom"] as const;

const createdAt = () => timestamp("created_at", { withTimezone: true }).notNull().defaultNow();

export const accounts = pgTable("accounts", {
  id: text().primaryKey(),
  plan: text({ enum: PLANS }).notNull(),
  status: text({ enum: ACCOUNT_STATUSES }).notNull(),
  limitApis: integer("limit_apis").notNull(),
  limitKeys: integer("limit_keys").notNull(),
  limitWorkspaces: integer("limit_workspaces").notNull().default(100),
  /** The number of APIs of the account. */
  usedApis: integer("used_apis").notNull().default(0),
  /** The number of keys of the account that are not revoked. */
  usedKeys: integer("used_keys").notNull().default(0),
  usedWorkspaces: integer("used_workspaces").notNull().default(0),
  holds: text().array().notNull().default([]),
  createdAt: createdAt(),
});

export const workspaces = pgTable("workspaces", {
  id: text().primaryKey(),
  accountId: text("account_id").notNull(),
  name: text().notNull(),
  /** The environment of every API in the workspace, and of their keys. It never changes. */
  environment: text({ enum: ENVIRONMENTS }).notNull(),
  state: text({ enum: WORKSPACE_STATES }).notNull().default("active"),
  createdAt: createdAt(),
});

export const apis = pgTable("apis", {
  id: text().primaryKey(),
  accountId: text("account_id").notNull(),
  workspaceId: text("workspace_id").notNull(),
  name: text().notNull(),
  system: boolean().notNull().default(false),
  deleteProtection: boolean("delete_protection").notNull().default(false),
  state: text({ enum: API_STATES }).notNull().default("draft"),
  /** The number of keys of the API that are not revoked. */
  keyCount: integer("key_count").notNull().default(0),
  createdAt: createdAt(),
});

export const keys = pgTable("keys", {
  id: text().primaryKey(),
  /** The order of creation within an account. */
  position: bigint({ mode: "number" }).notNull().generatedAlwaysAsIdentity(),
  accountId: text("account_id").notNull(),
  apiId: text("api_id").notNull(),
  /** The key that made this one, and that limits it; null for a key that an operator made. */
  parentId: text("parent_id"),
  name: text().notNull(),
  prefix: text().notNull(),
  hash: text().notNull(),
  /** The hash of the secret before the present one, which works until `oldUntil`. */
  oldHash: text("old_hash"),
  oldUntil: timestamp("old_until", { withTimezone: true }),
  externalId: text("external_id"),
  meta: json().$type<{ readonly [name: string]: string }>(),
  roles: text({ enum: ROLES }).array().notNull(),
  permissions: text().array().notNull(),
  /** Permissions in the owner's product. No policy reads them. */
  productPermissions: text("product_permissions").array().notNull().default([]),
  /** The workspaces that the key can reach; `["*"]`: every workspace of the account. */
  workspaceIds: text("workspace_ids").array().notNull(),
  state: text({ enum: KEY_STATES }).notNull().default("enabled"),
  system: boolean().notNull().default(false),
  expiresAt: timestamp("expires_at", { withTimezone: true }),
  /** When the key was revoked; a trigger sets it. */
  revokedAt: timestamp("revoked_at", { withTimezone: true }),
  createdAt: createdAt(),
});

/** The end of an account's audit chain. */
export const auditHeads = pgTable("audit_heads", {
  accountId: text("account_id").primaryKey(),
  seq: bigint({ mode: "number" }).notNull().default(0),
  hash: text().notNull().default(""),
  /** The last entry that was moved into an archive. */
  archivedSeq: bigint("archived_seq", { mode: "number" }).notNull().default(0),
  archivedHash: text("archived_hash").notNull().default(""),
});

export const audit = pgTable("audit", {
  accountId: text("account_id").notNull(),
  seq: bigint({ mode: "number" }).notNull(),
  entry: text().notNull(),
  hash: text().notNull(),
});

/** Answers of creates with an `Idempotency-Key`. */
export const answers = pgTable("answers", {
  keyId: text("key_id").notNull(),
  token: text().notNull(),
  request: text().notNull(),
  sealed: text().notNull(),
  expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
});

export const schema = { accounts, workspaces, apis, keys, auditHeads, audit, answers };
