/**
 * The attributes that `DECISION_LOG_MASK` can name: those of the keys, accounts and resources that the service asks about.
 * A name that is not one of these would mask nothing.
 */
export const MASKABLE = [
  "key.attr.accountId",
  "key.attr.workspaceIds",
  "key.attr.environment",
  "key.attr.permissions",
  "account.attr.plan",
  "account.attr.status",
  "account.attr.limits",
  "account.attr.usage",
  "account.attr.holds",
  "resource.attr.accountId",
  "resource.attr.workspaceId",
  "resource.attr.environment",
  "resource.attr.apiId",
  "resource.attr.state",
  "resource.attr.system",
  "resource.attr.deleteProtection",
  "resource.attr.keyCount",
] as const;
