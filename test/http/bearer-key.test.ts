/** The key of a request (docs/contract.md §5), read strictly. */

import fc from "fast-check";
import { left, right } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { type BearerFault, bearerKey } from "../../src/http/index.js";
import "../support/seed.js";

function sent(...fields: string[]): Headers {
  const headers = new Headers();
  for (const field of fields) headers.append("Authorization", field);
  return headers;
}

describe("one credential of the scheme Bearer", () => {
  test.each(["Bearer k", "bearer k", "BEARER k", "Bearer   k", "  Bearer k  ", "\tBearer k\t"])("%j is k", (field) => {
    expect(bearerKey(sent(field))).toEqual(right("k"));
  });

  test.each(["kw_live_0aZ", "a-b.c_d~e+f/g", "abc=", "abc==", "0"])("a token %s", (token) => {
    expect(bearerKey(sent(`Bearer ${token}`))).toEqual(right(token));
  });

  test.each<[string, BearerFault]>([
    ["", "missing"],
    ["   ", "missing"],
    ["Bearer", "malformed"],
    ["Bearer ", "malformed"],
    ["Bearer\tk", "other_scheme"],
    ["Bearer a b", "malformed"],
    ["Bearer =", "malformed"],
    ["Bearer a=b", "malformed"],
    ["Bearer kéy", "malformed"],
    ['Bearer "k"', "malformed"],
    ["Bearer key:1", "malformed"],
    ['Bearer realm="x"', "malformed"],
    ["Bearer k, Bearer k", "several"],
    ["Bearer k,", "several"],
    ["Bearer,Bearer k", "several"],
    ["Basic a2V5", "other_scheme"],
    ["Bearerk", "other_scheme"],
    ["k", "other_scheme"],
    ["constructor k", "other_scheme"],
  ])("%j is refused: %s", (field, fault) => {
    expect(bearerKey(sent(field))).toEqual(left(fault));
  });

  test("no field, and two fields", () => {
    expect(bearerKey(new Headers())).toEqual(left("missing"));
    expect(bearerKey(sent("Bearer a", "Bearer b"))).toEqual(left("several"));
    expect(bearerKey(sent("Bearer a", "Bearer a"))).toEqual(left("several"));
  });

  test("the length is limited: at the limit, and one past it", () => {
    const field = (length: number) => `Bearer ${"k".repeat(length - 7)}`;
    expect(bearerKey(sent(field(1024)))).toEqual(right("k".repeat(1017)));
    expect(bearerKey(sent(field(1025)))).toEqual(left("too_long"));
    expect(bearerKey(sent(field(20)), { maxLength: 20 })).toEqual(right("k".repeat(13)));
    expect(bearerKey(sent(field(21)), { maxLength: 20 })).toEqual(left("too_long"));
    expect(bearerKey({ authorization: "Bearer ".padEnd(10_000_000, " ,") })).toEqual(left("too_long"));
  });
});

describe("fields as Node has them", () => {
  test("by name in any case, one or a list", () => {
    expect(bearerKey({ authorization: "Bearer k" })).toEqual(right("k"));
    expect(bearerKey({ Authorization: ["Bearer k"] })).toEqual(right("k"));
    expect(bearerKey({ authorization: ["Bearer k", "Bearer l"] })).toEqual(left("several"));
    expect(bearerKey({ authorization: "Bearer k", AUTHORIZATION: "Bearer l" })).toEqual(left("several"));
    expect(bearerKey({ authorization: undefined, accept: "*/*" })).toEqual(left("missing"));
    expect(bearerKey({ authorization: [] })).toEqual(left("missing"));
  });

  test("nothing inherited is a field", () => {
    expect(bearerKey(Object.create({ authorization: "Bearer k" }))).toEqual(left("missing"));
  });
});

test("whatever is sent: the token as it stands in the field, or a fault that has nothing of it", () => {
  const faults = new Set(["missing", "several", "other_scheme", "malformed", "too_long"]);
  const text = fc.string({ unit: "binary-ascii", maxLength: 40 });
  const field = fc.oneof(
    text,
    text.map((rest) => `Bearer ${rest}`),
    text.map((rest) => `bEaReR  ${rest}`),
  );
  fc.assert(
    fc.property(field, (authorization) => {
      const read = bearerKey({ authorization });
      if (read._tag === "Left") expect(faults).toContain(read.left);
      else expect(authorization.trim()).toMatch(new RegExp(`^bearer +${read.right.replace(/[.+/]/g, "\\$&")}$`, "i"));
    }),
    { numRuns: 5_000 },
  );
});
