/**
 * Requests for the shipped policies in `policies/`. Each request starts as an allowed one and gets a few twists. Each
 * twist makes one rule matter, so every rule is often the only one to decide.
 */

import fc from "fast-check";
import type { PlainRequest } from "../../../src/testing/laws/plain-request.js";

type Kind = "api" | "key" | "workspace";

interface Operation {
  readonly kind: Kind;
  /** The last part of permissions that allow the operation. */
  readonly action: string;
  readonly roles: readonly string[];
  readonly effect: "reads" | "changes" | "creates";
}

const ALL = ["viewer", "editor", "admin"];
const OPERATIONS: { readonly [name: string]: Operation } = {
  "apis.createApi": { kind: "workspace", action: "create_api", roles: ["admin"], effect: "creates" },
  "workspaces.createWorkspace": { kind: "workspace", action: "create_workspace", roles: ["admin"], effect: "creates" },
  "workspaces.deleteWorkspace": { kind: "workspace", action: "delete_workspace", roles: ["admin"], effect: "changes" },
  "apis.getApi": { kind: "api", action: "read_api", roles: ALL, effect: "reads" },
  "apis.listKeys": { kind: "api", action: "read_key", roles: ALL, effect: "reads" },
  "apis.updateApi": { kind: "api", action: "update_api", roles: ["admin"], effect: "changes" },
  "apis.deleteApi": { kind: "api", action: "delete_api", roles: ["admin"], effect: "changes" },
  "keys.createKey": { kind: "api", action: "create_key", roles: ["editor", "admin"], effect: "creates" },
  "keys.getKey": { kind: "key", action: "read_key", roles: ALL, effect: "reads" },
  "keys.updateKey": { kind: "key", action: "update_key", roles: ["editor", "admin"], effect: "changes" },
  "keys.revokeKey": { kind: "key", action: "update_key", roles: ["editor", "admin"], effect: "changes" },
  "keys.verifyKey": { kind: "key", action: "verify_key", roles: ALL, effect: "reads" },
  "apis.listApis": { kind: "workspace", action: "read_api", roles: ALL, effect: "reads" },
  "keys.deleteKey": { kind: "key", action: "delete_key", roles: ["editor", "admin"], effect: "changes" },
};

const ACCOUNTS = ["acc_1", "acc_2"] as const;
const WORKSPACES = ["ws_1", "ws_2"] as const;
const IDS = { api: ["api_1", "api_2"], key: ["key_1", "key_2"], workspace: WORKSPACES } as const;
const ENVIRONMENTS = ["development", "production"] as const;

/** The parts of a request that twists change, all with the right types. */
interface Draft {
  operation: string;
  readonly kind: Kind;
  id: string;
  roles: string[];
  readonly key: { accountId: string; workspaceIds: string[]; environment: string; permissions: string[] };
  readonly resource: { [name: string]: string | number | boolean };
  accountId: string;
  readonly account: {
    plan: string;
    status: string;
    limits: { apis: number; keys: number };
    usage: { apis: number; keys: number };
    holds: string[];
  };
}

type Twist = (draft: Draft) => void;

const other = (value: string): string => {
  const swap = [ACCOUNTS, WORKSPACES, ENVIRONMENTS, IDS.api, IDS.key].find((pair) =>
    (pair as readonly string[]).includes(value),
  );
  return swap?.find((one) => one !== value) ?? `not_${value}`;
};

/** Every permission that covers the draft: `<type>.<id or *>.<action>`. */
function permissionsFor({ operation, kind, id, resource }: Draft): string[] {
  const action = OPERATIONS[operation]?.action ?? "none";
  const own = [`${kind}.*.${action}`, `${kind}.${id}.${action}`];
  if (kind === "workspace") return action === "create_api" || action === "read_api" ? [...own, `api.*.${action}`] : own;
  return kind === "key" ? [...own, `api.*.${action}`, `api.${resource.apiId}.${action}`] : own;
}

/** Changes after which the key lacks a permission (docs/contract.md §7.3). */
const KEY_TWISTS: readonly Twist[] = [
  (draft) => {
    draft.roles = ["viewer"];
    draft.key.permissions = [];
  },
  (draft) => {
    draft.roles = ["editor"];
    draft.key.permissions = [];
  },
  (draft) => {
    draft.roles = ["custom"];
    draft.key.permissions = ["api.*.read_api", "api.*.read_key", "key.*.read_key"];
  },
  (draft) => {
    draft.roles = ["custom"];
    draft.key.permissions = permissionsFor(draft)
      .filter((permission) => !permission.includes(".*."))
      .map((permission) => permission.replace(/\.(\w+)\./, (_, id: string) => `.${other(id)}.`));
  },
  (draft) => {
    draft.roles = ["custom"];
    draft.key.permissions = [];
  },
  (draft) => {
    draft.key.workspaceIds = draft.key.workspaceIds.filter((id) => id !== "*").map(other);
  },
  (draft) => {
    draft.key.environment = other(draft.key.environment);
  },
  (draft) => {
    draft.key.accountId = other(draft.key.accountId);
  },
  (draft) => {
    // The key revokes itself without having any permission.
    if (draft.operation !== "keys.revokeKey") return;
    draft.id = OWN_KEY;
    draft.roles = ["custom"];
    draft.key.permissions = [];
  },
];

/** The id of the caller's key. */
const OWN_KEY = "key_0";

/** Changes after which the platform forbids the operation (docs/contract.md §7.4). */
const PLATFORM_TWISTS: readonly Twist[] = [
  ({ resource, kind }) => {
    if (kind !== "workspace") resource.system = true;
  },
  ({ resource, kind }) => {
    resource.state = kind === "key" ? "revoked" : "suspended";
  },
  ({ resource, kind }) => {
    if (kind === "api") resource.state = "deleting";
  },
  ({ account }) => {
    account.usage = { ...account.limits };
  },
  ({ account }) => {
    account.usage = { apis: account.limits.apis + 1, keys: account.limits.keys + 1 };
  },
  ({ account }) => {
    account.holds = ["abuse"];
  },
  (draft) => {
    draft.accountId = other(draft.accountId);
  },
  ({ account, key, resource }) => {
    account.plan = "free";
    key.environment = "production";
    resource.environment = "production";
  },
  ({ account }) => {
    account.status = "suspended";
  },
  ({ account }) => {
    account.status = "past_due";
  },
  ({ resource, kind }) => {
    if (kind === "api") resource.state = "draft";
  },
  ({ resource, kind }) => {
    if (kind === "api") resource.keyCount = 1;
  },
  ({ resource, kind }) => {
    if (kind === "api") resource.deleteProtection = true;
  },
  (draft) => {
    draft.operation = draft.operation === "apis.getApi" ? "apis.archiveApi" : "apis.getApi";
  },
  (draft) => {
    if (draft.operation === "keys.deleteKey") draft.operation = "keys.removeLastAdmin";
    if (draft.operation === "workspaces.createWorkspace") draft.operation = "workspaces.createBeyondLimit";
    if (draft.operation === "workspaces.deleteWorkspace") draft.operation = "workspaces.deleteWithApis";
  },
];

export interface ShippedRequestOptions {
  readonly operations?: readonly string[];
}

/** A well-typed and complete request over the worked example. */
export function shippedRequest({
  operations = Object.keys(OPERATIONS),
}: ShippedRequestOptions = {}): fc.Arbitrary<PlainRequest> {
  // Operations with effects are drawn more often, since most rules are about them.
  const names = operations.flatMap((name) => (OPERATIONS[name]?.effect === "reads" ? [name] : [name, name, name]));
  return fc
    .tuple(
      fc.constantFrom(...names).chain(draft),
      fc.subarray([...KEY_TWISTS], { minLength: 1, maxLength: 2 }),
      fc.subarray([...PLATFORM_TWISTS], { minLength: 1, maxLength: 2 }),
      fc.constantFrom("neither", "key", "key", "platform", "platform", "platform", "both"),
    )
    .map(([made, keyTwists, platformTwists, which]) => {
      // Copied, because fast-check may return the same value again.
      const result = structuredClone(made);
      if (which === "key" || which === "both") for (const twist of keyTwists) twist(result);
      if (which === "platform" || which === "both") for (const twist of platformTwists) twist(result);
      return requestOf(result);
    });
}

function requestOf({ operation, kind, id, roles, key, resource, accountId, account }: Draft): PlainRequest {
  const { limits, usage, ...rest } = account;
  return {
    key: { id: OWN_KEY, roles, attr: { ...key } },
    operation,
    resource: { kind, id, attr: resource },
    account: { id: accountId, attr: { ...rest, limits: { ...limits }, usage: { ...usage } } },
  };
}

/** An allowed request for `operation`: by a role, by a permission, or by both. */
function draft(operation: string): fc.Arbitrary<Draft> {
  const { kind, roles } = OPERATIONS[operation] ?? { kind: "api", roles: ["admin"] };
  return fc
    .record({
      id: fc.constantFrom(...IDS[kind]),
      accountId: fc.constantFrom(...ACCOUNTS),
      workspace: fc.constantFrom(...WORKSPACES),
      everyWorkspace: fc.boolean(),
      environment: fc.constantFrom(...ENVIRONMENTS),
      apiId: fc.constantFrom(...IDS.api),
      by: fc.constantFrom("role", "permission", "permission", "both"),
      role: fc.constantFrom(...roles),
      more: fc.subarray(["viewer", "custom"]),
      pick: fc.nat({ max: 3 }),
      plan: fc.constantFrom("pro", "enterprise"),
      // Numbers that sort differently as strings: "10" < "9".
      limit: fc.constantFrom(1, 2, 9, 10, 99, 100),
      room: fc.constantFrom(1, 1, 2),
      keyState: fc.constantFrom("enabled", "disabled"),
    })
    .map((roll) => {
      const { id, accountId, workspace, environment, by, limit } = roll;
      const common = { accountId, environment };
      const inWorkspace = { ...common, workspaceId: workspace, system: false };
      const resources = {
        api: { ...inWorkspace, deleteProtection: false, state: "active", keyCount: 0 },
        key: { ...inWorkspace, apiId: roll.apiId, state: roll.keyState },
        workspace: { ...common, state: "active" },
      };
      const counts = (n: number) => ({ apis: n, keys: n });
      const made: Draft = {
        operation,
        kind,
        id,
        roles: by === "permission" ? ["custom"] : [...new Set([...roll.more, roll.role])],
        key: {
          ...common,
          workspaceIds: roll.everyWorkspace ? ["*"] : [kind === "workspace" ? id : workspace],
          permissions: [],
        },
        resource: resources[kind],
        accountId,
        account: {
          plan: roll.plan,
          status: "active",
          limits: counts(limit),
          usage: counts(Math.max(0, limit - roll.room)),
          holds: [],
        },
      };
      const tuples = permissionsFor(made);
      if (by !== "role") made.key.permissions = [tuples[roll.pick % tuples.length] ?? "", "api.*.unheard_of"];
      return made;
    });
}
