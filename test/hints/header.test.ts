/** Hints as header fields. */

import { expect, test } from "vitest";
import { acceptedPermissionsOf, challengeOf, isScopeToken } from "../../src/hints/header.js";
import type { Hint } from "../../src/index.js";

const of = (...permissions: string[]): Hint => ({ permissions });
const BARE = 'Bearer error="insufficient_scope"';

test.each<[string, readonly Hint[], string | undefined]>([
  ["the permissions of the first hint", [of("a.b", "c:*"), of("d")], `${BARE}, scope="a.b c:*"`],
  ["no hint", [], undefined],
  ["a role", [{ permissions: [], roles: ["admin"] }], BARE],
  ["a permission and a role", [{ permissions: ["a"], roles: ["admin"] }], BARE],
  ["a space", [of("read all"), of("a")], BARE],
  ["a quotation mark", [of('a" injected="1')], BARE],
  ["a backslash", [of("a\\b")], BARE],
  ["a line break", [of("a\r\nx-evil: 1")], BARE],
  ["a letter that is not ASCII", [of("größe")], BARE],
  ["more than 1 KiB", [of("a".repeat(1_000))], BARE],
])("a challenge with %s", (_, hints, value) => {
  expect(challengeOf(hints)).toBe(value);
});

test("a challenge has further parameters last", () => {
  expect(challengeOf([of("a")], { resource_metadata: "https://x/y" })).toBe(
    `${BARE}, scope="a", resource_metadata="https://x/y"`,
  );
});

test("accepted permissions: alternatives by semicolons, all of several by commas, within 1 KiB", () => {
  expect(
    acceptedPermissionsOf([of("a"), of("b", "c"), { permissions: ["d"], roles: ["r"] }, of("e f"), of("g;h")]),
  ).toBe("a; b,c");
  expect(acceptedPermissionsOf([{ permissions: [], roles: ["r"] }])).toBeUndefined();
  expect(acceptedPermissionsOf([])).toBeUndefined();
  const many = acceptedPermissionsOf(Array.from({ length: 200 }, (_, i) => of(`permission_${i}`)));
  expect(many?.length).toBeLessThanOrEqual(1_024);
  expect(many?.split("; ").every((one) => /^permission_\d+$/.test(one))).toBe(true);
});

test("scope tokens are the printable ASCII characters but the space, the quotation mark and the backslash", () => {
  const tokens = Array.from({ length: 256 }, (_, i) => String.fromCharCode(i))
    .filter(isScopeToken)
    .join("");
  expect(tokens).toBe("!#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~");
});
