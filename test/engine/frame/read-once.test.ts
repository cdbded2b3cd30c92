/**
 * A decision reads each value of a request once. If values change, throw or are not JSON, both layers decide on the
 * first read, by functions and by closures in any pairing.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Decision, type DecisionRequest, decide, deciderFor, type PolicySet } from "../../../src/index.js";
import { policy, when } from "../../support/compose.js";
import { compiled } from "../../support/policies.js";
import { SEED } from "../../support/seed.js";
import { sized } from "../../support/size.js";

const WARM = 22;

/** `A` is the tested subject, `R.attr` or `P.attr`, and `B` the other one. */
const CONDITIONS = [
  ...['A.x == "a"', "A.n == 1", "A.n < 2.0", 'A.x.startsWith("a")', 'A.map.k == "a"', "A.map.deep.k == A.x"],
  ...['"a" in A.list', "A.x in A.list", 'hasIntersection(A.list, ["a", "p." + B.x])', "A.list.exists(t, t == A.x)"],
  ...["hasIntersection(A.list, B.list)", "size(A.list) == 2", 'A.list == ["a", "b"]', "isSubset(A.list, B.list)"],
  ...['A.rows.exists(r, r.k == "a")', "A.rows.all(r, r.j == A.x)", 'A.rows.exists(r, "a" in r.tags)'],
  ...["A.rows.exists(r, r == A.map)", "has(A.map.k)", "has(A.rows)", "has(A.map.deep.k) && A.map.deep.k == B.x"],
  // These have no generated form.
  ...[
    'A.x.matches("^a")',
    '["a"].exists_one(t, t in A.list)',
    'A.rows.exists_one(r, r.k == "a")',
    "A.map == A.rows[0]",
  ],
  ...['A.rows.map(r, r.j) == ["a"]', "A.list.filter(t, t == A.x).size() == 1", 'A["x"].upperAscii() == "A"'],
];

const OUTPUTS = ["A.x", "A.list", "A.rows", "A.map.k", "[A.x, A.n]", 'A.x == "a"', "A"];

const SCHEMAS = {
  strict: {
    x: { type: "string" },
    n: { type: "integer" },
    list: { type: "array", items: { type: "string" } },
    map: { type: "object", properties: { k: { type: "string" }, deep: { type: "object" } } },
    rows: {
      type: "array",
      items: {
        type: "object",
        properties: {
          k: { type: "string" },
          j: { type: "string" },
          tags: { type: "array", items: { type: "string" } },
        },
      },
    },
  },
  loose: {
    x: { enum: ["a", "b", 1] },
    list: { type: ["array", "string"] },
    map: { type: "object" },
    rows: { type: "array" },
  },
} as const;

type Schema = keyof typeof SCHEMAS | "none";

interface LayerParts {
  readonly conditions: readonly (readonly [condition: string, subject: "P" | "R"])[];
  readonly output: string | undefined;
  readonly schema: Schema;
}

function written(expr: string, subject: "P" | "R"): string {
  const [own, other] = subject === "R" ? ["R.attr", "P.attr"] : ["P.attr", "R.attr"];
  return expr.replaceAll(/\bA\b/g, own).replaceAll(/\bB\b/g, other);
}

function layerOf(version: string, role: string, { conditions, output, schema }: LayerParts) {
  const ref = `{ref: cerbos:///${schema}.json}`;
  const rules = conditions.map(([expr, subject], i) => {
    const isDenial = i % 2 === 1;
    const own = written(expr, subject);
    const told = i === 0 && output !== undefined ? JSON.stringify(written(output, subject)) : undefined;
    return `name: r${i}, actions: [act], roles: [${role}], effect: EFFECT_${isDenial ? "DENY" : "ALLOW"}, ${when(own)}${told === undefined ? "" : `, output: {when: {ruleActivated: ${told}, conditionNotMet: ${told}}}`}`;
  });
  const body = schema === "none" ? "" : `schemas: {principalSchema: ${ref}, resourceSchema: ${ref}}`;
  return { path: `${version}.yaml`, text: policy({ version, rules, body }) };
}

function filesOf(permission: LayerParts, platform: LayerParts) {
  return [
    layerOf("default", "user", permission),
    layerOf("platform", "account", platform),
    ...Object.entries(SCHEMAS).map(([name, properties]) => ({
      path: `_schemas/${name}.json`,
      text: JSON.stringify({ type: "object", properties }),
    })),
  ];
}

const USUAL = {
  x: "a",
  n: 1,
  list: ["a", "b"],
  map: { k: "a", deep: { k: "a" } },
  rows: [{ k: "a", j: "a", tags: ["a"] }],
};

/** Marks a value that throws when it is read. */
const THROWS = Symbol("throws");

const VALUES: { readonly [name in keyof typeof USUAL]: readonly unknown[] } = {
  x: ["b", "", 1, undefined, null, THROWS, "x".repeat(600), Number.NaN],
  n: [2, 0.5, "1", undefined, Number.POSITIVE_INFINITY, THROWS],
  list: [
    [],
    ["b"],
    ["b", 1],
    [1, "a"],
    "a",
    undefined,
    ["b", THROWS],
    [undefined, "a"],
    [{ a: 1 }, "a"],
    [["a"]],
    THROWS,
  ],
  map: [{}, { k: 1, deep: {} }, { k: "a", deep: THROWS }, { k: THROWS }, [], "map", undefined, new Date(0)],
  rows: [
    [],
    [{ k: "b" }],
    [{ k: "a", j: THROWS, tags: [] }],
    [{ k: "b", j: "a", tags: ["b", THROWS] }],
    [1],
    undefined,
  ],
};

/** The number of reads of a counting object, by path. */
type Reads = Map<string, number>;

/** The same value made of counting getters; a second read returns another value. */
function counting(value: unknown, path: string, reads: Reads): unknown {
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const made: object = Array.isArray(value) ? [] : {};
  for (const [name, member] of Object.entries(value)) {
    const own = `${path}.${name}`;
    const inside = counting(member, own, reads);
    const get = () => {
      const count = (reads.get(own) ?? 0) + 1;
      reads.set(own, count);
      if (inside === THROWS) throw new Error("hostile");
      return count === 1 ? inside : "read again";
    };
    Object.defineProperty(made, name, { get, enumerable: true, configurable: true });
  }
  return made;
}

/** The same value, with getters only for the values that throw. */
function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const made: object = Array.isArray(value) ? [] : {};
  for (const [name, member] of Object.entries(value)) {
    const own = plain(member);
    if (own !== THROWS) Object.defineProperty(made, name, { value: own, enumerable: true, configurable: true });
    else Object.defineProperty(made, name, { get: thrown, enumerable: true });
  }
  return made;
}

function thrown(): never {
  throw new Error("hostile");
}

type Parts = { readonly [part in "key" | "account" | "resource"]: object };

/** A request with attributes made by `make`. */
function requestOf(parts: Parts, make: (value: object, path: string) => unknown): DecisionRequest {
  const attr = (part: keyof Parts): NonNullable<DecisionRequest["key"]["attr"]> =>
    Object.defineProperties({}, Object.getOwnPropertyDescriptors(Object(make(parts[part], part))));
  return {
    key: { id: "k", roles: ["user"], attr: attr("key") },
    operation: "act",
    resource: { kind: "doc", id: "d", attr: attr("resource") },
    account: { id: "a", attr: attr("account") },
  };
}

const condition = fc.tuple(fc.constantFrom(...CONDITIONS), fc.constantFrom("P" as const, "R", "R"));
const layer: fc.Arbitrary<LayerParts> = fc.record({
  conditions: fc.array(condition, { minLength: 1, maxLength: 4 }),
  output: fc.option(fc.constantFrom(...OUTPUTS), { nil: undefined, freq: 4 }),
  schema: fc.constantFrom<Schema>("none", "none", "strict", "loose"),
});
const attributes = fc.record({
  x: fc.constantFrom("a", ...VALUES.x),
  n: fc.constantFrom(1, ...VALUES.n),
  list: fc.constantFrom<unknown>(USUAL.list, USUAL.list, ...VALUES.list),
  map: fc.constantFrom<unknown>(USUAL.map, USUAL.map, ...VALUES.map),
  rows: fc.constantFrom<unknown>(USUAL.rows, USUAL.rows, ...VALUES.rows),
});
const oneUnusual = attributes.chain((all) =>
  fc.constantFrom("x", "n", "list", "map", "rows").map((name) => ({ ...USUAL, [name]: Reflect.get(all, name) })),
);
const some = fc.oneof(
  { weight: 2, arbitrary: fc.constant(USUAL) },
  { weight: 3, arbitrary: oneUnusual },
  { weight: 1, arbitrary: attributes },
);
const parts = fc.record({ key: some, account: some, resource: some });

/** Whether some value throws: then the function gives up, and closures read the other values again. */
function throwsIn(value: unknown): boolean {
  if (value === THROWS) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(throwsIn);
}

function ask(policies: PolicySet, by: "decide" | "decider", request: DecisionRequest): Decision {
  if (by === "decide") return decide(policies, request);
  const { key, account, ...rest } = request;
  return deciderFor(policies, { key }).decide({ ...rest, account });
}

/** Outcomes, with a mark for errors in the permission layer and in the platform layer. */
const EXPECTED = [
  "allow false false",
  ...["insufficient_permissions false false", "insufficient_permissions true false"],
  ...["forbidden false false", "forbidden true false", "forbidden false true", "forbidden true true"],
];

describe("on generated policies and requests", { tags: "long" }, () => {
  test.each(["decide", "decider"] as const)("by %s", { timeout: 300_000 }, (by) => {
    const outcomes = new Map<string, number>();
    fc.assert(
      fc.property(layer, layer, fc.array(parts, { minLength: 12, maxLength: 12 }), (permission, platform, all) => {
        const files = filesOf(permission, platform);
        const [generated, closures] = [compiled(files), compiled(files, { codegen: false })];
        const usual = { key: USUAL, account: USUAL, resource: USUAL };
        for (let i = 0; i < WARM; i++) decide(generated, requestOf(usual, plain));
        for (const one of all) {
          const expected = decide(closures, requestOf(one, plain));
          const reads: Reads = new Map();
          const found = ask(
            generated,
            by,
            requestOf(one, (value, path) => counting(value, path, reads)),
          );
          const name = `${expected.outcome} ${expected.permission.errors.length > 0} ${expected.platform.errors.length > 0}`;
          outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
          const isReadTwice = ([path, count]: readonly [string, number]) => {
            const [part = ""] = path.split(".");
            const throws = part === "key" || part === "account" || part === "resource" ? throwsIn(one[part]) : false;
            return count > 1 && !throws;
          };
          expect([...reads].filter(isReadTwice)).toEqual([]);
          if (!throwsIn(one)) expect(found).toEqual(expected);
          // If a value throws, others may be read twice. Then the function is compared with closures on stable values.
          expect(ask(generated, by, requestOf(one, plain))).toEqual(expected);
        }
      }),
      { numRuns: sized(400, 60), seed: SEED },
    );
    const often = [...outcomes].filter(([, count]) => count >= 10).map(([name]) => name);
    expect(often).toEqual(expect.arrayContaining(EXPECTED));
  });
});
