/** The rows that the statements of `snapshots.ts` and others return. Times are in milliseconds. */

import type { SecretHashes } from "../auth/secret.js";
import type {
  ACCOUNT_STATUSES,
  API_STATES,
  ENVIRONMENTS,
  KEY_STATES,
  PLANS,
  ROLES,
  WORKSPACE_STATES,
} from "./schema.js";

type OneOf<List extends readonly string[]> = List[number];
export type Environment = OneOf<typeof ENVIRONMENTS>;
export type Role = OneOf<typeof ROLES>;

/** The properties of a key that determine its powers. */
export interface KeyPowers {
  readonly id: string;
  readonly accountId: string;
  readonly roles: readonly Role[];
  readonly permissions: readonly string[];
  /** The workspaces that the key can reach; `["*"]`: every workspace of the account. */
  readonly workspaceIds: readonly string[];
  readonly environment: Environment;
}

/** A key above another one, in the chain of keys that limits it. */
export interface AncestorRow extends KeyPowers {
  readonly parentId: string | null;
  /** As in {@link CallerRow}. */
  readonly usable: boolean;
}

/** A key with the keys above it. */
export interface ChainedKey extends KeyPowers {
  /** The key that made this one; null for a key that an operator made. */
  readonly parentId: string | null;
  /** From the parent on. The last one has no parent, unless that is missing or the chain is too long. */
  readonly ancestors: readonly AncestorRow[];
}

/** The properties of a key that prove it. */
export interface KeyProof extends SecretHashes {
  readonly prefix: string;
  readonly accountId: string;
  readonly state: OneOf<typeof KEY_STATES>;
  /** True if the key may make requests: enabled, and not expired by the store's clock. */
  readonly usable: boolean;
}

/** The key that makes a request. */
export interface CallerRow extends ChainedKey, Omit<KeyProof, "prefix"> {
  readonly apiId: string;
  readonly name: string;
  readonly expiresAt: number | null;
}

export interface AccountRow {
  readonly id: string;
  readonly plan: OneOf<typeof PLANS>;
  readonly status: OneOf<typeof ACCOUNT_STATUSES>;
  readonly limitApis: number;
  readonly limitKeys: number;
  readonly limitWorkspaces: number;
  readonly usedApis: number;
  readonly usedKeys: number;
  readonly usedWorkspaces: number;
  readonly holds: readonly string[];
}

export interface WorkspaceRow {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly environment: Environment;
  readonly state: OneOf<typeof WORKSPACE_STATES>;
  /** The number of APIs in the workspace. */
  readonly apiCount: number;
  readonly createdAt: number;
}

export interface ApiRow {
  readonly id: string;
  readonly accountId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly system: boolean;
  readonly deleteProtection: boolean;
  /** The API's own state; `stateInForce` computes the effective one. */
  readonly state: OneOf<typeof API_STATES>;
  /** Whether its workspace is suspended. */
  readonly containerSuspended: boolean;
  readonly keyCount: number;
  readonly createdAt: number;
  readonly environment: Environment;
}

/** A key in a list. */
export interface BareKeyRow {
  readonly id: string;
  /** The order of creation within an account. */
  readonly position: number;
  readonly accountId: string;
  readonly apiId: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly permissions: readonly string[];
  readonly workspaceIds: readonly string[];
  /** The key's own state; `stateInForce` computes the effective one. */
  readonly state: OneOf<typeof KEY_STATES>;
  /** Whether its API or its workspace is suspended. */
  readonly containerSuspended: boolean;
  readonly system: boolean;
  readonly expiresAt: number | null;
  readonly createdAt: number;
  /** The owner's own id for the holder of the key. */
  readonly externalId: string | null;
  readonly meta: KeyMeta | null;
  /** Permissions in the owner's product. No policy reads them. */
  readonly productPermissions: readonly string[];
  /** Null: the key may be verified as often as anyone likes. */
  readonly credits: KeyCredits | null;
}

export interface KeyCredits {
  readonly remaining: number;
  /** Sets `remaining` to `amount` at the beginning of each day or month, in UTC. */
  readonly refill: { readonly amount: number; readonly every: "day" | "month" } | null;
}

/** Credits to set, as a parameter. Without `remaining`, the use of the key is not limited any more. */
export interface NewCredits {
  readonly remaining: number | null;
  readonly amount?: number | undefined;
  readonly every?: "day" | "month" | undefined;
}

export interface CreditsRow {
  readonly remaining: number;
}

/** Texts of the owner. Nothing is decided on them. */
export type KeyMeta = { readonly [name: string]: string };

/** A key with properties of its API and its account. */
export interface KeyRow extends BareKeyRow, SecretHashes {
  readonly prefix: string;
  readonly workspaceId: string;
  readonly environment: Environment;
  /** As in {@link ChainedKey}. */
  readonly ancestors: readonly AncestorRow[];
  /** As in {@link CallerRow}. */
  readonly usable: boolean;
  /** Whether no key would administer the whole account, in this environment, without this key or below it. */
  readonly lastAdmin: boolean;
}

/** A consistent snapshot of the rows for a request. */
export interface SnapshotRow<Target> {
  /** Changes whenever a row that the decision depends on changes. */
  readonly version: string;
  readonly caller: CallerRow;
  readonly account: AccountRow;
  /** The resource; null if the account has no resource with this id. */
  readonly target: Target | null;
}

/** The API for a key that administers an account; null if the account has no API in that environment. */
export interface AdminApiRow {
  /** As in {@link SnapshotRow}. */
  readonly version: string;
  readonly apiId: string | null;
}

/** A row of a list. */
export interface ItemRow<Item> {
  readonly item: Item;
}

/** The answer of an earlier create. */
export interface AnswerRow {
  /** The hash of the operation and its input. */
  readonly request: string;
  /** The answer, encrypted with a key that only the caller's secret gives. */
  readonly sealed: string;
}

/** An answer to store. */
export interface StoredAnswer extends AnswerRow {
  /** The hash of the `Idempotency-Key`. */
  readonly token: string;
}
