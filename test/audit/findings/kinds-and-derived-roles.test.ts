/** Kinds without a platform policy, and derived roles where roles are meant, or beside them. */

import { describe, expect, test } from "vitest";
import { findingsOf } from "../../../src/audit/index.js";
import type { CompileOptions, PolicyFile } from "../../../src/index.js";
import { policy, supportAll } from "../../support/compose.js";
import { compiled } from "../../support/policies.js";

const rule = (actions: string) => `name: a, actions: [${actions}], roles: [user], effect: EFFECT_ALLOW`;
const permits = (resource: string, ...actions: readonly string[]): PolicyFile => ({
  path: `${resource}.yaml`,
  text: policy({ resource, rules: [rule(actions.join(", "))] }),
});

function found(files: readonly PolicyFile[], options: CompileOptions = {}): readonly string[] {
  return findingsOf(compiled(files, options)).map(({ file, severity, code, message }) =>
    [file, severity, code, message].join(" "),
  );
}

describe("a kind without a platform policy", () => {
  const files = [permits("invoice", "read", "post"), permits("doc", "read"), ...supportAll("doc")];

  test("is one warning, which names what keys may do in vain", () => {
    expect(found(files)).toEqual([
      "invoice.yaml warning unlisted_kind no platform policy is for the resource kind invoice, so what some keys may do there is always forbidden: read, post",
    ]);
  });

  test("is a note if such kinds are supported, and nothing else is said of what was added", () => {
    expect(found(files, { platform: { unlisted: "supported" } })).toEqual([
      ". note unlisted_kind no platform policy is for the resource kind invoice, and the configuration supports every operation on it",
    ]);
  });

  test("is nothing if no key may do anything there", () => {
    const refused = policy({ resource: "invoice", rules: ['actions: [read], roles: ["*"], effect: EFFECT_DENY'] });
    expect(found([{ path: "invoice.yaml", text: refused }, ...files.slice(1)]).join()).not.toContain("unlisted_kind");
  });

  test("is a misspelling if its name is near that of another", () => {
    expect(found([permits("dock", "read"), ...files.slice(1)])).toEqual([
      "dock.yaml warning unknown_kind no platform policy is for the resource kind dock",
    ]);
  });

  test("is nothing in a set without a platform layer", () => {
    expect(found([permits("invoice", "read")], { platform: "none" })).toEqual([]);
  });
});

test("an operation that the platform does not support is no misspelling of one that it supports and keys may do", () => {
  const hints = (permitted: string, supported: string) => {
    const platform = policy({ version: "platform", rules: [rule(supported).replace("user", "account")] });
    const files = [permits("doc", permitted), { path: "platform.yaml", text: platform }];
    return findingsOf(compiled(files)).map(({ code, hint }) => `${code} ${hint}`);
  };
  expect(hints("doc.list, doc.post", "doc.list")).toEqual([
    "unsupported_operation list it in an ALLOW rule of the platform policy, or remove it here",
  ]);
  expect(hints("doc.lsit", "doc.list")).toContain('unsupported_operation did you mean "doc.list"?');
});

describe("derived roles", () => {
  const definition = (parents: string, condition: string) => `apiVersion: api.cerbos.dev/v1
derivedRoles:
  name: of_doc
  definitions:
    - { name: owner, parentRoles: [${parents}]${condition} }
`;
  const WHEN = ", condition: { match: { expr: R.attr.owner == P.id } }";
  const doc = (lists: string) =>
    policy({
      body: "importDerivedRoles: [of_doc]",
      rules: [`name: change, actions: [change], effect: EFFECT_ALLOW, ${lists}`],
    });
  const codes = (lists: string, parents = "user, guest", condition = WHEN) =>
    findingsOf(
      compiled(
        [
          { path: "doc.yaml", text: doc(lists) },
          { path: "roles.yaml", text: definition(parents, condition) },
        ],
        { platform: "none" },
      ),
    ).map(({ code, message }) => `${code}: ${message}`);

  test.each([
    ["roles: [user], derivedRoles: [owner]", "the role user"],
    ["roles: [guest, user], derivedRoles: [owner]", "the role user, guest"],
    ['roles: ["u*"], derivedRoles: [owner]', "the role user"],
    ['roles: ["*"], derivedRoles: [owner]', "the role user, guest"],
  ])("%s", (lists, whom) => {
    const message = `rule change is for ${whom}, so the condition of the derived role owner changes nothing there`;
    expect(codes(lists)).toEqual([`idle_derived_role: ${message}`]);
  });

  test("beside a role that they are not made of, or without a condition: nothing", () => {
    expect(codes("roles: [admin], derivedRoles: [owner]")).toEqual([]);
    expect(codes("roles: [user], derivedRoles: [owner]", "user", "").join()).not.toContain("idle_derived_role");
  });

  test("in a list of roles", () => {
    const message = "owner is a derived role, and this list is of roles that keys have";
    expect(codes("roles: [owner]")).toContain(`derived_role_as_role: ${message}`);
    expect(codes("roles: [owner], derivedRoles: [owner]")).toContain(`derived_role_as_role: ${message}`);
  });

  test("that have the name of a role: nothing", () => {
    expect(codes("roles: [owner], derivedRoles: [owner]", "owner, user").join()).not.toContain("derived_role_as_role");
  });
});
