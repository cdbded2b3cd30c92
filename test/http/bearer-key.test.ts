/** The bearer key of a request (docs/contract.md §5), parsed strictly. */

import fc from "fast-check";
import { left, right } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { type BearerFault, bearerKey, type HeaderFields } from "../../src/http/index.js";
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

describe("fields wherever a framework has them", () => {
  const OTHER = ["accept", "*/*", "Raw", "x", "headers", "y", "rawHeaders", "z"];
  const rawOf = (sent: readonly string[]) => [...OTHER, ...sent.flatMap((field) => ["Authorization", field]), "odd"];
  const distinct = (sent: readonly string[]) =>
    sent.length === 0 ? { raw: ["x"] } : { raw: ["x"], headers: ["y"], authorization: sent };
  /** Like Node, keeps only the first field. */
  const first = (fields: readonly string[]) => (fields[0] === undefined ? {} : { authorization: fields[0] });
  const node = (fields: readonly string[]) => ({ rawHeaders: rawOf(fields), headers: first(fields) });
  const FORMS: { readonly [name: string]: (fields: readonly string[]) => HeaderFields } = {
    Headers: (fields) => sent(...fields),
    "the Fetch API's": (fields) => new Request("http://localhost", { headers: sent(...fields) }),
    "Hono's": (fields) => ({ raw: new Request("http://localhost", { headers: sent(...fields) }) }),
    headersDistinct: distinct,
    rawHeaders: rawOf,
    "Node's": node,
    "Node's, with its fields in its prototype": (fields) => Object.create(node(fields)),
    "Express's": (fields) => Object.assign(Object.create({ get: () => fields[0] }), node(fields)),
    "Express's, with a body": (fields) => Object.assign(node(fields), { raw: Buffer.from("{}") }),
    "Fastify's": (fields) => ({ raw: node(fields), headers: first(fields) }),
    "one that was made without raw fields": (fields) => ({ rawHeaders: [], headers: distinct(fields) }),
  };

  const JOINED = ["Headers", "the Fetch API's", "Hono's"];

  test.each(Object.entries(FORMS))("%s", (name, form) => {
    const field = fc.constantFrom("Bearer a", "Bearer b", "bearer  c", "Basic d", "Bearer", "Bearer a, Bearer b");
    fc.assert(
      fc.property(fc.array(field, { maxLength: 3 }), (fields) => {
        // The Fetch API joins repeated fields into one.
        const isJoined = JOINED.includes(name) && fields.length > 0;
        const wanted = bearerKey({ authorization: isJoined ? fields.join(", ") : fields });
        expect(bearerKey(form(fields))).toEqual(wanted);
        if (fields.length !== 1) expect(wanted._tag).toBe("Left");
      }),
    );
  });

  test("a sender cannot imitate a request", () => {
    const authorization = ["Bearer k"];
    for (const name of ["raw", "headers", "rawHeaders", "get"]) {
      expect(bearerKey({ [name]: ["authorization", "Bearer l"], authorization })).toEqual(right("k"));
      expect(bearerKey({ [name]: "authorization: Bearer l", authorization })).toEqual(right("k"));
    }
  });

  test.each<[string, unknown]>([
    ["raw", { headers: { authorization: "Bearer l" } }],
    ["headers", { authorization: "Bearer l" }],
    ["rawHeaders", ["authorization", "Bearer l"]],
    ["get", () => "Bearer l"],
  ])("a polluted prototype with %s changes nothing", (name, value) => {
    const read = () => [
      bearerKey({ authorization: "Bearer k" }),
      bearerKey({}),
      bearerKey({ headers: sent("Bearer k") }),
      bearerKey(["authorization", "Bearer k"]),
    ];
    const wanted = read();
    const descriptor: PropertyDescriptor = Object.assign(Object.create(null), { value, configurable: true });
    Object.defineProperty(Object.prototype, name, descriptor);
    const found = read();
    Reflect.deleteProperty(Object.prototype, name);
    expect(found).toEqual(wanted);
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

test.each([undefined, null, "Bearer k", 7])("what has no header fields: %j", (source) => {
  expect(() => Reflect.apply(bearerKey, undefined, [source])).toThrow("there are no header fields to read a key from");
});
