/** Large maps in attributes: their members are counted, so that no request takes long to copy. */

import { expect, test } from "vitest";
import { decide } from "../../src/index.js";
import { LARGE_MEMBER, MAX_VALUES } from "../../src/limits.js";
import { permissions, policy, when } from "../support/compose.js";

const rule = `name: r, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when("R.attr.x == P.attr.x")}`;
const set = permissions({ "doc.yaml": policy({ rules: [rule] }) });
/** Both parts of a request have a map, and each part is copied by itself. */
const MOST = MAX_VALUES / LARGE_MEMBER - 1;

const mapOf = (members: number) => Object.fromEntries(Array.from({ length: members }, (_, i) => [`a${i}`, i]));

function decided(x: object) {
  return decide(set, {
    key: { id: "k", roles: ["user"], attr: { x } },
    operation: "read",
    resource: { kind: "doc", id: "d", attr: { x: structuredClone(x) } },
    account: { id: "a", attr: {} },
  });
}

test("as many members as the limit allow, and more refuse with a fault", () => {
  expect(decided(mapOf(MOST)).outcome).toBe("allow");
  const { outcome, fault } = decided(mapOf(MOST + 2));
  expect(outcome).toBe("insufficient_permissions");
  expect(fault).toMatchObject({ kind: "invalid_request", message: expect.stringContaining("too many attributes") });
});

test("a list of many small maps has as many members as it likes", () => {
  const small = Array.from({ length: 2 * MOST }, (_, i) => ({ id: i }));
  expect(decided(small).outcome).toBe("allow");
});
