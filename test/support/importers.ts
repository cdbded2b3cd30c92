/** Policies that read one exported variable, each with a constant of its own. */

import type { PolicySet } from "../../src/index.js";
import { permissions, policy, when } from "./compose.js";

const API = "apiVersion: api.cerbos.dev/v1";

/** The variable `V.shared`, read under the constant `C.word`: "draft" for a derived role, "live" for a rule. */
export function importersOf(shared: string, read = "V.shared"): PolicySet {
  const body = (word: string) => `variables:\n  import: [shared]\nconstants:\n  local:\n    word: ${word}`;
  const rules = [
    "name: owned, actions: [read], derivedRoles: [owner], effect: EFFECT_ALLOW",
    `name: own, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(read)}`,
  ];
  const role = `{name: owner, parentRoles: [user], ${when(read)}}`;
  const derived = `${body("draft")}\ndefinitions:\n  - ${role}`.replaceAll(/^/gm, "  ");
  return permissions({
    "shared.yaml": `${API}\nexportVariables:\n  name: shared\n  definitions:\n    shared: ${JSON.stringify(shared)}\n`,
    "roles.yaml": `${API}\nderivedRoles:\n  name: roles\n${derived}\n`,
    "doc.yaml": policy({ body: `importDerivedRoles: [roles]\n${body("live")}`, rules }),
  });
}
