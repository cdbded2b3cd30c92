/** Random expressions: arguments mostly have the types that functions expect, sometimes other types. */

import { functions } from "../../src/cel/functions/registry.js";
import type { CelType } from "../../src/cel/types.js";
import type { Random } from "../differential/random.js";

/** Expressions by type; `R.attr` is defined in test/cel/server-answers.json. */
const LEAVES: { readonly [kind: string]: readonly string[] } = {
  bool: ["true", "false", "R.attr.t", "R.attr.f", "has(R.attr.s)", "has(R.attr.nope)"],
  int: [
    ...["0", "1", "-1", "2", "3", "7", "63", "64", "-64", "100", "0x10", "size(R.attr.s)"],
    ...["9223372036854775807", "-9223372036854775808"],
  ],
  uint: ["0u", "1u", "2u", "64u", "18446744073709551615u", "0x1Fu"],
  double: [
    ...["0.0", "-0.0", "1.0", "1.5", "-2.5", "1e3", "1e308", "4.9e-324", "2.0e15", "123456789.125", "(0.0/0.0)"],
    ...["(1.0/0.0)", "R.attr.n", "R.attr.three", "R.attr.half", "R.attr.neg", "R.attr.big"],
  ],
  string: [
    ...[
      "''",
      "'a'",
      "'abc'",
      "'b'",
      "'a,b,c'",
      "'%s %d'",
      "'10.0.0.1'",
      "'10.0.0.0/8'",
      "'::1'",
      "'😀é'",
      "'A'",
      "'1'",
    ],
    ...["'1.5'", "'true'", "'acme.eu.web'", "'acme.eu'", "'acme'", "'spiffe://a.b/c'", "'2024-02-29T00:00:00Z'"],
    ...["'1h30m'", "'YWJj'", "' x '", "R.attr.s", "R.attr.empty", "R.attr.smile", "R.attr.ts", "R.attr.dur", "P.id"],
    ...[
      "R.kind",
      "'America/New_York'",
      "'+05:30'",
      "'[a-c]+'",
      "'('",
      "'\\n'",
      "'\\u00e9'",
      "r'\\d+'",
      '"it\'s"',
      "'''x'''",
    ],
  ],
  bytes: ["b''", "b'abc'", "b'\\xff\\x00'", "b'é'"],
  null: ["null", "R.attr.nul"],
  timestamp: [
    ...["timestamp('2024-02-29T23:59:59.123456789Z')", "timestamp('2021-01-01T00:00:00+05:30')", "timestamp(0)"],
    ...["timestamp(R.attr.ts)", "timestamp('0001-01-01T00:00:00Z')", "timestamp('9999-12-31T23:59:59Z')"],
  ],
  duration: [
    ...[
      "duration('1h')",
      "duration('-1.5s')",
      "duration('1h30m0.000000001s')",
      "duration(R.attr.dur)",
      "duration('0')",
    ],
    ...["duration('-2562047h47m16.854775808s')", "duration('500ms')"],
  ],
  type: ["int", "string", "double", "type(1)", "list", "null_type", "google.protobuf.Timestamp"],
  list: [
    ...[
      "[]",
      "[1, 2, 3]",
      "[1.0, 2.0]",
      "['a', 'b']",
      "['c', 'a', 'b']",
      "[3, 1, 2]",
      "[[1], [2, 3]]",
      "[true, false]",
    ],
    ...["[1u, 2u]", "[timestamp(0)]", "[duration('1s')]", "P.roles", "R.attr.list", "R.attr.strs", "R.attr.mixed"],
    ...["R.attr.el", "R.attr.nested"],
  ],
  map: [
    ...["{}", "{'a': 1}", "{'a': 1, 'b': 'x'}", "{1: 'a', 2u: 'b'}", "{true: 1}", "{'a': {'b': [1]}}"],
    ...["R.attr.map", "R.attr.em"],
  ],
  "cerbos.lib.hierarchy": [
    ...[
      "hierarchy('a.b.c')",
      "hierarchy('a')",
      "hierarchy('a:b', ':')",
      "hierarchy(['a', 'b'])",
      "hierarchy(R.attr.strs)",
    ],
  ],
  "cerbos.lib.spiffeID": ["spiffeID('spiffe://a.b/c/d')", "spiffeID('spiffe://x')"],
  "cerbos.lib.spiffeTrustDomain": ["spiffeTrustDomain('a.b')", "spiffeID('spiffe://a.b/c').trustDomain()"],
  "cerbos.lib.spiffeMatcher": [
    ...["spiffeMatchAny()", "spiffeMatchTrustDomain('a.b')", "spiffeMatchExact(spiffeID('spiffe://a.b/c'))"],
  ],
};
const KINDS = Object.keys(LEAVES);

/** All functions except those of the clock, and except `lists.range`: the server hangs on long lists. */
const FUNCTIONS = functions.filter(({ name }) => !/^(?:now|timeSince|lists\.range)$/.test(name));
const FORMATS = ["%s", "%d", "%x", "%X", "%o", "%b", "%e", "%f", "%.2f", "%.0e", "%s|%s", "%%%s", "%5d"];

function kindOf({ kind, name }: CelType): string {
  if (kind === "dyn" || kind === "param") return "dyn";
  return kind === "opaque" ? name : kind;
}

export function randomExpression(random: Random): string {
  return new Generator(random).of(random.pick(KINDS), random.pick([1, 2, 2, 3, 3, 4]));
}

class Generator {
  private readonly random: Random;
  /** The variables bound by enclosing macros. */
  private variables: readonly string[] = [];

  constructor(random: Random) {
    this.random = random;
  }

  /** An expression, mostly of the type `wanted`, nested at most `depth` levels. */
  of(wanted: string, depth: number): string {
    const { random } = this;
    if (random.chance(0.06)) {
      const other = this.of(random.pick(KINDS), depth);
      return random.chance(0.6) ? `dyn(${other})` : other;
    }
    if (wanted === "dyn") {
      const any = this.of(random.pick(KINDS), depth);
      return random.chance(0.3) ? `dyn(${any})` : any;
    }
    if (this.variables.length > 0 && random.chance(0.15)) return random.pick(this.variables);
    if (depth <= 0 || random.chance(0.25)) return this.leaf(wanted);
    if (random.chance(0.16)) return this.macro(wanted, depth - 1);
    if (random.chance(0.05)) {
      const [condition, then, otherwise] = this.many(["bool", wanted, wanted], depth - 1);
      return `(${condition} ? ${then} : ${otherwise})`;
    }
    if (random.chance(0.05)) return `${this.of("list", depth - 1)}[${this.of("int", depth - 1)}]`;
    if (random.chance(0.05)) return this.of("map", depth - 1) + random.pick([".a", "['a']", ".b", "[1]", "['b']"]);
    return this.call(wanted, depth - 1);
  }

  private many(kinds: readonly string[], depth: number): readonly string[] {
    return kinds.map((kind) => this.of(kind, depth));
  }

  private leaf(kind: string): string {
    return this.random.pick(LEAVES[kind] ?? LEAVES.string ?? []);
  }

  private call(wanted: string, depth: number): string {
    const { random } = this;
    const fitting = FUNCTIONS.filter(({ result }) => {
      const kind = kindOf(result);
      return kind === wanted || (kind === "dyn" && random.chance(0.2));
    });
    if (fitting.length === 0) return this.leaf(wanted);
    const named = random.pick([...new Set(fitting.map(({ name }) => name))]);
    const { name, style, params } = random.pick(fitting.filter((each) => each.name === named));
    const args = params.map((param) => this.of(kindOf(param), depth));
    const [a = "1", b = "1", c = "1"] = args;
    const operator = /^_(.{1,2})_$/.exec(name)?.[1];
    if (operator !== undefined) return `(${a} ${operator} ${b})`;
    switch (name) {
      case "!_":
      case "-_":
        return name.charAt(0) + grouped(a);
      case "_?_:_":
        return `(${a} ? ${b} : ${c})`;
      case "_[_]":
        return `${grouped(a)}[${b}]`;
      case "@in":
        return `(${a} in ${b})`;
      case "math.@max":
      case "math.@min":
        return `math.${name === "math.@max" ? "greatest" : "least"}(${args.join(", ")})`;
      case "@sortByAssociatedKeys":
        return `${grouped(a)}.sortBy(x, ${this.within(["x"], random.pick(["int", "string", "double"]), depth)})`;
      case "format":
        return `${random.chance(0.9) ? `'${random.pick(FORMATS)}'` : a}.format([${this.many(random.chance(0.7) ? ["dyn"] : ["dyn", "dyn"], depth).join(", ")}])`;
      default:
        return style === "member"
          ? `${grouped(a)}.${name}(${args.slice(1).join(", ")})`
          : `${name}(${args.join(", ")})`;
    }
  }

  private within(names: readonly string[], kind: string, depth: number): string {
    const outer = this.variables;
    this.variables = [...outer, ...names];
    const expression = this.of(kind, depth);
    this.variables = outer;
    return expression;
  }

  private macro(wanted: string, depth: number): string {
    const { random } = this;
    const range = grouped(this.of(random.pick(["list", "list", "map"]), depth));
    const [x, k] = [random.pick(["x", "y"]), random.pick(["i", "k"])];
    const one = (kind: string) => this.within([x], kind, depth);
    const two = (kind: string) => this.within([x, k], kind, depth);
    const test = random.pick(["all", "exists", "exists_one", "existsOne"]);
    const filter = random.chance(0.5);
    switch (wanted) {
      case "bool":
        return random.chance(0.5)
          ? `${range}.${test}(${x}, ${one("bool")})`
          : `${range}.${test}(${k}, ${x}, ${two("bool")})`;
      case "list":
        return random.pick([
          () => `${range}.map(${x}, ${filter ? `${one("bool")}, ` : ""}${one("dyn")})`,
          () => `${range}.filter(${x}, ${one("bool")})`,
          () => `${range}.transformList(${k}, ${x}, ${filter ? `${two("bool")}, ` : ""}${two("dyn")})`,
          () => `${range}.sortBy(${x}, ${one(random.pick(["int", "string", "double"]))})`,
        ])();
      case "map":
        return random.chance(0.7)
          ? `${range}.transformMap(${k}, ${x}, ${filter ? `${two("bool")}, ` : ""}${two("dyn")})`
          : `${range}.transformMapEntry(${k}, ${x}, {${two("string")}: ${two("dyn")}})`;
      default:
        return `cel.bind(${x}, ${this.of(random.pick([wanted, random.pick(KINDS)]), depth)}, ${one(wanted)})`;
    }
  }
}

function grouped(text: string): string {
  return /^[\w.'"]+$|^\(.*\)$|^\w+\([^()]*\)$/.test(text) ? text : `(${text})`;
}
