/**
 * Expressions of every operator with operands of every sort, of every macro over every range, and of functions with what is
 * known and what is not in each place: in which readers of policies tell many cases apart. They are put down, not evaluated.
 */

/** One of each sort: of the row, of the key, constants, and what is made of them. */
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

/** Each operand with several others, on both sides, by each operator in turn. */
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

/** In the place of `?`, what is known and what is not. */
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
    // A question mark stands before a field that may not be there, too.
    return call.replaceAll(/\?(?!k\b|0\]| (?:R\.attr\.y|\?))/g, () => given);
  }),
);

export const FAMILIES: readonly string[] = [...new Set([...COMPARISONS, ...SUMS, ...QUANTIFIED, ...CALLED])];
