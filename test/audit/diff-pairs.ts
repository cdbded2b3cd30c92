/**
 * Pairs of policies. Some pairs decide differently, but only for combinations of values, so single values do not show
 * it; others are written differently and decide the same. Each pair names its change.
 */

export interface Pair {
  readonly what: string;
  /** Conditions of the one ALLOW rule, or whole rules and a body. */
  readonly before: PairSide;
  readonly after: PairSide;
  readonly change: "widening" | "narrowing" | "equal";
}

export type PairSide = string | { readonly rules: readonly string[]; readonly variables?: string };

const allow = (expr: string, name = "read") =>
  `name: ${name}, actions: [read], roles: ["*"], effect: EFFECT_ALLOW, condition: {match: {expr: ${JSON.stringify(expr)}}}`;
const deny = (expr: string, name = "stop") =>
  `name: ${name}, actions: [read], roles: ["*"], effect: EFFECT_DENY, condition: {match: {expr: ${JSON.stringify(expr)}}}`;
const always = 'name: all, actions: [read], roles: ["*"], effect: EFFECT_ALLOW';
const rules = (...all: readonly string[]): PairSide => ({ rules: all });

/** A DENY rule that is dropped. */
const dropped = (what: string, expr: string): Pair => ({
  what,
  before: rules(always, deny(expr)),
  after: rules(always),
  change: "widening",
});
const widened = (what: string, before: string, after: string): Pair => ({ what, before, after, change: "widening" });
const narrowed = (what: string, before: string, after: string): Pair => ({ what, before, after, change: "narrowing" });
const equal = (what: string, before: string, after: string): Pair => ({ what, before, after, change: "equal" });

export const CHANGED: readonly Pair[] = [
  dropped(
    "a DENY for a time window",
    'now() >= timestamp("2027-01-01T00:00:00Z") && now() < timestamp("2027-02-01T00:00:00Z")',
  ),
  widened(
    "a deadline ten years later",
    'now() < timestamp("2026-06-01T00:00:00Z")',
    'now() < timestamp("2036-06-01T00:00:00Z")',
  ),
  dropped("maker and checker together", '"maker" in P.roles && "checker" in P.roles'),
  {
    what: "a DENY of a pattern that overlaps an ALLOW",
    before: rules(
      'name: view, actions: ["view:*"], roles: ["*"], effect: EFFECT_ALLOW',
      'name: public, actions: ["*:public"], roles: ["*"], effect: EFFECT_DENY',
    ),
    after: rules('name: view, actions: ["view:*"], roles: ["*"], effect: EFFECT_ALLOW'),
    change: "widening",
  },
  {
    what: "both ends of a text",
    before: rules(allow('R.attr.path == "a"')),
    after: rules(
      allow('R.attr.path == "a"'),
      allow('R.attr.path.startsWith("/pub") && R.attr.path.endsWith(".md")', "more"),
    ),
    change: "widening",
  },
  narrowed("a conversion that fails whatever is asked", "R.attr.x", 'R.attr.x || int("many") == 1'),
  widened("a size and an element", 'size(R.attr.l) >= 4 && "a" in R.attr.l', 'size(R.attr.l) >= 3 && "a" in R.attr.l'),
  dropped("two elements and not a third", '"a" in P.attr.l && "b" in P.attr.l && !("c" in P.attr.l)'),
  widened("the order of texts", 'R.attr.version < "b"', 'R.attr.version < "c"'),
  widened("a product at its boundary", "R.attr.n * 2.0 > 10.0", "R.attr.n * 2.0 >= 10.0"),
  widened(
    "a longer time",
    'timestamp(R.attr.t) + duration("24h") > now()',
    'timestamp(R.attr.t) + duration("48h") > now()',
  ),
  {
    what: "a variable that is tested for being there, redefined",
    before: { rules: [allow("has(V.x)")], variables: "variables: {local: {x: R.attr.a}}" },
    after: { rules: [allow("has(V.x)")], variables: "variables: {local: {x: 'R.attr.b'}}" },
    change: "widening",
  },
  dropped("a text with a beginning and a middle", 'R.attr.s.startsWith("x-") && R.attr.s.contains("secret")'),
  dropped("three roles together", '"a" in P.roles && "b" in P.roles && "c" in P.roles'),
  dropped("a role and not another", '"a" in P.roles && !("b" in P.roles)'),
  widened("a difference of numbers", "R.attr.a - R.attr.b > 5.0", "R.attr.a - R.attr.b >= 5.0"),
  widened("a sum of three", "R.attr.a + R.attr.b + R.attr.c > 10.0", "R.attr.a + R.attr.b + R.attr.c > 9.0"),
  widened("a product of two", "R.attr.a * R.attr.b > 12.0", "R.attr.a * R.attr.b > 11.0"),
  narrowed("a quotient", "R.attr.a / 4.0 > 2.0", "R.attr.a / 4.0 > 3.0"),
  widened("a number and its range", "R.attr.n > 10.0 && R.attr.n < 12.0", "R.attr.n > 10.0 && R.attr.n < 13.0"),
  widened("a whole number of a number", "int(R.attr.n) == 3", "int(R.attr.n) == 3 || int(R.attr.n) == 7"),
  widened("the length of a text", "size(R.attr.s) < 5", "size(R.attr.s) < 6"),
  widened(
    "the length of a text and its beginning",
    'size(R.attr.s) == 3 && R.attr.s.startsWith("a")',
    'size(R.attr.s) <= 4 && R.attr.s.startsWith("a")',
  ),
  dropped("a text that is long and ends so", 'size(R.attr.s) > 20 && R.attr.s.endsWith("!")'),
  widened("a text between two", 'R.attr.s > "m" && R.attr.s < "n"', 'R.attr.s > "m" && R.attr.s < "o"'),
  widened(
    "a list that has one of two",
    'hasIntersection(P.attr.l, ["a", "b"])',
    'hasIntersection(P.attr.l, ["a", "b", "c"])',
  ),
  narrowed("all of a list", 'P.attr.l.all(x, x.startsWith("a"))', 'P.attr.l.all(x, x.startsWith("ab"))'),
  widened("some of a list", 'P.attr.l.exists(x, x.startsWith("ab"))', 'P.attr.l.exists(x, x.startsWith("a"))'),
  widened(
    "some of a list, with both ends",
    'P.attr.l.exists(x, x == "q")',
    'P.attr.l.exists(x, x == "q" || (x.startsWith("a") && x.endsWith("z")))',
  ),
  widened("fields of elements", "R.attr.l.exists(x, x.n > 5.0)", "R.attr.l.exists(x, x.n > 4.0)"),
  widened(
    "a list that is within another",
    "P.attr.a.isSubset(R.attr.b) && size(P.attr.a) > 2",
    "P.attr.a.isSubset(R.attr.b) && size(P.attr.a) > 1",
  ),
  dropped("a list of exactly so many", "size(P.attr.l) == 7"),
  widened("two lists and their sizes", "size(P.attr.a) > size(R.attr.b)", "size(P.attr.a) >= size(R.attr.b)"),
  widened("an age", 'now() - timestamp(R.attr.t) < duration("1h")', 'now() - timestamp(R.attr.t) < duration("61m")'),
  widened(
    "an age by a function",
    'timestamp(R.attr.t).timeSince() < duration("1h")',
    'timestamp(R.attr.t).timeSince() < duration("90m")',
  ),
  dropped("a window of two attributes", "now() > timestamp(R.attr.from) && now() < timestamp(R.attr.to)"),
  widened(
    "the order of two times",
    "timestamp(R.attr.a) < timestamp(R.attr.b)",
    "timestamp(R.attr.a) <= timestamp(R.attr.b)",
  ),
  widened(
    "a time and a length of time",
    'timestamp(R.attr.a) + duration("1h") < timestamp(R.attr.b)',
    "timestamp(R.attr.a) < timestamp(R.attr.b)",
  ),
  widened("a length of time", 'duration(R.attr.d) < duration("1h")', 'duration(R.attr.d) < duration("2h")'),
  widened("a put-together text", 'R.attr.s == P.id + ":x"', 'R.attr.s == P.id + ":x" || R.attr.s == P.id + ":y"'),
  widened("a put-together beginning", 'R.attr.s.startsWith(P.id + "/a")', 'R.attr.s.startsWith(P.id + "/")'),
  dropped("a put-together element", '("k:" + R.id) in P.attr.l && !("root" in P.attr.l)'),
  widened("a text that is absent", 'has(R.attr.s) && R.attr.s == "a"', '!has(R.attr.s) || R.attr.s == "a"'),
  widened("an error that is absorbed", "R.attr.a && R.attr.b", "R.attr.a"),
  narrowed("an error that is not absorbed", 'R.attr.a == "x"', 'R.attr.a == "x" && R.attr.b != "y"'),
  dropped("an error that denies", 'R.attr.a == "x" && R.attr.b == "y"'),
  widened("a choice", "R.attr.b ? R.attr.n > 5.0 : R.attr.n > 9.0", "R.attr.b ? R.attr.n > 5.0 : R.attr.n > 8.0"),
  widened(
    "two conditions of three",
    "(R.attr.a && R.attr.b) || (R.attr.b && R.attr.c)",
    "(R.attr.a && R.attr.b) || (R.attr.b && R.attr.c) || (R.attr.a && R.attr.c)",
  ),
  widened(
    "a key that is another's",
    "P.attr.owner == R.attr.owner && P.attr.owner != P.id",
    "P.attr.owner == R.attr.owner",
  ),
  widened("three that are equal", "R.attr.a == R.attr.b && R.attr.b == R.attr.c", "R.attr.a == R.attr.b"),
  dropped("two that are equal, and not the third", "R.attr.a == R.attr.b && R.attr.b != R.attr.c"),
  widened("an element by its place", 'R.attr.l[0] == "a"', 'R.attr.l[0] == "a" || R.attr.l[1] == "b"'),
  widened(
    "a map's member",
    'R.attr.m.k.startsWith("a") && R.attr.m.n > 3.0',
    'R.attr.m.k.startsWith("a") && R.attr.m.n > 2.0',
  ),
  widened("the id and the kind", 'R.id.startsWith("a") && R.id.endsWith("z")', 'R.id.startsWith("a")'),
  narrowed("an element and a number", '"a" in P.attr.l && R.attr.n > 3.0', '"a" in P.attr.l && R.attr.n > 3.5'),
  {
    what: "a role that is matched by two patterns",
    before: rules(
      'name: team, actions: [read], roles: ["team-*"], effect: EFFECT_ALLOW',
      'name: ro, actions: [read], roles: ["*-blocked"], effect: EFFECT_DENY',
    ),
    after: rules('name: team, actions: [read], roles: ["team-*"], effect: EFFECT_ALLOW'),
    change: "widening",
  },
  {
    what: "an operation of a pattern that is denied by name",
    before: rules(
      'name: keys, actions: ["keys:*"], roles: ["*"], effect: EFFECT_ALLOW',
      'name: no, actions: ["keys:delete", "keys:purge"], roles: ["*"], effect: EFFECT_DENY',
    ),
    after: rules(
      'name: keys, actions: ["keys:*"], roles: ["*"], effect: EFFECT_ALLOW',
      'name: no, actions: ["keys:delete"], roles: ["*"], effect: EFFECT_DENY',
    ),
    change: "widening",
  },
  {
    what: "a variable that means more",
    before: { rules: [allow("V.x && R.attr.b")], variables: "variables: {local: {x: 'R.attr.n > 5.0'}}" },
    after: { rules: [allow("V.x && R.attr.b")], variables: "variables: {local: {x: 'R.attr.n > 4.0'}}" },
    change: "widening",
  },
  widened("a pattern", 'R.attr.s.matches("^a+$")', 'R.attr.s.matches("^a*$")'),
  widened("a case", 'R.attr.s.lowerAscii() == "a"', 'R.attr.s.lowerAscii() in ["a", "b"]'),
  widened("a hour of the day", "now().getHours() < 9", "now().getHours() < 10"),
];

export const EQUAL: readonly Pair[] = [
  equal("a negation", "R.attr.n > 5.0", "!(R.attr.n <= 5.0)"),
  equal("the other way round", 'R.attr.s == "a" || R.attr.s == "b"', '"b" == R.attr.s || "a" == R.attr.s'),
  equal("a list of values", 'R.attr.s in ["a", "b"]', '["b", "a"].exists(x, x == R.attr.s)'),
  equal("a law of De Morgan", "!(R.attr.a && R.attr.b)", "!R.attr.a || !R.attr.b"),
  equal("a product of a whole number", "R.attr.n > 2.0", "R.attr.n > 2"),
  equal(
    "a window that holds nothing",
    'R.attr.n > 5.0 && R.attr.n < 4.0 && R.attr.s == "a"',
    'R.attr.n > 7.0 && R.attr.n < 6.0 && R.attr.s == "a"',
  ),
  equal("what is said twice", 'R.attr.s.startsWith("ab")', 'R.attr.s.startsWith("ab") && R.attr.s.startsWith("a")'),
  equal("a time", 'now() < timestamp("2026-01-01T00:00:00Z")', 'now() < timestamp("2026-01-01T01:00:00+01:00")'),
  equal("two elements", 'hasIntersection(P.attr.l, ["a", "b"])', 'sets.intersects(["b", "a"], P.attr.l)'),
];
