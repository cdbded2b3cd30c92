/** The part of a handler's test before the tests: its data, a service in memory, and requests over HTTP. */

import { CUSTOM_ROLE, type DomainOperation, hasUsage, operationsOf, type PolicyDomain, ROLES } from "./domain.js";
import { FRAMEWORK_CODE, type Framework } from "./frameworks.js";
import { permissionFor } from "./permission-policy.js";

/** The operations of the policies, by the form of their handlers. */
export interface HandledOperations {
  /** On a resource that the body names. */
  readonly existing: readonly DomainOperation[];
  /** On a resource that is made. */
  readonly creating: readonly DomainOperation[];
  readonly listing: readonly DomainOperation[];
  /** True if there are operations on a single resource. */
  readonly isGuarded: boolean;
}

export function handledOperations(domain: PolicyDomain): HandledOperations {
  const existing = operationsOf(domain, "read", "write", "delete");
  const creating = operationsOf(domain, "create");
  const isGuarded = existing.length + creating.length > 0;
  return { existing, creating, listing: operationsOf(domain, "list"), isGuarded };
}

/** Exactly the imports that the test needs, so that strict compilers accept it. */
export function testImports(framework: Framework, { listing, isGuarded }: HandledOperations): string {
  const hasLists = listing.length > 0;
  const fromKeyward = [
    ...(isGuarded ? ["decide"] : []),
    ...(hasLists ? ["decideAll", "type Filter"] : []),
    "type OperationOf",
    ...(hasLists ? ["planDecisions"] : []),
  ];
  return `import assert from "node:assert/strict";
${FRAMEWORK_CODE[framework].testImports}import { test } from "node:test";
import { ${fromKeyward.join(", ")} } from "keyward";
${isGuarded ? 'import type { JsonBody } from "keyward/http";\n' : ""}import { loadPoliciesOrThrow } from "keyward/node";
import { type Account, createApp, type Key, type Resource } from "./handler.js";
import type { Policies } from "./policies.js";
`;
}

export function testData(domain: PolicyDomain, { existing, creating, listing, isGuarded }: HandledOperations): string {
  const { kind, noun, counter, operations, plans } = domain;
  const usage = hasUsage(domain) ? `, usage: { ${counter}: 0 }` : "";
  const full = `  { ...ACTIVE, attr: { ...ACTIVE.attr, usage: { ${counter}: 1_000_000_000 } } },\n`;
  const roles = [...ROLES.map(({ name }) => name), CUSTOM_ROLE];
  return `type Operation = OperationOf<Policies>;

/** On a ${noun} that the body names. */
${listText("EXISTING", existing)}${isGuarded ? `\n/** On a ${noun} that is made. */\n${listText("CREATING", creating)}` : ""}
${listText("LISTING", listing)}
${listText("OPERATIONS", operations)}
/** All permissions: a key may have them without a role. */
const PERMISSIONS: readonly string[] = [
${operations.map((operation) => `  "${permissionFor(kind, "*", operation)}",\n`).join("")}];

const keyOf = (role: Key["roles"][number], permissions: readonly string[] = [], accountId = "acc_1"): Key => ({
  id: "key_1",
  roles: [role],
  attr: { accountId, permissions },
});

const KEYS: readonly Key[] = [
${roles.map((role) => `  keyOf("${role}"),\n`).join("")}  keyOf("${CUSTOM_ROLE}", PERMISSIONS),
  keyOf("admin", [], "acc_2"),
];

const ACTIVE: Account = { id: "acc_1", attr: { plan: "${plans[0]?.name}", status: "active"${usage} } };

const ACCOUNTS: readonly Account[] = [
  ACTIVE,
  { ...ACTIVE, attr: { ...ACTIVE.attr, status: "suspended" } },
${hasUsage(domain) ? full : ""}];

const RESOURCES: readonly Resource[] = [
  { kind: "${kind}", id: "${kind}_1", attr: { accountId: "acc_1", state: "active" } },
  { kind: "${kind}", id: "${kind}_2", attr: { accountId: "acc_1", state: "suspended" } },
  { kind: "${kind}", id: "${kind}_3", attr: { accountId: "acc_2", state: "active" } },
];

/** The secret of every key in turn: a handler that does not read the key anew is found out. */
const SECRET = "secret";

/** The message of an error that no caller may see. */
const FAILURE = "the disk is full";

/** A caller can name another account. The handler must not believe it. */
const bodyFor = (id: string) => ({ id, name: "new", accountId: "acc_2" });
`;
}

function listText(name: string, operations: readonly DomainOperation[]): string {
  const start = `const ${name}: readonly Operation[] = [`;
  return operations.length === 0
    ? `${start}];\n`
    : `${start}\n${operations.map((one) => `  "${one.name}",\n`).join("")}];\n`;
}

export function testService({ existing, creating, listing, isGuarded }: HandledOperations): string {
  return `${isGuarded ? WORK : ""}
/** A service in memory. It has one key and one account at a time, and notes its work. */
class World {
  key = keyOf("admin");
  account = ACTIVE;
  /** The function that throws. */
  failing = "";
${isGuarded ? "  performed: Work[] = [];\n" : ""}${listing.length > 0 ? "  filters: Filter[] = [];\n" : ""}  errors: string[] = [];

  readonly service = {
    findKey: async (secret: string) => {
      this.reach("findKey");
      return secret === SECRET ? this.key : undefined;
    },
    findAccount: async (id: string) => {
      this.reach("findAccount");
      assert.equal(id, this.key.attr.accountId, "the account is that of the key");
      return this.accountOf(id);
    },
${existing.length > 0 ? FIND : ""}${listing.length > 0 ? FIND_ALL : ""}${isGuarded ? `    perform: {\n${[...existing, ...creating].map(({ name }) => `      "${name}": this.work("${name}"),\n`).join("")}    },\n` : ""}    onError: (error: unknown) => void this.errors.push(String(error)),
  };

  accountOf(id: string): Account {
    return { ...this.account, id };
  }
${isGuarded ? DO_WORK : ""}
  private reach(step: string): void {
    if (step === this.failing) throw new Error(FAILURE);
  }
}
`;
}

const WORK = `
interface Work {
  readonly operation: Operation;
  readonly resource: Resource;
  readonly body: JsonBody;
}
`;

const FIND = `    find: async (id: string, accountId: string) => {
      this.reach("find");
      assert.equal(accountId, this.key.attr.accountId, "the account is that of the key");
      return RESOURCES.find((one) => one.id === id && one.attr.accountId === accountId);
    },
`;

const FIND_ALL = `    // More than the filter asks for: the decisions leave out the others.
    findAll: async (filter: Filter) => {
      this.reach("findAll");
      this.filters.push(filter);
      return RESOURCES;
    },
`;

const DO_WORK = `
  private work(operation: Operation) {
    return async (resource: Resource, body: JsonBody) => {
      this.reach("perform");
      this.performed.push({ operation, resource, body });
      return { done: operation, id: resource.id };
    };
  }
`;

/** `policies` is the directory of the policies, relative to that of the test. */
export function testRequests(framework: Framework, policies: string): string {
  const { start, stop } = FRAMEWORK_CODE[framework];
  const used = `    await use(world, ask);
    assert.deepEqual(world.errors, []);
`;
  return `const policies = loadPoliciesOrThrow<Policies>("${policies}");

interface Answer {
  readonly status: number;
  readonly body: { readonly error?: { readonly type: string } };
}

type Ask = (operation: Operation, body: unknown, authorization?: string) => Promise<Answer>;

/** Starts the program on a new service, and calls \`use\` with a function that sends it requests. */
async function serving(use: (world: World, ask: Ask) => Promise<void>): Promise<void> {
  const world = new World();
  const app = createApp(await policies, world.service, "docs.example.com");
${start}  const ask: Ask = async (operation, body, authorization = \`Bearer \${SECRET}\`) => {
    const response = await send(\`/v1/\${operation}\`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(authorization === "" ? {} : { authorization }) },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
${stop === "" ? used.replaceAll(/^ {4}/gm, "  ") : `  try {\n${used}  } finally {\n    ${stop}\n  }\n`}}

function expectError({ status, body }: Answer, expected: number, code: string): void {
  assert.equal(status, expected, JSON.stringify(body));
  assert.ok(body.error?.type.endsWith(\`/\${code}\`), JSON.stringify(body));
}

/** Asks with each key and account in turn. Every expected outcome must occur: otherwise the answers show little. */
async function expectOutcomes(
  expected: readonly string[],
  use: (world: World, ask: Ask) => Promise<readonly string[]>,
): Promise<void> {
  const outcomes = new Set<string>();
  await serving(async (world, ask) => {
    for (world.key of KEYS) {
      for (world.account of ACCOUNTS) for (const outcome of await use(world, ask)) outcomes.add(outcome);
    }
  });
  assert.deepEqual([...outcomes].sort(), expected);
}
`;
}
