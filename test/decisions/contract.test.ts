/** The numbered rules of the error contract, by their numbers in docs/contract.md. */

import { describe, expect, test } from "vitest";
import { type Decision, decide } from "../../src/index.js";
import { shipped } from "../support/policies.js";
import { ask, type Changes, holder, KINDS } from "../support/requests.js";

/** An operation with two requests on either side of a boundary: one refused, one allowed. */
interface Boundary {
  readonly operation: string;
  readonly refused: Changes;
  readonly allowed: Changes;
}

const at = (operation: string, refused: Changes, allowed: Changes = {}): Boundary => ({ operation, refused, allowed });

function reasonsOf({ platform }: Decision): string[] {
  return platform.reasons.map(({ reason }) => reason);
}

describe("§4 the two operations of the contract", () => {
  test("§4.1 createKey with a key that may not create keys: insufficient_permissions", () => {
    expect(decide(shipped, ask("keys.createKey", { roles: ["viewer"] })).outcome).toBe("insufficient_permissions");
  });

  test("§4.2 deleteApi of a protected system API: forbidden, even for a key with administrative permissions", () => {
    const { outcome, permission } = decide(shipped, ask("apis.deleteApi", { resource: { system: true } }));
    expect(outcome).toBe("forbidden");
    expect(permission.effect).toBe("allow");
  });
});

describe("§5 keys differ in permission level", () => {
  test.each<[string, Changes, readonly string[]]>([
    ["§5 a read-only key reads", { roles: ["viewer"] }, ["apis.getApi", "apis.listKeys", "keys.getKey"]],
    [
      "§5 a write-capable key reads, and manages keys",
      { roles: ["editor"] },
      ["apis.getApi", "apis.listKeys", "keys.getKey", "keys.createKey", "keys.updateKey", "keys.deleteKey"],
    ],
    ["§5 an administrative key does everything", { roles: ["admin"] }, Object.keys(KINDS)],
    [
      "§5 a key limited to specific resources does what its permissions name",
      holder("api.api_1.read_api", "key.key_1.update_key", "workspace.ws_1.create_api"),
      ["apis.getApi", "keys.updateKey", "apis.createApi"],
    ],
    [
      "§5 a permission for an API covers the keys in it",
      holder("api.api_1.read_key"),
      ["apis.listKeys", "keys.getKey"],
    ],
    ["§5 a key tied to no known role does nothing", { roles: ["custom"] }, []],
    [
      "§5 roles and permissions add up",
      { roles: ["viewer", "custom"], key: { permissions: ["api.*.delete_api"] } },
      ["apis.getApi", "apis.listKeys", "keys.getKey", "apis.deleteApi"],
    ],
  ])("%s", (_, changes, allowed) => {
    const all = Object.keys(KINDS);
    expect(all.filter((operation) => decide(shipped, ask(operation, changes)).outcome === "allow").sort()).toEqual(
      [...allowed].sort(),
    );
  });

  test("§5 a key scoped to one workspace works in it, and in no other", () => {
    const scoped = { key: { workspaceIds: ["ws_1"] } };
    for (const operation of Object.keys(KINDS)) {
      expect(decide(shipped, ask(operation, scoped)).outcome).toBe("allow");
      const elsewhere = { ...scoped, resourceId: "ws_2", resource: { workspaceId: "ws_2" } };
      expect(decide(shipped, ask(operation, elsewhere)).outcome).toBe("insufficient_permissions");
    }
  });
});

describe("§7.3 conditions that yield insufficient_permissions", () => {
  test.each<[string, Boundary]>([
    [
      "§7.3.1 a read-only key used for a write operation",
      at("keys.createKey", { roles: ["viewer"] }, { roles: ["editor"] }),
    ],
    [
      "§7.3.1 a key with read permissions alone used for a write operation",
      at("keys.deleteKey", holder("api.*.read_key", "key.*.read_key"), holder("api.*.read_key", "key.*.delete_key")),
    ],
    [
      "§7.3.2 a key limited to certain resources used on other resources",
      at("keys.createKey", holder("api.api_2.create_key"), holder("api.api_1.create_key")),
    ],
    [
      "§7.3.2 a key limited to one key used on another",
      at("keys.updateKey", holder("key.key_2.update_key"), holder("key.key_1.update_key")),
    ],
    [
      "§7.3.2 a key limited to the keys of one API used on a key of another",
      at("keys.updateKey", holder("api.api_2.update_key"), holder("api.api_1.update_key")),
    ],
    [
      "§7.3.2 a key of one account used on the resources of another",
      at("apis.getApi", { key: { accountId: "acc_2" } }, { key: { accountId: "acc_1" } }),
    ],
    [
      "§7.3.3 a workspace-scoped key used on resources of another workspace",
      at("apis.getApi", { key: { workspaceIds: ["ws_2"] } }, { key: { workspaceIds: ["ws_2", "ws_1"] } }),
    ],
    [
      "§7.3.3 a workspace-scoped key used on another workspace",
      at("apis.createApi", { key: { workspaceIds: ["ws_2"] } }, { key: { workspaceIds: ["ws_1"] } }),
    ],
    [
      "§7.3.3 a key scoped to no workspace",
      at("apis.getApi", { key: { workspaceIds: [] } }, { key: { workspaceIds: ["*"] } }),
    ],
    [
      "§7.3.4 a key with limited permissions used for an administrative action: deleting an API",
      at("apis.deleteApi", { roles: ["editor"] }, { roles: ["admin"] }),
    ],
    [
      "§7.3.4 a key with limited permissions used for an administrative action: updating an API",
      at("apis.updateApi", { roles: ["editor"] }, { roles: ["admin"] }),
    ],
    [
      "§7.3.4 a key with limited permissions used for an administrative action: creating an API",
      at("apis.createApi", { roles: ["editor", "viewer"] }, { roles: ["editor", "admin"] }),
    ],
    [
      "§7.3.4 a key with limited permissions used for an administrative action: creating a workspace",
      at("workspaces.createWorkspace", { roles: ["editor", "viewer"] }, holder("workspace.*.create_workspace")),
    ],
    [
      "§7.3.4 a key with limited permissions used for an administrative action: deleting a workspace",
      at("workspaces.deleteWorkspace", { roles: ["editor", "viewer"] }, holder("workspace.*.delete_workspace")),
    ],
    [
      "§7.3.5 a key whose permissions were reduced after issue: a permission was taken away",
      at("keys.createKey", holder("api.*.read_api"), holder("api.*.read_api", "api.*.create_key")),
    ],
    [
      "§7.3.5 a key whose permissions were reduced after issue: a role was taken away",
      at("apis.deleteApi", { roles: ["viewer"] }, { roles: ["viewer", "admin"] }),
    ],
    [
      "§7.3.6 a key issued for one environment used in another",
      at("keys.createKey", { key: { environment: "development" } }, { key: { environment: "production" } }),
    ],
    [
      "§7.3.6 a key issued for production used in development",
      at(
        "apis.getApi",
        { resource: { environment: "development" } },
        { resource: { environment: "development" }, key: { environment: "development" } },
      ),
    ],
  ])("%s: insufficient_permissions", (_, { operation, refused, allowed }) => {
    const decision = decide(shipped, ask(operation, refused));
    expect(decision.outcome).toBe("insufficient_permissions");
    expect(decision.platform.effect).toBe("allow");
    expect(decision.permission.errors).toEqual([]);
    expect(decide(shipped, ask(operation, allowed)).outcome).toBe("allow");
  });
});

const limits = { apis: 10, keys: 100 };

describe("§7.4 conditions that yield forbidden", () => {
  test.each<[string, string, Boundary]>([
    ["§7.4.1 a system API is deleted", "system_resource", at("apis.deleteApi", { resource: { system: true } })],
    ["§7.4.1 a system API is updated", "system_resource", at("apis.updateApi", { resource: { system: true } })],
    [
      "§7.4.1 a key is created in a system API",
      "system_resource",
      at("keys.createKey", { resource: { system: true } }),
    ],
    ["§7.4.1 a system key is updated", "system_resource", at("keys.updateKey", { resource: { system: true } })],
    ["§7.4.1 a system key is deleted", "system_resource", at("keys.deleteKey", { resource: { system: true } })],
    [
      "§7.4.2 a suspended API is updated",
      "state_forbids_modification",
      at("apis.updateApi", { resource: { state: "suspended" } }, { resource: { state: "draft" } }),
    ],
    [
      "§7.4.2 an API that is being deleted is deleted",
      "state_forbids_modification",
      at("apis.deleteApi", { resource: { state: "deleting" } }, { resource: { state: "draft" } }),
    ],
    [
      "§7.4.2 a key is created in a suspended API",
      "state_forbids_modification",
      at("keys.createKey", { resource: { state: "suspended" } }),
    ],
    [
      "§7.4.2 a revoked key is updated",
      "state_forbids_modification",
      at("keys.updateKey", { resource: { state: "revoked" } }, { resource: { state: "disabled" } }),
    ],
    [
      "§7.4.2 a revoked key is deleted",
      "state_forbids_modification",
      at("keys.deleteKey", { resource: { state: "revoked" } }, { resource: { state: "disabled" } }),
    ],
    [
      "§7.4.2 an API is created in a suspended workspace",
      "state_forbids_modification",
      at("apis.createApi", { resource: { state: "suspended" } }),
    ],
    [
      "§7.4.3 a key more than the account may have",
      "quota_exceeded",
      at(
        "keys.createKey",
        { account: { usage: { apis: 1, keys: 100 }, limits } },
        { account: { usage: { apis: 1, keys: 99 }, limits } },
      ),
    ],
    [
      "§7.4.3 a key more, where there are too many already",
      "quota_exceeded",
      at("keys.createKey", { account: { usage: { apis: 1, keys: 101 }, limits } }),
    ],
    [
      "§7.4.3 an API more than the account may have",
      "quota_exceeded",
      at(
        "apis.createApi",
        { account: { usage: { apis: 10, keys: 1 }, limits } },
        { account: { usage: { apis: 9, keys: 1 }, limits } },
      ),
    ],
    [
      "§7.4.2 a suspended workspace is deleted",
      "state_forbids_modification",
      at("workspaces.deleteWorkspace", { resource: { state: "suspended" } }),
    ],
    [
      "§7.4.4 something is created in an account on hold",
      "platform_policy_violation",
      at("apis.createApi", { account: { holds: ["abuse"] } }, { account: { holds: [] } }),
    ],
    [
      "§7.4.4 a workspace is created in an account on hold",
      "platform_policy_violation",
      at("workspaces.createWorkspace", { account: { holds: ["abuse"] } }, { account: { holds: [] } }),
    ],
    [
      "§7.4.4 something is deleted in an account on hold",
      "platform_policy_violation",
      at("keys.deleteKey", { account: { holds: ["payment", "abuse"] } }),
    ],
    [
      "§7.4.4 the account that was passed is not the resource's",
      "platform_policy_violation",
      at("apis.updateApi", { accountId: "acc_2" }),
    ],
    [
      "§7.4.5 a free account creates in production",
      "not_available",
      at(
        "keys.createKey",
        { account: { plan: "free" } },
        { account: { plan: "free" }, key: { environment: "development" }, resource: { environment: "development" } },
      ),
    ],
    [
      "§7.4.5 a free account creates an API in production",
      "not_available",
      at("apis.createApi", { account: { plan: "free" } }, { account: { plan: "enterprise" } }),
    ],
    [
      "§7.4.5 a free account creates a workspace in production",
      "not_available",
      at("workspaces.createWorkspace", { account: { plan: "free" } }, { account: { plan: "pro" } }),
    ],
    [
      "§7.4.5 a suspended account changes something",
      "not_available",
      at("keys.updateKey", { account: { status: "suspended" } }, { account: { status: "past_due" } }),
    ],
    [
      "§7.4.5 a suspended account creates something",
      "not_available",
      at("keys.createKey", { account: { status: "suspended" } }),
    ],
    [
      "§7.4.5 an account that is past due creates something",
      "not_available",
      at("apis.createApi", { account: { status: "past_due" } }),
    ],
    [
      "§7.4.6 a key is created in an API that is still a draft",
      "out_of_sequence",
      at("keys.createKey", { resource: { state: "draft" } }, { resource: { state: "active" } }),
    ],
    [
      "§7.4.6 an API is deleted while it has keys",
      "out_of_sequence",
      at("apis.deleteApi", { resource: { keyCount: 1 } }, { resource: { keyCount: 0 } }),
    ],
    [
      "§7.4.7 an API with delete protection is deleted",
      "delete_protected",
      at("apis.deleteApi", { resource: { deleteProtection: true } }, { resource: { deleteProtection: false } }),
    ],
  ])("%s: forbidden (%s)", (_, reason, { operation, refused, allowed }) => {
    const decision = decide(shipped, ask(operation, refused));
    expect(decision.outcome).toBe("forbidden");
    expect(reasonsOf(decision)).toEqual([reason]);
    expect(decision.platform.outputs.map(({ val }) => val)).toEqual([reason]);
    expect(decision.platform.errors).toEqual([]);
    expect(decide(shipped, ask(operation, allowed)).outcome).toBe("allow");
  });

  test.each(["apis.archiveApi", "keys.getKey", "apis.createApi", "apis.deleteapi", "apis.*", "*", "toString"])(
    "§7.4.5 the operation %s is not supported on an API: forbidden (not_available)",
    (operation) => {
      const request = { ...ask("apis.getApi"), operation };
      const decision = decide(shipped, request);
      expect([decision.outcome, reasonsOf(decision)]).toEqual(["forbidden", ["not_available"]]);
    },
  );

  test("§7.4.5 a kind of resource that no platform policy knows: forbidden (not_available)", () => {
    const request = ask("apis.getApi");
    const decision = decide(shipped, { ...request, resource: { ...request.resource, kind: "invoice" } });
    expect([decision.outcome, reasonsOf(decision)]).toEqual(["forbidden", ["not_available"]]);
  });

  test("§7.4 all reasons are given, in the order of the contract", () => {
    const everything: Changes = {
      roles: ["viewer"],
      resource: { system: true, state: "deleting", keyCount: 2, deleteProtection: true },
      account: { holds: ["abuse"], status: "suspended" },
    };
    expect(reasonsOf(decide(shipped, ask("apis.deleteApi", everything)))).toEqual([
      "system_resource",
      "state_forbids_modification",
      "platform_policy_violation",
      "not_available",
      "out_of_sequence",
      "delete_protected",
    ]);
  });

  test.each(["apis.getApi", "apis.listKeys", "keys.getKey"])("§7.4 reading is never forbidden: %s", (operation) => {
    const worst: Changes = {
      resource: { system: true, state: "suspended", deleteProtection: true },
      account: { holds: ["abuse"], status: "suspended", plan: "free", usage: limits, limits },
    };
    expect(decide(shipped, ask(operation, worst)).outcome).toBe("allow");
  });
});

describe("§7.5 distinction", () => {
  const weak: Changes = { roles: ["viewer"] };
  const protectedApi: Changes = { resource: { system: true } };

  test("§7.5 insufficient_permissions: a key with more permissions can succeed", () => {
    expect(decide(shipped, ask("apis.deleteApi", weak)).outcome).toBe("insufficient_permissions");
    expect(decide(shipped, ask("apis.deleteApi", { ...weak, roles: ["admin"] })).outcome).toBe("allow");
  });

  test("§7.5 insufficient_permissions does not depend on the account", () => {
    const free = { ...weak, account: { plan: "enterprise", limits: { apis: 1e9, keys: 1e9 } } };
    expect(decide(shipped, ask("apis.deleteApi", free)).outcome).toBe("insufficient_permissions");
  });

  test("§7.5 forbidden: no key can succeed while the condition holds", () => {
    for (const roles of [["viewer"], ["editor"], ["admin"], ["custom"], ["admin", "editor", "viewer"]]) {
      for (const permissions of [[], ["api.*.delete_api"], ["api.api_1.delete_api"]]) {
        const changes = { ...protectedApi, roles, key: { permissions } };
        expect(decide(shipped, ask("apis.deleteApi", changes)).outcome).toBe("forbidden");
      }
    }
  });

  test("§7.5 forbidden: once the condition is gone, the key decides", () => {
    expect(decide(shipped, ask("apis.deleteApi")).outcome).toBe("allow");
    expect(decide(shipped, ask("apis.deleteApi", weak)).outcome).toBe("insufficient_permissions");
  });

  test("§7.5 where both hold it is forbidden, and both verdicts are there for an auditor", () => {
    const { outcome, permission, platform } = decide(shipped, ask("apis.deleteApi", { ...weak, ...protectedApi }));
    expect(outcome).toBe("forbidden");
    expect([permission.effect, platform.effect]).toEqual(["deny", "deny"]);
    expect(permission.reasons).toEqual([
      { kind: "default", reason: "not_granted", rule: "", policy: "resource.api.vdefault" },
    ]);
  });
});
