/** Hints as header fields: the challenge of RFC 6750 §3, and a list of accepted permissions in GitHub's grammar. */

import type { Hint } from "./hints-of.js";

/** The longest value of a header field, in bytes. */
const MAX_LENGTH = 1_024;

/** A `scope-token` of RFC 6750 §3: printable ASCII without the space, `"` and `\`. */
const SCOPE_TOKEN = /^[!#-[\]-~]+$/;

/** Whether a permission can be a scope in a challenge. */
export function isScopeToken(permission: string): boolean {
  return SCOPE_TOKEN.test(permission);
}

/**
 * The value of `WWW-Authenticate` for a refusal with hints: the permissions of the first hint as `scope`. Without a
 * scope if that hint has roles, or a permission that is no scope token, or the value would be longer than 1 KiB.
 * Undefined without hints: then no permission would help, and the caller should not ask for any. `parameters` are
 * further ones, of which the values must be texts without `"` and `\`.
 */
export function challengeOf(
  [hint]: readonly Hint[],
  parameters: { readonly [name: string]: string } = {},
): string | undefined {
  if (hint === undefined) return undefined;
  const rest = Object.entries(parameters).map(([name, value]) => `, ${name}="${value}"`);
  const bare = `Bearer error="insufficient_scope"${rest.join("")}`;
  const { permissions, roles = [] } = hint;
  if (roles.length > 0 || permissions.length === 0 || !permissions.every(isScopeToken)) return bare;
  const value = `Bearer error="insufficient_scope", scope="${permissions.join(" ")}"${rest.join("")}`;
  return value.length <= MAX_LENGTH ? value : bare;
}

/**
 * The hints as GitHub's `X-Accepted-GitHub-Permissions` has them: `;` between alternatives, `,` between permissions that
 * are all needed. Hints with roles, and with names that the grammar cannot carry, are left out, and so are the last ones
 * where the value would be longer than 1 KiB. Undefined if none is left.
 */
export function acceptedPermissionsOf(hints: readonly Hint[]): string | undefined {
  let value: string | undefined;
  for (const { permissions, roles = [] } of hints) {
    const isSent = roles.length === 0 && permissions.every((one) => isScopeToken(one) && !/[,;]/.test(one));
    if (!isSent) continue;
    const next: string = value === undefined ? permissions.join(",") : `${value}; ${permissions.join(",")}`;
    if (next.length > MAX_LENGTH) return value;
    value = next;
  }
  return value;
}
