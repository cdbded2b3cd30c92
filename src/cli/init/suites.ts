/** The test suites of a new set: a case on either side of each boundary. */

import {
  CHANGES,
  CUSTOM_ROLE,
  type DomainOperation,
  type DomainPlan,
  hasUsage,
  operationsOf,
  type PolicyDomain,
  READS,
  ROLES,
} from "./domain.js";
import { permissionFor, permissionRuleName } from "./permission-policy.js";
import { editorSchema, flow, scalar } from "./yaml.js";

export function fixturesText(domain: PolicyDomain): string {
  const { kind, counter, plans } = domain;
  const usage = hasUsage(domain) ? `, usage: { ${counter}: 0 }` : "";
  const keys = [...ROLES.map(({ name }) => name), CUSTOM_ROLE].map(
    (role) => `  ${role}: { id: key_${role}, roles: [${role}], attr: { accountId: acc_1, permissions: [] } }\n`,
  );
  const accounts = plans.map(
    ({ name }) => `  ${scalar(name)}: { id: acc_1, attr: { plan: ${scalar(name)}, status: active${usage} } }\n`,
  );
  return `${editorSchema("fixtures")}
#
# The keys, accounts and resources of the suites in this directory. Everything belongs to the account acc_1, and nothing
# is prohibited. Each case changes the one thing that it tests.
keys:
${keys.join("")}
accounts:
${accounts.join("")}
resources:
  subject: { kind: ${scalar(kind)}, id: ${kind}_1, attr: { accountId: acc_1, state: active } }
`;
}

/** Each role and each permission allows its operations alone. */
export function permissionSuite(domain: PolicyDomain): string {
  const { operations } = domain;
  const cases = operations.flatMap((operation) => permissionCases(operation, domain));
  return suiteText("Permissions", domain, CUSTOM_ROLE, [
    `  - name: roles
    table:
${operations.map((operation) => `      ${tableRow(operation)}\n`).join("")}`,
    caseText({
      name: "another account",
      keys: ROLES.map(({ name }) => name),
      operations,
      with: "{ key: { accountId: acc_2 } }",
      expect: "insufficient_permissions",
      reasons: ["not_granted"],
    }),
    ...cases,
  ]);
}

function tableRow({ name, sort }: DomainOperation): string {
  const outcomes = ROLES.map(
    (role) => `${role.name}: ${role.sorts.includes(sort) ? "allow" : "insufficient_permissions"}`,
  );
  return `${scalar(name)}: { ${[...outcomes, `${CUSTOM_ROLE}: insufficient_permissions`].join(", ")} }`;
}

function permissionCases(operation: DomainOperation, { kind, operations }: PolicyDomain): readonly string[] {
  const others = operations.filter(({ action }) => action !== operation.action);
  const lacking = [
    permissionFor(kind, `${kind}_2`, operation),
    ...others.map((other) => permissionFor(kind, "*", other)),
  ];
  const about = { operations: [operation] };
  const refused = { expect: "insufficient_permissions", reasons: ["not_granted"] } as const;
  return [
    ...[`${kind}_1`, "*"].map((id) =>
      caseText({
        ...about,
        name: `${operation.name} by ${permissionFor(kind, id, operation)}`,
        with: `{ key: { permissions: ${quoted([permissionFor(kind, id, operation)])} } }`,
        expect: "allow",
        reasons: [permissionRuleName(operation)],
      }),
    ),
    caseText({
      ...about,
      ...refused,
      name: `${operation.name} by every other permission`,
      with: `{ key: { permissions: ${quoted(lacking)} } }`,
    }),
    caseText({
      ...about,
      ...refused,
      name: `${operation.name} by a permission of another account`,
      with: `{ key: { accountId: acc_2, permissions: ${quoted([permissionFor(kind, "*", operation)])} } }`,
    }),
  ];
}

function quoted(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(", ")}]`;
}

/** The prohibitions of the platform, and operations beside them. The key may do anything. */
export function platformSuite(domain: PolicyDomain): string {
  const [reads, changes] = [operationsOf(domain, ...READS), operationsOf(domain, ...CHANGES)];
  const [kept, created] = [operationsOf(domain, "write", "delete"), operationsOf(domain, "create")];
  const forbidden = (name: string, operations: readonly DomainOperation[], change: string, reason: string) =>
    caseText({ name, operations, with: change, expect: "forbidden", reasons: [reason] });
  const allowed = (name: string, operations: readonly DomainOperation[], change: string) =>
    caseText({ name, operations, with: change, expect: "allow" });
  return suiteText("Prohibitions", domain, "admin", [
    caseText({ name: "nothing is prohibited", operations: domain.operations, expect: "allow" }),
    forbidden("suspended", kept, "{ resource: { state: suspended } }", "state_forbids_modification"),
    allowed("suspended, and read", reads, "{ resource: { state: suspended } }"),
    ...domain.plans.flatMap((plan) => quotaCases(plan, created, domain)),
    forbidden(
      "the account is not the owner",
      changes,
      "{ key: { accountId: acc_2 }, resource: { accountId: acc_2 } }",
      "platform_policy_violation",
    ),
    forbidden("a suspended account", changes, "{ account: { status: suspended } }", "not_available"),
    allowed("a suspended account reads", reads, "{ account: { status: suspended } }"),
  ]);
}

function quotaCases(
  { name, quota }: DomainPlan,
  operations: readonly DomainOperation[],
  { counter }: PolicyDomain,
): readonly string[] {
  const using = (count: number) => `{ account: { usage: { ${counter}: ${count} } } }`;
  const about = { account: name, operations };
  return [
    caseText({ ...about, name: `the last one within the quota of ${name}`, with: using(quota - 1), expect: "allow" }),
    caseText({
      ...about,
      name: `the first one beyond the quota of ${name}`,
      with: using(quota),
      expect: "forbidden",
      reasons: ["quota_exceeded"],
    }),
  ];
}

/** Data that is absent or of another type is refused. */
export function damagedSuite(domain: PolicyDomain): string {
  const [changes, kept] = [operationsOf(domain, ...CHANGES), operationsOf(domain, "write", "delete")];
  const created = operationsOf(domain, "create");
  const forbidden = (name: string, operations: readonly DomainOperation[], without: string, reason: string) =>
    caseText({ name, operations, without, damaged: true, expect: "forbidden", reasons: [reason] });
  return suiteText("Damaged data", domain, "admin", [
    caseText({
      name: "neither key nor resource has an account",
      operations: operationsOf(domain, ...READS),
      without: "{ key: [accountId], resource: [accountId] }",
      damaged: true,
      expect: "insufficient_permissions",
    }),
    forbidden("no state", kept, "{ resource: [state] }", "state_forbids_modification"),
    caseText({
      name: "no plan, and more than the smallest has room for",
      operations: created,
      with: `{ account: { usage: { ${domain.counter}: ${domain.plans[0]?.quota} } } }`,
      without: "{ account: [plan] }",
      damaged: true,
      expect: "forbidden",
      reasons: ["quota_exceeded"],
    }),
    forbidden("no usage", created, "{ account: [usage] }", "quota_exceeded"),
    forbidden("no status", changes, "{ account: [status] }", "not_available"),
  ]);
}

interface SuiteCase {
  readonly name: string;
  readonly keys?: readonly string[];
  readonly account?: string;
  readonly operations: readonly DomainOperation[];
  readonly with?: string;
  readonly without?: string;
  readonly damaged?: true;
  readonly expect: "allow" | "insufficient_permissions" | "forbidden";
  readonly reasons?: readonly string[];
}

/** Empty if there is no operation: there is nothing to test. */
function caseText({ name, keys, account, operations, damaged, expect, reasons, ...changes }: SuiteCase): string {
  if (operations.length === 0) return "";
  return [
    `  - name: ${JSON.stringify(name)}`,
    ...(keys === undefined ? [] : [`    keys: ${flow(keys)}`]),
    ...(account === undefined ? [] : [`    account: ${scalar(account)}`]),
    `    operations: ${flow(operations.map((operation) => operation.name))}`,
    ...(damaged === undefined ? [] : ["    damaged: true"]),
    ...(changes.with === undefined ? [] : [`    with: ${changes.with}`]),
    ...(changes.without === undefined ? [] : [`    without: ${changes.without}`]),
    `    expect: ${expect}`,
    ...(reasons === undefined ? [] : [`    reasons: ${flow(reasons)}`]),
    "",
  ].join("\n");
}

function suiteText(name: string, { kind, plans }: PolicyDomain, key: string, cases: readonly string[]): string {
  const account = scalar(plans[0]?.name ?? "");
  return `${editorSchema("decisions")}
name: ${name}
fixtures: [${kind}.fixtures.yaml]
defaults: { key: ${key}, account: ${account}, resource: subject }
cases:
${cases.join("")}`;
}
