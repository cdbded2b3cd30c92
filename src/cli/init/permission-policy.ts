/** The permission layer: the operations that a key may perform. */

import { an, CUSTOM_ROLE, type DomainOperation, operationsOf, type PolicyDomain, READS, ROLES } from "./domain.js";
import type { OperationSort } from "./operation-sorts.js";
import { block, editorSchema, scalar } from "./yaml.js";

export function permissionPolicy(domain: PolicyDomain): string {
  const { kind, noun, operations } = domain;
  return `${editorSchema("policy")}
#
# PERMISSION LAYER: the operations that an API key may perform on ${an(noun)}.
#
# A request that no rule allows is refused, with the error \`insufficient_permissions\`: another key may succeed. This
# layer knows the key (P) and the ${noun} (R), never the account. The prohibitions are in ../platform/${kind}.yaml.
#
# Roles allow operations, and so do permissions; both count only within the key's account.
#
${table(domain)}#
# The role ${CUSTOM_ROLE} allows nothing: such a key has only its permissions.
apiVersion: api.cerbos.dev/v1
metadata:
  # Roles that keys can have although no rule names them.
  annotations:
    keyward.roles: ${unnamedRoles(domain).join(", ")}
resourcePolicy:
  resource: ${scalar(kind)}
  version: default
  schemas:
    principalSchema:
      ref: cerbos:///key.json
    resourceSchema:
      ref: cerbos:///${kind}.json
  variables:
    local:
      # An absent attribute is an error, and an error refuses the request.
      same_account: R.attr.accountId == P.attr.accountId
  rules:
    # Allowed by roles.
${roleRules(domain)
  .map(({ name, operations: some, roles }) => ruleText(name, some, roles, "V.same_account"))
  .join("")}
    # Allowed by permissions, for every role.
${operations.map((operation) => permissionRule(operation, kind)).join("")}`
    .trimEnd()
    .concat("\n");
}

interface RoleRule {
  readonly name: string;
  readonly operations: readonly DomainOperation[];
  readonly roles: readonly string[];
}

/** A rule for each set of roles, as far as there are operations for it. */
export function roleRules(domain: PolicyDomain): readonly RoleRule[] {
  const rule = (name: string, ...sorts: readonly OperationSort[]): RoleRule => ({
    name,
    operations: operationsOf(domain, ...sorts),
    roles: ROLES.filter((role) => sorts.every((sort) => role.sorts.includes(sort))).map((role) => role.name),
  });
  const rules = [
    rule("role_may_read", ...READS),
    rule("role_may_write", "create", "write"),
    rule("role_may_delete", "delete"),
  ];
  return rules.filter(({ operations }) => operations.length > 0);
}

/** The roles that no rule names: keys can have them all the same. */
function unnamedRoles(domain: PolicyDomain): readonly string[] {
  const named = new Set(roleRules(domain).flatMap(({ roles }) => roles));
  return [...ROLES.map(({ name }) => name).filter((name) => !named.has(name)), CUSTOM_ROLE];
}

/** The name of the rule that allows an operation by a permission. */
export function permissionRuleName({ action }: DomainOperation): string {
  return `permission_to_${action}`;
}

/** A permission for an operation on the resource with this id, or on every resource (`*`). */
export function permissionFor(kind: string, id: string, { action }: DomainOperation): string {
  return `${kind}.${id}.${action}`;
}

function permissionRule(operation: DomainOperation, kind: string): string {
  const every = permissionFor(kind, "*", operation);
  const one = `"${kind}." + R.id + ".${operation.action}"`;
  const expr = `V.same_account && hasIntersection(P.attr.permissions, ["${every}", ${one}])`;
  return ruleText(permissionRuleName(operation), [operation], ["*"], expr);
}

function ruleText(
  name: string,
  operations: readonly DomainOperation[],
  roles: readonly string[],
  condition: string,
): string {
  return `
    - name: ${name}
      actions:
${block(
  operations.map((operation) => operation.name),
  8,
)}      roles:
${roles.map((role) => `        - ${role === "*" ? '"*"' : role}\n`).join("")}      effect: EFFECT_ALLOW
      condition:
        match:
          expr: ${condition}
`;
}

/** The operations, the roles that allow each, and the permissions that do. */
function table({ kind, operations }: PolicyDomain): string {
  const rows = operations.map((operation) => {
    const roles = ROLES.filter(({ sorts }) => sorts.includes(operation.sort)).map(({ name }) => name);
    const permissions = ["<id>", "*"].map((id) => permissionFor(kind, id, operation));
    return [operation.name, roles.join(", "), permissions.join(", ")];
  });
  const all = [["operation", "roles", "one of these permissions"], ...rows];
  const widths = [0, 1].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `#   ${row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("   ")
      .trimEnd()}\n`;
  return all.map(line).join("");
}
