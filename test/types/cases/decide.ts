// Calls of `decide`, `decideAll` and the functions that load policies, with the types of the shipped policies
// (`shipped`) and of a permission-only set with attributes of every sort (`library`). See test/platforms/compilers.test.ts.

import {
  type AccountOf,
  compilePolicies,
  type Decision,
  type DecisionRequest,
  decide,
  decideAll,
  decideEach,
  deciderFor,
  errorBody,
  type KeyOf,
  type OperationOf,
  type PolicySet,
  policySetHash,
  type ReasonOf,
  type ResourceOf,
} from "keyward";
import { type CheckClient, remoteDecider } from "keyward/cerbos";
import { loadPolicies, loadPoliciesOrThrow, watchPolicies } from "keyward/node";
import { LivePolicies } from "keyward/watch";
import type { Policies as Library } from "library";
import type { Policies } from "shipped";

declare const policies: PolicySet<Policies>;
declare const untyped: PolicySet;
declare const library: PolicySet<Library>;
declare const client: CheckClient;

const key = {
  id: "key_1",
  roles: ["editor"],
  attr: { accountId: "acc_1", workspaceIds: ["*"], environment: "production", permissions: [] },
} as const;
const account = {
  id: "acc_1",
  attr: { plan: "pro", status: "active", limits: { apis: 1, keys: 1 }, usage: { apis: 0, keys: 0 }, holds: [] },
} as const;
const attr = {
  accountId: "acc_1",
  workspaceId: "ws_1",
  environment: "production",
  system: false,
  deleteProtection: false,
  state: "active",
  keyCount: 0,
} as const;
const api = { kind: "api", id: "api_1", attr } as const;
const workspace = {
  kind: "workspace",
  id: "ws_1",
  attr: { accountId: "acc_1", environment: "production", state: "active" },
} as const;
const reader = { id: "u", roles: ["reader"] } as const;
const book = { kind: "book", id: "b", attr: { title: "T", pages: 1 } } as const;

interface ApiRow {
  id: string;
  accountId: string;
  workspaceId: string;
  environment: "development" | "production";
  system: boolean;
  deleteProtection: boolean;
  state: "draft" | "active" | "suspended" | "deleting";
  keyCount: number;
  createdAt: Date;
}
class Api implements ApiRow {
  id = "api_1";
  accountId = "acc_1";
  workspaceId = "ws_1";
  environment = "production" as const;
  system = false;
  deleteProtection = false;
  state = "active" as const;
  keyCount = 0;
  createdAt = new Date();
  #secret = 1;
  secret() {
    return this.#secret;
  }
}
declare const row: ApiRow;

//! right: a literal
decide(policies, { key, operation: "apis.deleteApi", resource: { kind: "api", id: "a", attr: { ...attr } }, account });
//! right: all of a request in place
decide(policies, {
  key: {
    id: "k",
    roles: ["admin", "custom"],
    scope: "eu",
    attr: { accountId: "a", workspaceIds: ["w"], environment: "development", permissions: ["api.*.read_api"] },
  },
  operation: "keys.createKey",
  resource: {
    kind: "api",
    id: "a",
    attr: {
      accountId: "a",
      workspaceId: "w",
      environment: "development",
      system: false,
      deleteProtection: true,
      state: "draft",
      keyCount: 3,
    },
  },
  account: {
    id: "a",
    attr: { plan: "free", status: "past_due", limits: { apis: 1, keys: 2 }, usage: { apis: 0, keys: 0 }, holds: ["x"] },
  },
  now: new Date(),
});
//! right: a row whose type is an interface, with more than the policies read
decide(policies, { key, operation: "apis.deleteApi", resource: { kind: "api", id: row.id, attr: row }, account });
//! right: a row that is the instance of a class
decide(policies, { key, operation: "apis.deleteApi", resource: { kind: "api", id: "a", attr: new Api() }, account });
//! right: the same operation on a row that the kind is found out of
{
  const operation: OperationOf<Policies, "api"> = Math.random() > 0.5 ? "apis.getApi" : "apis.updateApi";
  decide(policies, { key, operation, resource: api, account });
}
//! right: roles that were read as a list
{
  const roles: OperationOf<Policies>[] | ("viewer" | "admin")[] = ["viewer"];
  decide(policies, { key: { ...key, roles }, operation: "apis.getApi", resource: api, account });
}
//! right: a request that is put together before
{
  const request: DecisionRequest<Policies> = { key, operation: "apis.createApi", resource: workspace, account };
  decide(policies, request);
}
//! right: the type argument at the call, on policies of which nothing is known
decide<Policies>(untyped, { key, operation: "apis.getApi", resource: api, account });
//! right: typed policies, where nothing has to be known of them
{
  const hash: Promise<string> = policySetHash(policies);
  const any: PolicySet = policies;
  decide(any, { key, operation: hash.toString(), resource: { kind: "anything", id: "x" }, account: { id: "a" } });
}
//! right: untyped, with interfaces and classes
decide(untyped, {
  key: { id: "k", roles: ["whatever"], attr: row },
  operation: "whatever",
  resource: { kind: "api", id: "a", attr: new Api() },
  account: { id: "a" },
});
//! right: untyped, with records
{
  const attributes: Record<string, string | number> = { a: 1 };
  decide(untyped, { key, operation: "x", resource: { kind: "y", id: "z", attr: attributes }, account: { id: "a" } });
}
//! right: untyped, by the older name of attributes
decide(untyped, { key: { id: "k", roles: ["r"], attributes: {} }, operation: "x", resource: workspace, account });
//! right: loaded by the type argument, as Either
loadPolicies<Policies>("policies")().then((loaded) => {
  if (loaded._tag === "Right") decide(loaded.right, { key, operation: "apis.getApi", resource: api, account });
});
//! right: loaded, untyped
loadPolicies("policies")().then((loaded) => {
  if (loaded._tag === "Right") decide(loaded.right, { key, operation: "x", resource: { kind: "y", id: "" }, account });
});
//! right: compiled
{
  const compiled = compilePolicies<Policies>([]);
  if (compiled._tag === "Right") decide(compiled.right, { key, operation: "apis.getApi", resource: api, account });
}
//! right: permission-only, untyped, without an account
{
  const compiled = compilePolicies([], { platform: "none" });
  if (compiled._tag === "Right") decide(compiled.right, { key, operation: "x", resource: api });
}
//! right: permission-only, typed by two layers
{
  const compiled = compilePolicies<Policies>([], { platform: "none" });
  if (compiled._tag === "Right") decide(compiled.right, { key, operation: "apis.getApi", resource: api });
}
//! right: permission-only, typed
decide(library, { key: reader, operation: "read", resource: book });
//! right: an account where none is needed
decide(library, { key: reader, operation: "read", resource: book, account: { id: "a", attr: { any: 1 } } });
//! right: attributes that are optional, a list, a tuple, a map, a union
decide(library, {
  key: { ...reader, attr: { age: 7 } },
  operation: "lend",
  resource: {
    kind: "book",
    id: "b",
    attr: { title: "T", pages: 1, tags: ["a"], span: ["a", 1], counts: { a: 1 }, shelf: null, size: { w: 1, h: 2 } },
  },
});
//! right: no attributes where none is required
decide(library, { key: reader, operation: "enter", resource: { kind: "room", id: "r" } });
//! right: a kind without a schema has any
decide(library, { key: reader, operation: "enter", resource: { kind: "room", id: "r", attr: row } });
//! right: an operation that fits a pattern
decide(library, { key: reader, operation: "admin:sweep", resource: { kind: "room", id: "r" } });
//! right: a list page
{
  const rows: readonly ApiRow[] = [row];
  const resources = rows.map((each) => ({ kind: "api" as const, id: each.id, attr: each }));
  const decisions: readonly Decision<Policies>[] = decideAll(
    policies,
    { key, operation: "apis.getApi", account },
    resources,
  );
  decisions.map(({ outcome }) => outcome);
}
//! right: a list page, untyped and permission-only
decideAll(untyped, { key, operation: "x", account: { id: "a" } }, [api, workspace]);
decideAll(library, { key: reader, operation: "read" }, [book]);
//! right: deciders
deciderFor(policies, { key, account }).decide({ operation: "apis.getApi", resource: api });
deciderFor(policies, { key }).decide({ operation: "apis.createApi", resource: workspace, account, now: new Date() });
deciderFor(untyped, { key }).decide({ operation: "x", resource: api, account: { id: "a" } });
deciderFor(library, { key: reader }).decide({ operation: "read", resource: book });
//! right: a list page that is filled
for (const { resource, decision } of decideEach(policies, { key, operation: "apis.getApi", account }, [api])) {
  const { id, attr: of } = resource;
  if (decision.outcome === "allow") String([id, of.keyCount]);
}
//! right: loaded in one call, and watched
loadPoliciesOrThrow<Policies>("policies").then((loaded) => {
  decide(loaded, { key, operation: "apis.getApi", resource: api, account });
});
watchPolicies<Policies>("policies", { onEvent() {} }).then(({ set }) => {
  decide(set, { key, operation: "apis.getApi", resource: api, account });
});
//! right: reasons
{
  const decision = decide(policies, { key, operation: "apis.getApi", resource: api, account });
  const reasons: ReasonOf<Policies, "platform">[] = decision.platform.reasons.map(({ reason }) => reason);
  const wide: Decision = decision;
  reasons.includes("quota_exceeded");
  decision.permission.reasons.some(({ reason }) => reason === "not_granted");
  errorBody(decision, { requestId: wide.outcome, docsUrl: "" });
}
//! right: types of the parts
{
  const held: KeyOf<Policies> = key;
  const owner: AccountOf<Policies> = account;
  const resource: ResourceOf<Policies, "api"> = api;
  decide(policies, { key: held, operation: "apis.listKeys", resource, account: owner });
}
//! right: a decider of servers
{
  const ask = remoteDecider(client, policies);
  ask({ key, operation: "apis.getApi", resource: api, account }, { requestId: "req_1" })();
}
//! right: policies that follow their directory
LivePolicies.load<Policies>("policies")().then((loaded) => {
  if (loaded._tag === "Left") return;
  decide(loaded.right.current.set, { key, operation: "apis.getApi", resource: api, account });
});

//! wrong(apis.delteApi): an operation that is misspelt
decide(policies, { key, operation: "apis.delteApi", resource: api, account });
//! wrong(apis.deleteApi): an operation on the wrong kind
decide(policies, { key, operation: "apis.deleteApi", resource: workspace, account });
//! wrong(apis.createApi): the API that is to be created is no resource yet
decide(policies, { key, operation: "apis.createApi", resource: api, account });
//! wrong(string): an operation that may be any text
decide(policies, { key, operation: String(1), resource: api, account });
//! wrong(workspaces.createWorkspace): an operation of several kinds, on a resource of one
decide(policies, {
  key,
  operation: Math.random() > 0.5 ? "apis.getApi" : "workspaces.createWorkspace",
  resource: api,
  account,
});
//! wrong(operation): no operation
decide(policies, { key, resource: api, account });
//! wrong(superuser): a role that nobody has
decide(policies, { key: { ...key, roles: ["superuser"] }, operation: "apis.getApi", resource: api, account });
//! wrong(Admin): a role with a capital letter
decide(policies, { key: { ...key, roles: ["Admin", "viewer"] }, operation: "apis.getApi", resource: api, account });
//! wrong(string): roles that may be any text
{
  const roles: string[] = ["viewer"];
  decide(policies, { key: { ...key, roles }, operation: "apis.getApi", resource: api, account });
}
//! wrong(roles): no roles
decide(policies, { key: { id: "k", attr: key.attr }, operation: "apis.getApi", resource: api, account });
//! wrong(role): roles by another name
decide(policies, {
  key: { id: "k", role: ["viewer"], attr: key.attr },
  operation: "apis.getApi",
  resource: api,
  account,
});
//! wrong(viewer): one role for a list
decide(policies, { key: { ...key, roles: "viewer" }, operation: "apis.getApi", resource: api, account });
//! wrong(apis): a kind that is misspelt
decide(policies, { key, operation: "apis.getApi", resource: { kind: "apis", id: "a", attr }, account });
//! wrong(string): a kind that may be any text
decide(policies, { key, operation: "apis.getApi", resource: { kind: String(1), id: "a", attr }, account });
//! wrong(kind): no kind
decide(policies, { key, operation: "apis.getApi", resource: { id: "a", attr }, account });
//! wrong(type): the kind by another name
decide(policies, { key, operation: "apis.getApi", resource: { type: "api", id: "a", attr }, account });
//! wrong(deleteProtected): an attribute that is misspelt
{
  const { deleteProtection, ...rest } = attr;
  const wrong = { ...rest, deleteProtected: deleteProtection };
  decide(policies, { key, operation: "apis.getApi", resource: { kind: "api", id: "a", attr: wrong }, account });
  decide(policies, {
    key,
    operation: "apis.getApi",
    resource: { kind: "api", id: "a", attr: { ...attr, deleteProtected: true } },
    account,
  });
}
//! wrong(owner): one that no schema has
decide(policies, {
  key,
  operation: "apis.getApi",
  resource: { kind: "api", id: "a", attr: { ...attr, owner: "x" } },
  account,
});
//! wrong(system): a text for a boolean
decide(policies, {
  key,
  operation: "apis.getApi",
  resource: { kind: "api", id: "a", attr: { ...attr, system: "false" } },
  account,
});
//! wrong(system): null for a boolean
decide(policies, {
  key,
  operation: "apis.getApi",
  resource: { kind: "api", id: "a", attr: { ...attr, system: null } },
  account,
});
//! wrong(system): undefined for a boolean
decide(policies, {
  key,
  operation: "apis.getApi",
  resource: { kind: "api", id: "a", attr: { ...attr, system: undefined } },
  account,
});
//! wrong(keyCount): a text for a number
decide(policies, {
  key,
  operation: "apis.getApi",
  resource: { kind: "api", id: "a", attr: { ...attr, keyCount: "0" } },
  account,
});
//! wrong(keyCount): a bigint for a number
decide(policies, {
  key,
  operation: "apis.getApi",
  resource: { kind: "api", id: "a", attr: { ...attr, keyCount: 0n } },
  account,
});
//! wrong(archived): a state that is none
decide(policies, {
  key,
  operation: "apis.getApi",
  resource: { kind: "api", id: "a", attr: { ...attr, state: "archived" } },
  account,
});
//! wrong(state): the state of another kind
decide(policies, {
  key,
  operation: "apis.getApi",
  resource: { kind: "api", id: "a", attr: { ...attr, state: "enabled" } },
  account,
});
//! wrong(Date): a date for a text
decide(policies, {
  key,
  operation: "apis.getApi",
  resource: { kind: "api", id: "a", attr: { ...attr, accountId: new Date() } },
  account,
});
//! wrong(keyCount): a required attribute is missing
{
  const { keyCount: _, ...rest } = attr;
  decide(policies, { key, operation: "apis.getApi", resource: { kind: "api", id: "a", attr: rest }, account });
}
//! wrong(attr): no attributes
decide(policies, { key, operation: "apis.getApi", resource: { kind: "api", id: "a" }, account });
//! wrong(attributes): attributes by their older name, which typed policies do not have
decide(policies, { key, operation: "apis.getApi", resource: { kind: "api", id: "a", attributes: attr }, account });
//! wrong(workspaceId): attributes of another kind
decide(policies, {
  key,
  operation: "apis.getApi",
  resource: { kind: "api", id: "a", attr: workspace.attr },
  account,
});
//! wrong(state): a row whose state may be any text
{
  const loose: Omit<ApiRow, "state"> & { state: string } = row;
  decide(policies, { key, operation: "apis.getApi", resource: { kind: "api", id: "a", attr: loose }, account });
}
//! wrong(system): a row that may lack an attribute
{
  const loose: Omit<ApiRow, "system"> & { system?: boolean } = row;
  decide(policies, { key, operation: "apis.getApi", resource: { kind: "api", id: "a", attr: loose }, account });
}
//! wrong(system): the instance of a class that hides an attribute
{
  class Hidden {
    accountId = "a";
    workspaceId = "w";
    environment = "production" as const;
    deleteProtection = false;
    state = "active" as const;
    keyCount = 0;
    private system = false;
    use() {
      return this.system;
    }
  }
  decide(policies, { key, operation: "apis.getApi", resource: { kind: "api", id: "a", attr: new Hidden() }, account });
}
//! wrong(Promise): a promise of attributes
decide(policies, {
  key,
  operation: "apis.getApi",
  resource: { kind: "api", id: "a", attr: Promise.resolve(attr) },
  account,
});
//! wrong(workspaceIds): an attribute of the key is missing
{
  const { workspaceIds: _, ...rest } = key.attr;
  decide(policies, { key: { ...key, attr: rest }, operation: "apis.getApi", resource: api, account });
}
//! wrong(readonly string[]): one text for a list
decide(policies, {
  key: { ...key, attr: { ...key.attr, workspaceIds: "*" } },
  operation: "apis.getApi",
  resource: api,
  account,
});
//! wrong(number): numbers in a list of texts
decide(policies, {
  key: { ...key, attr: { ...key.attr, permissions: [1] } },
  operation: "apis.getApi",
  resource: api,
  account,
});
//! wrong(staging): an environment that is none
decide(policies, {
  key: { ...key, attr: { ...key.attr, environment: "staging" } },
  operation: "apis.getApi",
  resource: api,
  account,
});
//! wrong(frozen): an attribute of the key that no schema has
decide(policies, {
  key: { ...key, attr: { ...key.attr, frozen: true } },
  operation: "apis.getApi",
  resource: api,
  account,
});
//! wrong(attr): a key without attributes
decide(policies, { key: { id: "k", roles: ["viewer"] }, operation: "apis.getApi", resource: api, account });
//! wrong(id): a key without an id
decide(policies, { key: { roles: ["viewer"], attr: key.attr }, operation: "apis.getApi", resource: api, account });
//! wrong(number): an id that is a number
decide(policies, { key, operation: "apis.getApi", resource: { kind: "api", id: 1, attr }, account });
//! wrong(undefined): a key that may not be there
{
  const found: KeyOf<Policies> | undefined = Math.random() > 0.5 ? key : undefined;
  decide(policies, { key: found, operation: "apis.getApi", resource: api, account });
}
//! wrong(account): no account
decide(policies, { key, operation: "apis.getApi", resource: api });
//! wrong(key): no key
decide(policies, { operation: "apis.getApi", resource: api, account });
//! wrong(principal): the key by another name
decide(policies, { principal: key, operation: "apis.getApi", resource: api, account });
//! wrong(gold): a plan that is none
decide(policies, {
  key,
  operation: "apis.getApi",
  resource: api,
  account: { ...account, attr: { ...account.attr, plan: "gold" } },
});
//! wrong(number): a nested attribute of another type
decide(policies, {
  key,
  operation: "apis.getApi",
  resource: api,
  account: { ...account, attr: { ...account.attr, limits: { apis: "1", keys: 1 } } },
});
//! wrong(keys): a nested attribute is missing
decide(policies, {
  key,
  operation: "apis.getApi",
  resource: api,
  account: { ...account, attr: { ...account.attr, usage: { apis: 1 } } },
});
//! wrong(kyes): a nested attribute is misspelt
decide(policies, {
  key,
  operation: "apis.getApi",
  resource: api,
  account: { ...account, attr: { ...account.attr, usage: { apis: 1, keys: 1, kyes: 1 } } },
});
//! wrong(plan): an account without attributes that are required
decide(policies, { key, operation: "apis.getApi", resource: api, account: { id: "a", attr: {} } });
//! wrong(plan): the key where the account belongs
decide(policies, { key, operation: "apis.getApi", resource: api, account: key });
//! wrong(number): a time that is none
decide(policies, { key, operation: "apis.getApi", resource: api, account, now: Date.now() });
//! wrong(policyVersion): a version, which is not a request's to choose
decide(policies, {
  key: { id: "k", roles: ["viewer"], attr: key.attr, policyVersion: "default" },
  operation: "apis.getApi",
  resource: api,
  account,
});
//! wrong(apis.delteApi): the type argument at the call
decide<Policies>(untyped, { key, operation: "apis.delteApi", resource: api, account });
//! wrong(superuser): the type argument at the call, another part
decide<Policies>(untyped, { key: { ...key, roles: ["superuser"] }, operation: "apis.getApi", resource: api, account });
//! wrong(library): policies by other names
{
  const other: PolicySet<Library> = policies;
  decide(other, { key: reader, operation: "read", resource: book });
}
//! wrong(Either): what was loaded, and not taken out
loadPolicies<Policies>("policies")().then((loaded) => {
  decide(loaded, { key, operation: "apis.getApi", resource: api, account });
});
//! wrong(Promise): a promise of policies
decide(loadPolicies<Policies>("policies")(), { key, operation: "apis.getApi", resource: api, account });
//! wrong(TaskEither): loading that was never begun
decide(loadPolicies<Policies>("policies"), { key, operation: "apis.getApi", resource: api, account });
//! wrong(apis.delteApi): policies that were loaded by their types
loadPolicies<Policies>("policies")().then((loaded) => {
  if (loaded._tag === "Right") decide(loaded.right, { key, operation: "apis.delteApi", resource: api, account });
});
//! wrong(apis.delteApi): policies that were compiled by their types
{
  const compiled = compilePolicies<Policies>([]);
  if (compiled._tag === "Right") decide(compiled.right, { key, operation: "apis.delteApi", resource: api, account });
}
//! wrong(apis.delteApi): policies that follow their directory
LivePolicies.load<Policies>("policies")().then((loaded) => {
  if (loaded._tag === "Left") return;
  decide(loaded.right.current.set, { key, operation: "apis.delteApi", resource: api, account });
});
//! wrong(apis.delteApi): a decider of servers
remoteDecider(client, policies)({ key, operation: "apis.delteApi", resource: api, account });
//! wrong(quota_exceded): a reason that is misspelt
{
  const decision = decide(policies, { key, operation: "apis.getApi", resource: api, account });
  decision.platform.reasons.some(({ reason }) => reason === "quota_exceded");
}
//! wrong(quota_exceeded): a reason of the other layer
{
  const decision = decide(policies, { key, operation: "apis.getApi", resource: api, account });
  decision.permission.reasons.some(({ reason }) => reason === "quota_exceeded");
}
//! wrong(quota): a reason in a switch
{
  const decision = decide(policies, { key, operation: "apis.getApi", resource: api, account });
  switch (decision.platform.reasons[0]?.reason) {
    case "quota":
  }
}
//! wrong(quota): a word for a reason
{
  const reason: ReasonOf<Policies, "platform"> = "quota";
  String(reason);
}
//! wrong(denied): an outcome that is none
{
  const decision = decide(policies, { key, operation: "apis.getApi", resource: api, account });
  if (decision.outcome === "denied") String(decision);
}
//! wrong(allowed): a field that a decision does not have
decide(policies, { key, operation: "apis.getApi", resource: api, account }).allowed;
//! wrong(not_asked): there is a platform layer
{
  const decision = decide(policies, { key, operation: "apis.getApi", resource: api, account });
  decision.platform.reasons.some(({ reason }) => reason === "not_asked");
}
//! wrong(apis.createApi): a decider is asked for an operation on another kind
deciderFor(policies, { key, account }).decide({ operation: "apis.createApi", resource: api });
//! wrong(key): a decider is asked for another key
deciderFor(policies, { key, account }).decide({ key, operation: "apis.getApi", resource: api });
//! wrong(key): a decider is asked a whole request
{
  const request: DecisionRequest<Policies> = { key, operation: "apis.getApi", resource: api, account };
  deciderFor(policies, { key }).decide(request);
}
//! wrong(apis.createApi): a list page by an operation of another kind
decideAll(policies, { key, operation: "apis.createApi", account }, [api]);
//! wrong(apis.listApi): a list page by an operation that is misspelt
decideAll(policies, { key, operation: "apis.listApi", account }, [api]);
//! wrong(keyCount): a list page of rows that lack an attribute
{
  const { keyCount: _, ...rest } = attr;
  decideAll(policies, { key, operation: "apis.getApi", account }, [{ kind: "api", id: "a", attr: rest }]);
}
//! wrong(account): a list page without an account
decideAll(policies, { key, operation: "apis.getApi" }, [api]);
//! wrong(readonly): a list page of one resource
decideAll(policies, { key, operation: "apis.getApi", account }, api);
//! wrong(apis.createApi): a list page that is filled, by an operation of another kind
decideEach(policies, { key, operation: "apis.createApi", account }, [api]);
//! wrong(apis.delteApi): policies that were loaded in one call
loadPoliciesOrThrow<Policies>("policies").then((loaded) => {
  decide(loaded, { key, operation: "apis.delteApi", resource: api, account });
});
//! wrong(apis.delteApi): policies that are watched
watchPolicies<Policies>("policies", { onEvent() {} }).then(({ set }) => {
  decide(set, { key, operation: "apis.delteApi", resource: api, account });
});
//! wrong(titel): an optional attribute that is misspelt
decide(library, {
  key: reader,
  operation: "read",
  resource: { kind: "book", id: "b", attr: { title: "T", pages: 1, titel: "T" } },
});
//! wrong(tags): numbers for texts in an optional attribute
decide(library, {
  key: reader,
  operation: "read",
  resource: { kind: "book", id: "b", attr: { title: "T", pages: 1, tags: [1] } },
});
//! wrong(undefined): undefined for an optional attribute, which is no JSON
decide(library, {
  key: reader,
  operation: "read",
  resource: { kind: "book", id: "b", attr: { title: "T", pages: 1, tags: undefined } },
});
//! wrong(span): a tuple the wrong way round
decide(library, {
  key: reader,
  operation: "read",
  resource: { kind: "book", id: "b", attr: { title: "T", pages: 1, span: [1, "a"] } },
});
//! wrong(counts): texts in a map of numbers
decide(library, {
  key: reader,
  operation: "read",
  resource: { kind: "book", id: "b", attr: { title: "T", pages: 1, counts: { a: "1" } } },
});
//! wrong(shelf): what is neither the one nor the other
decide(library, {
  key: reader,
  operation: "read",
  resource: { kind: "book", id: "b", attr: { title: "T", pages: 1, shelf: 3 } },
});
//! wrong(weight): what some alternative requires
decide(library, {
  key: reader,
  operation: "read",
  resource: { kind: "book", id: "b", attr: { title: "T", pages: 1, size: { w: 1 } } },
});
//! wrong(age): an optional attribute of the key
decide(library, { key: { ...reader, attr: { age: "7" } }, operation: "read", resource: book });
//! wrong(number[]): a list for attributes of which nothing is declared
decide(library, { key: reader, operation: "enter", resource: { kind: "room", id: "r", attr: [1] } });
//! wrong(Date): a date for attributes of which nothing is declared
decide(library, { key: reader, operation: "enter", resource: { kind: "room", id: "r", attr: new Date() } });
//! wrong(Map): a map for attributes
decide(untyped, {
  key: { id: "k", roles: ["r"], attr: new Map([["a", 1]]) },
  operation: "x",
  resource: api,
  account,
});
//! wrong(string): untyped attributes that are a text
decide(untyped, { key: { id: "k", roles: ["r"], attr: "x" }, operation: "x", resource: api, account });
//! wrong(account): untyped, without an account
decide(untyped, { key, operation: "x", resource: api });
//! wrong(string): untyped, roles that are no list
decide(untyped, { key: { id: "k", roles: "r" }, operation: "x", resource: api, account });
//! wrong(admin-sweep): an operation that fits no pattern
decide(library, { key: reader, operation: "admin-sweep", resource: { kind: "room", id: "r" } });
//! wrong(read): an operation of another kind, permission-only
decide(library, { key: reader, operation: "read", resource: { kind: "room", id: "r" } });
//! wrong(writer): a role, permission-only
decide(library, { key: { ...reader, roles: ["writer"] }, operation: "read", resource: book });

declare const anyone: PolicySet<
  Omit<Policies, "roles"> & { readonly roles: "viewer" | (string & Record<never, never>) }
>;
//! right: a role that a rule for any role allows something
decide(anyone, { key: { ...key, roles: ["visitor", "viewer"] }, operation: "apis.getApi", resource: api, account });
//! wrong(number): a role that is no text, where any text is one
decide(anyone, { key: { ...key, roles: [7] }, operation: "apis.getApi", resource: api, account });
