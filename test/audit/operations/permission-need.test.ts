/** Rules that only a permission of the key's own can satisfy: certain, compared with decisions. */

import { describe, expect, test } from "vitest";
import { needsPermission } from "../../../src/audit/operations/permission-need.js";
import { review } from "../../../src/audit/review/review.js";
import { decideAny } from "../../../src/decisions/decide.js";
import { permissions, policy, when } from "../../support/compose.js";

const setOf = (rule: string, body = "") => permissions({ "doc.yaml": policy({ body, rules: [`name: one, ${rule}`] }) });
const EVERY = 'actions: [read], roles: ["*"], effect: EFFECT_ALLOW';
const VARIABLES = `variables:
  local:
    mine: P.attr.permissions
    may: hasIntersection(V.mine, ["doc.read"])
    open: R.attr.open == true`;

const isNeeded = (expr: string) => {
  const set = setOf(`${EVERY}, ${when(expr)}`, VARIABLES);
  const [policies] = set.model.resourcePolicies.filter(({ version }) => version === "default");
  const [rule] = policies?.rules ?? [];
  if (policies === undefined || rule === undefined) throw new Error("there is no rule");
  return { set, needs: needsPermission(policies, rule) };
};

const LISTS = [[], ["doc.read"], ["doc.d.read"], ["x"]];

function allowedWith(set: ReturnType<typeof setOf>, held: readonly string[] | undefined): boolean {
  return [true, false, undefined].some((open) => {
    const key = { id: "k", roles: ["user"], attr: held === undefined ? {} : { permissions: [...held] } };
    const resource = { kind: "doc", id: "d", attr: open === undefined ? {} : { open } };
    return decideAny(set, { key, operation: "read", resource, account: { id: "a", attr: {} } }).outcome === "allow";
  });
}

describe("a rule that needs a permission allows nothing without one", () => {
  test.each([
    '"doc.read" in P.attr.permissions',
    'hasIntersection(P.attr.permissions, ["doc." + R.id + ".read"])',
    'hasIntersection(["doc.read"], P.attr.permissions)',
    'P.attr["permissions"].exists(p, p.startsWith("doc"))',
    "V.may",
    "V.open && V.may",
    'V.may || "x" in V.mine',
    'R.attr.open == true ? "doc.read" in P.attr.permissions : V.may',
    'V.mine.exists_one(p, p == "x")',
  ])("%s", (expr) => {
    const { set, needs } = isNeeded(expr);
    expect(needs).toBe(true);
    expect(LISTS.some((held) => allowedWith(set, held))).toBe(true);
    expect([undefined, []].some((held) => allowedWith(set, held))).toBe(false);
  });
});

describe("a rule that some key meets without a permission is not called one", () => {
  test.each([
    "true",
    "V.open",
    "V.open || V.may",
    '!("doc.read" in P.attr.permissions)',
    'P.attr.permissions.all(p, p == "x")',
    "size(P.attr.permissions) == 0",
    "R.attr.open == true ? true : V.may",
    '"doc.read" in (V.open ? ["doc.read"] : P.attr.permissions)',
  ])("%s", (expr) => {
    const { set, needs } = isNeeded(expr);
    expect(needs).toBe(false);
    expect(allowedWith(set, [])).toBe(true);
  });
});

test("the columns by permission and for any key", async () => {
  const set = permissions({
    "doc.yaml": policy({
      body: VARIABLES,
      rules: [
        `name: own, actions: [read, write], roles: ["*"], effect: EFFECT_ALLOW, ${when("V.may")}`,
        `name: open, actions: [read], roles: ["*"], effect: EFFECT_ALLOW, ${when("V.open")}`,
        "name: admins, actions: [write, drop], roles: [admin], effect: EFFECT_ALLOW",
        'name: list, actions: [list], roles: ["*"], effect: EFFECT_ALLOW',
        'name: kept, actions: [keep], roles: ["*"], effect: EFFECT_ALLOW',
        'name: never, actions: [keep], roles: ["*"], effect: EFFECT_DENY',
      ],
    }),
  });
  const { operations } = await review(set, { date: new Date(0) });
  const of = (name: string) => operations.find(({ operation }) => operation === name)?.scopes[0]?.everyRole;
  expect(of("read")).toEqual({ byPermission: "conditional", permissions: ["doc.read"], byAny: "conditional" });
  expect(of("write")).toEqual({ byPermission: "conditional", permissions: ["doc.read"], byAny: "never" });
  expect(of("drop")).toEqual({ byPermission: "never", permissions: [], byAny: "never" });
  expect(of("list")).toEqual({ byPermission: "never", permissions: [], byAny: "always" });
  expect(of("keep")).toEqual({ byPermission: "never", permissions: [], byAny: "never" });
});
