/** Permissions outside the grammar of scope tokens (RFC 6750). Challenges leave them out. */

import type { PolicySet } from "../../decisions/policy-set.js";
import { isScopeToken } from "../../hints/header.js";
import { permissionSearches } from "../../hints/permission-lists.js";
import { TextForms } from "../../hints/text-form.js";
import type { AnyPolicy } from "../../policy/model.js";
import type { Finding } from "./finding.js";

/** `permission`: the policies of the permission layer. */
export function scopeTokenFindings(policies: PolicySet, permission: readonly AnyPolicy[]): readonly Finding[] {
  const forms = new TextForms(policies.permission);
  return [...permissionSearches(permission).values()].flat().flatMap(({ search, policy }) =>
    search.texts.flatMap((sought): readonly Finding[] => {
      const { pieces } = forms.of(sought, search.definitions);
      if (pieces.every(isTokenPart)) return [];
      const text = JSON.stringify(pieces.join("…"));
      const message = `the permission ${text} is no scope token, so a challenge does not name it`;
      const hint = 'a scope token has no space, no ", no \\ and no character beyond ASCII';
      return [{ code: "no_scope_token", severity: "note", message, hint, ...policy.at }];
    }),
  );
}

function isTokenPart(piece: string): boolean {
  return piece === "" || isScopeToken(piece);
}
