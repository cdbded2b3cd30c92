/**
 * The shipped claims hold for the shipped policies, and some small change of the policies breaks each claim: no claim
 * is empty.
 *
 * @module-tag long
 */

import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { decideAny } from "../../src/decisions/decide.js";
import type { PolicySet } from "../../src/index.js";
import { proveAll, proveClaims } from "../../src/proof/claims/prove.js";
import { readClaims } from "../../src/proof/claims/read.js";
import { findSolver } from "../../src/solver/solver.js";
import { requestOf } from "../../src/space/draft.js";
import { compiled, SHIPPED_ROOT, shipped, shippedFiles } from "../support/policies.js";

const solver = findSolver({ timeLimit: 30_000 });
afterAll(() => solver?.close());

const FILE = "testdata/service.claims.yaml";
const { claims } = readClaims(FILE, readFileSync(SHIPPED_ROOT + FILE, "utf8"));

const SYSTEM = ["- expr: R.attr.system == false", "- expr: R.attr.system in [true, false]"] as const;
const ADMINISTER = "- apis.updateApi\n        - apis.deleteApi\n      roles:\n        - admin\n";

/** For each claim a change of one file: the text to replace, and its replacement. */
const MUTATIONS: { readonly [claim: string]: readonly [file: string, from: string, to: string] } = {
  "No key ever deletes a system API.": ["platform/api.yaml", ...SYSTEM],
  "No key ever changes a system API.": ["platform/api.yaml", ...SYSTEM],
  "No key is ever created in a system API.": ["platform/api.yaml", ...SYSTEM],
  "A system key is never changed, deleted or revoked.": ["platform/key.yaml", ...SYSTEM],
  "Only an admin, or a key with permissions of its own, deletes an API.": [
    "permissions/api.yaml",
    ADMINISTER,
    `${ADMINISTER}        - editor\n`,
  ],
  "A key with neither the role admin nor editor, and without permissions of its own, writes nothing but itself.": [
    "permissions/api.yaml",
    ADMINISTER,
    `${ADMINISTER}        - viewer\n`,
  ],
  "A key without a known role and without permissions may do nothing, save to itself.": [
    "permissions/api.yaml",
    ADMINISTER,
    `${ADMINISTER}        - custom\n`,
  ],
  "No key acts outside its account.": [
    "permissions/reach.yaml",
    "same_account: R.attr.accountId == P.attr.accountId",
    'same_account: R.attr.accountId != ""',
  ],
  "No key acts on an API of another environment.": [
    "permissions/reach.yaml",
    "R.attr.environment == P.attr.environment && ",
    "",
  ],
  "No key acts on a key of another environment.": [
    "permissions/reach.yaml",
    "R.attr.environment == P.attr.environment && ",
    "",
  ],
  "No key acts on an API of a workspace that it does not have.": [
    "permissions/reach.yaml",
    '["*", R.attr.workspaceId]',
    '["*", "default", R.attr.workspaceId]',
  ],
  "A suspended account creates, changes and deletes nothing.": [
    "platform/account.yaml",
    'may_change: P.attr.status in ["active", "past_due"]',
    'may_change: P.attr.status in ["active", "past_due", "suspended"]',
  ],
  "An account that is past due creates nothing.": [
    "platform/account.yaml",
    'P.attr.status == "active" &&',
    'P.attr.status in ["active", "past_due"] &&',
  ],
  "An account with a hold changes nothing.": ["platform/account.yaml", "P.attr.holds == []", "size(P.attr.holds) <= 1"],
  "A free account creates nothing in production.": ["platform/account.yaml", '["pro",', '["free", "pro",'],
  "What is delete-protected is not deleted.": [
    "platform/api.yaml",
    "R.attr.deleteProtection == false",
    "R.attr.deleteProtection in [true, false]",
  ],
  "No account has more keys than its limit.": [
    "platform/account.yaml",
    "P.attr.usage.keys > 0.0",
    "P.attr.usage.keys >= 0.0",
  ],
  "No account has more APIs than its limit.": [
    "platform/account.yaml",
    "P.attr.usage.apis > 0.0",
    "P.attr.usage.apis >= 0.0",
  ],
  "No account has more workspaces than its limit.": [
    "platform/workspace.yaml",
    "- workspaces.createBeyondLimit\n      roles:\n        - account\n      effect: EFFECT_DENY\n      output:",
    "- workspaces.createBeyondLimit\n      roles:\n        - account\n      effect: EFFECT_ALLOW\n      output:",
  ],
  "A workspace with APIs is not deleted.": [
    "platform/workspace.yaml",
    "- workspaces.deleteWithApis\n      roles:\n        - account\n      effect: EFFECT_DENY\n      output:",
    "- workspaces.deleteWithApis\n      roles:\n        - account\n      effect: EFFECT_ALLOW\n      output:",
  ],
  "A suspended workspace is not deleted.": [
    "platform/workspace.yaml",
    'R.attr.state == "active"',
    'R.attr.state in ["active", "suspended"]',
  ],
  "A draft API has no keys.": ["platform/api.yaml", 'R.attr.state != "draft"', 'R.attr.state != "drafts"'],
  "An API with keys is not deleted.": ["platform/api.yaml", "R.attr.keyCount == 0", "R.attr.keyCount <= 1"],
  "An API that is suspended or being deleted is not changed.": [
    "platform/api.yaml",
    '["draft", "active"]',
    '["draft", "active", "suspended"]',
  ],
  "A key that is suspended or revoked is not changed.": [
    "platform/key.yaml",
    '["enabled", "disabled"]',
    '["enabled", "disabled", "suspended"]',
  ],
  "Nothing of an account is changed for another account.": [
    "platform/account.yaml",
    "R.attr.accountId == P.id && P.attr.holds",
    "P.attr.holds",
  ],
  "A key can be revoked, whatever the account owes.": [
    "platform/key.yaml",
    "- name: not_available\n      actions:\n",
    "- name: not_available\n      actions:\n        - keys.revokeKey\n",
  ],
  "Reading an API is never forbidden.": [
    "platform/api.yaml",
    "- name: supported\n      actions:\n        - apis.getApi\n",
    "- name: supported\n      actions:\n",
  ],
  "A permission for another API gives nothing.": [
    "permissions/api.yaml",
    '["api.*.delete_api", ',
    '["api.*.delete_api", "api.*.update_api", ',
  ],
  "An admin may do everything that an editor may do.": [
    "permissions/api.yaml",
    "- keys.createKey\n      roles:\n        - editor\n        - admin\n",
    "- keys.createKey\n      roles:\n        - editor\n",
  ],
  "An editor may do everything that a viewer may do.": [
    "permissions/key.yaml",
    "- viewer\n        - editor\n",
    "- viewer\n",
  ],
};

function mutated(claim: string): PolicySet {
  const [file = "", from = "", to = ""] = MUTATIONS[claim] ?? [];
  const files = shippedFiles.map(({ path, text }) => {
    if (path !== file) return { path, text };
    expect(text).toContain(from);
    return { path, text: text.replace(from, to) };
  });
  return compiled(files);
}

test("all are proved, and the five laws with them", async () => {
  const proofs = await proveAll(shipped, claims, solver);
  expect(proofs.kind === "proved" && proofs.claims.filter(({ result }) => result !== "proved")).toEqual([]);
  expect(proofs.kind === "proved" && proofs.claims.length).toBe(claims.length + 5);
}, 300_000);

test("there are 25 and more, and a change for each", () => {
  expect(claims.length).toBeGreaterThanOrEqual(25);
  expect(Object.keys(MUTATIONS)).toEqual(claims.map(({ claim }) => claim));
});

test.each(claims)(
  "a change breaks, and is found: $claim",
  async (claim) => {
    const set = mutated(claim.claim);
    const proofs = await proveClaims(set, [claim], solver);
    const [found] = proofs.kind === "proved" ? proofs.claims : [];
    expect(found?.result).toBe("broken");
    if (found?.request === undefined) throw new Error("there is no request");
    const { form } = claim;
    const never: readonly unknown[] = form.kind === "outcomes" ? form.never : ["insufficient_permissions"];
    expect(never).toContain(found.outcome);
    // The counterexample replays, and the unchanged policies decide it differently.
    const shown = found.changed ?? found.request;
    expect(decideAny(set, requestOf(shown)).outcome).toBe(found.outcome);
    expect(never).not.toContain(decideAny(shipped, requestOf(shown)).outcome);
    if (found.changed !== undefined) expect(decideAny(set, requestOf(found.request)).outcome).toBe("allow");
  },
  120_000,
);
