/**
 * The decision of the shipped policies (`policies/`) as handwritten code in a service. It is the yardstick for the
 * engine's speed, and a second opinion on its answers. Unlike the policies, it trusts its input to be well typed.
 */

export type Environment = "development" | "production";

export interface HandKey {
  readonly id: string;
  readonly roles: readonly ("viewer" | "editor" | "admin" | "custom")[];
  readonly attr: {
    readonly accountId: string;
    readonly workspaceIds: readonly string[];
    readonly environment: Environment;
    readonly permissions: readonly string[];
  };
}

export interface HandAccount {
  readonly id: string;
  readonly attr: {
    readonly plan: "free" | "pro" | "enterprise";
    readonly status: "active" | "past_due" | "suspended";
    readonly limits: { readonly apis: number; readonly keys: number };
    readonly usage: { readonly apis: number; readonly keys: number };
    readonly holds: readonly string[];
  };
}

export interface WorkspaceResource {
  readonly kind: "workspace";
  readonly id: string;
  readonly attr: {
    readonly accountId: string;
    readonly environment: Environment;
    readonly state: "active" | "suspended";
  };
}

export interface ApiResource {
  readonly kind: "api";
  readonly id: string;
  readonly attr: {
    readonly accountId: string;
    readonly workspaceId: string;
    readonly environment: Environment;
    readonly system: boolean;
    readonly deleteProtection: boolean;
    readonly state: "draft" | "active" | "suspended" | "deleting";
    readonly keyCount: number;
  };
}

export interface KeyResource {
  readonly kind: "key";
  readonly id: string;
  readonly attr: {
    readonly accountId: string;
    readonly workspaceId: string;
    readonly environment: Environment;
    readonly apiId: string;
    readonly state: "enabled" | "disabled" | "revoked" | "suspended";
    readonly system: boolean;
  };
}

export type HandResource = WorkspaceResource | ApiResource | KeyResource;

export interface HandRequest {
  readonly key: HandKey;
  readonly operation: string;
  readonly resource: HandResource;
  readonly account: HandAccount;
}

export interface HandResult {
  outcome: "allow" | "insufficient_permissions" | "forbidden";
  /** The reasons of `forbidden`, in the order of docs/contract.md §7.4; empty for the other outcomes. */
  reasons: string[];
}

export function handDecide(request: HandRequest): HandResult {
  const { key, operation, resource, account } = request;
  const reasons = prohibitions(operation, resource, account);
  if (reasons.length > 0) return { outcome: "forbidden", reasons };
  const granted =
    roleGives(key, operation) || permissionGives(key, operation, resource) || revokesItself(key, operation, resource);
  const permitted = granted && inReach(key, resource);
  return { outcome: permitted ? "allow" : "insufficient_permissions", reasons };
}

function prohibitions(operation: string, resource: HandResource, account: HandAccount): string[] {
  switch (resource.kind) {
    case "workspace":
      return workspaceProhibitions(operation, resource, account);
    case "api":
      return apiProhibitions(operation, resource, account);
    case "key":
      return keyProhibitions(operation, resource, account);
  }
}

function workspaceProhibitions(operation: string, workspace: WorkspaceResource, account: HandAccount): string[] {
  if (operation === "apis.listApis") return [];
  const creatingApi = operation === "apis.createApi";
  const beyondLimit = operation === "workspaces.createBeyondLimit";
  const withApis = operation === "workspaces.deleteWithApis";
  const deleting = withApis || operation === "workspaces.deleteWorkspace";
  if (!creatingApi && !beyondLimit && !deleting && operation !== "workspaces.createWorkspace") return ["not_available"];

  const { limits, usage, status } = account.attr;
  const { state } = workspace.attr;
  const reasons: string[] = [];
  if ((creatingApi || deleting) && state === "suspended") reasons.push("state_forbids_modification");
  if (beyondLimit || (creatingApi && usage.apis >= limits.apis)) reasons.push("quota_exceeded");
  if (violatesPolicy(workspace, account)) reasons.push("platform_policy_violation");
  if (deleting ? status === "suspended" : !mayCreate(workspace, account)) reasons.push("not_available");
  if (withApis) reasons.push("out_of_sequence");
  return reasons;
}

function apiProhibitions(operation: string, api: ApiResource, account: HandAccount): string[] {
  switch (operation) {
    case "apis.getApi":
    case "apis.listKeys":
      return [];
    case "keys.createKey":
    case "apis.updateApi":
    case "apis.deleteApi":
      break;
    default:
      return ["not_available"];
  }

  const { system, state, keyCount, deleteProtection } = api.attr;
  const { limits, usage, status } = account.attr;
  const creating = operation === "keys.createKey";
  const deleting = operation === "apis.deleteApi";
  const reasons: string[] = [];
  if (system) reasons.push("system_resource");
  if (state === "suspended" || state === "deleting") reasons.push("state_forbids_modification");
  if (creating && usage.keys >= limits.keys) reasons.push("quota_exceeded");
  if (violatesPolicy(api, account)) reasons.push("platform_policy_violation");
  if (creating ? !mayCreate(api, account) : status === "suspended") reasons.push("not_available");
  if ((creating && state === "draft") || (deleting && keyCount > 0)) reasons.push("out_of_sequence");
  if (deleting && deleteProtection) reasons.push("delete_protected");
  return reasons;
}

function keyProhibitions(operation: string, key: KeyResource, account: HandAccount): string[] {
  switch (operation) {
    case "keys.getKey":
    case "keys.verifyKey":
      return [];
    case "keys.revokeKey":
      return key.attr.system ? ["system_resource"] : [];
    case "keys.updateKey":
    case "keys.deleteKey":
    case "keys.removeLastAdmin":
      break;
    default:
      return ["not_available"];
  }

  const reasons: string[] = [];
  if (key.attr.system) reasons.push("system_resource");
  if (key.attr.state === "revoked" || key.attr.state === "suspended") reasons.push("state_forbids_modification");
  if (violatesPolicy(key, account)) reasons.push("platform_policy_violation");
  if (account.attr.status === "suspended") reasons.push("not_available");
  if (operation === "keys.removeLastAdmin") reasons.push("delete_protected");
  return reasons;
}

function violatesPolicy(resource: HandResource, account: HandAccount): boolean {
  return resource.attr.accountId !== account.id || account.attr.holds.length > 0;
}

function mayCreate(resource: HandResource, account: HandAccount): boolean {
  const { plan, status } = account.attr;
  return status === "active" && (plan !== "free" || resource.attr.environment === "development");
}

function inReach(key: HandKey, resource: HandResource): boolean {
  const { accountId, environment, workspaceIds } = key.attr;
  if (accountId !== resource.attr.accountId || environment !== resource.attr.environment) return false;
  const workspaceId = resource.kind === "workspace" ? resource.id : resource.attr.workspaceId;
  return workspaceIds.includes(workspaceId) || workspaceIds.includes("*");
}

function revokesItself(key: HandKey, operation: string, resource: HandResource): boolean {
  return operation === "keys.revokeKey" && key.id === resource.id;
}

function roleGives(key: HandKey, operation: string): boolean {
  switch (operation) {
    case "apis.getApi":
    case "apis.listApis":
    case "apis.listKeys":
    case "keys.getKey":
    case "keys.verifyKey":
      return key.roles.includes("viewer") || key.roles.includes("editor") || key.roles.includes("admin");
    case "keys.createKey":
    case "keys.revokeKey":
    case "keys.updateKey":
    case "keys.deleteKey":
      return key.roles.includes("editor") || key.roles.includes("admin");
    case "apis.createApi":
    case "workspaces.createWorkspace":
    case "workspaces.deleteWorkspace":
    case "apis.updateApi":
    case "apis.deleteApi":
      return key.roles.includes("admin");
    default:
      return false;
  }
}

function permissionGives(key: HandKey, operation: string, resource: HandResource): boolean {
  const action = tupleAction(operation);
  if (action === undefined) return false;
  const { permissions } = key.attr;
  if (permissions.includes(`${resource.kind}.*.${action}`)) return true;
  if (permissions.includes(`${resource.kind}.${resource.id}.${action}`)) return true;
  switch (resource.kind) {
    case "workspace":
      return !operation.startsWith("workspaces.") && permissions.includes(`api.*.${action}`);
    case "api":
      return false;
    case "key":
      return permissions.includes(`api.*.${action}`) || permissions.includes(`api.${resource.attr.apiId}.${action}`);
  }
}

function tupleAction(operation: string): string | undefined {
  switch (operation) {
    case "apis.createApi":
      return "create_api";
    case "workspaces.createWorkspace":
      return "create_workspace";
    case "workspaces.deleteWorkspace":
      return "delete_workspace";
    case "apis.getApi":
    case "apis.listApis":
      return "read_api";
    case "apis.updateApi":
      return "update_api";
    case "apis.deleteApi":
      return "delete_api";
    case "apis.listKeys":
    case "keys.getKey":
      return "read_key";
    case "keys.createKey":
      return "create_key";
    case "keys.revokeKey":
    case "keys.updateKey":
      return "update_key";
    case "keys.deleteKey":
      return "delete_key";
    case "keys.verifyKey":
      return "verify_key";
    default:
      return undefined;
  }
}
