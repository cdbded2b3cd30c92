/**
 * Any text is either refused on load, with an issue inside the text, or compiled and evaluated without throwing. The
 * texts consist of well-typed and ill-typed expressions, and of loose tokens.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { functions } from "../../src/cel/functions/registry.js";
import answers from "./server-answers.json" with { type: "json" };
import { evaluationOf, load, toJson } from "./support.js";
import "../support/seed.js";
import { sized } from "../support/size.js";

const { attr } = answers;
const paths = Object.keys(attr).map((name) => `R.attr.${name}`);

const LEAVES = [
  ...["0", "1", "-1", "2u", "1.5", "9223372036854775807", "true", "false", "null", "''", "'a'", "'%s'", "b'a'", "'😀'"],
  ...["[]", "{}", "[1, 2]", "['a', 1.0]", "{'a': 1}", "{1: 'a', 2u: 'b'}", "timestamp(0)", "duration('1s')", "now()"],
  ...["int", "type", "google.protobuf.Timestamp", "hierarchy('a.b')", "spiffeID('spiffe://a/b')", "spiffeMatchAny()"],
  ...["optional.none()", "optional.of(1)", "optional_type", "net.IP", "ip('::1')", "cidr('10.0.0.0/8')", "'10.0.0.1'"],
  ...["P", "R", "request", "runtime", "P.id", "P.roles", "P.attr", "request.auxData.jwt", "request.auxData"],
  ...["runtime.effectiveDerivedRoles", "G.x", "G", "V.x", "C.x", "V", "x", "y", "nope", "R.attr.nope", ...paths],
];
const VARIABLES = ["x", "y", "P", "math", "__result__"];

const binary = ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "in", "&&", "||"];
const all = functions.filter(({ name }) => /^[a-z]/i.test(name) && !name.includes("@"));
const globals = [...new Set(all.filter(({ style }) => style === "global").map(({ name }) => name))];
const members = [...new Set(all.filter(({ style }) => style === "member").map(({ name }) => name))];
const macros = ["all", "exists", "exists_one", "existsOne", "map", "filter", "sortBy", "transformList", "transformMap"];

const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const e = tie("expression");
  const variable = fc.constantFrom(...VARIABLES);
  const args = fc.array(e, { maxLength: 4 }).map((list) => list.join(", "));
  const dynamic = fc.constantFrom("", "dyn");
  return {
    expression: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom(...LEAVES),
      fc.tuple(dynamic, e).map(([f, a]) => `${f}(${a})`),
      fc.tuple(dynamic, e, fc.constantFrom(...binary), e).map(([f, a, op, b]) => `${f}(${a} ${op} ${b})`),
      fc.tuple(fc.constantFrom("!", "-"), e).map(([op, a]) => `${op}${a}`),
      fc.tuple(e, e, e).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      fc.tuple(e, e).map(([a, b]) => `${a}[${b}]`),
      fc.tuple(e, e).map(([a, b]) => `dyn(${a})[?dyn(${b})]`),
      fc.tuple(e, fc.constantFrom("a", "id", "__proto__")).map(([a, f]) => `dyn(${a}).?${f}`),
      fc.tuple(e, e).map(([a, b]) => `[?dyn(${a}), ?dyn(${b})]`),
      fc.tuple(e, e, e).map(([k, a, b]) => `{?${k}: dyn(${a}), ?'b': dyn(${b})}`),
      fc
        .tuple(e, fc.constantFrom("optMap", "optFlatMap"), variable, e)
        .map(([a, m, x, b]) => `dyn(${a}).${m}(${x}, ${b})`),
      fc.tuple(e, fc.constantFrom("a", "id", "size", "__proto__", "constructor")).map(([a, f]) => `${a}.${f}`),
      fc.tuple(e, fc.constantFrom("a", "id", "__proto__")).map(([a, f]) => `has(${a}.${f})`),
      args.map((list) => `[${list}]`),
      fc
        .array(fc.tuple(e, e), { maxLength: 3 })
        .map((entries) => `{${entries.map(([k, v]) => `${k}: ${v}`).join(", ")}}`),
      fc.tuple(fc.constantFrom(...globals), args).map(([f, list]) => `${f}(${list})`),
      fc.tuple(e, fc.constantFrom(...members), args).map(([a, f, list]) => `${a}.${f}(${list})`),
      fc.tuple(e, fc.constantFrom(...macros), variable, e).map(([a, m, x, b]) => `${a}.${m}(${x}, ${b})`),
      fc
        .tuple(e, fc.constantFrom(...macros), variable, variable, e)
        .map(([a, m, x, y, b]) => `${a}.${m}(${x}, ${y}, ${b})`),
      fc
        .tuple(e, variable, variable, e, e)
        .map(([a, x, y, k, v]) => `${a}.transformMapEntry(${x}, ${y}, {${k}: ${v}})`),
      fc.tuple(variable, e, e).map(([x, a, b]) => `cel.bind(${x}, ${a}, ${b})`),
      fc.tuple(fc.constantFrom("greatest", "least"), args).map(([f, list]) => `math.${f}(${list})`),
      fc.tuple(fc.constantFrom("%s", "%d", "%.2f %x", "%"), args).map(([p, list]) => `'${p}'.format([${list}])`),
    ),
  };
});

const TOKENS = [
  ...["(", ")", "[", "]", "{", "}", ".", ",", ":", "?", "!", "&&", "||", "==", "=", "&", "@", "`", "\\", "\u00a0"],
  ...[
    "'",
    '"',
    "'''",
    "r'",
    'b"',
    "'\\x",
    "'a'",
    "//",
    "\n",
    "\r",
    " ",
    "0x",
    "1e",
    "1u",
    ".5",
    "999999999999999999999",
  ],
  ...[
    "if",
    "in",
    "true",
    "has",
    "all",
    "x",
    "R",
    "attr",
    "cel",
    "bind",
    "é",
    "\ud800",
    "\u0000",
    "-",
    "?.",
    "[?",
    ".?",
    ", ?",
  ],
];
const tokens = fc.array(fc.constantFrom(...TOKENS), { maxLength: 12 }).map((list) => list.join(""));

const counts = { refused: 0, failed: 0, evaluated: 0 };

function run(source: string): void {
  const code = load(source);
  if (typeof code !== "function") {
    expect(code.refused).not.toBe("");
    expect(code.at).toBeGreaterThanOrEqual(0);
    expect(code.at).toBeLessThanOrEqual(source.length);
    counts.refused++;
    return;
  }
  const ev = evaluationOf(attr);
  const result = code(ev);
  if (result === undefined) {
    expect(ev.fault).not.toBe("");
    counts.failed++;
    return;
  }
  toJson(result);
  counts.evaluated++;
}

describe("no text throws", { tags: "long" }, () => {
  test("expressions", { timeout: 120_000 }, () => {
    fc.assert(fc.property(expression, run), { numRuns: sized(20_000, 1_000) });
    // Each outcome must have a share.
    const total = counts.refused + counts.failed + counts.evaluated;
    expect(counts.failed / total).toBeGreaterThan(0.02);
    expect(counts.evaluated / total).toBeGreaterThan(0.04);
  });

  test("tokens", () => {
    fc.assert(fc.property(tokens, run), { numRuns: sized(5_000) });
  });

  test("any text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 40 }), run), { numRuns: sized(2_000) });
  });
});
