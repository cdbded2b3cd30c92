/** Permissions that no challenge can name. */

import { expect, test } from "vitest";
import { findingsOf } from "../../../src/audit/index.js";
import { permissions, policy, when } from "../../support/compose.js";
import { shipped } from "../../support/policies.js";

const found = (condition: string) =>
  findingsOf(
    permissions({
      "doc.yaml": policy({ rules: [`actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(condition)}`] }),
    }),
  )
    .filter(({ code }) => code === "no_scope_token")
    .map(({ file, severity, message }) => `${file} ${severity} ${message}`);

const note = (text: string) =>
  `doc.yaml note the permission ${text} is no scope token, so a challenge does not name it`;

test.each([
  ['"read documents" in P.attr.permissions', ['"read documents"']],
  ['hasIntersection(P.attr.permissions, ["doc read", "doc:" + R.id + ":lesen ü"])', ['"doc read"', '"doc:…:lesen ü"']],
  ['P.attr.scopes.exists(s, s == "read café")', ['"read café"']],
])("%s", (condition, texts) => {
  expect(found(condition)).toEqual(texts.map(note));
});

test.each([
  '"doc.read" in P.attr.permissions',
  'hasIntersection(P.attr.permissions, ["doc." + R.id + ".read", "a/b:c*"])',
  '"head of sales" in P.roles',
  '"two words" in R.attr.tags',
])("nothing: %s", (condition) => {
  expect(found(condition)).toEqual([]);
});

test("nothing in the shipped policies", () => {
  expect(findingsOf(shipped).filter(({ code }) => code === "no_scope_token")).toEqual([]);
});
