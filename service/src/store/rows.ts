/** What the statements of `statements.ts` give. Times are in milliseconds. */

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

/** What decides what a key may do. */
export interface Holder {
  readonly id: string;
  readonly accountId: string;
  readonly roles: readonly Role[];
  readonly permissions: readonly string[];
  /** The workspaces that the key can reach; `["*"]`: every one of the account. */
  readonly workspaceIds: readonly string[];
  readonly environment: Environment;
}

/** The key that makes a request. */
export interface CallerRow extends Holder {
  readonly apiId: string;
  readonly name: string;
  readonly hash: string;
  readonly state: OneOf<typeof KEY_STATES>;
  readonly expiresAt: number | null;
  /** Whether it may make requests at all: enabled, and not expired by the store's clock. */
  readonly usable: boolean;
}

export interface AccountRow {
  /** Another one after each change of anything in the account. */
  readonly version: string;
  readonly id: string;
  readonly plan: OneOf<typeof PLANS>;
  readonly status: OneOf<typeof ACCOUNT_STATUSES>;
  readonly limitApis: number;
  readonly limitKeys: number;
  readonly usedApis: number;
  readonly usedKeys: number;
  readonly holds: readonly string[];
}

export interface WorkspaceRow {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly environment: Environment;
  readonly state: OneOf<typeof WORKSPACE_STATES>;
  readonly createdAt: number;
}

export interface ApiRow {
  readonly id: string;
  readonly accountId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly system: boolean;
  readonly deleteProtection: boolean;
  readonly state: OneOf<typeof API_STATES>;
  readonly keyCount: number;
  readonly createdAt: number;
  readonly environment: Environment;
}

/** A key as its own columns have it. */
export interface BareKeyRow {
  readonly id: string;
  /** The order of creation within an account. */
  readonly position: number;
  readonly accountId: string;
  readonly apiId: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly permissions: readonly string[];
  readonly workspaceIds: readonly string[];
  readonly state: OneOf<typeof KEY_STATES>;
  readonly system: boolean;
  readonly expiresAt: number | null;
  readonly createdAt: number;
}

/** A key with what its API and its account say of it. */
export interface KeyRow extends BareKeyRow {
  readonly workspaceId: string;
  readonly environment: Environment;
  readonly hash: string;
  /** As of {@link CallerRow}. */
  readonly usable: boolean;
  /** Whether it is the only key that administers the whole account, in its environment. */
  readonly lastAdmin: boolean;
}

/** What a request is about, as it is at one moment. */
export interface SightRow<Target> {
  readonly caller: CallerRow;
  readonly account: AccountRow;
  /** The resource; null if there is none of this id in the account. */
  readonly target: Target | null;
}

/** Where a key that administers an account belongs; null if the account has no API there. */
export interface AdminPlaceRow {
  /** As of {@link AccountRow}. */
  readonly version: string;
  readonly apiId: string | null;
}

/** A row of a list. */
export interface ItemRow<Item> {
  readonly item: Item;
}
