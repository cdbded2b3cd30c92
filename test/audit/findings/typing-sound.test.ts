/**
 * The type findings are correct for random expressions and attributes that satisfy random schemas. A value has one of
 * its inferred types, an expression reported to always fail fails, and a condition reported to never hold does not
 * hold.
 */

import { expect, test } from "vitest";
import { ofDeclared, type PossibleValues, type ValueKind } from "../../../src/audit/findings/possible.js";
import { type TypeFault, Typing, type TypingContext } from "../../../src/audit/findings/typing.js";
import type { Expr } from "../../../src/cel/ast.js";
import { checkExpression } from "../../../src/cel/check.js";
import { typeOf } from "../../../src/cel/equality.js";
import type { JsonValue } from "../../../src/cel/json.js";
import { OPERATORS } from "../../../src/cel/operators.js";
import { parseExpression } from "../../../src/cel/parse.js";
import { type CelValue, isList } from "../../../src/cel/values.js";
import { type Expression, NO_DEFINITIONS } from "../../../src/policy/model.js";
import { declaredBy } from "../../../src/schema/declaration.js";
import functions from "../../cel/server-answers.json" with { type: "json" };
import { compiled, evaluationOf } from "../../cel/support.js";
import { Random } from "../../differential/random.js";
import { randomExpression } from "../../fuzz/expressions.js";
import { SEED, say } from "../../support/seed.js";
import { sized } from "../../support/size.js";

const NO_NAMES = { variables: new Set<string>(), constants: new Set<string>() };

type Attributes = { readonly [name: string]: JsonValue };

/** A random schema that a given value satisfies, tight or wide, and other values that satisfy it. */
interface Described {
  readonly schema: JsonValue;
  readonly values: readonly JsonValue[];
}

function describedBy(value: JsonValue, random: Random): Described {
  if (random.chance(0.1)) return { schema: {}, values: [value, null, "x", 1.5, true, [], {}] };
  const { type, others } = typed(value, random);
  if (typeof type === "string" && random.chance(0.2)) {
    return { schema: { type: [type, "null"] }, values: [value, ...others, null] };
  }
  if (!isObjectOrList(value) && random.chance(0.3)) {
    return { schema: { enum: [value, ...others.slice(0, 1)] }, values: [value, ...others.slice(0, 1)] };
  }
  if (Array.isArray(value) && random.chance(0.7)) {
    const items = value.map((item) => typed(item, random).type);
    return { schema: { type, items: { type: [...new Set(items)] } }, values: [value, []] };
  }
  return { schema: { type }, values: [value, ...others] };
}

function isObjectOrList(value: JsonValue): boolean {
  return typeof value === "object" && value !== null;
}

function typed(value: JsonValue, random: Random): { readonly type: string; readonly others: readonly JsonValue[] } {
  if (value === null) return { type: "null", others: [] };
  if (typeof value === "boolean") return { type: "boolean", others: [!value] };
  if (typeof value === "string") return { type: "string", others: ["abc", "", "1"].filter((one) => one !== value) };
  if (typeof value === "number") {
    const isInteger = Number.isInteger(value) && random.chance(0.5);
    return { type: isInteger ? "integer" : "number", others: [0, 3, -1].filter((one) => one !== value) };
  }
  return Array.isArray(value) ? { type: "array", others: [[]] } : { type: "object", others: [{}] };
}

/** The known types of the resource's attributes, and attribute sets that satisfy them. */
function surroundings(random: Random): { readonly known: TypingContext; readonly attributes: readonly Attributes[] } {
  const all = Object.entries<JsonValue>(functions.attr).map(
    ([name, value]) => [name, describedBy(value, random)] as const,
  );
  const schema = { type: "object", properties: Object.fromEntries(all.map(([name, { schema: of }]) => [name, of])) };
  const declared = declaredBy(new Map([["r.json", schema]]), "r.json");
  const pick = (choose: (values: readonly JsonValue[]) => JsonValue | undefined): Attributes =>
    Object.fromEntries(all.map(([name, { values }]) => [name, choose(values) ?? null]));
  return {
    known: {
      definitions: NO_DEFINITIONS,
      roots: new Map([["R.attr", ofDeclared(declared, "r.json")]]),
      isKind: undefined,
    },
    attributes: [pick(([first]) => first), ...[1, 2, 3].map(() => pick((values) => random.pick(values)))],
  };
}

function kindOf(value: CelValue): ValueKind {
  const type = typeOf(value);
  if (type === "null_type") return "null";
  if (type === "google.protobuf.Timestamp") return "timestamp";
  if (type === "google.protobuf.Duration") return "duration";
  const kinds: readonly string[] = ["bool", "bytes", "double", "int", "list", "map", "string", "type", "uint"];
  return kinds.includes(type) ? (type as ValueKind) : "other";
}

function isPossible(value: CelValue, { kinds, values, items }: PossibleValues): boolean {
  if (!kinds.has(kindOf(value))) return false;
  if (values !== undefined && !values.some((one) => one === value || Number(one) === Number(value))) return false;
  return items === undefined || !isList(value) || value.every((item) => isPossible(item, items));
}

function faultsOf(known: TypingContext, read: (typing: Typing) => unknown): readonly TypeFault[] {
  const typing = new Typing(known);
  read(typing);
  return typing.faults;
}

/** The operands that are evaluated before the expression itself. */
function operandsOf(expr: Expr): readonly Expr[] | undefined {
  switch (expr.kind) {
    case "call":
      return expr.args;
    case "member":
      return [expr.target, ...expr.args];
    case "select":
      return [expr.operand];
    default:
      return undefined;
  }
}

function isBoolean(value: CelValue | undefined): boolean {
  return typeof value === "boolean";
}

test("of random expressions, on attributes that satisfy their schemas", { tags: "long" }, () => {
  const random = new Random(SEED);
  const counts: { [what: string]: number } = { values: 0, narrowed: 0, unequal: 0, failing: 0, untrue: 0 };
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  for (let i = 0; i < sized(40_000, 2_000); i++) {
    const source = shape(random);
    const parsed = parseExpression(source);
    const checked = parsed.ok ? checkExpression(parsed.syntax, NO_NAMES, "0.55") : undefined;
    if (!checked?.ok) continue;
    const { known, attributes } = surroundings(random);
    const of = (expr: Expr): Expression => ({ source, expr, position: (line) => ({ file: "", line, column: 1 }) });
    const whole = of(checked.expr);
    const possible = new Typing(known).value(whole);
    const operands = operandsOf(checked.expr) ?? [];
    const ofOperands = operands.flatMap((operand) => faultsOf(known, (typing) => typing.value(of(operand))));
    const said = faultsOf(known, (typing) => typing.value(whole));
    // Faults of the whole expression, without those of its parts.
    const own = (operandsOf(checked.expr) === undefined ? [] : said).filter(
      ({ at, message }) => !ofOperands.some((one) => one.at === at && one.message === message),
    );
    const operator = checked.expr.kind === "call" ? OPERATORS.get(checked.expr.fn) : undefined;
    for (const attr of attributes) {
      const value = compiled(checked.expr)(evaluationOf(attr));
      const shown = `${source} on ${JSON.stringify(attr)}: ${own.map(({ message }) => message).join("; ")}`;
      if (value !== undefined) {
        count("values");
        if (possible.kinds.size < 13) count("narrowed");
        expect(isPossible(value, possible), `${shown} ${[...possible.kinds]} ${typeOf(value)}`).toBe(true);
      }
      for (const { code } of own) {
        if (code === "always_errs") {
          count("failing");
          expect(value, shown).toBeUndefined();
        } else if (code !== "not_boolean" && operator?.kind === "equality") {
          count("unequal");
          expect(value, shown).not.toBe(operator.equal);
        } else if (code !== "not_boolean" && operator?.kind === "membership" && isWholly(checked.expr, own)) {
          count("unequal");
          expect(value, shown).not.toBe(true);
        }
      }
      if (operator?.kind === "junction" || operator?.kind === "not") {
        for (const operand of operands) {
          const of1 = of(operand);
          const codes = faultsOf(known, (typing) => typing.condition(of1)).map(({ code }) => code);
          const alone = faultsOf(known, (typing) => typing.value(of1));
          if (!codes.includes("not_boolean") || codes.length !== alone.length + 1) continue;
          count("untrue");
          expect(isBoolean(compiled(operand)(evaluationOf(attr))), shown).toBe(false);
        }
      }
    }
  }
  say(`typing: ${JSON.stringify(counts)}`);
  for (const [what, many] of Object.entries(counts)) expect(many, what).toBeGreaterThan(sized(400));
});

/** Whether the faults are about each searched element, or about all elements together. */
function isWholly(expr: Expr, own: readonly TypeFault[]): boolean {
  const list = expr.kind === "call" ? expr.args[1] : undefined;
  return list?.kind !== "list" || list.elements.length === own.length;
}

const READS = Object.keys(functions.attr).map((name) => `R.attr.${name}`);
const CONSTANTS = ["1", "1.0", "3.0", "2u", '"abc"', '"zz"', "true", "null", "[]", '["a"]', "{}"];
const ANY = [...READS, ...READS, ...CONSTANTS];

/** Short forms with many findings, and random other forms. */
function shape(random: Random): string {
  if (random.chance(0.4)) return randomExpression(random);
  const a = random.pick(ANY);
  const b = random.pick(ANY);
  return random.pick([
    `${a} == ${b}`,
    `${a} != ${b}`,
    `${a} in ${b}`,
    `${a} in [${b}, ${random.pick(ANY)}]`,
    `${a} < ${b}`,
    `${a} + ${b}`,
    `${a} && ${b}`,
    `!${a}`,
    `${a}.x`,
    `size(${a})`,
    `${a}.startsWith(${b})`,
    `${a}.exists(x, x == ${b})`,
    `(${a} ? ${b} : ${random.pick(ANY)})`,
    `[${a}, ${b}]`,
    `${a}[0] == ${b}`,
  ]);
}
