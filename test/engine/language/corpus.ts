/**
 * Expressions of every form, and requests that give each outcome, for testing several policy readers. Each expression
 * is the condition of one action in a policy.
 */

import type { DecisionRequest, PolicyFile, PolicySet } from "../../../src/index.js";
import PLANNED from "../../query/expressions.json" with { type: "json" };
import { compiled } from "../../support/policies.js";
import EXTRA from "./extra.json" with { type: "json" };
import MORE from "./more.json" with { type: "json" };

/** Parts with a filter form, and parts that err, for every position in an expression. */
const PARTS = [
  ...["R.attr.x == 1", 'R.attr.s == "red"', "R.attr.y", "!R.attr.y", "has(R.attr.m.z)", 'R.attr.x in [1, "red"]'],
  ...['"red" in R.attr.tags', "R.attr.n < 2.0", "R.attr.n >= 1", 'R.attr.s.startsWith("r")', "size(R.attr.l) > 1"],
  ...[
    "R.attr.l.exists(t, t == 1)",
    'R.attr.rows.all(r, r.k == "red")',
    "R.attr.s == P.attr.team",
    "R.attr.x == R.attr.n",
  ],
  ...["R.attr.nope", "R.attr.m.z == 1", 'R.id == "d1"', "R.attr.x != 1", 'R.attr.s.matches("^r")', "P.attr.rank == 2"],
];

const COMPOSED: readonly string[] = PARTS.flatMap((a, i) => {
  const [b = a, c = a, d = a] = [3, 8, 14].map((step) => PARTS[(i + step) % PARTS.length] ?? a);
  return [
    `(${a}) && (${b})`,
    `(${a}) || !(${c})`,
    `!((${a}) && (${c})) && ((${b}) || (${d}))`,
    `(${d}) ? (${a}) : (${b})`,
  ];
});

/** The last expressions are not asked on the server: they use constants, which may have any type, and optionals. */
export const EXPRESSIONS: readonly string[] = [
  ...new Set([...PLANNED.plain, ...PLANNED.known, ...EXTRA, ...COMPOSED, ...MORE]),
];

/** Prefix of a corpus text that is a compound condition in JSON. */
export const SEVERAL = "match: ";

const match = (text: string) => (text.startsWith(SEVERAL) ? JSON.parse(text.slice(SEVERAL.length)) : { expr: text });

const rule = (text: string, i: number) => ({
  actions: [`a${i}`],
  effect: "EFFECT_ALLOW",
  roles: ["user"],
  condition: { match: match(text) },
});

/** Imports derived roles that depend on the row and others that do not, so that both can be active. */
const DEFINITIONS = {
  constants: { local: { cc: "red", cn: 1, cl: ["red", "k"], cm: { k: 1 }, cf: 1.5, cb: true } },
  variables: {
    local: {
      ...{ vx: "R.attr.x.a", vy: "R.attr.y", vz: "V.vy == 1", vbad: "P.attr.nope" },
      ...{ vm: "R.attr.m", vr: "R.attr.rows", vt: "R.attr.tags", vp: "P.attr.groups", vq: "V.vx == V.vy || V.vq2" },
      ...{
        vq2: "V.vy && V.vy",
        vs: 'R.attr.s + "x"',
        vn: "size(R.attr.l)",
        vd: "now()",
        vc: "C.cc",
        vk: "P.attr.profile.k",
      },
    },
  },
  importDerivedRoles: ["roles"],
};

const derivedRole = (name: string, condition?: string) => ({
  name,
  parentRoles: ["user"],
  ...(condition === undefined ? {} : { condition: { match: { expr: condition } } }),
});

const ROLES = {
  apiVersion: "api.cerbos.dev/v1",
  derivedRoles: {
    name: "roles",
    variables: { local: { own: "R.attr.owner == P.id" } },
    definitions: [
      ...[derivedRole("dr", "R.attr.y"), derivedRole("kr", 'P.attr.team == "red"'), derivedRole("own", "V.own")],
      ...[derivedRole("er", "P.attr.nope"), derivedRole("all")],
      { ...derivedRole("none"), condition: { match: { none: { of: [{ expr: "R.attr.y" }, { expr: "V.own" }] } } } },
      {
        ...derivedRole("some"),
        condition: {
          match: { any: { of: [{ expr: "P.attr.rank > 1" }, { all: { of: [{ expr: "R.attr.q[0]" }] } }] } },
        },
      },
    ],
  },
};

/** A rule that evaluates the derived roles. */
const GUARDED = {
  actions: ["guarded"],
  effect: "EFFECT_ALLOW",
  derivedRoles: ["all", "dr", "kr", "none", "own", "some"],
};

/** The declared attribute types; some attributes that expressions read stay undeclared. */
const DECLARED = {
  type: "object",
  properties: {
    x: { type: ["integer", "string", "null"] },
    y: { type: "boolean" },
    s: { type: "string" },
    k: { enum: ["k", "n", "red"] },
    n: { type: "number" },
    l: { type: "array", items: { type: "integer" } },
    m: { type: "object", properties: { z: { type: "integer" } }, additionalProperties: { type: "string" } },
    tags: { type: "array", items: { type: "string" } },
    rows: {
      type: "array",
      items: {
        type: "object",
        properties: {
          k: { type: "string" },
          n: { type: "integer" },
          tags: { type: "array", items: { type: "string" } },
        },
        required: ["k"],
      },
    },
    rank: { type: "integer" },
    team: { type: "string" },
    groups: { type: "array", items: { type: "string" } },
    profile: { type: "object", additionalProperties: { type: ["string", "integer"] } },
    e1: { type: "string", enum: ["a", 1, null] },
    e2: { type: "string", enum: [1] },
    e3: { enum: [[1], "a", { b: 1 }] },
    e4: { type: ["boolean", "null"] },
    e5: { type: ["object", "array"], properties: { e: { const: 1 } }, items: { enum: ["x", "y"] } },
    e6: { type: "array", items: { type: "array", items: { type: "number" } } },
    e7: { const: 2 },
    e8: { type: ["number", "array"], items: {} },
    e11: { enum: [true, null, 2] },
    e9: { type: "array", items: { type: "boolean" } },
    e10: { type: "array", items: { type: ["null", "object"] } },
  },
  required: ["y", "s"],
};

const SCHEMAS = {
  schemas: { principalSchema: { ref: "cerbos:///any.json" }, resourceSchema: { ref: "cerbos:///any.json" } },
};

const NEWER = { path: "keyward.yaml", text: 'cerbos: "0.58"\n' };

export const GLOBALS = { limit: 3, environment: "test" };

/** `isTyped`: attribute types are declared. */
export function corpusFiles(expressions: readonly string[], isTyped: boolean): PolicyFile[] {
  const types = isTyped ? SCHEMAS : {};
  const rules = [...expressions.map(rule), GUARDED];
  const resourcePolicy = {
    resource: "doc",
    version: "default",
    ...DEFINITIONS,
    ...types,
    rules,
  };
  const text = JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy });
  const schema = { path: "_schemas/any.json", text: JSON.stringify(DECLARED) };
  const roles = { path: "roles.json", text: JSON.stringify(ROLES) };
  const level = expressions.some((expression) => /\.has(All|Any|Exactly|Only)\(/.test(expression)) ? [NEWER] : [];
  return [{ path: "corpus.json", text }, roles, ...(isTyped ? [schema] : []), ...level];
}

/** A permission-only set. */
export function corpus(expressions: readonly string[], codegen: boolean, isTyped = false): PolicySet {
  return compiled(corpusFiles(expressions, isTyped), { platform: "none", globals: GLOBALS, codegen });
}

type Attributes = NonNullable<DecisionRequest["resource"]["attr"]>;

export const KEY = {
  id: "u1",
  roles: ["user"],
  attr: { team: "red", rank: 2, groups: ["red", "green"], profile: { k: "x", n: 2 }, none: [], no: {} },
};

/** The values of each attribute in turn; with the first value of each, many expressions are true. */
const VALUES: { readonly [name: string]: readonly Attributes[string][] } = {
  x: [1, { a: 1, k: "n" }, "red", 2.5, null, ["red", 1], true, {}, "a"],
  y: [true, false, 1, "a", { a: { b: 1 } }, ["red"], true],
  z: ["x", true, "zz", 3],
  a: [true, 1, false, null, 2],
  b: [true, false, "1", 2],
  c: [3, true, false],
  s: ["red", "k", "", "reed\u{1f600}", 1, "1.5", "d1"],
  k: ["k", "n", "red", 7],
  n: [2, 0, -1.5, 3, "2", 1],
  l: [[1, 2], [], [2, 1, 1], ["red", null], { z: 1 }, [3]],
  m: [{ z: 1 }, { red: 1, u1: 1, k: "x" }, {}, { z: { deep: 1 } }, ["z"], { k: "x", n: 2 }],
  q: [[true], [], [false, true], ["u1"], [1]],
  tags: [["red"], ["red", "blue"], [], ["green", "red"], "red", [1, "red"]],
  rows: [
    [{ k: "red", n: 2, tags: ["red"] }],
    [],
    [
      { k: "k", n: 1, tags: [] },
      { k: "red", n: 3, tags: ["blue", "red"] },
    ],
    [{ n: 2 }, { k: 1, tags: "red" }],
    ["red"],
  ],
  t: ["2023-06-01T00:00:00Z", "2025-01-01T00:00:00+01:00", "yesterday", 0],
  d: ["1h", "-90m", "soon"],
  h: ["a.b", "a", "c"],
  ip: ["10.1.2.3", "11.0.0.1", "nowhere"],
  sp: ["spiffe://example.org/ns", "spiffe://other/ns", "x"],
  owner: ["u1", "u2"],
  nul: [null, 1],
};

const ROWS = 24;

/** Leaves out an attribute now and then, so that each is absent from some rows. */
function attributesOf(row: number): Attributes {
  const entries = Object.entries(VALUES).flatMap(([name, values], i) => {
    const at = row < 9 ? row : (row * (i + 3)) % values.length;
    return row > 0 && (row + i) % 7 === 0 ? [] : [[name, values[at % values.length] ?? null] as const];
  });
  return Object.fromEntries(entries);
}

export const RESOURCES = Array.from({ length: ROWS }, (_, row) => ({
  kind: "doc",
  id: row % 2 === 0 ? "d1" : "red",
  attr: attributesOf(row),
}));

export const NOW = new Date("2024-06-01T12:00:00Z");

export function requestOf(action: number, resource: (typeof RESOURCES)[number]): DecisionRequest {
  return { key: KEY, operation: `a${action}`, resource, account: { id: "a1", attr: {} }, now: NOW };
}
