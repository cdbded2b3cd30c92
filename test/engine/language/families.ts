/**
 * Expressions with every operator on operands of every sort, every macro over every range, and functions with known and
 * unknown arguments in each position. Policy readers distinguish many cases here. The results are recorded, not
 * evaluated.
 */

import { FUNCTIONS } from "../../../src/cel/functions/registry.js";
import { SEVERAL } from "./corpus.js";

/** One operand of each sort: from the row, from the key, constants, and expressions built from them. */
const OPERANDS = [
  ...["R.attr.x", "R.attr.m.z", 'R.attr.m["k"]', "R.attr.l[0]", "R.attr.l", "R.attr.m", "R.id", "R.attr"],
  ...["P.attr.team", "P.attr.rank", "P.attr.groups", "P.attr.profile", "P.id", "P.roles", "P.attr.profile.k"],
  ...['"red"', "1", "1.5", "2u", "-3", "null", "true", 'b"ab"', "[1, 2]", '["red", "k"]', "[]", '{"k": 1}', "{}"],
  ...["V.vx", "V.vy", "C.cc", "C.cn", "G.limit", "now()", 'duration("1h")', 'timestamp("2024-01-01T00:00:00Z")'],
  ...["timestamp(R.attr.t)", "duration(R.attr.d)", "size(R.attr.l)", "size(R.attr.s)", "R.attr.n + 1.0", "-R.attr.n"],
  ...['R.attr.s + "x"', "int(R.attr.n)", "uint(R.attr.n)", "double(R.attr.s)", "string(R.attr.x)", "type(R.attr.x)"],
  ...[
    "R.attr.y ? 1 : 2",
    "R.attr.y ? R.attr.x : R.attr.k",
    "P.attr.rank > 1 ? R.attr.x : 1",
    "[R.attr.x, 1]",
    "{R.attr.k: 1}",
  ],
  ...[
    "R.attr.?x.orValue(1)",
    "P.attr.profile[R.attr.k]",
    "R.attr.x in [1]",
    "!R.attr.y",
    "has(R.attr.x)",
    "R.attr.y && R.attr.q[0]",
  ],
  ...[
    "R.attr.rows.map(r, r.k)",
    "R.attr.l.filter(t, t > 1)",
    "P.attr.nope",
    "[1, 2].map(t, t + 1)",
    "9007199254740993",
    "1e300",
  ],
  ...[
    "timestamp(R.attr.t).timeSince()",
    "now() - timestamp(R.attr.t)",
    "hierarchy(R.attr.h)",
    "int",
    "dyn(R.attr.x)",
    "1.0",
  ],
];

const COMPARED = ["==", "!=", "<", "<=", ">", ">=", "in"];
const COUNTED = ["+", "-", "*", "/", "%"];

const at = <T>(list: readonly T[], index: number): T => {
  const found = list[index % list.length];
  if (found === undefined) throw new Error("an empty list");
  return found;
};

/** Each operand with several others, on both sides, with the operators in turn. */
const COMPARISONS = OPERANDS.flatMap((a, i) =>
  [1, 4, 9, 16, 23, 31].map((step, j) => `${a} ${at(COMPARED, i + j)} ${at(OPERANDS, i + step)}`),
);

const SUMS = OPERANDS.flatMap((a, i) =>
  [2, 7, 19].map((step, j) => `${a} ${at(COUNTED, i + j)} ${at(OPERANDS, i + step)} == ${at(OPERANDS, i + 11)}`),
);

const RANGES = [
  ...[
    "R.attr.l",
    "R.attr.m",
    "R.attr.rows",
    "R.attr.tags",
    "P.attr.groups",
    "P.attr.profile",
    '["red", "k"]',
    '{"k": 1, "z": 2}',
  ],
  ...[
    "[R.attr.x, P.id]",
    "R.attr.rows[0].tags",
    "R.attr.x + [1]",
    "V.vx",
    "[[1], [2]]",
    "[]",
    "R.attr.s",
    "lists.range(3)",
  ],
  ...[
    "P.attr.groups + R.attr.tags",
    "R.attr.y ? R.attr.l : R.attr.tags",
    "R.attr.m.map(k, k)",
    "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]",
  ],
];

const BODIES = [
  ...[
    't == "red"',
    "t != 1",
    "t in P.attr.groups",
    "t in R.attr.tags",
    "t == R.attr.s",
    't.startsWith("r")',
    "t > 1",
    "t.k == P.attr.team",
  ],
  ...[
    "R.attr[t] == 1",
    "R.attr.m[t] == 1",
    'has(t.k) && t.k == "red"',
    "size(t) == 3",
    "t.exists(u, u == t)",
    "R.attr.y",
    "P.attr.nope == t",
  ],
  ...[
    "t == R.attr.l.size()",
    't in ["red", "k", R.attr.s]',
    "!(t == 1) || t == 2",
    "t ? true : R.attr.y",
    "V.vz || t == 1",
    'P.attr.profile[t] == "x"',
  ],
  ...[
    "cel.bind(u, t, u == 1)",
    "t.?k.hasValue()",
    '"red" in t.tags',
    "hasIntersection(t.tags, P.attr.groups)",
    "t.tags.all(u, u != t.k)",
  ],
];

const MACROS = [
  (range: string, body: string) => `${range}.exists(t, ${body})`,
  (range: string, body: string) => `${range}.all(t, ${body})`,
  (range: string, body: string) => `${range}.exists_one(t, ${body})`,
  (range: string, body: string) => `${range}.filter(t, ${body}).size() > 0`,
  (range: string, body: string) => `${range}.map(t, ${body})[0] == true`,
  (range: string, body: string) => `${range}.exists(t, i, ${body} && i == 1)`,
  (range: string, body: string) => `${range}.all(i, t, i == 0 || ${body})`,
  (range: string, body: string) => `${range}.transformList(i, t, ${body}, i).size() == 1`,
  (range: string, body: string) => `${range}.transformMap(i, t, ${body}) == {"z": true}`,
  (range: string, body: string) => `${range}.map(t, ${body}, t) == ["red"]`,
];

const QUANTIFIED = RANGES.flatMap((range, i) =>
  BODIES.map((body, j) => at(MACROS, i + 3 * j)(range, body)).concat(
    [0, 1].flatMap((macro) => [0, 6, 11].map((step) => at(MACROS, macro)(range, at(BODIES, i + step)))),
  ),
);

/** `?` stands for a known or an unknown value. */
const CALLS = [
  ...[
    '?.startsWith("r")',
    '?.endsWith("d")',
    '?.contains("e")',
    '"red".contains(?)',
    '?.matches("^r")',
    "?.lowerAscii() == C.cc",
    "size(?) > 1",
  ],
  ...[
    '?.substring(1) == "ed"',
    '?.split(",") == ["red"]',
    "hasIntersection(?, P.attr.groups)",
    'intersect(?, ["red"]) == ["red"]',
    "?.isSubset(R.attr.tags)",
  ],
  ...[
    'isSubset(["red"], ?)',
    'except(?, ["red"]) == []',
    "sets.contains(?, R.attr.tags)",
    "sets.equivalent(R.attr.tags, ?)",
    "sets.intersects(?, [1, 2])",
  ],
  ...[
    '?.inIPAddrRange("10.0.0.0/8")',
    "timestamp(?) > now()",
    'timestamp(?) - now() < duration("1h")',
    "duration(?) < duration(R.attr.d)",
    "timestamp(?).getHours() == 1",
  ],
  ...[
    "int(?) == 1",
    "double(?) == 1.0",
    'string(?) == "1"',
    "bool(?)",
    "uint(?) == 1u",
    'bytes(?) == b"red"',
    "type(?) == string",
    "dyn(?) == 1",
    "-int(?) < 0",
  ],
  ...[
    "math.greatest(?, 1) == 1",
    "math.abs(?) == 1.0",
    'hierarchy(?).ancestorOf(hierarchy("a.b"))',
    'spiffeID(?).path() == "/ns"',
    "?.distinct() == [1]",
  ],
  ...[
    "[?, 1].size() == 2",
    '{"a": ?}.a == 1',
    "(? == 1 ? R.attr.y : false)",
    "(R.attr.y ? ? == 1 : ? == 2)",
    "!(? == 1)",
    "!(? > 1) && R.attr.y",
    "!(?)",
  ],
  ...[
    "R.attr.m[?] == 1",
    "R.attr.l[?] == 1",
    "P.attr.profile[?] == 1",
    "[1, 2][?] == 1",
    '{"k": 1}[?] == 1',
    "R.attr[?] == 1",
    "?[0] == 1",
    '?["k"] == 1',
    "?.k == 1",
  ],
  ...[
    "has(?.k)",
    "has(?.k.z)",
    "cel.bind(v, ?, v == 1 && v != R.attr.n)",
    "?.?k.orValue(1) == 1",
    "?[?0].hasValue()",
    "optional.of(?).value() == 1",
    "[?][0] == 1",
  ],
  ...[
    '? in ["red", "k", 1, 2.5, null, true]',
    "? in R.attr.tags",
    "? in P.attr.groups",
    '? in {"red": 1}',
    "? in [R.attr.k, P.id]",
    '"red" in ?',
    "P.id in ?",
    "1 in ?",
  ],
  ...[
    '? == "a" || ? == "b" || ? == "c"',
    '? != "a" && ? != "b"',
    "? == 1 && ? == 2",
    "? > 1 && ? <= 3 || R.attr.y",
    '? in ["a"] || ? in ["b", "c"]',
    "? == ?",
  ],
  ...[
    'base64.encode(bytes(?)) == "a"',
    '"%s".format([?]) == "red"',
    '?.join(",") == "red"',
    "?.sort() == [1]",
    "?.reverse() == [1]",
    "?.flatten() == []",
  ],
  ...[
    '? in ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"]',
    "? in [1, 2, 3, 4, 5, 6, 7, 8, 9]",
    "? in [1, 2, 3, 4, 5, 6, 7, 8]",
  ],
];

const GIVEN = [
  "R.attr.x",
  "R.attr.s",
  "R.attr.tags",
  "P.attr.team",
  "P.attr.groups",
  "R.attr.m.z",
  "V.vx",
  "R.id",
  "R.attr.rows",
  "C.cc",
  "R.attr.l",
];

const CALLED = CALLS.flatMap((call, i) =>
  [0, 1, 3, 6].map((step) => {
    const given = at(GIVEN, i + step);
    // Keeps the question marks of optional fields, indexes and ternaries.
    return call.replaceAll(/\?(?!k\b|0\]| (?:R\.attr\.y|\?))/g, () => given);
  }),
);

/** Values about which only their inputs are known. */
const OPAQUE = CALLS.map((call) =>
  call.replaceAll(/\?(?!k\b|0\]| (?:R\.attr\.y|\?))/g, () => "R.attr.rows.map(r, r.k)[0]"),
);

/** Constants short enough to be read without counting steps, and longer ones. */
const LONG = [
  ...[8, 9, 63, 64, 65].flatMap((length) => {
    const list = JSON.stringify(Array.from({ length }, (_, i) => `t${i}`));
    const numbers = JSON.stringify(Array.from({ length }, (_, i) => i));
    return [
      ...[`R.attr.s in ${list}`, `R.attr.x in ${numbers}`, `hasIntersection(R.attr.tags, ${list})`],
      ...[`R.attr.l.exists(n, n in ${numbers})`, `R.attr.tags == ${list}`],
    ];
  }),
  ...[511, 512, 513].flatMap((length) => {
    const text = JSON.stringify("x".repeat(length));
    return [
      `R.attr.s == ${text}`,
      `R.attr.s.startsWith(${text})`,
      `R.attr.s + ${text} == R.attr.k`,
      `"a" + R.attr.s == ${text}`,
    ];
  }),
];

/** Compound conditions, nested in one another. */
const MATCHES = ["all", "any", "none"]
  .flatMap((kind, i) => {
    const members = [
      "R.attr.x == 1",
      "R.attr.y",
      "P.attr.nope",
      'P.attr.team == "red"',
      "V.vz",
      'R.attr.s == "red"',
      "R.attr.n",
    ];
    const of = (kind: string, ...all: readonly (string | object)[]) => ({
      [kind]: { of: all.map((one) => (typeof one === "string" ? { expr: one } : one)) },
    });
    return members.flatMap((a, j) => {
      const [b, c] = [at(members, j + 1), at(members, j + 3)];
      const other = at(["none", "all", "any"], i + j);
      return [of(kind, a), of(kind, a, b, c), of(kind, a, of(other, b, c)), of(other, of(kind, a, b), of(kind, c))];
    });
  })
  .map((one) => `${SEVERAL}${JSON.stringify(one)}`);

/** Forms with few variants. */
const SINGLES = [
  ...[
    "P.attr.groups.exists(g, P.attr.groups.map(h, h + g) == R.attr.tags)",
    "P.attr.groups.exists(g, P.attr.groups.filter(h, h != g)[0] == R.attr.s)",
  ],
  ...[
    'P.attr.groups.exists(g, P.attr.groups.map(g, g + "x")[0] == R.attr.s)',
    'P.attr.groups.exists(g, [1].map(i, cel.bind(g, "z", g))[0] == R.attr.s)',
  ],
  ...[
    "P.attr.groups.exists(g, P.attr.groups.transformList(i, h, h + g)[1] == R.attr.s)",
    'P.attr.groups.exists(g, P.attr.groups.transformList(g, h, h)[0] == R.attr.s && g == "red")',
  ],
  ...[
    "P.attr.groups.exists(g, cel.bind(h, g, P.attr.groups.map(k, k + h))[0] == R.attr.s)",
    "P.attr.groups.exists_one(g, P.attr.nope == g) || R.attr.y",
    "P.attr.groups.map(g, R.attr.s + g)[0] == P.attr.team",
  ],
  ...[
    "P.attr.groups.map(g, g == R.attr.s, P.attr.nope).size() == 0",
    "P.attr.groups.filter(g, P.attr.nope == g).size() == 0 || R.attr.y",
    "P.attr.groups.exists(g, P.attr.profile[g] == R.attr.s)",
    '["k"].exists(g, P.attr.profile[g] == R.attr.s)',
  ],
  ...[
    "(R.attr.x in [] ? R.attr.y : R.attr.q[0])",
    "(R.attr.x in [] || true ? R.attr.y : R.attr.q[0])",
    "!(R.attr.x in []) ? R.attr.y : R.attr.z",
    "(R.attr.x in [] ? 1 : 2) == 2",
    '"none" in runtime.effectiveDerivedRoles',
    '"some" in runtime.effectiveDerivedRoles',
  ],
  ...[31, 32, 33].map(
    (length) =>
      `${JSON.stringify(Array(32).fill("a"))} + ${JSON.stringify(Array(length).fill("b"))} + [R.attr.s] == R.attr.tags`,
  ),
  ...[63, 64, 65].map(
    (length) =>
      `R.attr.tags == [R.attr.s, ${Array(length - 1)
        .fill('"b"')
        .join()}]`,
  ),
  ...[
    "R.attr.s in P.roles",
    "P.roles.exists(r, r == R.attr.s)",
    'hasIntersection(P.roles, ["user", "x"])',
    "R.attr.tags.exists(t, t in P.roles)",
  ],
  ...[
    '"a" in P.roles && R.attr.y',
    "P.scope == R.attr.s",
    "R.scope == P.id",
    "R.kind == R.attr.s",
    "R.id in P.attr.groups",
    'P.id in ["u1", "u2"]',
  ],
  ...[
    "[R.attr.y].exists(y, y)",
    "R.attr.x in [R.attr.k, P.attr.team, 1]",
    "P.attr.groups.map(g, g == R.attr.s)[0]",
    "[?R.attr.?x, P.id].exists(o, o == 1)",
  ],
  ...[
    "R.attr.m[?P.attr.team].orValue(1) == 1",
    "R.attr.?m[?P.attr.team].hasValue()",
    "R.attr.m.?z.orValue(P.attr.rank) == 1",
  ],
  ...[
    "P.attr.profile[?R.attr.k].orValue(2) == 2",
    "P.attr.?team.orValue(R.attr.s) == 1",
    "P.attr.?nope.or(R.attr.?x).hasValue()",
  ],
  ...["R.attr.?m.z == 1", "V.vm.?z.orValue(1) == 1", "V.vm[?R.attr.k].hasValue()", "R.attr.?e5.?e.orValue(1) == 1"],
  ...["[cel.bind(a, R.attr.x, a)].exists(x, x == 1)", "cel.bind(a, R.attr.l.exists(t, cel.bind(b, t, b == 1)), a)"],
  ...[
    "R.attr.l == [1] || R.attr.l == R.attr.tags",
    "[1, R.attr.x] == R.attr.l",
    "R.attr.m != R.attr.e5",
    '{"a": 1} == R.attr.m',
  ],
  ...[
    "R.attr.k in R.attr.m && R.attr.m[R.attr.k] == 1",
    "R.attr.nope2 == R.attr.nope3",
    "R.attr.rows == R.attr.e6",
    "R.attr.e3 == R.attr.rows",
  ],
  ...[
    'R.attr.ip.inIPAddrRange("10.1.2.0/24")',
    'R.attr.ip.inIPAddrRange("0.0.0.0/0")',
    'R.attr.ip.inIPAddrRange("::1/128")',
    'R.attr.ip.inIPAddrRange("10.1.2.3/32")',
  ],
  ...[
    "R.attr.ip.inIPAddrRange(P.attr.team)",
    'P.attr.team.inIPAddrRange("10.0.0.0/8")',
    "has(runtime.effectiveDerivedRoles) && R.attr.y",
    'R.attr.s.matches("a|b")',
  ],
  ...[
    "has(runtime.effectiveDerivedRoles)",
    '"dr" in runtime.effectiveDerivedRoles',
    '"kr" in runtime.effectiveDerivedRoles && R.attr.x == 1',
  ],
  ...[
    'runtime.effectiveDerivedRoles == ["dr"]',
    "size(runtime.effectiveDerivedRoles) > 1",
    "runtime.effectiveDerivedRoles.exists(r, r == R.attr.s)",
  ],
  ...[
    '"own" in runtime.effectiveDerivedRoles || R.attr.y',
    "runtime.effectiveDerivedRoles[0] == R.attr.s",
    "hasIntersection(runtime.effectiveDerivedRoles, R.attr.tags)",
  ],
  ...[
    "V.vm.z == 1",
    'V.vm[R.attr.k] == "x"',
    'V.vr.exists(r, r.k == "red")',
    "has(V.vm.z)",
    '"red" in V.vt',
    'V.vr[0].k == "red"',
    "V.vm == V.vm",
    "V.vq",
  ],
  ...[
    "V.vq && V.vq",
    "V.vs == V.vs",
    "V.vn > 1 && V.vn < 5",
    "V.vd > timestamp(R.attr.t)",
    "V.vc == R.attr.s",
    "V.vk == R.attr.k",
    "V.vt == V.vp",
    "has(V.vx)",
  ],
  ...[
    "V.vp.exists(p, p in V.vt)",
    "V.vr.all(r, r.n > V.vn)",
    "C.cl == R.attr.tags",
    "R.attr.s in C.cl",
    "C.cm.k == R.attr.x",
    "C.cm[R.attr.k] == 1",
    "C.cf < R.attr.n",
  ],
  ...[
    "C.cb && R.attr.y",
    "C.cl.exists(c, c == R.attr.s)",
    "C.cl.all(c, c in R.attr.tags)",
    "hasIntersection(C.cl, R.attr.tags)",
    "C.cm.exists(k, R.attr.m[k] == 1)",
  ],
  ...[
    "R.attr.m[P.attr.name64] == 1",
    "R.attr.m[P.attr.name65] == 1",
    "R.attr[P.attr.name64] == 1",
    "R.attr[P.attr.name65] == 1",
    "R.attr.q[P.attr.name65] == 1",
    'P.attr.groups.exists(i, h, ["y"].map(k, [i].map(i, string(i) + k + h)[0])[0] == R.attr.s)',
    'timestamp(int(R.attr.n)) > now() || duration(int(R.attr.n) == 2 ? "1h" : "2h") > duration("90m")',
    "R.attr.x in R.attr.l + P.attr.groups && 1 in [R.attr.x] + R.attr.l && size(R.attr.l + R.attr.tags) > 2",
    "R.attr.n in P.roles || R.attr.y in P.roles",
    "R.attr.l.exists(t, has(V.vx) && t == 1)",
    'P.attr.groups.exists(i, h, ["y"].map(i, i + h)[0] == R.attr.s)',
    'P.attr.groups.exists(i, h, ["y"].transformList(k, i, i + h)[0] == R.attr.s)',
    'P.attr.groups.exists(i, h, ["y"].map(k, ["z"].map(i, i + k + h)[0])[0] == R.attr.s)',
    'P.attr.groups.exists(i, h, ["y"].map(k, cel.bind(i, "z", i + k + h))[0] == R.attr.s)',
    'P.attr.groups.exists(g, [g].map(h, h + "x")[0] == R.attr.s)',
    'R.attr.m.transformMap(k, v, "dr" in runtime.effectiveDerivedRoles).size() == 1',
    'P.attr.groups.exists(g, ["x"].map(h, ["y"].map(g, g + h)[0] + g)[0] == R.attr.s)',
    'P.attr.groups.exists(g, ["x"].map(h, cel.bind(g, "z", g + h) + g)[0] == R.attr.s)',
    '["a"].exists(int, type(R.attr.n) == .int)',
    "P.attr.groups.exists(g, R.attr.l.exists(g, h, h == 1 && g == 0))",
    "P.attr.groups.exists(g, R.attr.l.exists(i, g, g == 1))",
    "P.attr.groups.exists(g, R.attr.l.exists(g, g == 1))",
    "true in R.attr.e9 || null in R.attr.e10",
    "[1.5] in R.attr.e6",
    '{"k": "red"} in R.attr.rows',
    'R.attr.e9.exists(e, e) && "red" in R.attr.e9',
    "1 in R.attr.e10 || 1.5 in R.attr.l",
    "P.attr.eight.exists(n, n == R.attr.x)",
    "P.attr.nine.exists(n, n == R.attr.x)",
  ],
  ...[
    "P.attr.eight.all(n, n in R.attr.l)",
    "P.attr.nine.all(n, n in R.attr.l)",
    "R.attr.x in P.attr.nine",
    "P.attr.nine.exists(i, n, n == R.attr.x && i == 1)",
  ],
  ...[
    '"<" + R.attr.s + ">" == "<red"',
    '"<" + R.attr.s + ">" == "red>"',
    '"<" + R.attr.s + ">" == "<>"',
    '"ab" + R.attr.s + "bc" == "abc"',
    '"<" + R.attr.s == P.attr.team',
  ],
  ...[
    'R.attr.s + ">" == P.attr.team + ">"',
    '"" + R.attr.s == "red"',
    'R.attr.s + "" == "red"',
    '"a" + R.attr.s + "b" + R.attr.k == "ab"',
    '"a" + ("b" + R.attr.s) == "abc"',
  ],
  ...[
    'R.attr.e1 == "a"',
    "R.attr.e2 == 1",
    'R.attr.e3 == "a"',
    "R.attr.e3 == [1]",
    "R.attr.e4 == true",
    "R.attr.e5.e == 1",
    'R.attr.e5[0] == "x"',
    "R.attr.e6[0][0] == 1.5",
    "R.attr.e7 == 2",
  ],
  ...[
    "R.attr.e8 == 1",
    "R.attr.e8 == R.attr.l",
    "has(R.attr.e1)",
    "R.attr.e1 in [null, 1]",
    'R.attr.e5.exists(e, e == "x")',
    "R.attr.e6.exists(e, 1.5 in e)",
    "R.attr.e6.all(e, size(e) == 2)",
  ],
  ...[
    "!R.attr.e4",
    "R.attr.e4 != null",
    "size(R.attr.e5) > 0",
    "R.attr.e7 + 1 == 3",
    "R.attr.e3 == R.attr.e3",
    "R.attr.e5 == R.attr.m",
    'R.attr.e1.startsWith("a")',
    'R.attr.e2 != "x"',
  ],
  ...[
    "P.attr.groups.exists(g, R.attr.rows.exists(i, r, r.k == g && i == 0))",
    "[R.attr.l.exists(i, t, t == i)].exists(x, x)",
    "[R.attr.l.map(t, t)].exists(x, x == [1])",
  ],
  ...[
    'R.attr.rows.map(r, r.tags.map(t, t + r.k))[0][0] == "redred"',
    "[1, 2].map(a, R.attr.l.map(b, a + b)).size() == 2",
    "cel.bind(a, R.attr.l.map(b, b), a.exists(c, c == a[0]))",
  ],
  ...[
    "cel.bind(a, 1, cel.bind(b, a + 1, b == R.attr.n))",
    "R.attr.l.exists(a, cel.bind(b, a + 1, b == R.attr.x))",
    "R.attr.l.transformMapEntry(k, v, {string(v): k}).size() == 1",
  ],
  ...[
    "[R.attr.x] + [R.attr.y] == [1, true]",
    "[R.attr.x] + P.attr.groups == R.attr.tags",
    "R.attr.tags + P.attr.groups == C.cl",
    '([R.attr.s] + ["red"]).exists(a, a == "k")',
    "size([R.attr.x] + R.attr.l) == 2",
  ],
  ...[
    "R.attr.y ? R.attr.l == [1] : R.attr.m == {}",
    "(R.attr.y ? R.attr.tags : P.attr.groups).exists(t, t == R.attr.s)",
    "size(R.attr.y ? R.attr.tags : [1]) == 1",
    "R.attr.s in (R.attr.y ? R.attr.tags : P.attr.groups)",
  ],
  ...[
    "-int(R.attr.n) == 3",
    '-duration(R.attr.d) < duration("1s")',
    "-(R.attr.x) == 1",
    "-size(R.attr.l) < 0",
    "!(!(R.attr.y))",
    "!R.attr.x",
    "-R.attr.e7 == -2",
  ],
  ...[
    "duration(R.attr.d) + timestamp(R.attr.t) > now()",
    "timestamp(R.attr.t) - duration(R.attr.d) > now()",
    'timestamp(R.attr.t) - timestamp(R.attr.s) > duration("1h")',
    "now() - duration(R.attr.d) < timestamp(R.attr.t)",
  ],
  ...[
    'duration(R.attr.d) - duration("1h") == duration("0s")',
    'now() + duration("1h") > timestamp(R.attr.t)',
    'duration("1h") + now() > timestamp(R.attr.t)',
    'now() - now() == duration("0s")',
  ],
  ...[
    'timestamp(R.attr.t).getMonth("UTC") == 1',
    "timestamp(R.attr.t).getDate() > 1",
    "timestamp(R.attr.t).getMinutes() < 30",
    "duration(R.attr.d).getSeconds() > 1",
    "timeSince(timestamp(R.attr.t)) > P.attr.rank",
  ],
  ...[
    "int(R.attr.n) / 2 == 1",
    "int(R.attr.n) % 3 == 2",
    "int(R.attr.n) * 2 == 4",
    "uint(R.attr.n) + 1u == 3u",
    "uint(R.attr.n) - 1u == 1u",
    "int(R.attr.n) - 5 == -3",
    "R.attr.n / 0.0 == 1.0",
    "1 / int(R.attr.n) == 0",
  ],
  ...[
    "R.attr.n * R.attr.n == 4.0",
    "2.0 * R.attr.n == 4.0",
    "2.0 * 3.0 == R.attr.n",
    "1.5 - 0.5 == R.attr.n",
    "1e308 * 10.0 == R.attr.n",
    "0.0 / 0.0 == R.attr.n",
    "1.0 + 2.0 == R.attr.n",
    "R.attr.n - 0.1 > 0.0",
  ],
  ...[
    '"a" < "b" && R.attr.y',
    '"b" <= "b" || R.attr.y',
    '"a" < R.attr.s',
    "R.attr.s >= R.attr.k",
    "true > R.attr.y",
    "R.attr.y <= (R.attr.x == 1)",
    "R.attr.y < true",
    "false < R.attr.y",
    "1 < 2u && R.attr.y",
    "1 <= 1 && R.attr.y",
  ],
  ...[
    'R.attr == {"x": 1}',
    "has(R.attr.x) && has(R.attr)",
    "has(P.attr) && R.attr.y",
    "has(P.roles) && R.attr.y",
    "has(R.id) && R.attr.y",
    "has(R.kind)",
    "has(R.scope) || R.attr.y",
    "has(P.scope) || R.attr.y",
    "has(request.principal) && R.attr.y",
  ],
  ...[
    "has(C.cc) && R.attr.y",
    "has(C.nope) || R.attr.y",
    "has(G.limit) && R.attr.y",
    "has(V.vbad) || R.attr.y",
    "P.roles == R.attr.tags",
    "P.roles[0] == R.attr.s",
    "P.roles.map(r, r)[0] == R.attr.s",
    '"user" in P.roles',
    '"admin" in P.roles || R.attr.y',
  ],
  ...[
    "R.attr[R.attr.k] == 1",
    'R.attr["m"]["z"] == 1',
    'R.attr["m"].z == 1',
    'P.attr[R.attr.k] == "x"',
    'P["attr"].team == R.attr.s',
    'R["attr"].x == 1',
    'R["id"] == "d1"',
    '{"a": R.attr.x}["a"] == 1',
    "{R.attr.k: 1}.k == 1",
  ],
  ...[
    '{"a": 1, "b": R.attr.x}.b == 1',
    'has({"a": R.attr.x}.a)',
    '"a" in {"a": R.attr.x}',
    "R.attr.x in {R.attr.k: 1}",
    '{"a": {"b": R.attr.x}}.a.b == 1',
    "[R.attr.x, 2][0] == 1",
    "[R.attr.x, 2][R.attr.n] == 1",
    "[[R.attr.x]][0][0] == 1",
  ],
  ...[
    "type(R.attr.x) == type(1)",
    "type(R.attr.x) == type(R.attr.s)",
    "type(R.attr.x) in [int, string]",
    "type(R.attr.l) == list && type(R.attr.m) == map",
    "type(R.attr.y) == bool",
    "type(type(R.attr.x)) == type",
    "type(timestamp(R.attr.t)) == google.protobuf.Timestamp",
  ],
  ...[
    'R.attr.x == "a" || R.attr.x == "b" || R.attr.x == 1 || R.attr.x == null',
    'R.attr.x != "a" || R.attr.x != "b"',
    "R.attr.n >= 1 && R.attr.n >= 2 && R.attr.n < 5 && R.attr.n <= 4",
    "R.attr.n == 1 && R.attr.n > 2",
    "R.attr.n == 3 || R.attr.n > 2",
  ],
  ...[
    'R.attr.s == "red" && R.attr.s.startsWith("r")',
    'R.attr.s == "red" && R.attr.s.startsWith("x")',
    "R.attr.y && !R.attr.y",
    "R.attr.y || !R.attr.y",
    '(R.attr.y || R.attr.x == 1) && (R.attr.y || R.attr.s == "red")',
    "R.attr.y && (R.attr.y || R.attr.x == 1)",
  ],
  ...[
    "(R.attr.y && R.attr.x == 1) || (R.attr.y && R.attr.x == 2)",
    "(R.attr.x == 1 || R.attr.x == 2) && (R.attr.x == 2 || R.attr.x == 3)",
    "!(R.attr.x == 1 || R.attr.y) || (R.attr.x == 1 && R.attr.q[0])",
    "R.attr.x in [1, 2] && R.attr.x in [2, 3]",
    "R.attr.x in [1, 2] && !(R.attr.x in [2, 3])",
  ],
  ...[
    'R.attr.x in P.attr.groups && R.attr.x in ["red"]',
    'R.attr.x in P.attr.groups && R.attr.x != "red"',
    'R.attr.x == P.attr.team && R.attr.x == "red"',
    "R.attr.x == P.attr.team || R.attr.x in P.attr.groups",
    "R.attr.x == P.attr.team && R.attr.x in P.attr.groups",
    "!(R.attr.x in P.attr.groups) && R.attr.x == P.attr.team",
  ],
  ...[
    "R.attr.n > P.attr.rank && R.attr.n > 1",
    "R.attr.n > P.attr.rank || R.attr.n <= P.attr.rank",
    "R.attr.n > P.attr.rank && R.attr.n < P.attr.rank",
    "size(R.attr.l) > P.attr.rank",
    "R.attr.s.startsWith(P.attr.team) && R.attr.s.endsWith(P.attr.team)",
    "R.attr.s.contains(P.attr.team) || R.attr.s == P.attr.team",
  ],
  ...[
    'R.attr.s == "\\U00030000" || R.attr.k == "\\U0002ffff"',
    '{"a": b"x", "b": b"y"}[R.attr.k] == b"x"',
    "has((R.attr.y ? R.attr.m : R.attr.e5).k)",
    "R.attr.e11 == true || R.attr.e11 == null || R.attr.e11 == 2",
  ],
];

/** Every function, as a global and as a member, with one or two unknown arguments. */
const FUNCTION_CALLS = [...FUNCTIONS.names]
  .filter((name) => /^[\w.]+$/.test(name))
  .flatMap((name) => [
    ...[
      `dyn(${name}(R.attr.x)) == 1`,
      `dyn(${name}(R.attr.s, R.attr.x)) == 1`,
      `dyn(${name}(P.attr.team)) == R.attr.x`,
    ],
    ...[
      `dyn(R.attr.s.${name}()) == 1`,
      `dyn(R.attr.s.${name}(R.attr.x)) == 1`,
      `dyn(R.attr.s.${name}(P.attr.team)) == 1`,
    ],
  ]);

export const FAMILIES: readonly string[] = [
  ...new Set([
    ...COMPARISONS,
    ...SUMS,
    ...QUANTIFIED,
    ...CALLED,
    ...OPAQUE,
    ...SINGLES,
    ...LONG,
    ...MATCHES,
    ...FUNCTION_CALLS,
  ]),
];
